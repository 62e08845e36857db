//! Small, empty, large and impossible farms.

use super::{Z, column, list, plan, point, pooled, run, simulate, word, z};
use queuefarm::models::farm::MODEL;
use queuefarm::models::{Point, Value};

type Changes<'a> = &'a [(&'static str, Value)];

fn of(changes: Changes<'_>) -> Point {
    point([1e3, 4e3], &[changes])
}

fn number(name: &'static str, x: f64) -> (&'static str, Value) {
    (name, Value::Number(x))
}

#[test]
fn one_server_with_one_stream_is_a_queue() {
    let point = of(&[
        number("servers", 1.0),
        number("streams", 1.0),
        number("load", 0.5),
    ]);
    let found = run(&point, 23, 64);
    assert!(z(found[column("delay_mean")].unwrap(), 2.0).abs() < Z);
    assert_eq!((MODEL.theory)(&point)[column("delay_mean")], Some(2.0));
}

#[test]
fn empty_streams_have_no_requests_and_servers_without_streams_no_work() {
    for server in ["mm1", "mm1k", "mmcc"] {
        let point = of(&[
            number("servers", 5.0),
            ("rates", list(&[0.0, 4.0, 0.0, 1.0])),
            number("load", 0.1),
            ("server", word(server)),
        ]);
        let plan = plan(&point).unwrap();
        let all = pooled(simulate(&plan, 29, 16).iter());
        let counts = |which: usize| &all.counts[plan.place(which)];
        assert_eq!([counts(3)[0], counts(3)[2]], [0, 0]);
        assert!(counts(3)[1] > 3 * counts(3)[3]);
        // Two servers have work, the same as their streams.
        let mut busy: Vec<u64> = counts(1).iter().copied().filter(|&x| x > 0).collect();
        busy.sort_unstable();
        assert_eq!(busy, [counts(3)[3], counts(3)[1]]);
        let found = run(&point, 29, 16);
        assert_eq!(found[column("utilisation_min")].unwrap()[0], 0.0);
        let theory = (MODEL.theory)(&point);
        assert_eq!(theory[column("utilisation_min")], Some(0.0));
    }
}

#[test]
fn counts_by_stream_and_by_server_have_the_same_total_and_it_is_that_of_the_sums() {
    for point in (MODEL.parity_grid)() {
        let plan = plan(&point).unwrap();
        let all = pooled(simulate(&plan, 31, 16).iter());
        let total = |which: usize| all.counts[plan.place(which)].iter().sum::<u64>();
        let sum = |which: usize| (all.sums[which][0] + all.sums[which][1]) as u64;
        let [arrivals, accepted] = [3, 4];
        assert_eq!([total(1), total(3)], [sum(arrivals); 2], "{}", point.index);
        assert_eq!(total(2), sum(accepted), "{}", point.index);
        assert_eq!(total(4), sum(arrivals) - sum(accepted), "{}", point.index);
        assert!(total(0) == sum(accepted) || total(0) == 0);
    }
}

#[test]
fn many_streams_share_servers_evenly() {
    let point = point(
        [2e3, 4e3],
        &[&[
            number("servers", 100.0),
            number("streams", 65_536.0),
            ("rates", word("exponential")),
            number("load", 0.5),
        ]],
    );
    let theory = (MODEL.theory)(&point);
    let [least, most] =
        ["utilisation_min", "utilisation_max"].map(|name| theory[column(name)].unwrap());
    assert!(least > 0.4999 && most < 0.5001, "{least} {most}");
    let found = run(&point, 37, 16);
    let z = z(
        found[column("delay_mean")].unwrap(),
        theory[column("delay_mean")].unwrap(),
    );
    assert!(z.abs() < Z, "z = {z}");
}

#[test]
fn long_idle_times_do_not_wrap_the_clock() {
    // Rooms that are rarely touched, at a load that leaves them empty for long, over many turns of the clock.
    let point = point(
        [0.0, 4e4],
        &[&[
            number("servers", 3.0),
            number("streams", 3.0),
            number("load", 0.001),
            ("server", word("mm1k")),
            number("room", 40.0),
        ]],
    );
    let found = run(&point, 41, 16);
    assert_eq!(found[column("rejected")].unwrap()[0], 0.0);
    let z = z(found[column("delay_mean")].unwrap(), 1.0 / 0.999);
    assert!(z.abs() < Z, "z = {z}");
}

#[test]
fn what_cannot_be_simulated_is_refused_in_words() {
    let (servers, streams) = (number("servers", 2.0), number("streams", 3.0));
    let farm = [servers, streams, number("load", 0.5)];
    let with = |more: Changes<'_>| {
        plan(&point([1e3, 4e3], &[&farm, more])).map_err(|problem| problem.to_string())
    };
    let given = ("allocation", word("given"));
    for (more, words) in [
        (
            vec![number("load", 0.8)],
            "server 1 is offered 1.0667 times",
        ),
        (
            vec![number("load", 1.5), ("routing", word("per_request"))],
            "the load is not below 1",
        ),
        (
            vec![number("load", 1.5), ("allocation", word("drawn"))],
            "the load is not below 1",
        ),
        (
            vec![given.clone()],
            "needs the server of each of the 3 streams",
        ),
        (
            vec![given.clone(), ("servers_of", list(&[1.0, 3.0, 1.0]))],
            "stream 2 is 3, not a whole number from 1 to 2",
        ),
        (
            vec![given, ("servers_of", list(&[1.0, 1.5, 1.0]))],
            "stream 2 is 1.5",
        ),
        (
            vec![("server", word("mmck")), number("room", 9.0)],
            "less than the 10 connections",
        ),
        (
            vec![("server", word("mg1")), number("service_scv", 0.3)],
            "0.333333 or 0.250000",
        ),
        (
            vec![
                ("server", word("mm1k")),
                number("servers", 4096.0),
                number("room", 1e5),
            ],
            "at most 256 or fewer servers",
        ),
        (
            vec![("speeds", list(&[1.0, 1e6]))],
            "too widely for one clock",
        ),
        (
            vec![number("load", 1e-9)],
            "do not fit the range of the clock",
        ),
        (vec![number("bins_an_octave", 3.0)], "not a power of two"),
    ] {
        let said = with(&more).unwrap_err();
        assert!(said.contains(words), "{more:?}: {said}");
    }
    let forced = with(&[number("load", 1.5), ("allow_unstable", Value::Flag(true))]).unwrap();
    assert!(forced.unstable);
}
