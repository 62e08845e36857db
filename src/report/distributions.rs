//! The figures of distributions: a tail on a logarithmic axis beside its laws, and a histogram.
//!
//! Owns what of a distribution is worth drawing: where it begins and ends, and how many marks the eye needs.

use super::figure::{Axis, Figure, Mark, Series, Style};
use super::figures::Choice;
use super::number::significant;
use super::quantity::{label, legend};
use super::tail::laws;
use super::{histogram_index, steady, void_histogram};
use crate::ensemble::Results;
use crate::models::{Histogram, Point, Scale, TailLaw};
use crate::statistics::{Table, Tail};

/// Where less events remain, a picture shows noise.
const HANDFUL: u64 = 5;
/// About as many marks of a series across the picture, and as many again down.
const MARKS: f64 = 20.0;
/// Pieces of a law's line.
const LAW_STEPS: u32 = 160;
/// Log-linear bins are drawn no narrower than this share of the axis: finer ones cannot be seen, but their noise can.
const NARROWEST: f64 = 1.0 / 400.0;
/// The share of values at either end that a linear axis leaves out: they would be flat on it.
const FLAT: f64 = 1e-3;

/// What both figures begin with: the histogram's place, and for each point worth drawing its index and label.
fn chosen(
    results: &Results,
    table: &Table,
    choice: &Choice<'_>,
) -> Result<(usize, Vec<(usize, String)>), String> {
    let (experiment, settings) = (&results.experiment, results.experiment.plot.as_ref());
    let named = choice
        .histogram
        .or(settings.and_then(|s| s.histogram.as_deref()));
    let index = histogram_index(results, named)?;
    let swept: Vec<&str> = match settings.map(|s| &s.series[..]) {
        Some(names) if !names.is_empty() => names.to_vec(),
        _ => experiment.sweeps.iter().map(|sweep| sweep.name).collect(),
    };
    let observed = |point: usize| {
        let place = results.plans[point].place(index);
        let mut batches = results.batches[point].iter();
        let name = results.plans[point].histograms[index].name;
        void_histogram(results, table, point, name).is_none()
            && batches.any(|b| b.counts[place.clone()].iter().any(|&n| n > 0))
    };
    let points: Vec<(usize, String)> = (0..results.points.len())
        .filter(|&point| choice.shows(point) && observed(point))
        .map(|point| {
            let label = legend(experiment.model, &swept, &results.points[point]);
            let label = if label.is_empty() {
                "simulation".to_owned()
            } else {
                label
            };
            if steady(results, table, point) {
                (point, label)
            } else {
                (point, format!("{label}, not steady"))
            }
        })
        .collect();
    if points.is_empty() {
        return Err(
            "no point has values to draw: all are void or empty; `queuefarm summary` says why"
                .to_owned(),
        );
    }
    Ok((index, points))
}

/// The x axis of a histogram's quantity.
fn axis(results: &Results, histogram: &Histogram, symbol: &str, range: (f64, f64)) -> Axis {
    let log = results.experiment.plot.as_ref().is_some_and(|s| s.log_x);
    Axis {
        label: label(symbol, histogram.unit),
        log,
        range: (range.0 < range.1 && !(log && range.0 <= 0.0)).then_some(range),
        ..Axis::default()
    }
}

/// P(T >= t) against t on a logarithmic axis: marks at edges of bins, their intervals as a band, the exact law as a line
/// and that of a limit as a dashed one.
///
/// # Errors
/// A histogram that does not exist, and which there are; no values to draw.
pub fn tail(results: &Results, table: &Table, choice: &Choice<'_>) -> Result<Figure, String> {
    let (index, points) = chosen(results, table, choice)?;
    let log_x = results.experiment.plot.as_ref().is_some_and(|s| s.log_x);
    let mut curves: Vec<(usize, String, Vec<Mark>)> = Vec::new();
    for (point, label) in points {
        let tail = Tail::of(results, point, index, table.confidence);
        let worth = |mark: &Mark| !log_x || mark.x > 0.0;
        let marks = tail.edges().filter(|(_, share)| share.events >= HANDFUL);
        let marks = marks.map(|(x, share)| Mark {
            x,
            y: share.p.unwrap_or(f64::NAN),
            interval: share.interval,
        });
        curves.push((point, label, marks.filter(worth).collect()));
    }
    let all = || curves.iter().flat_map(|(_, _, marks)| marks);
    let extent = |value: fn(&Mark) -> f64, some: fn(&Mark) -> bool| {
        let values = all().filter(|mark| some(mark)).map(value);
        values.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)))
    };
    // What is certain to be exceeded takes no room beyond its last edge.
    let (_, last) = extent(|mark| mark.x, |_| true);
    let (first, _) = extent(
        |mark| mark.x,
        if log_x {
            |mark| mark.y < 1.0 - FLAT
        } else {
            |mark| mark.y < 1.0
        },
    );
    let first = if log_x || first > 0.5 * last {
        first.min(last)
    } else {
        first.min(0.0)
    };
    let (least, _) = extent(|mark| mark.y, |_| true);
    for (_, _, marks) in &mut curves {
        marks.retain(|mark| mark.x >= first);
    }
    let histogram = &results.plans[0].histograms[index];
    let [exact, limit] = laws(results, histogram.name);
    let place = |x: f64| if log_x { x.ln() } else { x };
    let across = place(last) - place(first);
    // The last mark is not cut in half.
    let end = if log_x {
        last * (0.02 * across).exp()
    } else {
        last + 0.02 * across
    };
    let down = -least.ln();
    let mut series = Vec::new();
    for (point, label, marks) in curves {
        let apart = |a: &Mark, b: &Mark| {
            (place(b.x) - place(a.x)) * MARKS >= across || (a.y.ln() - b.y.ln()) * MARKS >= down
        };
        let kept = thinned(&marks, apart);
        let line = |law: Option<&'static crate::models::TailLaw>| -> Vec<(f64, f64)> {
            let Some(law) = law else { return Vec::new() };
            let at = |step: u32| {
                let x = place(first)
                    + (place(end) - place(first)) * f64::from(step) / f64::from(LAW_STEPS);
                let t = if log_x { x.exp() } else { x };
                (t, (law.tail)(&results.points[point], t).unwrap_or(f64::NAN))
            };
            // At the marks, too: what is said there is the law itself.
            let law_at = |mark: &Mark| {
                (
                    mark.x,
                    (law.tail)(&results.points[point], mark.x).unwrap_or(f64::NAN),
                )
            };
            let mut line: Vec<(f64, f64)> = (0..=LAW_STEPS)
                .map(at)
                .chain(kept.iter().map(law_at))
                .collect();
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            line
        };
        let (line, dashed) = (line(exact), line(limit));
        series.push(Series {
            label,
            marks: kept,
            line,
            dashed,
            style: Style::MarksOnBand,
        });
    }
    let name = |law: Option<&crate::models::TailLaw>| law.map_or("", |law| law.name).to_owned();
    Ok(Figure {
        x: axis(results, histogram, "t", (first, end)),
        y: Axis {
            label: format!("P({}\u{a0}≥\u{a0}t)", histogram.name),
            log: true,
            range: (least < 1.0).then_some((least / 2.0, 1.25)),
            ..Axis::default()
        },
        series,
        theory: name(exact),
        dashed: name(limit),
        ..Figure::default()
    })
}

/// The first mark, each that is apart from the last one kept, and the last.
fn thinned(marks: &[Mark], apart: impl Fn(&Mark, &Mark) -> bool) -> Vec<Mark> {
    let mut kept: Vec<Mark> = Vec::new();
    for (index, mark) in marks.iter().enumerate() {
        let is_last = index + 1 == marks.len();
        if is_last || kept.last().is_none_or(|last| apart(last, mark)) {
            kept.push(*mark);
        }
    }
    kept
}

/// A histogram as steps: the share of values in each bin, or, where bins differ in width, their density.
///
/// # Errors
/// As for [`tail`].
pub fn histogram(results: &Results, table: &Table, choice: &Choice<'_>) -> Result<Figure, String> {
    let (index, points) = chosen(results, table, choice)?;
    let settings = results.experiment.plot.as_ref();
    let (log_x, log_y) = (
        settings.is_some_and(|s| s.log_x),
        settings.is_some_and(|s| s.log_y),
    );
    let of = |point: usize| &results.plans[point].histograms[index];
    let first_width = |point: usize| of(point).lower(1) - of(point).lower(0);
    let equal = |point: usize| {
        matches!(of(point).scale, Scale::Linear { .. })
            && (first_width(point) / first_width(points[0].0) - 1.0).abs() < 1e-9
    };
    let density = !points.iter().all(|(point, _)| equal(*point));
    let counts = |point: usize| -> Vec<u64> {
        let place = results.plans[point].place(index);
        let mut sums = vec![0; place.len()];
        for batch in &results.batches[point] {
            for (sum, count) in sums.iter_mut().zip(&batch.counts[place.clone()]) {
                *sum += count;
            }
        }
        sums
    };
    let curves: Vec<(usize, String, Vec<u64>)> = points
        .into_iter()
        .map(|(point, label)| (point, label, counts(point)))
        .collect();
    let (mut first, mut last) = (f64::MAX, f64::MIN);
    let mut cores = Vec::new();
    for (point, _, counts) in &curves {
        let (low, high) = core(counts, log_x, log_y);
        let lower = |bin: usize| of(*point).lower(bin as u32);
        // What begins close to zero begins there, where zero has a place.
        let at_zero = !log_x && lower(0) >= 0.0 && lower(low) < 0.1 * lower(high + 1);
        let low = if at_zero { 0 } else { low };
        cores.push((low, high));
        first = first.min(lower(low));
        last = last.max(lower(high + 1));
    }
    let place = |x: f64| if log_x { x.ln() } else { x };
    let mut series = Vec::new();
    let mut theory = String::new();
    for ((point, label, counts), (low, high)) in curves.into_iter().zip(cores) {
        let (histogram, total) = (of(point), counts.iter().sum::<u64>() as f64);
        // A value of its own, such as no wait at all, has no density: the legend says how likely it is.
        let atom = counts[0] as f64 / total;
        let apart = density && histogram.edge(0) == 0 && histogram.width(0) == 1 && atom > FLAT;
        let (label, low) = if apart {
            let share = significant(atom, 3);
            (
                format!(
                    "{label}, P({}\u{a0}=\u{a0}0)\u{a0}=\u{a0}{share}",
                    histogram.name
                ),
                low.max(1),
            )
        } else {
            (label, low)
        };
        let exact = laws(results, histogram.name)[0].filter(|_| !density);
        let points = &results.points[point];
        if let Some(chances) = exact.and_then(|law| chances(law, points, histogram, low, high)) {
            let mark = |bin: usize| Mark {
                x: histogram.lower(bin as u32),
                y: counts[bin] as f64 / total,
                interval: None,
            };
            theory = exact.map_or(String::new(), |law| {
                format!("{}, joined between whole numbers", law.name)
            });
            series.push(Series {
                label,
                marks: (low..=high).map(mark).collect(),
                line: chances,
                style: Style::MarksAndTheory,
                ..Series::default()
            });
            continue;
        }
        let mut line = Vec::new();
        let (mut from, mut sum) = (low, 0);
        for (bin, count) in counts.iter().enumerate().take(high + 1).skip(low) {
            sum += count;
            let ends = (
                histogram.lower(from as u32),
                histogram.lower(bin as u32 + 1),
            );
            let wide = place(ends.1) - place(ends.0) >= NARROWEST * (place(last) - place(first));
            if density && !wide && bin < high {
                continue;
            }
            let share = sum as f64 / total / if density { ends.1 - ends.0 } else { 1.0 };
            line.extend([(ends.0, share), (ends.1, share)]);
            (from, sum) = (bin + 1, 0);
        }
        series.push(Series {
            label,
            line,
            style: Style::Line,
            ..Series::default()
        });
    }
    let histogram = of(0);
    let name = histogram.name;
    let y = match (density, histogram.unit) {
        (false, _) if histogram.width(0) == 1 => format!("P({name})"),
        (false, _) => format!("P({name} in bin)"),
        (true, "") => format!("density of {name}"),
        (true, unit) => format!("density of {name} (1 / {unit})"),
    };
    Ok(Figure {
        x: axis(
            results,
            histogram,
            name,
            if theory.is_empty() || log_x {
                (first, last)
            } else {
                // Marks of whole numbers are not cut by the frame.
                (first - 0.5 * histogram.step, last - 0.5 * histogram.step)
            },
        ),
        y: Axis {
            label: y,
            log: log_y,
            ..Axis::default()
        },
        series,
        theory,
        ..Figure::default()
    })
}

/// What a law gives each of some bins of single whole numbers, with the number; none where it says nothing, or bins
/// hold more.
fn chances(
    law: &TailLaw,
    point: &Point,
    histogram: &Histogram,
    low: usize,
    high: usize,
) -> Option<Vec<(f64, f64)>> {
    let mut chances = Vec::new();
    for bin in low as u32..=high as u32 {
        if histogram.width(bin) != 1 {
            return None;
        }
        let [from, to] = [bin, bin + 1].map(|bin| histogram.lower(bin));
        chances.push((from, (law.tail)(point, from)? - (law.tail)(point, to)?));
    }
    Some(chances)
}

/// The first and the last bin worth drawing: a handful of values, or what can be seen on a linear axis, is up to the
/// one, and from the other on. A logarithmic x axis does not follow the few least values towards zero.
fn core(counts: &[u64], log_x: bool, log_y: bool) -> (usize, usize) {
    let seen = HANDFUL.max((FLAT * counts.iter().sum::<u64>() as f64) as u64);
    let reach = |counts: &mut dyn Iterator<Item = &u64>, least: u64| {
        let mut sum = 0;
        let few = counts.take_while(|&&count| {
            sum += count;
            sum < least
        });
        few.count()
    };
    let first = reach(
        &mut counts.iter(),
        if log_y && !log_x { HANDFUL } else { seen },
    );
    let after = reach(&mut counts.iter().rev(), if log_y { HANDFUL } else { seen });
    let first = first.max(usize::from(log_x));
    match (counts.len() - 1).checked_sub(after) {
        Some(last) if first <= last => (first, last),
        _ => (usize::from(log_x).min(counts.len() - 1), counts.len() - 1),
    }
}
