//! The verdict on offers by criterion: which is best at what, and what the choice hinges on.

use super::comparison::Machines;
use super::confidence::is_above;
use super::contender::{Bracket, Contender};
use super::headline::format_range;

/// Criterion by which offers are judged: the figure of an offer, and the name of the best.
struct BuyingCriterion {
    /// What the best offer is called, as in `cheapest`.
    best: &'static str,
    /// The figure in words.
    figure: &'static str,
    higher_is_better: bool,
    decimals: usize,
    /// Whether the figure is in units of money.
    priced: bool,
    /// Looks up the ends that the figure is known to lie between, in any order; `None` where it is not known.
    ends: fn(&Contender) -> Option<Bracket>,
}

/// Criteria by which offers are judged, in the order of the verdict. A criterion that is not known of every offer is
/// left out.
const CRITERIA: [BuyingCriterion; 7] = [
    BuyingCriterion {
        best: "cheapest",
        figure: "cost a node",
        higher_is_better: false,
        decimals: 2,
        priced: true,
        ends: |c| c.machine.cost_per_node().map(|cost| [cost, cost]),
    },
    BuyingCriterion {
        best: "closest",
        figure: "mean hops over log-spaced job sizes",
        higher_is_better: false,
        decimals: 4,
        priced: false,
        ends: |c| Some([c.mean_log(), c.mean_log()]),
    },
    BuyingCriterion {
        best: "widest in the middle",
        figure: "bisection links a node",
        higher_is_better: true,
        decimals: 3,
        priced: false,
        ends: |c| {
            let cut = c.machine.bisection.as_ref()?;
            let nodes = c.machine.comparison.topology.nodes as f64;
            let most = cut.cut_links();
            let least = if cut.exact {
                most
            } else {
                cut.at_least.unwrap_or(0) as f64
            };
            Some([least / nodes, most / nodes])
        },
    },
    BuyingCriterion {
        best: "fastest for bursts",
        figure: "slowdown of all-to-all bursts, its best ordering or random",
        higher_is_better: false,
        decimals: 3,
        priced: false,
        ends: |c| {
            // Whoever buys the machine may hand out its nodes in either order.
            let least = c.slowdown(0, 0)?.min(c.slowdown(0, 1)?);
            Some([least, least])
        },
    },
    BuyingCriterion {
        best: "fastest for all-to-all",
        figure: "all-to-all throughput a node",
        higher_is_better: true,
        decimals: 4,
        priced: false,
        ends: Contender::all_to_all,
    },
    BuyingCriterion {
        best: "fastest for the hardest traffic found",
        figure: "throughput of the harder of all-to-all and a longest matching",
        higher_is_better: true,
        decimals: 4,
        priced: false,
        ends: |c| {
            let carried = c.carried.as_ref()?;
            let [one, other] = [&carried.all_to_all, &carried.matching];
            Some([
                one.carried_multiple().min(other.carried_multiple()),
                one.carried_at_most().min(other.carried_at_most()),
            ])
        },
    },
    BuyingCriterion {
        best: "cheapest for its bandwidth",
        figure: "cost of a unit of all-to-all throughput",
        higher_is_better: false,
        decimals: 2,
        priced: true,
        ends: |c| c.per_throughput(c.machine.bill.cost),
    },
];

/// A criterion with the figures of all offers that are compared.
pub struct JudgedCriterion {
    /// What the best offer is called.
    pub best_is: &'static str,
    /// The figure in words, with its currency.
    pub figure: String,
    /// Number of decimals that the figure is said with.
    pub decimals: usize,
    pub higher_is_better: bool,
    /// Ends that the figure of each offer lies between, the lower first, in the order of the ranking.
    pub ends: Vec<Bracket>,
    /// Places of the offers that no other surely betters: several where they tie or their ranges overlap.
    pub best: Vec<usize>,
}

impl JudgedCriterion {
    /// Lists the value that is certain for each offer: the worse end of its figure.
    pub fn list_certain(&self) -> Vec<f64> {
        let worse = |[low, high]: &Bracket| if self.higher_is_better { *low } else { *high };
        self.ends.iter().map(worse).collect()
    }

    /// Writes the figure of an offer, or the range that it lies in, with a star if it is among the best.
    pub fn cell_text(&self, offer: usize) -> String {
        let star = if self.best.contains(&offer) { " *" } else { "" };
        let [low, high] = self.ends[offer];
        if low == high {
            return format!("{low:.*}{star}", self.decimals);
        }
        format!("{}{star}", format_range([low, high], self.decimals))
    }

    /// Checks whether the figure of one offer is proved to be better than that of another.
    fn is_better(&self, one: usize, other: usize) -> bool {
        let [one, other] = [self.ends[one], self.ends[other]];
        if self.higher_is_better {
            is_above(one[0], other[1])
        } else {
            is_above(other[0], one[1])
        }
    }
}

/// The verdict on the offers that are compared.
pub struct Verdict {
    /// Criteria of which every offer has a figure.
    pub criteria: Vec<JudgedCriterion>,
    /// Places of the offers that no other offer beats on every criterion.
    pub unbeaten: Vec<usize>,
    /// One sentence: what the choice hinges on.
    pub hinge: String,
}

impl Machines {
    /// Judges the offers that are compared by every criterion of which all have a figure. O(criteria · offers²).
    pub fn judge_offers(&self) -> Verdict {
        let offers = &self.contenders[..self.compared];
        let mut criteria: Vec<JudgedCriterion> = Vec::new();
        for criterion in &CRITERIA {
            // A criterion without a figure of some offer would rank the others alone.
            let Some(ends) = offers
                .iter()
                .map(criterion.ends)
                .collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            let mut figure = criterion.figure.to_string();
            let currency = offers
                .first()
                .map_or("", |one| one.machine.bill.currency.as_str());
            // All offers are priced in one currency.
            if criterion.priced && !currency.is_empty() {
                figure += &format!(" ({currency})");
            }
            let mut judged = JudgedCriterion {
                best_is: criterion.best,
                figure,
                decimals: criterion.decimals,
                higher_is_better: criterion.higher_is_better,
                ends: ends
                    .iter()
                    .map(|e| [e[0].min(e[1]), e[0].max(e[1])])
                    .collect(),
                best: Vec::new(),
            };
            let all = 0..offers.len();
            let is_best = |one: &usize| all.clone().all(|other| !judged.is_better(other, *one));
            judged.best = all.clone().filter(is_best).collect();
            // What all offers tie at decides nothing, but stands in the table.
            criteria.push(judged);
        }
        let telling = list_distinguishing(&criteria, offers.len());
        let mut unbeaten: Vec<usize> = (0..offers.len()).collect();
        // Without a criterion that tells offers apart, none is beaten.
        if !telling.is_empty() {
            unbeaten.retain(|one| {
                !(0..offers.len()).any(|other| telling.iter().all(|c| c.is_better(other, *one)))
            });
        }
        let names: Vec<&str> = offers.iter().map(|offer| offer.machine.name()).collect();
        Verdict {
            hinge: hinge_sentence(&criteria, &names),
            criteria,
            unbeaten,
        }
    }
}

/// Lists the criteria at which not all `offers` tie.
fn list_distinguishing(criteria: &[JudgedCriterion], offers: usize) -> Vec<&JudgedCriterion> {
    let all = criteria.iter();
    all.filter(|criterion| criterion.best.len() < offers)
        .collect()
}

/// Says what the choice between offers hinges on.
fn hinge_sentence(criteria: &[JudgedCriterion], names: &[&str]) -> String {
    let telling = list_distinguishing(criteria, names.len());
    if let [first, rest @ ..] = &telling[..]
        && let [winner] = first.best[..]
        && rest.iter().all(|criterion| criterion.best == [winner])
    {
        return format!("{} is best by every criterion.", names[winner]);
    }
    if names.len() < 2 {
        return "There are no two offers to choose from.".into();
    }
    // Ranges of bounds may overlap in every figure.
    if telling.is_empty() {
        return "By no criterion is one offer surely better than another.".into();
    }
    let mut parts = Vec::new();
    for criterion in telling {
        let best: Vec<&str> = criterion.best.iter().map(|offer| names[*offer]).collect();
        let tie = if best.len() > 1 { " (tied)" } else { "" };
        parts.push(format!("{}: {}{tie}", criterion.best_is, best.join(", ")));
    }
    format!("The choice hinges on what counts: {}.", parts.join("; "))
}
