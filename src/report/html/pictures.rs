//! The pictures of a report: drawn, with their numbers for a pointer, and the commands that draw them again.

use super::text::{escaped, shell};
use crate::ensemble::Results;
use crate::experiment::PlotKind;
use crate::models::Scale;
use crate::report::draw::{self, DrawError, Picture};
use crate::report::figure::{Figure, Style};
use crate::report::figures::{self, Choice};
use crate::report::histogram_index;
use crate::statistics::Table;

/// Most curves of a picture that has one for each point.
const MOST_CURVES: usize = 6;
/// Most points whose recorded trajectories are drawn.
const MOST_TRACED: usize = 2;

/// The section; nothing where nothing can be drawn.
///
/// # Errors
/// What the drawing library said.
pub fn section(results: &Results, table: &Table, file: &str) -> Result<String, DrawError> {
    let own = results.experiment.plot.as_ref().map(|plot| plot.kind);
    let mut html = String::new();
    let main = Choice::default();
    if let Ok(figure) = figures::figure(results, table, &main) {
        html.push_str(&element(
            &figure,
            own.unwrap_or(PlotKind::Sweep),
            file,
            "",
            1,
        )?);
    }
    let mut others = Vec::new();
    if has_times(results) {
        others.push((PlotKind::Tail, MOST_CURVES));
    }
    if results.experiment.record.trajectories > 0 {
        others.push((PlotKind::Trajectory, MOST_TRACED));
    }
    if results.experiment.record.ensemble {
        others.push((PlotKind::Ensemble, MOST_CURVES));
    }
    others.retain(|(kind, _)| Some(*kind) != own);
    for (number, (kind, most)) in others.into_iter().enumerate() {
        let points = spread(results.points.len(), most);
        let choice = Choice {
            kind: Some(kind),
            points: &points,
            ..Choice::default()
        };
        let Ok(figure) = figures::figure(results, table, &choice) else {
            continue;
        };
        let mut options = format!(" --kind {}", kind.name());
        if !points.is_empty() {
            let words: Vec<String> = points.iter().map(usize::to_string).collect();
            options.push_str(&format!(" --point {}", words.join(",")));
        }
        html.push_str(&element(&figure, kind, file, &options, number + 2)?);
    }
    if html.is_empty() {
        return Ok(html);
    }
    Ok(format!(
        "<section id=\"pictures\">\n<h2>Pictures</h2>\n<p class=\"screen\">Point at a mark, touch it, or press the arrow keys in a \
         picture, and its numbers appear.</p>\n{html}</section>\n"
    ))
}

/// Whether there is a histogram of times by default, the tail of which is worth a picture.
fn has_times(results: &Results) -> bool {
    let Some(plan) = results.plans.first() else {
        return false;
    };
    histogram_index(results, None).is_ok_and(|index| {
        let histogram = &plan.histograms[index];
        matches!(histogram.scale, Scale::LogLinear { .. }) || histogram.name == "wait"
    })
}

/// So many points at even distances from the first to the last; none when that is all of them.
fn spread(points: usize, most: usize) -> Vec<usize> {
    if points <= most {
        return Vec::new();
    }
    (0..most).map(|i| i * (points - 1) / (most - 1)).collect()
}

fn element(
    figure: &Figure,
    kind: PlotKind,
    file: &str,
    options: &str,
    number: usize,
) -> Result<String, DrawError> {
    let Picture { svg, spots } = draw::picture(figure)?;
    let mut places = String::new();
    for spot in &spots {
        places.push_str(&format!(
            "<rect class=\"spot\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}</title></rect>\n",
            spot.at.0 - spot.half.0,
            spot.at.1 - spot.half.1,
            2.0 * spot.half.0,
            2.0 * spot.half.1,
            escaped(&spot.text)
        ));
    }
    // The document's own element, without a size of its own, and with the places on top.
    let body = svg.split_once('>').map_or("", |(_, body)| body);
    let body = body.trim_end().strip_suffix("</svg>").unwrap_or(body);
    let picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 4800 3200\" stroke-linejoin=\"round\" role=\"img\" tabindex=\"0\" \
         aria-label=\"{}\">{body}<g class=\"spots\" transform=\"scale(4)\" fill=\"none\" pointer-events=\"all\">\n{places}</g></svg>",
        escaped(&alternative(figure, kind))
    );
    let target = format!("figure-{number}.svg");
    Ok(format!(
        "<figure>\n<div class=\"picture\">{picture}</div>\n<figcaption><b>Figure {number}.</b> {}\n<br>To draw it again: <code>queuefarm plot \
         {} -o {target}{options}</code></figcaption>\n</figure>\n",
        escaped(&caption(figure, kind)),
        escaped(&shell(file))
    ))
}

/// What is to be seen, for those who do not see it.
fn alternative(figure: &Figure, kind: PlotKind) -> String {
    let series: Vec<&str> = (figure.series.iter())
        .map(|series| series.label.as_str())
        .filter(|label| !label.is_empty())
        .take(12)
        .collect();
    let what = match &figure.cells {
        Some(cells) => format!(
            "Heat map of {} over {} and {}",
            cells.label, figure.x.label, figure.y.label
        ),
        None => format!(
            "{}: {} against {}",
            name(kind),
            figure.y.label,
            figure.x.label
        ),
    };
    let curves = if series.is_empty() {
        String::new()
    } else {
        format!(", for {}", series.join("; "))
    };
    format!("{what}{curves}. The tables of this page hold the numbers.")
}

fn name(kind: PlotKind) -> &'static str {
    match kind {
        PlotKind::Sweep => "Plot",
        PlotKind::Trajectory => "Trajectories",
        PlotKind::Tail => "Tail",
        PlotKind::Histogram => "Histogram",
        PlotKind::Ensemble => "Ensemble",
        PlotKind::Heatmap => "Heat map",
        PlotKind::Best => "Best choice",
    }
}

/// How to read it.
fn caption(figure: &Figure, kind: PlotKind) -> String {
    let theory = figure.series.iter().any(|series| {
        matches!(series.style, Style::MarksAndTheory | Style::MarksOnBand)
            && series.line.iter().any(|(_, y)| y.is_finite())
    });
    let theory = if theory { " Lines are theory." } else { "" };
    let x = &figure.x.label;
    let y = &figure.y.label;
    match kind {
        PlotKind::Sweep => format!(
            "{y} against {x}. Marks are the simulation, whiskers its intervals where they are larger than the marks.{theory}"
        ),
        PlotKind::Tail => format!(
            "How likely large values are: {y} against {x}, on a logarithmic axis. Marks are the simulation, bands its intervals.{theory}"
        ),
        PlotKind::Histogram => format!("{y}, against {x}.{theory}"),
        PlotKind::Trajectory => format!("{y} against {x}, as single replicas ran."),
        PlotKind::Ensemble => format!(
            "{y} against {x}: the mean over replicas, and a band of one standard deviation to either side. The band is the spread of replicas, not the error of the mean."
        ),
        PlotKind::Best => format!(
            "{y} against {x}. Marks are the simulation, whiskers reach over all values that cannot be told from the best.{theory}"
        ),
        PlotKind::Heatmap => figure.cells.as_ref().map_or(String::new(), |cells| {
            format!("{} over {x} and {y}.", cells.label)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn curves_are_spread_from_the_first_point_to_the_last() {
        assert_eq!(spread(6, 6), Vec::<usize>::new());
        assert_eq!(spread(75, 6), [0, 14, 29, 44, 59, 74]);
        assert_eq!(spread(10, 2), [0, 9]);
    }
}
