//! Clusters of SimGrid platforms: hosts by number, and the cables of each `topology`.

/// What was found, and what was expected.
type Fault = (String, &'static str);

/// Most hosts of a cluster.
const MOST: u64 = 1 << 24;

/// A `<cluster>`.
pub(super) struct Cluster {
    /// Names of the hosts.
    pub hosts: Vec<String>,
    /// Number of routers.
    pub routers: u64,
    /// Name of the router of a flat cluster, and of those of others with their number.
    router: String,
    shape: Shape,
}

/// How a cluster is wired.
enum Shape {
    /// One switch.
    Flat,
    /// Extents, the fastest first.
    Torus(Vec<u64>),
    /// Children, parents and parallel cables of each level from the hosts up.
    FatTree([Vec<u64>; 3]),
    /// Groups, chassis of a group, blades of a chassis, hosts of a blade; cables between each two groups, chassis,
    /// blades.
    Dragonfly([u64; 4], [u64; 3]),
}

impl Cluster {
    /// Reads a cluster from its attributes. Fails if one is missing or wrong.
    pub fn read_cluster<'n>(get: impl Fn(&str) -> Option<&'n str>) -> Result<Self, Fault> {
        let text = |name: &str| get(name).unwrap_or("");
        let numbers = read_radical(text("radical"))?;
        let prefix = text("prefix");
        let suffix = text("suffix");
        let hosts: Vec<String> = numbers
            .iter()
            .map(|number| format!("{prefix}{number}{suffix}"))
            .collect();
        let parameters = text("topo_parameters");
        let shape = match get("topology").unwrap_or("FLAT") {
            "FLAT" => Shape::Flat,
            "TORUS" => Shape::Torus(read_numbers(parameters, ',')?),
            "FAT_TREE" => read_fat_tree(parameters)?,
            "DRAGONFLY" => read_dragonfly(parameters)?,
            other => {
                let found = format!("topology `{other}`");
                return Err((found, "FLAT, TORUS, FAT_TREE or DRAGONFLY"));
            }
        };
        let wanted = shape.count_hosts();
        if wanted.is_some_and(|wanted| wanted != hosts.len() as u64) {
            let found = format!("{} hosts in radical `{}`", hosts.len(), text("radical"));
            return Err((found, "as many as topo_parameters have places"));
        }
        let router = match get("router_id") {
            Some(name) if !name.is_empty() => name.to_string(),
            _ => format!("{prefix}{}_router{suffix}", text("id")),
        };
        Ok(Cluster {
            routers: shape.count_routers(),
            hosts,
            router,
            shape,
        })
    }

    /// Writes the name of a router.
    pub fn router_name(&self, router: u64) -> String {
        match self.shape {
            Shape::Flat => self.router.clone(),
            _ => format!("{}-{router}", self.router),
        }
    }

    /// Counts the cables, about.
    pub fn count_cables(&self) -> u64 {
        let hosts = self.hosts.len() as u64;
        match &self.shape {
            Shape::Flat => hosts,
            Shape::Torus(extents) => hosts.saturating_mul(extents.len() as u64),
            Shape::FatTree([_, up, ports]) => {
                let most = up
                    .iter()
                    .zip(ports)
                    .map(|(up, ports)| up.saturating_mul(*ports));
                let all: u64 = most.fold(0, u64::saturating_add);
                all.saturating_mul(hosts.saturating_add(self.routers))
            }
            Shape::Dragonfly([groups, chassis, blades, _], cables) => {
                let [blue, black, green] = cables;
                let green = blades.saturating_mul(*green);
                let black = chassis.saturating_mul(*black);
                let each = green.saturating_add(black).saturating_mul(self.routers);
                let blue = groups.saturating_mul(*groups).saturating_mul(*blue);
                each.saturating_add(blue).saturating_add(hosts)
            }
        }
    }
}

impl Shape {
    /// Counts the hosts that the cluster has places for; `None` if any number will do.
    fn count_hosts(&self) -> Option<u64> {
        let factors: &[u64] = match self {
            Shape::Flat => return None,
            Shape::Torus(extents) => extents,
            Shape::FatTree([down, ..]) => down,
            Shape::Dragonfly(extents, _) => extents,
        };
        Some(
            factors
                .iter()
                .fold(1, |all, factor| all.saturating_mul(*factor)),
        )
    }

    fn count_routers(&self) -> u64 {
        match self {
            Shape::Flat => 1,
            Shape::Torus(_) => 0,
            Shape::FatTree([down, up, _]) => {
                let levels = (1..=down.len()).map(|level| count_level(down, up, level));
                levels.fold(0, u64::saturating_add)
            }
            Shape::Dragonfly([groups, chassis, blades, _], _) => {
                groups.saturating_mul(*chassis).saturating_mul(*blades)
            }
        }
    }
}

/// Counts the switches of a level of a fat tree, its hosts at level 0.
fn count_level(down: &[u64], up: &[u64], level: usize) -> u64 {
    let factors = up[..level].iter().chain(&down[level..]);
    factors.fold(1, |all, factor| all.saturating_mul(*factor))
}

/// Reads `0-3,7` into numbers.
fn read_radical(text: &str) -> Result<Vec<u64>, Fault> {
    let wrong = || {
        (
            format!("radical `{text}`"),
            "numbers and ranges, such as 0-15,20",
        )
    };
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: u64 = first.trim().parse().map_err(|_| wrong())?;
        let last: u64 = last.trim().parse().map_err(|_| wrong())?;
        if last.saturating_sub(first) >= MOST - numbers.len() as u64 {
            return Err((format!("radical `{text}`"), "at most 16777216 hosts"));
        }
        numbers.extend(first..=last);
    }
    Ok(numbers)
}

/// Reads numbers above 0 and up to 2³¹ between separators.
fn read_numbers(text: &str, separator: char) -> Result<Vec<u64>, Fault> {
    let numbers = text.split(separator).map(|part| match part.trim().parse() {
        Ok(number @ 1..=0x8000_0000) => Ok(number),
        _ => Err((
            format!("`{part}` in topo_parameters"),
            "a whole number above 0",
        )),
    });
    numbers.collect()
}

/// Reads `2;4,4;1,2;1,2`.
fn read_fat_tree(text: &str) -> Result<Shape, Fault> {
    let expected = "levels;children;parents;ports, as in 2;4,4;1,2;1,2";
    let parts: Vec<&str> = text.split(';').collect();
    let [levels, down, up, ports] = parts.as_slice() else {
        return Err((format!("topo_parameters `{text}`"), expected));
    };
    let lists = [
        read_numbers(down, ',')?,
        read_numbers(up, ',')?,
        read_numbers(ports, ',')?,
    ];
    let levels = read_numbers(levels, ',')?;
    if lists.iter().any(|list| levels != [list.len() as u64]) {
        return Err((format!("topo_parameters `{text}`"), expected));
    }
    Ok(Shape::FatTree(lists))
}

/// Reads `3,4;4,3;5,1;2`. Of each group, router g has the cables to group g, so that there may be no more groups than
/// routers in one.
fn read_dragonfly(text: &str) -> Result<Shape, Fault> {
    let expected =
        "groups,cables;chassis,cables;blades,cables;hosts with at most chassis · blades groups";
    let numbers = text
        .split(';')
        .map(|part| read_numbers(part, ','))
        .collect::<Result<Vec<_>, _>>()?
        .concat();
    match numbers.as_slice() {
        [groups, blue, chassis, black, blades, green, hosts]
            if *groups <= chassis.saturating_mul(*blades) =>
        {
            let extents = [*groups, *chassis, *blades, *hosts];
            Ok(Shape::Dragonfly(extents, [*blue, *black, *green]))
        }
        _ => Err((format!("topo_parameters `{text}`"), expected)),
    }
}

/// Visits the two ends of every cable: hosts first, then routers.
pub(super) fn find_cable_ends(cluster: &Cluster, visit: &mut dyn FnMut(usize, usize)) {
    let hosts = cluster.hosts.len();
    match &cluster.shape {
        Shape::Flat => (0..hosts).for_each(|host| visit(host, hosts)),
        Shape::Torus(extents) => {
            for host in 0..hosts {
                let mut stride = 1;
                for extent in extents.iter().map(|extent| *extent as usize) {
                    let at = host / stride % extent;
                    let next = host - at * stride + (at + 1) % extent * stride;
                    // An extent of 2 has two cables, one of 1 none.
                    if next != host {
                        visit(host, next);
                    }
                    stride *= extent;
                }
            }
        }
        Shape::FatTree([down, up, ports]) => {
            let mut first = 0;
            for (level, parallel) in ports.iter().enumerate() {
                let count = count_level(down, up, level) as usize;
                let stride: u64 = up[..level].iter().product();
                for child in 0..count as u64 {
                    let below = child % stride;
                    let above = child / stride / down[level];
                    for parent in 0..up[level] {
                        let position = below + stride * (parent + up[level] * above);
                        for _ in 0..*parallel {
                            visit(first + child as usize, first + count + position as usize);
                        }
                    }
                }
                first += count;
            }
        }
        Shape::Dragonfly(extents, cables) => {
            let [groups, chassis, blades, each] = extents.map(|extent| extent as usize);
            let [blue, black, green] = cables.map(|count| count as usize);
            let of_group = chassis * blades;
            // A router stands for a blade, with the hosts that come next.
            for host in 0..hosts {
                visit(host, hosts + host / each);
            }
            let mut join = |a: usize, b: usize, count: usize| {
                (0..count).for_each(|_| visit(hosts + a, hosts + b));
            };
            for router in 0..groups * of_group {
                let blade = router % blades;
                let chassis_at = router / blades % chassis;
                for other in blade + 1..blades {
                    join(router, router - blade + other, green);
                }
                for other in chassis_at + 1..chassis {
                    join(router, router + (other - chassis_at) * blades, black);
                }
            }
            // Router g of each group is that to group g: SimGrid has no other cables between groups.
            for group in 0..groups {
                for other in group + 1..groups {
                    join(group * of_group + other, other * of_group + group, blue);
                }
            }
        }
    }
}
