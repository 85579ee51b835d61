//! The lists of a sweep's plan: their product, their faults by line, and the hash that tells plans apart.

use nodeorder_base::Text;
use nodeorder_network::Context;
use nodeorder_sweep::Plan;

fn plan(text: &str) -> nodeorder_base::error::Result<Plan> {
    Plan::read(&Text::new("p.toml", text), None, &Context::default())
}

#[test]
fn cells_are_the_product() {
    let plan = plan(
        "name = 'x'\ntopologies = ['torus:4x4', 'mesh:3']\norderings = ['snake', 'random']\n\
         guests = ['ring:n=3']\nroutings = ['ecmp-hop', 'ecmp-path']\nseeds = [1, 2, 3]\n",
    )
    .unwrap();
    assert_eq!(plan.cells().len(), 2 * 2 * 2 * 3);
    assert_eq!(plan.lists.seeds, [1, 2, 3]);
}

#[test]
fn faults_are_named_with_their_line() {
    let base = "topologies = ['torus:4x4']\norderings = ['snake']\n";
    for (more, message) in [
        (
            "topologys = ['a']",
            "p.toml:3: unknown key for a sweep plan `topologys`",
        ),
        (
            "allocators = ['fifo:0']",
            "p.toml: found no `logs`; expected `allocators` together",
        ),
        (
            "guests = ['ring:n=3']",
            "p.toml: found no `routings`; expected `guests` together",
        ),
        (
            "seeds = [1, -1]",
            "p.toml:3: found `-1`; expected a whole number from 0",
        ),
        ("seeds = [1, 1]", "p.toml:3: found `1` twice in `seeds`"),
        (
            "procs_per_node = 4",
            "p.toml:3: found procs_per_node = 4; expected it beside `traces`",
        ),
        ("policies = ['easy']", "p.toml:3: found policies = "),
        ("transforms = ['none']", "p.toml:3: found transforms = "),
        (
            "traces = ['poisson:jobs=5,sizes=4']\nallocators = ['fifo:0']\ntransforms = ['load=0']",
            "p.toml:5: found load = `0`",
        ),
        (
            "logs = ['poisson:jobs=5,sizes=4']\nallocators = ['fifo:0']",
            "p.toml:3: found `poisson:jobs=5,sizes=4`, a generator of traces",
        ),
        (
            "logs = ['no.log']\nallocators = ['fifo:0']",
            "p.toml:3: no.log: opening",
        ),
        (
            "group = 'slow'",
            "p.toml:3: found group = `slow`; expected mapping or slowdown",
        ),
        (
            "duty = 0.5",
            "p.toml:3: found duty = 0.5; expected it beside",
        ),
        (
            "group = 'slowdown'\nroutings = ['ecmp-hop']",
            "p.toml: found no `guests`; expected `guests` ",
        ),
        (
            "group = 'slowdown'\nguests = ['rign']\nroutings = ['ecmp-hop']",
            "p.toml:4: unknown guest `rign`",
        ),
        (
            "group = 'slowdown'\nguests = ['ring']\nroutings = ['ecmp-hop']\nduty = [0.5, 2]",
            "p.toml:6: found `2`; expected a share of the time, from 0 to 1",
        ),
        (
            "group = 'slowdown'\nguests = ['ring']\nroutings = ['ecmp-hop']\ntilings = 3",
            "p.toml:6: found `3`; expected 1, 2 or 4",
        ),
        (
            "guests = ['rong:n=3']\nroutings = ['ecmp-hop']",
            "p.toml:3: unknown guest `rong`",
        ),
        (
            "guests = ['ring:n=3']\nroutings = ['ecmp']",
            "p.toml:4: unknown routing `ecmp`",
        ),
    ] {
        let error = plan(&format!("{base}{more}\n")).unwrap_err().to_string();
        assert!(error.starts_with(message), "{more}: {error}");
    }
    for (text, message) in [
        ("orderings = ['snake']", "p.toml: found no `topologies`"),
        (
            "topologies = []\norderings = ['snake']",
            "p.toml:1: found topologies = a list of 0",
        ),
        (
            "topologies = ['tours:4']\norderings = ['snake']",
            "p.toml:1: unknown topology kind",
        ),
        (
            "topologies = ['torus:4']\norderings = ['snail']",
            "p.toml:2: unknown ordering",
        ),
        (
            "topologies = ['torus:4']\norderings = [['a']]",
            "p.toml:2: found a list of 1",
        ),
    ] {
        let error = plan(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
}

#[test]
fn the_hash_tells_plans_and_their_files_apart() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("o.txt"), "0\n1\n2\n").unwrap();
    std::fs::write(at("jobs.log"), "P a 1\n").unwrap();
    let text = "topologies = ['mesh:3']\norderings = ['o.txt']\nlogs = ['jobs.log']\nallocators = ['fifo:0']\n";
    let hash = |text: &str, seed| {
        let context = Context {
            seed,
            ..Context::default()
        };
        let text = Text::new("p.toml", text);
        Plan::read(&text, Some(&at("p.toml")), &context)
            .unwrap()
            .lists
            .hash
    };
    let first = hash(text, 1);
    assert_eq!(first, hash(&format!("# a comment\n{text}"), 1));
    assert_ne!(first, hash(text, 2));
    assert_ne!(first, hash(&text.replace("mesh:3", "torus:3"), 1));
    std::fs::write(at("jobs.log"), "P a 2\n").unwrap();
    let second = hash(text, 1);
    assert_ne!(first, second);
    std::fs::write(at("o.txt"), "2\n1\n0\n").unwrap();
    assert_ne!(second, hash(text, 1));
}
