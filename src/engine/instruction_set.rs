//! Which vector instructions this processor has, and how a kernel is compiled for each of them.
//!
//! Owns the run-time choice. A kernel is written once, as a loop over lanes; the macro compiles it three times.

use super::lanes::Group;
use crate::models::Plan;

/// An instruction set that this processor has. Values exist only for those detected at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstructionSet(pub(crate) Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl InstructionSet {
    /// All that this processor has, the fastest first.
    pub fn available() -> Vec<InstructionSet> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512cd")
            {
                sets.push(InstructionSet(Kind::Avx512));
            }
            if is_x86_feature_detected!("avx2") {
                sets.push(InstructionSet(Kind::Avx2));
            }
        }
        sets.push(InstructionSet(Kind::Portable));
        sets
    }

    /// The fastest that this processor has.
    pub fn best() -> InstructionSet {
        Self::available()[0]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "AVX2",
            Kind::Portable => "portable",
        }
    }
}

/// A stretch of the span in which a kernel treats every step alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Steps to advance.
    pub steps: u32,
    /// The half of the measured span that the steps count for, none in the warm-up.
    pub half: Option<usize>,
}

/// A CPU kernel: advances a group of replicas by a stretch.
pub type CpuKernel = fn(InstructionSet, &Plan, &mut Group<'_>, Stretch);

/// Compiles an `#[inline(always)]` kernel body for every instruction set, as one function that picks.
macro_rules! compile_for_each_instruction_set {
    ($(#[$doc:meta])* $name:ident = $body:expr) => {
        $(#[$doc])*
        pub fn $name(
            set: $crate::engine::InstructionSet,
            plan: &$crate::models::Plan,
            group: &mut $crate::engine::Group<'_>,
            stretch: $crate::engine::Stretch,
        ) {
            use $crate::engine::instruction_set::Kind;
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512cd")]
            fn avx512(plan: &$crate::models::Plan, group: &mut $crate::engine::Group<'_>, stretch: $crate::engine::Stretch) {
                $body(plan, group, stretch)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2(plan: &$crate::models::Plan, group: &mut $crate::engine::Group<'_>, stretch: $crate::engine::Stretch) {
                $body(plan, group, stretch)
            }
            match set.0 {
                // SAFETY: an `InstructionSet` of this kind exists only where the processor has the features.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 => unsafe { avx512(plan, group, stretch) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 => unsafe { avx2(plan, group, stretch) },
                Kind::Portable => $body(plan, group, stretch),
            }
        }
    };
}

pub(crate) use compile_for_each_instruction_set;
