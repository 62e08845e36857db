//! How fast the models run here: every instruction set on one core, all cores, every adapter.
//!
//! Owns where speed is measured and how: whole units as a run simulates them, drawing, counting and merging included,
//! after one to warm up, and the median of several windows. Does not print; kernels alone are measured by
//! `benches/kernels.rs`, at the same points.

use crate::engine::gpu::{AdapterSummary, Gpu, adapters};
use crate::engine::limit::draws_alone;
use crate::engine::{
    Backend, Cpu, Fault, Group, InstructionSet, LANES, Lane, Recording, Stretch, Unit, Watch, Work,
};
use crate::experiment::Experiment;
use crate::models::{Model, Plan};
use crate::random::Key;
use std::time::Instant;

/// Windows of which the median counts.
const WINDOWS: usize = 5;
/// Replicas on a GPU, enough for all its cores, and on an adapter that is software.
const GPU_REPLICAS: [u32; 2] = [1 << 18, 1 << 12];
/// How much longer a window of a GPU is: it takes a while to start.
const GPU_WINDOW: usize = 4;
/// Share of the span with which a GPU is tried first: nothing is known of its speed.
const FIRST_TRY: u32 = 64;
/// Steps of a call that draws random numbers alone.
const DRAWS: u32 = 50_000;
/// Seed and stream, as good as any.
const KEY: Key = Key { seed: 1, stream: 0 };

/// One figure.
#[derive(Debug, Clone)]
pub struct Measurement {
    /// The model.
    pub model: &'static Model,
    /// `cpu` or `gpu`.
    pub backend: &'static str,
    /// Instruction set or adapter.
    pub device: String,
    /// Threads on the CPU.
    pub threads: Option<usize>,
    /// Whether the adapter is software on the CPU.
    pub software: bool,
    /// Steps of replicas a second.
    pub steps_per_second: f64,
    /// The same over that of one core with the best instruction set.
    pub ratio: f64,
    /// The same over the blocks of random numbers that these cores draw in a second; none on a GPU.
    pub random_share: Option<f64>,
}

/// What was not measured, and why.
#[derive(Debug, Clone)]
pub struct Skipped {
    /// The adapter.
    pub device: String,
    /// What it said.
    pub reason: String,
}

/// The experiment at whose first point a model's speed is measured: its starter with the changes of its row, counted
/// from the start on.
///
/// # Errors
/// What is wrong with the starter or the changes.
pub fn experiment(model: &Model) -> Result<Experiment, String> {
    let changes = model.bench.iter().copied().chain(["warmup=0"]);
    let changes: Vec<String> = changes.map(str::to_owned).collect();
    Experiment::parse(model.starter, model.name, &changes, None).map_err(|p| p.to_string())
}

/// The plan at that point.
///
/// # Errors
/// As for [`experiment`].
pub fn plan(model: &Model) -> Result<Plan, String> {
    let points = experiment(model)?.points();
    let point = points.first().ok_or("the starter has no point")?;
    (model.plan)(point).map_err(|problem| problem.to_string())
}

/// Measures models, in about so many seconds in all, and tells `say` of every figure.
///
/// # Errors
/// A backend that fails while it simulates; an adapter that cannot be opened is among those skipped.
pub fn measure(
    models: &[&'static Model],
    seconds: f64,
    say: &dyn Fn(&Measurement),
) -> Result<(Vec<Measurement>, Vec<Skipped>), String> {
    let (sets, adapters) = (InstructionSet::available(), adapters());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // Each instruction set on one core, and the best on all.
    let mut cores: Vec<(InstructionSet, usize)> = sets.iter().map(|&set| (set, 1)).collect();
    cores.push((InstructionSet::best(), threads));
    let figures = models.len() * (cores.len() + GPU_WINDOW * adapters.len()) + cores.len();
    let window = seconds / (figures * (WINDOWS + 1)) as f64;
    let plans = models
        .iter()
        .map(|model| plan(model))
        .collect::<Result<Vec<Plan>, String>>()?;
    // Draws alone do not depend on the plan.
    let limit =
        |&(set, threads): &(_, usize)| plans.first().map(|plan| draws(set, threads, plan, window));
    let limits: Vec<Option<f64>> = cores.iter().map(limit).collect();
    let (mut measured, mut skipped) = (Vec::new(), Vec::new());
    for (&model, plan) in models.iter().zip(&plans) {
        let mut one_core = None;
        let mut add = |figure: Measurement| {
            say(&figure);
            measured.push(figure);
        };
        for (&(set, threads), &limit) in cores.iter().zip(&limits) {
            let mut cpu = Cpu::on(threads, set).map_err(|fault| fault.to_string())?;
            let rate =
                cpu_rate(&mut cpu, model, plan, window).map_err(|fault| fault.to_string())?;
            add(Measurement {
                model,
                backend: "cpu",
                device: set.name().to_owned(),
                threads: Some(threads),
                software: false,
                steps_per_second: rate,
                ratio: rate / *one_core.get_or_insert(rate),
                random_share: limit.map(|limit| rate / limit),
            });
        }
        for adapter in &adapters {
            match gpu_rate(adapter, model, plan, GPU_WINDOW as f64 * window) {
                Ok(rate) => add(Measurement {
                    model,
                    backend: "gpu",
                    device: adapter.name.clone(),
                    threads: None,
                    software: !adapter.is_gpu,
                    steps_per_second: rate,
                    ratio: one_core.map_or(f64::NAN, |one| rate / one),
                    random_share: None,
                }),
                Err(fault) => skipped.push(Skipped {
                    device: format!("{}, {}", model.name, adapter.name),
                    reason: fault.to_string(),
                }),
            }
        }
    }
    Ok((measured, skipped))
}

fn cpu_rate(cpu: &mut Cpu, model: &Model, plan: &Plan, window: f64) -> Result<f64, Fault> {
    let replicas = cpu.replicas_per_unit(&work(plan, 1, 0))?;
    let threads = cpu.threads();
    let (_, seconds) = simulate(cpu, model, plan, replicas, threads)?;
    // Whole rounds, so that no thread waits for others at the end of a window.
    let rounds = (window / seconds).ceil().clamp(1.0, 1e4) as usize;
    median(|| simulate(cpu, model, plan, replicas, rounds * threads))
}

fn gpu_rate(
    adapter: &AdapterSummary,
    model: &Model,
    plan: &Plan,
    window: f64,
) -> Result<f64, Fault> {
    let mut gpu = Gpu::open(Some(&adapter.name), true)?;
    let most = gpu.replicas_per_unit(&work(plan, 1, 0))?;
    let replicas = GPU_REPLICAS[usize::from(!adapter.is_gpu)].min(most);
    let mut short = plan.ended_after(plan.end().div_ceil(FIRST_TRY));
    // The first run compiles the shader; then the span grows until it fills a window.
    simulate(&mut gpu, model, &short, replicas, 1)?;
    let units = loop {
        let (_, seconds) = simulate(&mut gpu, model, &short, replicas, 1)?;
        let fitting = window / seconds.max(1e-9);
        if fitting < 2.0 || short.end() == plan.end() {
            break fitting.ceil().clamp(1.0, 1e3) as usize;
        }
        let longer = f64::from(short.end()) * fitting.min(16.0);
        short = plan.ended_after(longer.min(f64::from(plan.end())) as u32);
    };
    median(|| simulate(&mut gpu, model, &short, replicas, units))
}

/// Blocks of random numbers that so many threads draw in a second.
fn draws(set: InstructionSet, threads: usize, plan: &Plan, window: f64) -> f64 {
    let draw = &|first_replica: u32, calls: u64| {
        let mut state = [Lane::ZERO];
        for _ in 0..calls {
            let mut group = Group {
                key: KEY,
                first_replica,
                state: &mut state,
                counts: &mut [],
                trace: None,
            };
            let stretch = Stretch {
                steps: DRAWS,
                half: None,
            };
            draws_alone(set, plan, &mut group, stretch);
        }
        std::hint::black_box(state[0][0]);
    };
    let all = |calls: u64| {
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                scope.spawn(move || (draw)((thread * LANES) as u32, calls));
            }
        });
        let blocks = calls * u64::from(DRAWS) * (LANES * threads) as u64;
        (blocks, begun.elapsed().as_secs_f64())
    };
    let (_, seconds) = all(8);
    let calls = (8.0 * window / seconds).ceil().clamp(1.0, 1e6) as u64;
    median(|| Ok::<_, ()>(all(calls))).unwrap_or(f64::NAN)
}

/// The median rate of several windows, each of so many steps in so many seconds.
fn median<E>(mut window: impl FnMut() -> Result<(u64, f64), E>) -> Result<f64, E> {
    let mut rates = Vec::new();
    for _ in 0..WINDOWS {
        let (steps, seconds) = window()?;
        rates.push(steps as f64 / seconds.max(1e-9));
    }
    rates.sort_by(f64::total_cmp);
    Ok(rates[WINDOWS / 2])
}

fn work(plan: &Plan, replicas: u32, index: usize) -> Work<'_> {
    Work {
        plan,
        key: KEY,
        unit: Unit {
            point: 0,
            batch: 0,
            first_replica: index as u32 * replicas,
            replicas,
        },
        recording: Recording::default(),
    }
}

/// Simulates so many units: (steps of replicas, seconds).
fn simulate(
    backend: &mut dyn Backend,
    model: &Model,
    plan: &Plan,
    replicas: u32,
    units: usize,
) -> Result<(u64, f64), Fault> {
    let work: Vec<Work<'_>> = (0..units)
        .map(|index| work(plan, replicas, index))
        .collect();
    let total = std::sync::Mutex::new(crate::models::Tallies::zero(plan, model.sums.len()));
    let begun = Instant::now();
    backend.run(model, &work, &Watch::new(), &|_, tallies| {
        let mut total = total
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        total.merge(&tallies);
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    Ok((work.iter().map(Work::steps).sum(), seconds))
}
