//! The registry of purposes: every reason to draw a random number, in one list.
//!
//! Owns the numbers that keep draws apart; the WGSL constants are generated from it.

macro_rules! purposes {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $wgsl:literal;)*) => {
        /// Why a random number is drawn. Part of every draw's address.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Purpose {
            $($(#[$doc])* $name = $value,)*
        }

        impl Purpose {
            /// Every purpose.
            pub const ALL: &'static [Purpose] = &[$(Purpose::$name,)*];

            /// The registry as WGSL constants.
            pub fn constants() -> String {
                let mut text = String::new();
                $(text.push_str(&format!("const PURPOSE_{}: u32 = {}u;\n", $wgsl, $value));)*
                text
            }
        }
    };
}

purposes! {
    /// `delay`: which server a request goes to.
    DelayChoice = 1, "DELAY_CHOICE";
    /// `delay`: whether, how often and finally where a request is rejected.
    DelayRejection = 2, "DELAY_REJECTION";
    /// `delay`: in which queue each client starts.
    DelayStart = 3, "DELAY_START";
    /// `redundancy`: when a job arrives, where its copies go, and their sizes.
    RedundancyJob = 4, "REDUNDANCY_JOB";
    /// `redundancy`: 32 further bits for those of its words that are too small to be precise.
    RedundancyMore = 5, "REDUNDANCY_MORE";
    /// `redundancy` and `redundancy-states`: the jobs that are there at the start.
    RedundancyStart = 6, "REDUNDANCY_START";
    /// `redundancy-states`: what happens next, and when.
    StatesEvent = 7, "STATES_EVENT";
    /// `redundancy-states`: which servers a job has in common with older ones.
    StatesCollision = 8, "STATES_COLLISION";
    /// Models of selfish traffic: rates and speeds of random instances.
    SelfishInstance = 9, "SELFISH_INSTANCE";
    /// `selfish-pure`: the instance, where streams start, and who looks for a better server.
    PureMove = 10, "PURE_MOVE";
    /// `selfish-mixed`: which server each stream draws.
    MixedProfile = 11, "MIXED_PROFILE";
    /// `farm`: which request comes next, when, where it goes and how large it is.
    FarmRequest = 12, "FARM_REQUEST";
    /// `farm`: further bits for words that are too small to be precise.
    FarmMore = 13, "FARM_MORE";
    /// Repetitions of an experiment: the seed of each.
    Repetition = 14, "REPETITION";
}

#[cfg(test)]
mod tests {
    use super::Purpose;

    #[test]
    fn no_two_purposes_share_a_number() {
        for (i, a) in Purpose::ALL.iter().enumerate() {
            for b in &Purpose::ALL[..i] {
                assert_ne!(*a as u32, *b as u32, "{a:?} and {b:?}");
            }
        }
    }
}
