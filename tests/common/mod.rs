//! What several test files need: the adapter under test, or a visible skip.

use queuefarm::engine::gpu::Gpu;

/// The first adapter of any kind. Without one the test is skipped with a visible line, and fails when
/// REQUIRE_GPU is set.
pub fn gpu() -> Option<Gpu> {
    match Gpu::open(None, true) {
        Ok(gpu) => Some(gpu),
        Err(fault) if std::env::var_os("REQUIRE_GPU").is_some() => {
            panic!("REQUIRE_GPU is set: {fault}")
        }
        Err(fault) => {
            eprintln!("SKIPPED, no adapter: {fault}");
            None
        }
    }
}
