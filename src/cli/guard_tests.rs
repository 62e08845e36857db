//! What is said of processes that end badly.
#![allow(clippy::unwrap_used)]

use super::*;

const LIMITS: Limits = Limits {
    memory: 3 << 30,
    seconds: 7,
};

fn end(script: &str) -> Verdict {
    let mut command = Command::new("sh");
    let status = run(command.args(["-c", script]), Duration::from_secs(60)).unwrap();
    verdict(status, "", LIMITS)
}

#[test]
fn a_process_that_is_done_is_told_from_one_that_was_killed_or_failed() {
    assert_eq!(end("exit 0"), Verdict::Done);
    for signal in ["SEGV", "BUS", "ABRT"] {
        let said = format!("the HDF5 library crashed on it (SIG{signal})");
        assert_eq!(end(&format!("kill -{signal} $$")), Verdict::Died(said));
    }
    let Verdict::Died(said) = end("kill -KILL $$") else {
        panic!("a kill is no success")
    };
    assert!(said.contains("killed (SIGKILL)"), "{said}");
    let Verdict::Died(said) = end("exit 101") else {
        panic!("a failure is no success")
    };
    assert!(
        said.contains("101") && said.contains("without a word"),
        "{said}"
    );
}

#[test]
fn what_the_process_says_is_passed_on_and_memory_is_named() {
    let status =
        |script: &str| run(Command::new("sh").args(["-c", script]), Duration::MAX).unwrap();
    let refused = verdict(status("exit 1"), "error: x.h5: damaged\n", LIMITS);
    assert_eq!(refused, Verdict::Refused("x.h5: damaged".to_owned()));
    let said = "memory allocation of 99 bytes failed\n";
    let Verdict::Died(said) = verdict(status("kill -ABRT $$"), said, LIMITS) else {
        panic!("no success")
    };
    assert!(said.contains("more than the 3072 MiB"), "{said}");
}

#[test]
fn a_process_that_does_not_end_is_stopped() {
    let begun = Instant::now();
    let mut command = Command::new("sleep");
    assert!(
        run(command.arg("60"), Duration::from_millis(50))
            .unwrap()
            .is_none()
    );
    assert!(begun.elapsed() < Duration::from_secs(30));
    let Verdict::Died(said) = verdict(None, "", LIMITS) else {
        panic!("no success")
    };
    assert!(said.contains("stopped after 21 s"), "{said}");
    let Verdict::Died(said) = end("ulimit -t 1; while :; do :; done") else {
        panic!("no success")
    };
    assert!(
        said.contains("of computing without an end") || said.contains("SIGKILL"),
        "{said}"
    );
}
