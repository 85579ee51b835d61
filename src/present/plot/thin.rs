//! Fewer points for a long curve, so that files stay small.

use super::element::Point;

/// Width in pixels of the columns in which points are thinned.
const COLUMN: f64 = 2.0;

/// Chooses the points to draw of `points` (ascending in x), with their pixels by `pixel`: the first and last of the
/// curve and, of each column of two pixels, the lowest and the highest, so that no peak is lost and a curve of two
/// million sizes takes about a thousand points. Then those that a straight line between their neighbours passes
/// within a twentieth of a pixel are left out, which no eye can tell.
pub fn thin_points(
    points: impl IntoIterator<Item = Point>,
    pixel: impl Fn(Point) -> Point,
) -> Vec<Point> {
    let mut placed = points
        .into_iter()
        .map(|point| (pixel(point), point))
        .peekable();
    let mut kept: Vec<PlacedPoint> = placed.peek().copied().into_iter().collect();
    let mut last = None;
    while let Some(first) = placed.next() {
        let column = |p: &PlacedPoint| (p.0.0 / COLUMN).floor();
        let mut low = first;
        let mut high = first;
        last = Some(first);
        while let Some(next) = placed.next_if(|p| column(p) == column(&first)) {
            low = if next.0.1 < low.0.1 { next } else { low };
            high = if next.0.1 > high.0.1 { next } else { high };
            last = Some(next);
        }
        // In the order of the curve, lest the line go back.
        kept.extend(if low.0.0 <= high.0.0 {
            [low, high]
        } else {
            [high, low]
        });
    }
    kept.extend(last);
    // Of a column with one point the lowest and highest are the same.
    kept.dedup();
    drop_straight_points(&kept)
}

/// The pixel of a point, and the point.
type PlacedPoint = (Point, Point);

/// Drops points that lie on the line from the last kept point to the next one.
fn drop_straight_points(points: &[PlacedPoint]) -> Vec<Point> {
    const TOLERANCE: f64 = 0.05;
    let mut kept: Vec<Point> = Vec::new();
    let mut start = 0;
    for (i, point) in points.iter().enumerate() {
        let on_line = |from: Point, to: Point, p: Point| {
            let run = to.0 - from.0;
            run > 0.0 && (from.1 + (to.1 - from.1) * (p.0 - from.0) / run - p.1).abs() < TOLERANCE
        };
        // Runs are kept short lest the check of long straight lines take quadratic time.
        let needed = i == 0
            || i + 1 == points.len()
            || i - start >= 40
            || !points[start + 1..=i]
                .iter()
                .all(|p| on_line(points[start].0, points[i + 1].0, p.0));
        if needed {
            kept.push(point.1);
            start = i;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_million_points_become_few_and_keep_the_peak() {
        let n = 1_000_000;
        let wave = |i: usize| {
            if i == 777_777 {
                500.0
            } else {
                (i as f64 / 3e4).sin() * 100.0
            }
        };
        let points = thin_points(
            (0..n).map(|i| (700.0 * i as f64 / n as f64, wave(i))),
            |p| p,
        );
        assert!(points.len() < 1000, "{}", points.len());
        assert!(points.iter().any(|p| p.1 == 500.0));
        assert_eq!(points[0], (0.0, 0.0));
    }

    #[test]
    fn a_straight_line_is_two_points() {
        assert_eq!(
            thin_points((0..30).map(|i| (f64::from(i), 2.0 * f64::from(i))), |p| p).len(),
            2
        );
        assert_eq!(
            thin_points(std::iter::once((1.0, 1.0)), |p| p),
            [(1.0, 1.0)]
        );
    }

    proptest! {
        #[test]
        fn ends_and_extremes_stay(values in proptest::collection::vec(-100f64..100.0, 1..400), width in 1f64..800.0) {
            let n = values.len() as f64;
            let all: Vec<Point> =
                values.iter().enumerate().map(|(i, v)| (i as f64 / n * width, *v)).collect();
            let thinned = thin_points(all.iter().copied(), |p| p);
            prop_assert_eq!(thinned.first(), all.first());
            prop_assert_eq!(thinned.last(), all.last());
            let top = |points: &[Point]| points.iter().map(|p| p.1).fold(f64::MIN, f64::max);
            prop_assert!((top(&thinned) - top(&all)).abs() <= 0.05);
            prop_assert!(thinned.windows(2).all(|w| w[0].0 <= w[1].0));
            prop_assert!(thinned.iter().all(|p| all.contains(p)));
        }
    }
}
