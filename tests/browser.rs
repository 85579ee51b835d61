//! The comparison page in a real browser: no error, every control does what it says, numbers equal the data's,
//! everything can be reached by keyboard and read. Skipped, by name, where `chromium` is not installed.

mod devtools;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use devtools::{Browser, Tab};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use serde_json::{Value, json};

use crate::skip::{Peer, without};

/// Machines of every kind of drawing, and what else `compare` is asked.
const MACHINES: [(&str, &str, &[&str]); 9] = [
    ("torus", "torus:6x5x4", &[]),
    ("dragonfly", "dragonfly:p=2,a=4,h=2", &[]),
    ("tree", "fat-tree:k=4", &[]),
    ("random", "random-regular:n=60,d=4", &[]),
    (
        "hub",
        "cascade:4x3x5,per_router=2,global=single,limit=101",
        &[],
    ),
    ("panels", "torus:4x3x3x2x2", &[]),
    ("pieces", "topology.conf", &[]),
    ("equal", "hyperx:12", &[]),
    (
        "trace",
        "torus:8x8",
        &["--trace", "jobs.swf", "--guest", "ring"],
    ),
];

fn nodeorder(folder: &Path, arguments: &[&str]) {
    let mut command = crate::command();
    let output = command
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", arguments.join(" "));
}

/// A page of a machine in `folder`; where it is.
fn page(folder: &Path, name: &str) -> PathBuf {
    let (_, spec, more) = MACHINES.iter().find(|(n, ..)| *n == name).unwrap();
    if more.contains(&"--trace") {
        std::fs::write(folder.join("jobs.swf"), trace()).unwrap();
    }
    std::fs::write(folder.join("topology.conf"), two_pieces()).unwrap();
    nodeorder(folder, &[&["compare", spec, "--out", name], *more].concat());
    folder.join(name)
}

/// 60 jobs of 1 to 40 nodes that overlap, as an SWF trace.
fn trace() -> String {
    let mut text = "; MaxNodes: 64\n".to_string();
    for i in 0..60 {
        let (nodes, run) = (1 + i * 7 % 40, 100 + i * 37 % 500);
        text += &format!(
            "{} {} -1 {run} {nodes} -1 -1 {nodes} {run} -1 1 1 1 1 1 -1 -1 -1\n",
            i + 1,
            i * 60
        );
    }
    text
}

/// Two trees without a link between them, with long names and leaf switches of 6 and 4 nodes.
fn two_pieces() -> String {
    let mut text = String::new();
    for rack in 0..2 {
        for (chassis, last) in [(0, 5), (1, 5), (2, 3)] {
            text += &format!(
                "SwitchName=leaf-switch-of-rack{rack:02}-chassis-{chassis} \
                 Nodes=compute-cluster-west-rack{rack:02}-chassis-{chassis}-node[000-{last:03}]\n"
            );
        }
        text += &format!(
            "SwitchName=spine-of-rack{rack:02} Switches=leaf-switch-of-rack{rack:02}-chassis-[0-2]\n"
        );
    }
    text
}

/// Runs `test` in a browser, or says that there is none.
fn in_browser(name: &str, test: impl FnOnce(&mut Browser, &Path)) {
    let folder = tempfile::tempdir().unwrap();
    match Browser::start(folder.path()) {
        Some(mut browser) => test(&mut browser, folder.path()),
        None => without(
            Peer::Chromium,
            &format!("browser::{name}"),
            "chromium is not installed",
        ),
    }
}

/// `mpc.csv` as values by ordering and size.
fn curves(folder: &Path) -> BTreeMap<(String, u64), f64> {
    let mut reader = csv::Reader::from_path(folder.join("mpc.csv")).unwrap();
    let row = |r: csv::StringRecord| {
        (
            (r[0].to_string(), r[1].parse().unwrap()),
            r[2].parse().unwrap(),
        )
    };
    reader.records().map(|r| row(r.unwrap())).collect()
}

/// The table of values under the chart: label to the value of its row. Values come as text: not every reader of JSON
/// numbers is exact.
fn readout(tab: &mut Tab) -> BTreeMap<String, f64> {
    let rows = tab.eval(
        "[...document.querySelectorAll('#chart-values tbody tr')].map(r => [r.cells[1].textContent.trim(), \
         r.cells[2].dataset.value])",
    );
    let rows: Vec<(String, String)> = serde_json::from_value(rows).unwrap();
    rows.into_iter()
        .map(|(label, value)| (label, value.parse().unwrap()))
        .collect()
}

#[test]
fn pages_are_quiet_readable_and_fit() {
    in_browser("pages_are_quiet_readable_and_fit", |browser, folder| {
        for (name, ..) in MACHINES {
            let file = page(folder, name).join("index.html");
            let mut tab = browser.open(&file, 1280, 900);
            assert_eq!(
                tab.eval("document.getElementById('chart').hidden"),
                false,
                "{name}"
            );
            assert_eq!(
                tab.eval("document.getElementById('foot').hidden"),
                false,
                "{name}"
            );
            tab.wait("document.getElementById('walk-canvas').dataset.coloured > 0");
            assert_eq!(tab.eval("drawnEarly"), 0, "{name}: drawn while it loads");
            tab.eval("document.querySelectorAll('details').forEach(d => { d.open = true; })");
            assert_eq!(tab.eval(UNNAMED), json!([]), "{name}: without a name");
            fits(&mut tab, name);
            tab.resize(320, 700);
            tab.wait("document.getElementById('walk-canvas').clientWidth < 320");
            assert_eq!(
                tab.eval("document.documentElement.scrollWidth"),
                320,
                "{name}"
            );
            assert_eq!(tab.eval(OUTSIDE), json!([]), "{name}: outside 320 pixels");
            assert_eq!(tab.errors(), Vec::<String>::new(), "{name}");
        }
    });
}

/// Nothing scrolls sideways but within boxes; the ranked table is whole at 1280 pixels and shows its number at 400.
fn fits(tab: &mut Tab, name: &str) {
    for width in [1280, 400] {
        tab.resize(width, 900);
        tab.wait(&format!("innerWidth === {width}"));
        assert_eq!(
            tab.eval("document.documentElement.scrollWidth"),
            width,
            "{name}"
        );
        assert_eq!(tab.eval(MEETING), json!([]), "{name} at {width}");
        for scheme in ["dark", "light"] {
            tab.media("prefers-color-scheme", scheme);
            assert_eq!(
                tab.eval(CONTRAST),
                json!([]),
                "{name} at {width}, {scheme}: text of too little contrast"
            );
        }
        // What is wider than its box says so.
        tab.frame();
        let silent = tab.eval(
            "[...document.querySelectorAll('.scroll')].filter(e => e.checkVisibility() && \
             e.scrollWidth > e.clientWidth + 1 && !e.previousElementSibling?.checkVisibility()).length",
        );
        assert_eq!(
            silent, 0,
            "{name} at {width}: boxes that scroll without a cue"
        );
        let table = "document.querySelector('.scroll:has(table.sortable)')";
        if width == 1280 {
            let more = tab.number(&format!("{table}.scrollWidth - {table}.clientWidth"));
            assert!(more <= 0.0, "{name}: {more} pixels beyond the window");
        }
        let number = format!(
            "[...{table}.querySelectorAll('tbody th')].map(e => e.nextElementSibling).map(e => \
             e.checkVisibility() ? e : e.nextElementSibling).reduce((r, e) => Math.max(r, \
             e.getBoundingClientRect().right), 0)"
        );
        let right = tab.number(&number);
        assert!(
            (1.0..=f64::from(width)).contains(&right),
            "{name}: the number ends at {right}"
        );
    }
}

/// Pages of the other commands: a grid, a tree or dragonfly, and something odd (long names, pieces, equal values) each.
const PAGES: [(&str, &str); 18] = [
    (
        "machines",
        "machines torus:8x8 dragonfly:p=2,a=4,h=2 fat-tree:nodes=60 --trace jobs.swf --prices links=1,routers=9",
    ),
    (
        "machines-trees",
        "machines fat-tree:k=6 leaf-spine:nodes=60,blocking=2:1,radix=24",
    ),
    (
        "machines-odd",
        "machines offer-of-the-first-vendor=torus:4x4x4 offer-of-a-second-vendor-with-a-long-name=torus:8x8 topology.conf",
    ),
    ("sweep", "sweep run plan.toml"),
    ("sweep-trees", "sweep run trees.toml"),
    ("sweep-odd", "sweep run equal.toml"),
    ("corun", "corun torus:8x8 --jobs jobs.toml"),
    ("corun-tree", "corun fat-tree:k=6 --jobs jobs.toml"),
    ("corun-odd", "corun joined.conf --jobs long.toml"),
    ("snapshot", "snapshot torus:8x8 --jobs grid.json"),
    ("snapshot-tree", "snapshot fat-tree:k=6 --jobs tree.json"),
    ("snapshot-odd", "snapshot topology.conf --jobs odd.json"),
    ("audit", "audit torus:8x8 --trace records.txt"),
    ("audit-tree", "audit fat-tree:k=6 --trace records.txt"),
    ("audit-odd", "audit topology.conf --trace odd.txt"),
    ("tune", "tune torus:4x4x4 --trace few.swf --seeds 2"),
    ("tune-tree", "tune fat-tree:k=6 --trace jobs.swf --seeds 2"),
    ("tune-odd", "tune joined.conf --trace few.swf --seeds 2"),
];

/// A job of Slurm's queue that holds `count` nodes for an hour.
fn held(nodes: &str, count: usize) -> String {
    let number = |n: usize| json!({"set": true, "infinite": false, "number": n});
    let job = json!({"job_id": 123_456, "job_state": ["RUNNING"], "submit_time": number(500),
                     "start_time": number(1000), "end_time": number(4600), "time_limit": number(60),
                     "node_count": number(count), "nodes": nodes});
    json!({"jobs": [job], "errors": [], "warnings": []}).to_string()
}

/// Writes what the commands of [`PAGES`] read.
fn write_inputs(folder: &Path) {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let long = |rack: usize, chassis: usize, node: usize| {
        format!("compute-cluster-west-rack{rack:02}-chassis-{chassis}-node{node:03}")
    };
    write("jobs.swf", &trace());
    let few: Vec<String> = trace().lines().take(25).map(String::from).collect();
    write("few.swf", &few.join("\n"));
    write("topology.conf", &two_pieces());
    let joined = two_pieces() + "SwitchName=core Switches=spine-of-rack[00-01]\n";
    write("joined.conf", &joined);
    let plan = |topologies: &str, orderings: &str| {
        format!(
            "name = 's'\ntopologies = [{topologies}]\norderings = [{orderings}]\ntraces = ['jobs.swf']\n\
             allocators = ['fifo:0', 'span-best-fit']\npolicies = ['easy']\n"
        )
    };
    write(
        "plan.toml",
        &plan("'torus:8x8', 'fat-tree:k=6'", "'row-major', 'random'"),
    );
    let trees = "'fat-tree:k=6', 'dragonfly:p=2,a=4,h=2'";
    write(
        "trees.toml",
        &plan(trees, "'row-major', 'hierarchical:scatter=2', 'random'"),
    );
    write(
        "equal.toml",
        &plan("'hyperx:64'", "'row-major', 'random', 'hierarchical'"),
    );
    let job = |name: &str, nodes: &str, guest: &str| {
        format!(
            "[[jobs]]\nname = '{name}'\nnodes = '{nodes}'\nguest = '{guest}'\nbytes = 1000000\n"
        )
    };
    write(
        "jobs.toml",
        &(job("left", "0-7", "ring:n=8") + &job("right", "8-15", "all-to-all:n=8")),
    );
    let ends = [long(0, 0, 0), long(0, 1, 0), long(1, 0, 0)].join(",");
    let name = "a job with a very long name that someone gave it";
    let pair = [long(0, 0, 1), long(0, 1, 1)].join(",");
    write(
        "long.toml",
        &(job(name, &ends, "all-to-all:n=3") + &job("b", &pair, "ring:n=2")),
    );
    write("grid.json", &held("n[0-8]", 9));
    write("tree.json", &held("n[00-08]", 9));
    let nodes = "compute-cluster-west-rack00-chassis-0-node[000-005]";
    write("odd.json", &held(nodes, 6));
    let mut records = String::from("JobIDRaw|Submit|Start|End|NNodes|NodeList\n");
    let mut odd = records.clone();
    for i in 0..40 {
        let first = i * 5 % 40;
        let times = format!("{i}|{}|{}|{}|3|", i * 700, i * 700, i * 700 + 900);
        records += &format!("{times}{first},{},{}\n", first + 3, first + 11);
        let list = [
            long(i % 2, 0, i % 5),
            long(i % 2, 1, i % 6),
            long(i / 2 % 2, 2, i % 3),
        ];
        odd += &format!("{times}{}\n", list.join(","));
    }
    write("records.txt", &records);
    write("odd.txt", &odd);
}

/// Pages of the other commands: as quiet, readable and narrow as the page of one machine.
#[test]
fn other_pages_are_quiet_readable_and_fit() {
    in_browser(
        "other_pages_are_quiet_readable_and_fit",
        |browser, folder| {
            write_inputs(folder);
            for (name, asked) in PAGES {
                let mut arguments: Vec<&str> = asked.split(' ').collect();
                arguments.extend(["--out", name]);
                nodeorder(folder, &arguments);
                if asked.starts_with("sweep") {
                    nodeorder(folder, &["sweep", "page", name]);
                }
                let mut tab = browser.open(&folder.join(name).join("index.html"), 1280, 900);
                assert_eq!(tab.eval(UNNAMED), json!([]), "{name}: without a name");
                // Every figure of the page stands beside it as a file.
                let files = std::fs::read_dir(folder.join(name)).unwrap();
                let files = files.filter(|file| {
                    file.as_ref()
                        .unwrap()
                        .path()
                        .extension()
                        .is_some_and(|end| end == "svg")
                });
                assert_eq!(
                    tab.number("document.querySelectorAll('figure svg').length"),
                    files.count() as f64,
                    "{name}"
                );
                fits(&mut tab, name);
                reach_by_keyboard(&mut tab, name);
                tab.click("table th[data-column='0'] button");
                assert_eq!(tab.errors(), Vec::<String>::new(), "{name}");
            }
        },
    );
}

/// Visible text whose contrast with what is behind it is below 4.5 (3 where it is large), as WCAG 2.2 counts it.
const CONTRAST: &str = r#"(() => {
  const parse = (text) => { const v = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0]; return v.length < 4 ? [...v, 1] : v; };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const light = (c) => { const [r, g, b] = c.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (e) => { const list = []; for (let at = e; at; at = at.parentElement) list.push(parse(getComputedStyle(at).backgroundColor)); return list.reverse().reduce((below, top) => over(top, below), [255, 255, 255]); };
  // The last shape drawn before a text that lies behind its middle.
  const under = (e, svg, paper) => {
    if (e.hasAttribute("transform")) return paper;
    const box = e.getBBox();
    const point = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
    const before = [...svg.querySelectorAll("path")].filter((shape) => shape.compareDocumentPosition(e) & 4);
    const filled = before.filter((shape) => getComputedStyle(shape).fill !== "none" && shape.isPointInFill(point));
    return filled.reduce((ground, shape) => over(parse(getComputedStyle(shape).fill), ground), paper);
  };
  const poor = [];
  for (const e of document.querySelectorAll("body *")) {
    if (["SCRIPT", "STYLE", "OPTION"].includes(e.tagName) || !e.checkVisibility()) continue;
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    const style = getComputedStyle(e);
    const svg = e.ownerSVGElement;
    if (svg && !["text", "tspan"].includes(e.tagName)) continue;
    const paper = svg?.querySelector(".fp");
    const ground = paper ? under(e, svg, parse(getComputedStyle(paper).fill).slice(0, 3)) : behind(e);
    const ink = over(parse(svg ? style.fill : style.color), ground);
    const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (large ? 3 : 4.5)) poor.push(`${e.tagName}.${e.className?.baseVal ?? e.className} "${e.textContent.slice(0, 30)}" ${ratio.toFixed(2)}`);
  }
  return [...new Set(poor)];
})()"#;

/// Texts of pictures that lie over each other, are cut at an edge or crossed by a line of dashes; names that are broken over two lines, full stops that
/// stand alone, and texts that leave the cell of their table.
const MEETING: &str = r#"(() => {
  const bad = [];
  for (const svg of document.querySelectorAll("figure svg")) {
    if (!svg.checkVisibility()) continue;
    const edge = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter((e) => e.textContent.trim()).map((e) => {
      const { left, right, top, bottom } = e.getBoundingClientRect();
      // A line is higher than its letters.
      const [x, y] = e.hasAttribute("transform") ? [0.25 * (right - left), 0] : [0, 0.25 * (bottom - top)];
      return { text: e.textContent, left: left + x, right: right - x, top: top + y, bottom: bottom - y };
    });
    // Dashes are many lines of one path; a name on ground of its own hides them.
    const dashed = [...svg.querySelectorAll("path")].filter((e) => getComputedStyle(e).fill === "none" && e.getAttribute("d").split("M").length > 5);
    for (const e of dashed.length && document.title.startsWith("Machines") ? svg.querySelectorAll("text:not([transform])") : []) {
      const { x, y, width, height } = e.getBBox();
      const hidden = (point, line) => [...svg.querySelectorAll("path")].some((shape) => line.compareDocumentPosition(shape) & 4 && shape.compareDocumentPosition(e) & 4 && getComputedStyle(shape).fill !== "none" && shape.isPointInFill(point));
      const crossed = (line) => [...Array(Math.ceil(width)).keys()].some((i) => [0.35, 0.5, 0.65].some((part) => {
        const point = new DOMPoint(x + i, y + part * height);
        return line.isPointInStroke(point) && !hidden(point, line);
      }));
      if (dashed.some(crossed)) bad.push("crossed by a line: " + e.textContent);
    }
    texts.forEach((a, i) => {
      if (a.left < edge.left - 1 || a.right > edge.right + 1 || a.top < edge.top - 1 || a.bottom > edge.bottom + 1) bad.push("cut: " + a.text);
      for (const b of texts.slice(0, i)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 1 && down > 1) bad.push(`over each other: ${a.text} and ${b.text}`);
      }
    });
  }
  // Names stay whole, long ones break after a hyphen; what ends a sentence stays beside its last word.
  for (const block of document.querySelectorAll("p, li, dd, dt, h1, h2, figcaption, summary, th")) {
    if (!block.checkVisibility()) continue;
    const walk = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    const places = [];
    let all = "";
    while (walk.nextNode()) {
      for (let i = 0; i < walk.currentNode.data.length; i++) places.push([walk.currentNode, i]);
      all += walk.currentNode.data;
    }
    const broken = (from, to) => {
      const range = document.createRange();
      range.setStart(...places[from]);
      range.setEnd(places[to - 1][0], places[to - 1][1] + 1);
      const seen = [...range.getClientRects()].filter((r) => r.width > 0);
      // Letters of two fonts overlap in height where they share a line.
      return Math.max(...seen.map((r) => r.top)) >= Math.min(...seen.map((r) => r.bottom));
    };
    for (const token of all.matchAll(/\S+/g)) {
      const end = token.index + token[0].length;
      if (/[.,;:)]$/.test(token[0]) && token[0].length > 1 && broken(end - 2, end)) bad.push("alone: " + token[0]);
      if (!/[a-z]\S*[-:,\/=]\S/i.test(token[0])) continue;
      for (const part of token[0].matchAll(/[^,:\/]+[,:\/]*/g)) {
        const from = token.index + part.index;
        if (part[0].length <= 24 && broken(from, from + part[0].length)) bad.push("broken: " + part[0]);
      }
    }
  }
  for (const cell of document.querySelectorAll("th, td")) {
    if (!cell.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(cell);
    if (range.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1) bad.push("outside its cell: " + cell.textContent);
  }
  return bad;
})()"#;

/// Drawings, controls and regions without a name; tables without headers; ids used twice.
const UNNAMED: &str = r#"(() => {
  const named = (e) => (e.getAttribute("aria-label") ?? "").trim() || (e.labels?.length && e.labels[0].textContent.trim()) || (["BUTTON", "A", "SUMMARY"].includes(e.tagName) && e.textContent.trim());
  const bad = [];
  const tell = (why, e) => bad.push(why + ": " + e.outerHTML.slice(0, 90));
  for (const e of document.querySelectorAll("button, a, select, input, canvas, summary, [role=region], [role=img], [role=application], [role=group]")) {
    if (e.closest("[hidden]") || named(e)) continue;
    tell("no name", e);
  }
  for (const e of document.querySelectorAll("svg")) {
    if (e.getAttribute("aria-hidden") !== "true" && !e.querySelector("title")?.textContent.trim()) tell("no title", e);
  }
  for (const e of document.querySelectorAll("table")) {
    if (!e.querySelector("thead th[scope=col]")) tell("no header", e);
    for (const row of e.tBodies[0].rows) if (!row.querySelector("th[scope=row]")) tell("row without header", row);
  }
  for (const e of document.querySelectorAll("[tabindex='0']")) if (e.tagName !== "CANVAS" && !e.getAttribute("role")) tell("focus without a role", e);
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((x) => x === id).length > 1) bad.push("id twice: " + id);
  for (const e of document.querySelectorAll("[aria-labelledby], [aria-describedby]")) {
    const id = e.getAttribute("aria-labelledby") ?? e.getAttribute("aria-describedby");
    if (!document.getElementById(id)) tell("refers to nothing", e);
  }
  for (const e of document.querySelectorAll("nav a, a.skip")) if (!document.querySelector(e.getAttribute("href"))) tell("leads nowhere", e);
  return bad;
})()"#;

/// Controls that reach beyond the window, but for those in boxes that scroll.
const OUTSIDE: &str = r#"[...document.querySelectorAll("button, select, input, canvas, h1, h2, p, summary")]
  .filter((e) => e.checkVisibility() && !e.closest(".scroll") && !e.classList.contains("skip"))
  .filter((e) => { const r = e.getBoundingClientRect(); return r.left < -0.5 || r.right > 320.5; })
  .map((e) => e.outerHTML.slice(0, 90))"#;

#[test]
fn tables_sort_by_mouse_and_by_keyboard() {
    in_browser("tables_sort_by_mouse_and_by_keyboard", |browser, folder| {
        let file = page(folder, "trace").join("index.html");
        let mut tab = browser.open(&file, 1280, 900);
        let column = |tab: &mut Tab, table: &str, index: usize| -> Vec<String> {
            let read = format!(
                "[...document.querySelector({table:?}).tBodies[0].rows].map(r => r.cells[{index}].dataset.value ?? \
                 r.cells[{index}].textContent)"
            );
            serde_json::from_value(tab.eval(&read)).unwrap()
        };
        let tables = [
            "#ranked",
            "section[aria-labelledby=workload] table",
            "section[aria-labelledby=contention] table",
            "section[aria-labelledby=scheduling] table",
        ];
        // Columns on demand, too.
        assert_eq!(
            tab.number("document.querySelectorAll('#ranked .more').length > 0 ? 1 : 0"),
            1.0
        );
        tab.click("button.columns");
        for table in tables {
            let heads = format!("document.querySelectorAll('{table} th[data-column]')");
            let count = tab.eval(&format!("{heads}.length")).as_u64().unwrap();
            assert!(count >= 4, "{table}");
            for head in 0..count {
                let index = tab.eval(&format!("{heads}[{head}].dataset.column"));
                let index: usize = index.as_str().unwrap().parse().unwrap();
                tab.eval(&format!("{heads}[{head}].querySelector('button').focus()"));
                for key in ["Enter", "Space"] {
                    tab.key(key, 0);
                    let sort = tab.eval(&format!("{heads}[{head}].getAttribute('aria-sort')"));
                    let cells = column(&mut tab, table, index);
                    assert!(cells.len() > 5, "{table}");
                    let numbers: Option<Vec<f64>> = cells.iter().map(|c| c.parse().ok()).collect();
                    let ordered = |less: bool| match &numbers {
                        Some(n) => n
                            .windows(2)
                            .all(|p| if less { p[0] <= p[1] } else { p[0] >= p[1] }),
                        None => cells.first() != cells.last(),
                    };
                    assert!(
                        ordered(sort == "ascending"),
                        "{table} {index} {sort}: {cells:?}"
                    );
                }
            }
        }
        tab.click("#ranked th[data-column='1'] button");
        assert_eq!(
            tab.eval("document.querySelectorAll('#ranked [aria-sort]').length"),
            1
        );
        assert_eq!(
            tab.eval("document.querySelector('#ranked [aria-sort]').dataset.column"),
            "1"
        );
        assert_eq!(tab.errors(), Vec::<String>::new());
    });
}

#[test]
fn the_chart_shows_the_curves_values() {
    in_browser("the_chart_shows_the_curves_values", |browser, folder| {
        let out = page(folder, "torus");
        let truth = curves(&out);
        let mut tab = browser.open(&out.join("index.html"), 1280, 900);
        let holds = |tab: &mut Tab| -> u64 {
            let size = tab.number("document.getElementById('chart-canvas').dataset.at") as u64;
            let rows = readout(tab);
            assert!(rows.len() >= 10);
            for (label, value) in rows {
                assert_eq!(value, truth[&(label.clone(), size)], "{label} at {size}");
            }
            size
        };
        tab.wait("document.getElementById('chart-canvas').dataset.at");
        // The pointer reads every curve at its size.
        let canvas = "document.getElementById('chart-canvas')";
        tab.eval(&format!(
            "{canvas}.scrollIntoView({{ block: 'center', behavior: 'instant' }})"
        ));
        let area: Vec<f64> = serde_json::from_value(tab.eval(&format!(
            "(() => {{ const r = {canvas}.getBoundingClientRect(), d = {canvas}.dataset; return [r.left + Number(d.left), \
             r.left + Number(d.right), r.top + r.height / 2]; }})()"
        )))
        .unwrap();
        let (left, right, middle) = (area[0], area[1], area[2]);
        let mut seen = Vec::new();
        for share in [0.0, 0.25, 0.5, 0.9, 1.0] {
            tab.mouse("mouseMoved", left + share * (right - left), middle);
            tab.frame();
            let size = holds(&mut tab);
            let there = (2f64.ln() + share * (120f64 / 2.0).ln()).exp();
            assert!((size as f64 - there).abs() <= 1.0, "{size} at {there}");
            seen.push(size);
        }
        assert_eq!((seen[0], seen[4]), (2, 120));
        // So do the keys.
        tab.eval(&format!("{canvas}.focus()"));
        let at = |tab: &mut Tab, key: &str, modifiers: u32| {
            tab.key(key, modifiers);
            tab.frame();
            holds(tab)
        };
        assert_eq!(at(&mut tab, "Home", 0), 2);
        assert_eq!(at(&mut tab, "ArrowRight", 0), 3);
        assert_eq!(at(&mut tab, "ArrowUp", 0), 6);
        assert_eq!(at(&mut tab, "ArrowRight", devtools::SHIFT), 16);
        assert_eq!(at(&mut tab, "ArrowDown", 0), 8);
        assert_eq!(at(&mut tab, "ArrowLeft", 0), 7);
        assert_eq!(at(&mut tab, "End", 0), 120);
        // And the field.
        tab.set("#chart-size", "37");
        tab.frame();
        assert_eq!(holds(&mut tab), 37);
        assert!(tab.text("#chart-said").contains("37 nodes"));

        // Zoom: buttons, keys, wheel, dragging; all sizes again.
        let range = |tab: &mut Tab| {
            tab.frame();
            let of = |tab: &mut Tab, key: &str| tab.number(&format!("{canvas}.dataset.{key}"));
            (of(tab, "from"), of(tab, "to"))
        };
        assert_eq!(range(&mut tab), (2.0, 120.0));
        tab.click("#chart-in");
        let near = range(&mut tab);
        assert!(
            near.0 > 2.0 && near.1 < 120.0 && near.0 < 37.0 && near.1 > 37.0,
            "{near:?}"
        );
        tab.click("#chart-left");
        let moved = range(&mut tab);
        assert!(moved.0 < near.0 && moved.1 < near.1, "{moved:?}");
        tab.click("#chart-right");
        assert!(range(&mut tab).0 > moved.0);
        tab.click("#chart-out");
        tab.click("#chart-out");
        assert_eq!(range(&mut tab), (2.0, 120.0));
        tab.eval(&format!("{canvas}.focus()"));
        tab.key("+", 0);
        assert!(range(&mut tab).1 < 120.0);
        tab.key("0", 0);
        assert_eq!(range(&mut tab), (2.0, 120.0));
        tab.eval(&format!(
            "{canvas}.scrollIntoView({{ block: 'center', behavior: 'instant' }})"
        ));
        tab.wheel((left + right) / 2.0, middle, -120.0);
        tab.wait(&format!("{canvas}.dataset.to < 120"));
        tab.click("#chart-reset");
        assert_eq!(range(&mut tab), (2.0, 120.0));
        tab.eval(&format!(
            "{canvas}.scrollIntoView({{ block: 'center', behavior: 'instant' }})"
        ));
        let x = |share: f64| left + share * (right - left);
        tab.drag((x(0.2), middle), (x(0.6), middle));
        let part = range(&mut tab);
        let at = |share: f64| 2.0 * 60f64.powf(share);
        assert!(
            (part.0 / at(0.2) - 1.0).abs() < 0.05 && (part.1 / at(0.6) - 1.0).abs() < 0.05,
            "{part:?}"
        );
        tab.click("#chart-reset");

        // Axes and views change what is drawn, never the readout.
        tab.frame();
        let what = format!("JSON.stringify({canvas}.dataset)");
        let first = tab.eval(&what);
        let mut pictures = vec![tab.eval(&format!("{canvas}.toDataURL()"))];
        for (field, value) in [
            ("x", "linear"),
            ("y", "log"),
            ("view", "random"),
            ("view", "best"),
            ("y", "linear"),
            ("x", "log"),
        ] {
            tab.choose(&format!("#chart-{field}"), value);
            tab.frame();
            holds(&mut tab);
            let picture = tab.eval(&format!("{canvas}.toDataURL()"));
            assert!(!pictures.contains(&picture), "{field} {value}");
            pictures.push(picture);
        }
        tab.choose("#chart-view", "hops");
        tab.frame();
        // What is drawn, not its pixels: the browser smooths an edge now one way, now another.
        assert_eq!(tab.eval(&what), first);

        // Curves on and off.
        let drawn = |tab: &mut Tab| {
            tab.frame();
            tab.eval(&format!("{canvas}.dataset.drawn"))
                .as_str()
                .unwrap()
                .to_string()
        };
        tab.click("#chart-none");
        assert_eq!(drawn(&mut tab), "");
        tab.click("#chart-values tbody tr:nth-child(3) input");
        assert_eq!(drawn(&mut tab), "2");
        // The best, the second, row-major, random and one more.
        tab.click("#chart-leaders");
        let five = drawn(&mut tab);
        let labels: Vec<String> = serde_json::from_value(tab.eval(
            "[...document.querySelectorAll('#chart-values tbody th')].map(e => e.textContent.trim())",
        ))
        .unwrap();
        let named: Vec<&str> = five
            .split(' ')
            .map(|i| &*labels[i.parse::<usize>().unwrap()])
            .collect();
        assert!(five.starts_with("0 1 ") && named.len() == 5, "{five}");
        assert!(
            named.contains(&"row-major") && named.contains(&"random"),
            "{named:?}"
        );
        let ends = tab.eval(&format!("{canvas}.dataset.named"));
        for label in &named {
            assert!(
                ends.as_str().unwrap().split("; ").any(|end| end == *label),
                "{ends}"
            );
        }
        tab.eval("document.querySelector('#chart-values tbody tr:nth-child(2) input').focus()");
        tab.key("Space", 0);
        assert_eq!(drawn(&mut tab), five.replacen("0 1 ", "0 ", 1));
        tab.click("#chart-all");
        assert!(drawn(&mut tab).starts_with("0 1 2 3 4"));
        assert_eq!(tab.errors(), Vec::<String>::new());
    });
}

#[test]
fn the_machine_is_walked_through() {
    in_browser("the_machine_is_walked_through", |browser, folder| {
        let file = page(folder, "torus").join("index.html");
        let topology = Topology::inline("torus:6x5x4", &Default::default()).unwrap();
        let mut tab = browser.open(&file, 1280, 900);
        let rank = |tab: &mut Tab| {
            tab.frame();
            tab.number("document.getElementById('walk-canvas').dataset.rank") as usize
        };
        let labels: Vec<String> = serde_json::from_value(
            tab.eval("[...document.getElementById('walk-order').options].map(o => o.textContent)"),
        )
        .unwrap();
        assert!(labels.len() > 8);
        for (i, label) in labels.iter().enumerate() {
            let label = label.split_once(". ").unwrap().1;
            let order = NodeOrder::make(&topology, label).unwrap();
            tab.choose("#walk-order", &i.to_string());
            tab.set("#walk-rank", "17");
            assert_eq!(rank(&mut tab), 17, "{label}");
            let (before, node) = (order.nodes()[16], order.nodes()[17]);
            let hops = topology.distance(before, node);
            let said = tab.text("#walk-said");
            let name = topology.node_name(node);
            assert!(
                said.contains(&format!("node {} ({name}),", node.0)),
                "{label}: {said}"
            );
            assert!(said.contains(&format!("; {hops} hop")), "{label}: {said}");
            assert_eq!(
                tab.number("document.getElementById('walk-canvas').dataset.coloured"),
                18.0
            );
        }
        let steps = [
            ("#walk-next", 18),
            ("#walk-back", 17),
            ("#walk-last", 119),
            ("#walk-first", 0),
        ];
        for (button, there) in steps {
            tab.click(button);
            assert_eq!(rank(&mut tab), there, "{button}");
        }
        let canvas = "document.getElementById('walk-canvas')";
        tab.eval(&format!("{canvas}.focus()"));
        for (key, there) in [(".", 1), (".", 2), (",", 1), ("End", 119), ("Home", 0)] {
            tab.key(key, 0);
            assert_eq!(rank(&mut tab), there, "{key}");
        }
        // Playing goes on by itself, stops when asked to, and ends at the end.
        tab.choose("#walk-speed", "20");
        tab.click("#walk-play");
        assert_eq!(tab.text("#walk-play"), "Pause");
        let button = "document.getElementById('walk-play').click()";
        tab.wait_then(&format!("{canvas}.dataset.rank > 5"), button);
        assert_eq!(tab.text("#walk-play"), "Play");
        let stopped = rank(&mut tab);
        // Four steps at this speed.
        tab.timers(200);
        assert_eq!(rank(&mut tab), stopped);
        tab.set("#walk-rank", "110");
        tab.eval(&format!("{canvas}.focus()"));
        tab.key("Space", 0);
        tab.wait(&format!("{canvas}.dataset.rank === '119'"));
        tab.wait("document.getElementById('walk-play').textContent === 'Play'");

        // The box turns by buttons, keys and mouse, and straightens.
        let angle = |tab: &mut Tab| {
            tab.frame();
            tab.eval(&format!(
                "[{canvas}.dataset.yaw, {canvas}.dataset.pitch].join()"
            ))
        };
        let straight = angle(&mut tab);
        for turn in ["left", "up", "right", "down"] {
            let before = angle(&mut tab);
            tab.click(&format!("#walk [data-turn={turn}]"));
            assert_ne!(angle(&mut tab), before, "{turn}");
        }
        tab.eval(&format!("{canvas}.focus()"));
        for key in ["ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowRight"] {
            let before = angle(&mut tab);
            tab.key(key, 0);
            assert_ne!(angle(&mut tab), before, "{key}");
        }
        let before = angle(&mut tab);
        let (x, y) = tab.middle("#walk-canvas");
        tab.drag((x, y), (x + 60.0, y + 20.0));
        assert_ne!(angle(&mut tab), before);
        tab.click("#walk [data-turn=reset]");
        assert_eq!(angle(&mut tab), straight);

        // Where motion is not welcome there are two pictures a second, not twenty.
        tab.media("prefers-reduced-motion", "reduce");
        tab.choose("#walk-speed", "20");
        tab.click("#walk-first");
        tab.eval("window.seen = new Set(); new MutationObserver(() => window.seen.add(document.getElementById('walk-canvas').dataset.rank)).observe(document.getElementById('walk-canvas'), { attributeFilter: ['data-rank'] })");
        tab.click("#walk-play");
        let counted = format!("window.pictures = window.seen.size; {button}");
        tab.wait_then(&format!("{canvas}.dataset.rank > 25"), &counted);
        let pictures = tab.number("window.pictures");
        assert!(pictures <= 6.0, "{pictures} pictures of 25 ranks");
        assert_eq!(tab.errors(), Vec::<String>::new());
    });
}

#[test]
fn footprints_tell_the_distances_of_the_library() {
    in_browser(
        "footprints_tell_the_distances_of_the_library",
        |browser, folder| {
            for (name, spec, _) in MACHINES {
                // Two pieces have no distance between them, and twelve nodes too few jobs of five.
                if ["pieces", "equal"].contains(&name) {
                    continue;
                }
                let out = page(folder, name);
                let truth = curves(&out);
                let topology = Topology::inline(spec, &Default::default()).unwrap();
                let mut tab = browser.open(&out.join("index.html"), 1000, 900);
                let count =
                    tab.number("document.getElementById('foot-order-0').options.length") as usize;
                let all = topology.node_count();
                for (k, (size, start)) in [(2, 0), (7, 3), (all / 3, all / 4), (all, 0)]
                    .into_iter()
                    .enumerate()
                {
                    for side in 0..2 {
                        tab.choose(
                            &format!("#foot-order-{side}"),
                            &((k * 2 + side * 3) % count).to_string(),
                        );
                    }
                    tab.set("#foot-size", &size.to_string());
                    if start + size < all {
                        tab.set("#foot-rank", &start.to_string());
                    }
                    let start = tab.number("document.getElementById('foot-start').value") as usize;
                    assert!(start + size <= all);
                    for side in 0..2 {
                        let label = tab.eval(&format!("document.getElementById('foot-order-{side}').selectedOptions[0].textContent"));
                        let label = label
                            .as_str()
                            .unwrap()
                            .split_once(". ")
                            .unwrap()
                            .1
                            .to_string();
                        let order = NodeOrder::make(&topology, &label).unwrap();
                        let nodes = &order.nodes()[start..start + size];
                        let pairs = nodes
                            .iter()
                            .enumerate()
                            .flat_map(|(i, a)| nodes[..i].iter().map(move |b| (*a, *b)));
                        let sum: u64 = pairs.map(|(a, b)| u64::from(topology.distance(a, b))).sum();
                        let mean = sum as f64 / (size * (size - 1) / 2) as f64;
                        let said = |tab: &mut Tab, key: &str| {
                            tab.number(&format!(
                                "document.getElementById('foot-said-{side}').dataset.{key}"
                            ))
                        };
                        let told = said(&mut tab, "mean");
                        assert!(
                            (told - mean).abs() < 1e-12 * mean.max(1.0),
                            "{name} {label} {size}: {told} {mean}"
                        );
                        assert_eq!(
                            said(&mut tab, "mpc"),
                            truth[&(label.clone(), size as u64)],
                            "{name} {label}"
                        );
                        let text = tab.text(&format!("#foot-said-{side}"));
                        assert!(
                            text.contains(&format!("mean distance {mean:.4} hop")),
                            "{text}"
                        );
                    }
                }
                // Next and previous go by whole jobs; the slider by ranks.
                tab.set("#foot-size", "5");
                tab.set("#foot-start", "4");
                tab.click("#foot-next");
                assert_eq!(
                    tab.number("document.getElementById('foot-rank').value"),
                    9.0
                );
                tab.click("#foot-back");
                assert_eq!(
                    tab.number("document.getElementById('foot-rank').value"),
                    4.0
                );
                if name == "torus" {
                    let yaw = |tab: &mut Tab| {
                        tab.frame();
                        tab.eval(
                        "[0, 1].map(i => document.getElementById('foot-canvas-' + i).dataset.yaw)",
                    )
                    };
                    let before = yaw(&mut tab);
                    tab.click("#foot [data-turn=left]");
                    let after = yaw(&mut tab);
                    assert!(after != before && after[0] == after[1], "{after}");
                }
                assert_eq!(tab.errors(), Vec::<String>::new(), "{name}");
            }
        },
    );
}

#[test]
fn what_the_page_saves_is_what_stands_beside_it() {
    in_browser(
        "what_the_page_saves_is_what_stands_beside_it",
        |browser, folder| {
            let out = page(folder, "trace");
            let saved = folder.join("saved");
            std::fs::create_dir(&saved).unwrap();
            browser.save_into(&saved);
            let mut tab = browser.open(&out.join("index.html"), 1000, 900);
            let names: Vec<String> = serde_json::from_value(
                tab.eval("[...document.querySelectorAll('[data-save]')].map(b => b.dataset.save)"),
            )
            .unwrap();
            for name in [
                "mpc.csv",
                "table.csv",
                "stretches.csv",
                "crossovers.csv",
                "limits.csv",
                "workload.csv",
                "workload-sizes.csv",
                "schedule.csv",
                "summary.json",
                "orders.csv",
            ] {
                assert!(names.iter().any(|n| n == name), "no button saves {name}");
            }
            for (i, name) in names.iter().enumerate() {
                // Chromium lets a page save ten files that no hand clicked for.
                if i % 8 == 7 {
                    tab = browser.open(&out.join("index.html"), 1000, 900);
                }
                tab.click(&format!("[data-save='{name}']"));
                let bytes = tab.saved(&saved.join(name));
                if name != "orders.csv" {
                    assert!(
                        bytes == std::fs::read(out.join(name)).unwrap(),
                        "{name} differs"
                    );
                    continue;
                }
                let topology = Topology::inline("torus:8x8", &Default::default()).unwrap();
                let mut reader = csv::Reader::from_reader(&bytes[..]);
                let mut orders: BTreeMap<String, Vec<u32>> = BTreeMap::new();
                for row in reader.records().map(Result::unwrap) {
                    let nodes = orders.entry(row[0].to_string()).or_default();
                    assert_eq!(row[1].parse(), Ok(nodes.len()));
                    nodes.push(row[2].parse().unwrap());
                }
                assert!(orders.len() > 8);
                for (label, nodes) in orders {
                    let order = NodeOrder::make(&topology, &label).unwrap();
                    assert!(order.nodes().iter().map(|n| n.0).eq(nodes), "{label}");
                }
            }
            assert_eq!(tab.errors(), Vec::<String>::new());
        },
    );
}

/// The chart as it is shown, as a drawing: every curve's points are its values, its name stands beside it.
#[test]
fn the_chart_is_saved_as_it_is_shown() {
    in_browser("the_chart_is_saved_as_it_is_shown", |browser, folder| {
        let out = page(folder, "torus");
        let truth = curves(&out);
        let saved = folder.join("saved");
        std::fs::create_dir(&saved).unwrap();
        browser.save_into(&saved);
        let mut tab = browser.open(&out.join("index.html"), 1280, 900);
        tab.choose("#chart-x", "linear");
        tab.click("#chart-none");
        tab.click("#chart-values tbody tr:nth-child(1) input");
        tab.frame();
        tab.click("#chart-svg");
        let text = String::from_utf8(tab.saved(&saved.join("chart.svg"))).unwrap();
        let document = roxmltree::Document::parse(&text).unwrap();
        let label = tab.eval("page.orderings[0].label");
        let label = label.as_str().unwrap().to_string();
        let texts = document
            .descendants()
            .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")));
        assert_eq!(
            texts.filter(|node| node.text() == Some(&*label)).count(),
            1,
            "{text}"
        );
        // The line of the only curve: the path with most points.
        let paths = document
            .descendants()
            .filter_map(|node| Some((node, node.attribute("d")?)));
        let lines = paths.filter(|(node, _)| node.attribute("fill") == Some("none"));
        let colour = tab.eval("page.orderings[0].colour");
        let (_, line) = lines
            .filter(|(node, _)| node.attribute("stroke") == colour.as_str())
            .max_by_key(|(_, path)| path.len())
            .unwrap();
        let points: Vec<Vec<f64>> = line
            .trim_start_matches('M')
            .split('L')
            .map(|point| point.split(' ').map(|x| x.parse().unwrap()).collect())
            .collect();
        let [low, high] = ["low", "high"].map(|key| {
            tab.number(&format!(
                "document.getElementById('chart-canvas').dataset.{key}"
            ))
        });
        assert_eq!(points.len(), 119);
        let values: Vec<f64> = (2..=120)
            .map(|size| truth[&(label.clone(), size)])
            .collect();
        // Pixels fall as values rise, all by one factor; sizes lie evenly.
        let factor = (points[0][1] - points[118][1]) / (values[118] - values[0]);
        assert!(factor > 0.0 && factor * (high - low) > 100.0);
        for (i, point) in points.iter().enumerate() {
            let y = points[0][1] - factor * (values[i] - values[0]);
            assert!((point[1] - y).abs() < 0.1, "size {}: {point:?}, {y}", i + 2);
            let x = points[0][0] + (points[118][0] - points[0][0]) * i as f64 / 118.0;
            assert!((point[0] - x).abs() < 0.1, "size {}: {point:?}, {x}", i + 2);
        }
        tab.click("#chart-png");
        assert!(tab.saved(&saved.join("chart.png")).starts_with(b"\x89PNG"));
        assert_eq!(tab.errors(), Vec::<String>::new());
    });
}

/// Presses the tab key until the page is left; every control that is seen must have had the focus, in order. Number of
/// controls.
fn reach_by_keyboard(tab: &mut Tab, name: &str) -> u64 {
    let expected = tab.eval(
        "(() => { const all = [...document.querySelectorAll(\"a[href], button, select, input, summary, \
         [tabindex='0']\")].filter(e => e.checkVisibility()); all.forEach((e, i) => { e.dataset.stop = i; }); \
         return all.length; })()",
    );
    let expected = expected.as_u64().unwrap();
    let mut stops = Vec::new();
    for _ in 0..expected + 20 {
        tab.key("Tab", 0);
        match tab.eval("document.activeElement.dataset.stop ?? null") {
            Value::String(stop) => stops.push(stop.parse::<u64>().unwrap()),
            _ if stops.is_empty() => {}
            _ => break,
        }
    }
    stops.dedup();
    assert_eq!(stops, (0..expected).collect::<Vec<_>>(), "{name}");
    expected
}

#[test]
fn the_tab_key_reaches_every_control_in_order() {
    in_browser(
        "the_tab_key_reaches_every_control_in_order",
        |browser, folder| {
            let file = page(folder, "torus").join("index.html");
            let mut tab = browser.open(&file, 1280, 900);
            let controls = reach_by_keyboard(&mut tab, "torus");
            assert!(controls > 60, "{controls}");
            assert_eq!(tab.errors(), Vec::<String>::new());
        },
    );
}

#[test]
fn without_scripts_and_in_print_the_figures_remain() {
    in_browser(
        "without_scripts_and_in_print_the_figures_remain",
        |browser, folder| {
            let file = page(folder, "torus").join("index.html");
            let mut tab = browser.open_without_scripts(&file);
            let shown = |tab: &mut Tab, what: &str| {
                tab.number(&format!(
                "[...document.querySelectorAll('{what}')].filter(e => e.checkVisibility()).length"
            ))
            };
            assert!(shown(&mut tab, "figure svg") >= 5.0);
            assert_eq!(shown(&mut tab, ".tool, #foot, [data-save]"), 0.0);
            let mut tab = browser.open(&file, 1280, 900);
            tab.print_media();
            assert_eq!(shown(&mut tab, ".tool, #foot, nav, [data-save]"), 0.0);
            // Base64 of `%PDF-`.
            assert!(tab.pdf().starts_with("JVBERi"));
            assert!(shown(&mut tab, "figure svg") >= 5.0);
            assert_eq!(tab.errors(), Vec::<String>::new());
        },
    );
}
