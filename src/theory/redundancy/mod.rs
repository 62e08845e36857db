//! Closed forms of redundancy-d queues: N servers, every job on d of them, served until one copy is done.
//!
//! Owns the stationary law, the response time, the limits and the optimum for exponential sizes, independent copies,
//! first come first served and cancellation on completion. Does not own the rules of the simulation, nor other
//! service laws, identical copies or other policies, for which no closed form is known. Derivations and sources:
//! docs/theory.md, part "redundancy".
//!
//! N is `servers`, d is `copies`, rho is `load`: the arrival rate of jobs for each server, with the mean service
//! time 1/mu of a copy as the unit of time. Jobs arrive at rate N rho, each on d servers drawn uniformly. The
//! system is stable exactly for rho < 1. `None` means that a formula has no value there.

mod bound;
mod busy;
mod chain;
mod collisions;
mod functions;
mod given;
mod jobs;
mod limit;
mod loads;
mod optimum;
mod queue;
mod response;
mod special;
mod stability;
mod system;

pub use collisions::{
    Counts, hypergeometric, poisson, total_variation, two_jobs, two_jobs_poisson,
    two_jobs_shifted_poisson, two_jobs_two_poissons,
};
pub use functions::dilogarithm;
pub use given::response_given;
pub use limit::{
    limit_queue_normalised, limit_response_mean, limit_response_tail, mean_field_queue,
};
pub use loads::{alpha, alpha_expansion, heavy_load_queue};
pub use optimum::{
    optimal_copies, optimal_copies_asymptotic, optimal_copies_rule, optimal_queue_asymptotic,
};
pub use special::{mm1_jobs_pmf, mm1_response_tail};
pub use stability::{critical_load_all, warmup_jobs};
pub use system::{MAX_SERVERS, System};
