//! The models, and the one registry that lists them.
//!
//! Owns the declaration of a model: parameters, observables, kernels, theory. Does not know wgpu, HDF5 or clap.
//! To add a model, see docs/adding-a-model.md.

mod conditional_law;
pub mod delay;
pub mod farm;
mod histogram;
#[allow(
    clippy::needless_range_loop,
    reason = "loops over lanes by index are what the compiler makes vectors of"
)]
mod lane_clock;
mod parameter;
mod plan;
pub mod redundancy;
pub mod redundancy_states;
pub mod selfish;
pub mod selfish_mixed;
pub mod selfish_pure;
mod tail_law;

pub use conditional_law::ConditionalLaw;
pub use histogram::{Histogram, Scale, log_linear_bin, log_linear_bins};
pub use parameter::{Default, Kind, Parameter, Point, Problem, Value};
pub use plan::{Fault, Plan, Tallies, Totals};
pub use tail_law::TailLaw;

use crate::engine::CpuKernel;

/// One model: data and a few functions. The registry row from which everything else follows.
#[derive(Debug)]
pub struct Model {
    /// Name in files and on the command line.
    pub name: &'static str,
    /// One sentence for people.
    pub summary: &'static str,
    /// Declarations of the parameters.
    pub parameters: &'static [Parameter],
    /// What a step of the span is called: ticks, jobs, events.
    pub span: &'static str,
    /// The unit of `warmup` and `duration` in the experiment file.
    pub span_unit: &'static str,
    /// Declarations of the estimates.
    pub observables: &'static [Observable],
    /// Names of the sums kept for each half of the span.
    pub sums: &'static [&'static str],
    /// Names of the values read once a replica, at the end of the span.
    pub peaks: &'static [&'static str],
    /// Names of the values whose largest over replicas is kept, read at the end of the span.
    pub maxima: &'static [&'static str],
    /// A histogram that lacks values in some runs, if there is one.
    pub lacking: Option<Lacking>,
    /// The value that can be recorded at every step.
    pub traced: Traced,
    /// A commented experiment file to start from.
    pub starter: &'static str,
    /// Changes of the starter, as `KEY=VALUE`, that make of its first point the one to measure speed at.
    pub bench: &'static [&'static str],
    /// Resolves a point into words for the kernels.
    pub plan: fn(&Point) -> Result<Plan, Problem>,
    /// The warm-up that an empty start of a point needs before the bias of its means is negligible, in the unit of the
    /// span; none where it is not known, or the point starts elsewhere.
    pub warmup: fn(&Point) -> Option<f64>,
    /// The state of one replica before its first step, `Plan::state_words` words.
    pub start: fn(&Plan, &crate::random::Key, u32, &mut [u32]),
    /// Counts of all histograms, one after another, from the `Plan::recorded_bins` counts that a kernel kept
    /// for each half; adds to the sums (one a quantity, of each half) what the kernel left out because it
    /// follows from those counts.
    pub unfold: Unfold,
    /// Estimates from accumulated sums, in the order of `observables`; none where undefined.
    pub estimates: fn(&Plan, &Totals) -> Vec<Option<f64>>,
    /// Theory for the observables, in the same order; none where no formula holds.
    pub theory: fn(&Point) -> Vec<Option<f64>>,
    /// Names of the estimates whose theory is an exact law, no approximation, limit or bound.
    pub exact: &'static [&'static str],
    /// Laws of what the histograms count.
    pub tails: &'static [TailLaw],
    /// The law of one of them given what a step meets, where there is one.
    pub conditional: Option<ConditionalLaw>,
    /// Functions of the parameters that a plot may use as its x axis.
    pub derived: &'static [Derived],
    /// The CPU kernel.
    pub cpu: CpuKernel,
    /// The WGSL files of the kernel, after the library and before `kernel.wgsl`.
    pub shader: &'static [&'static str],
    /// Words of `Plan::params`.
    pub param_words: usize,
    /// Constants that index parameters and state, generated for WGSL from the model's one list of fields.
    pub constants: fn() -> String,
    /// Values of [`Point`]s that together use every option, for parity checks.
    pub parity_grid: fn() -> Vec<Point>,
    /// Name of a state word, for messages about differences.
    pub state_word: fn(&Plan, u32) -> String,
}

/// A function from recorded counts to histograms and sums, see [`Model::unfold`].
pub type Unfold = fn(&Plan, &[Vec<u64>; 2], &mut [[u128; 2]]) -> Vec<u64>;

/// The declaration of an estimate.
#[derive(Debug)]
pub struct Observable {
    /// Name in files.
    pub name: &'static str,
    /// Symbol for axes.
    pub symbol: &'static str,
    /// Unit, empty for pure numbers.
    pub unit: &'static str,
    /// One sentence for people.
    pub help: &'static str,
}

/// The declaration of a histogram that lacks values where a sum is not zero: its shares are then not those of the law.
#[derive(Debug, Clone, Copy)]
pub struct Lacking {
    /// Name of the histogram.
    pub histogram: &'static str,
    /// Which of the sums counts the values that are not in it.
    pub sum: usize,
    /// Why they are not, and what to do about it.
    pub reason: &'static str,
}

/// The declaration of the value that can be recorded at every step.
#[derive(Debug, Clone, Copy)]
pub struct Traced {
    /// Name in tables.
    pub name: &'static str,
    /// Symbol for axes.
    pub symbol: &'static str,
    /// Unit, empty for pure numbers.
    pub unit: &'static str,
    /// One sentence for people.
    pub help: &'static str,
    /// The estimate that is its mean in the steady state, whose theory a picture of an ensemble shows; if there is one.
    pub mean: Option<&'static str>,
    /// The estimate that is how far it goes to either side, whose theory a picture of trajectories shows; if there is one.
    pub peak: Option<&'static str>,
}

/// A quantity that follows from the parameters alone: a number for an axis, or a word for a legend.
#[derive(Debug)]
pub struct Derived {
    /// Name in `[plot]`, as `x` or in `series`.
    pub name: &'static str,
    /// Symbol for axes.
    pub symbol: &'static str,
    /// Unit, empty for pure numbers.
    pub unit: &'static str,
    /// Its value at a point.
    pub value: fn(&Point) -> Value,
}

/// Every model there is. Adding a model is adding a line here.
pub static MODELS: &[&Model] = &[
    &delay::MODEL,
    &redundancy::MODEL,
    &redundancy_states::MODEL,
    &selfish_pure::MODEL,
    &selfish_mixed::MODEL,
    &farm::MODEL,
];

/// The model of that name.
pub fn find(name: &str) -> Option<&'static Model> {
    MODELS.iter().copied().find(|model| model.name == name)
}
