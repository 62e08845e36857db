//! Plane geometry of drawing: thinning, cutting, dashing, outlining and filling of polylines.
//!
//! Owns pure functions on points of the page. Does not know figures or canvases.

/// A point of the page: to the right, and down.
pub type Point = (f64, f64);

/// An upright rectangle of the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    /// Width.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    /// Height.
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The four corners, in turn.
    pub fn corners(&self) -> [Point; 4] {
        [
            (self.left, self.top),
            (self.right, self.top),
            (self.right, self.bottom),
            (self.left, self.bottom),
        ]
    }
}

/// Shorter lines are left alone.
const LONG_LINE: usize = 2000;
/// Columns to a unit of the page within which a long line is thinned.
const COLUMNS: f64 = 2.0;

/// Thins a long line to what the page can show: of consecutive points in one narrow column, the
/// first, the last, the highest and the lowest stay, in their order.
pub fn thinned(points: &[Point]) -> Vec<Point> {
    if points.len() <= LONG_LINE {
        return points.to_vec();
    }
    let mut kept = Vec::new();
    for group in points.chunk_by(|a, b| (a.0 * COLUMNS).floor() == (b.0 * COLUMNS).floor()) {
        let mut chosen = [0, 0, 0, group.len() - 1];
        for (i, point) in group.iter().enumerate() {
            if point.1 < group[chosen[1]].1 {
                chosen[1] = i;
            }
            if point.1 > group[chosen[2]].1 {
                chosen[2] = i;
            }
        }
        chosen.sort_unstable();
        for (i, &index) in chosen.iter().enumerate() {
            if i == 0 || index != chosen[i - 1] {
                kept.push(group[index]);
            }
        }
    }
    kept
}

/// The parts of a polyline that lie within `area`, as polylines.
pub fn within(points: &[Point], area: &Area) -> Vec<Vec<Point>> {
    let mut runs: Vec<Vec<Point>> = Vec::new();
    for pair in points.windows(2) {
        let Some((from, to)) = segment_within(pair[0], pair[1], area) else {
            continue;
        };
        match runs.last_mut() {
            Some(run) if run.last() == Some(&from) => run.push(to),
            _ => runs.push(vec![from, to]),
        }
    }
    runs
}

/// Liang and Barsky's cut of a segment by a rectangle.
fn segment_within(from: Point, to: Point, area: &Area) -> Option<(Point, Point)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (speed, room) in [
        (-dx, from.0 - area.left),
        (dx, area.right - from.0),
        (-dy, from.1 - area.top),
        (dy, area.bottom - from.1),
    ] {
        if speed == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if speed < 0.0 {
            enter = enter.max(room / speed);
        } else {
            leave = leave.min(room / speed);
        }
    }
    if enter > leave {
        return None;
    }
    let at = |t: f64| (from.0 + t * dx, from.1 + t * dy);
    // The ends themselves, not a rounded copy: runs are joined by comparing them.
    let start = if enter == 0.0 { from } else { at(enter) };
    let end = if leave == 1.0 { to } else { at(leave) };
    Some((start, end))
}

/// A polygon cut by a rectangle, edge by edge (Sutherland and Hodgman).
pub fn polygon_within(points: &[Point], area: &Area) -> Vec<Point> {
    let mut polygon = points.to_vec();
    // Each edge: the signed distance to its inner side.
    let edges: [&dyn Fn(Point) -> f64; 4] = [
        &|p| p.0 - area.left,
        &|p| area.right - p.0,
        &|p| p.1 - area.top,
        &|p| area.bottom - p.1,
    ];
    for inside in edges {
        let mut cut = Vec::with_capacity(polygon.len() + 4);
        for (i, &to) in polygon.iter().enumerate() {
            let from = polygon[(i + polygon.len() - 1) % polygon.len()];
            let (a, b) = (inside(from), inside(to));
            if (a < 0.0) != (b < 0.0) {
                let t = a / (a - b);
                cut.push((from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1)));
            }
            if b >= 0.0 {
                cut.push(to);
            }
        }
        polygon = cut;
    }
    polygon
}

/// Length of a polyline.
pub fn length(points: &[Point]) -> f64 {
    points
        .windows(2)
        .map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1))
        .sum()
}

/// The dashes of a polyline; `pattern` alternates lengths of dashes and gaps, and an empty one means a
/// solid line.
pub fn dashes(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    if pattern.is_empty() || points.len() < 2 {
        return vec![points.to_vec()];
    }
    let mut pieces = Vec::new();
    let mut piece = vec![points[0]];
    let (mut index, mut left) = (0, pattern[0]);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut rest = (to.0 - from.0).hypot(to.1 - from.1);
        while rest > left {
            let t = left / rest;
            from = (from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1));
            rest -= left;
            if index % 2 == 0 {
                piece.push(from);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![from];
            }
            index = (index + 1) % pattern.len();
            left = pattern[index];
        }
        left -= rest;
        if index % 2 == 0 {
            piece.push(to);
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

/// Polygons that together cover a stroked polyline with round joins and flat ends.
pub fn stroke_outlines(points: &[Point], width: f64) -> Vec<Vec<Point>> {
    let half = width / 2.0;
    let mut outlines = Vec::new();
    for (i, pair) in points.windows(2).enumerate() {
        let (from, to) = (pair[0], pair[1]);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let norm = dx.hypot(dy);
        if norm > 0.0 {
            let (nx, ny) = (-dy / norm * half, dx / norm * half);
            outlines.push(vec![
                (from.0 + nx, from.1 + ny),
                (to.0 + nx, to.1 + ny),
                (to.0 - nx, to.1 - ny),
                (from.0 - nx, from.1 - ny),
            ]);
        }
        if i > 0 {
            outlines.push(disc_outline(from, half));
        }
    }
    outlines
}

/// A polygon that cannot be told from a disc.
pub fn disc_outline(center: Point, radius: f64) -> Vec<Point> {
    let corners = if radius < 3.0 { 16 } else { 40 };
    (0..corners)
        .map(|i| {
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(corners);
            (
                center.0 + radius * angle.cos(),
                center.1 + radius * angle.sin(),
            )
        })
        .collect()
}

/// The pixels of a polygon on a grid of `columns` by `rows`: rows with first and last column, of the
/// pixels whose centre is inside by the even-odd rule.
pub fn fill_spans(polygon: &[Point], columns: i32, rows: i32) -> Vec<(i32, i32, i32)> {
    let (low, high) = polygon
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
            (low.min(p.1), high.max(p.1))
        });
    if low > high {
        return Vec::new();
    }
    let first = ((low - 0.5).ceil() as i32).max(0);
    let last = ((high - 0.5).floor() as i32).min(rows - 1);
    let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); (last - first + 1).max(0) as usize];
    for (i, &to) in polygon.iter().enumerate() {
        let from = polygon[(i + polygon.len() - 1) % polygon.len()];
        let (upper, lower) = if from.1 < to.1 {
            (from, to)
        } else {
            (to, from)
        };
        // Rows whose centre is in [upper, lower): each corner then counts once.
        let start = ((upper.1 - 0.5).ceil() as i32).max(first);
        let end = ((lower.1 - 0.5).ceil() as i32 - 1).min(last);
        for y in start..=end {
            let t = (f64::from(y) + 0.5 - upper.1) / (lower.1 - upper.1);
            crossings[(y - first) as usize].push(upper.0 + t * (lower.0 - upper.0));
        }
    }
    let mut spans = Vec::new();
    for (y, row) in (first..).zip(&mut crossings) {
        row.sort_unstable_by(f64::total_cmp);
        for pair in row.chunks_exact(2) {
            let from = ((pair[0] - 0.5).ceil() as i32).max(0);
            let to = ((pair[1] - 0.5).ceil() as i32 - 1).min(columns - 1);
            if from <= to {
                spans.push((y, from, to));
            }
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const UNIT: Area = Area {
        left: 0.0,
        top: 0.0,
        right: 10.0,
        bottom: 10.0,
    };

    #[test]
    fn thinning_keeps_ends_and_extremes_of_a_long_line() {
        let mut points: Vec<Point> = (0..100_000)
            .map(|i| (f64::from(i) * 0.008, f64::from(i % 7)))
            .collect();
        points[51_234].1 = -50.0;
        points[77_777].1 = 99.0;
        let thin = thinned(&points);
        assert!(thin.len() <= 4 * 1601, "{}", thin.len());
        assert_eq!(thin.first(), points.first());
        assert_eq!(thin.last(), points.last());
        assert!(thin.contains(&points[51_234]) && thin.contains(&points[77_777]));
        assert!(thin.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }

    #[test]
    fn a_line_through_the_area_is_cut_at_its_edges_and_one_outside_vanishes() {
        let runs = within(&[(-5.0, 5.0), (15.0, 5.0), (15.0, 20.0), (5.0, 8.0)], &UNIT);
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[0], [(0.0, 5.0), (10.0, 5.0)]);
        assert_eq!(runs[1].last(), Some(&(5.0, 8.0)));
        assert!(within(&[(-5.0, -5.0), (15.0, -1.0)], &UNIT).is_empty());
        let inside = [(1.0, 1.0), (2.0, 5.0), (9.0, 9.0)];
        assert_eq!(within(&inside, &UNIT), [inside.to_vec()]);
    }

    #[test]
    fn a_polygon_that_covers_the_area_is_cut_to_the_area() {
        let big = [(-5.0, -5.0), (20.0, -5.0), (20.0, 20.0), (-5.0, 20.0)];
        let cut = polygon_within(&big, &UNIT);
        for corner in UNIT.corners() {
            assert!(cut.contains(&corner), "{cut:?}");
        }
        assert!(polygon_within(&[], &UNIT).is_empty());
    }

    #[test]
    fn dashes_have_the_lengths_of_the_pattern() {
        let pieces = dashes(&[(0.0, 0.0), (6.0, 0.0), (6.0, 8.0)], &[4.0, 1.0]);
        let lengths: Vec<f64> = pieces.iter().map(|piece| length(piece)).collect();
        assert_eq!(lengths, [4.0, 4.0, 4.0]);
        assert_eq!(pieces[1], [(5.0, 0.0), (6.0, 0.0), (6.0, 3.0)]);
        assert_eq!(dashes(&[(0.0, 0.0), (6.0, 0.0)], &[]).len(), 1);
    }

    #[test]
    fn filling_takes_exactly_the_pixels_of_a_rectangle() {
        let spans = fill_spans(&[(2.0, 3.0), (6.0, 3.0), (6.0, 5.0), (2.0, 5.0)], 100, 100);
        assert_eq!(spans, [(3, 2, 5), (4, 2, 5)]);
        let outside = fill_spans(&[(-9.0, -9.0), (200.0, -9.0), (0.0, 300.0)], 10, 10);
        assert!(
            outside
                .iter()
                .all(|&(y, a, b)| (0..10).contains(&y) && a >= 0 && b < 10)
        );
        assert!(fill_spans(&[], 10, 10).is_empty());
    }
}
