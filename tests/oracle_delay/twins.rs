//! The comparison with the reference can fail: slightly wrong parameters are found out.

use crate::cases::{Check, Within};
use crate::rows::distance;
use crate::simulate::{Effort, simulate};

struct Twin {
    /// The parameters that the reference was measured with.
    right: &'static str,
    /// Changes to them that make them wrong: (from, to).
    wrong: &'static [(&'static str, &'static str)],
    observable: &'static str,
    /// The reference and its standard error.
    value: f64,
    se: f64,
}

const TICKS: &str = "ticks_per_service = 2\nphase = 1\n";

const TWINS: &[Twin] = &[
    // A_fig2_top, tau_D = 5, p = .2, exclusive; A_rms is 10 times the number of the table.
    Twin {
        right: "information = \"exclusive\"\nclients = 200\ninformation_delay = 5\ndisinformation = 0.2",
        wrong: &[
            ("disinformation = 0.2", "disinformation = 0.22"),
            ("information_delay = 5", "information_delay = 5.5"),
            ("exclusive", "inclusive"),
            (TICKS, "ticks_per_service = 2\nphase = 0\n"),
            (
                TICKS,
                "ticks_per_service = 50\nphase = 25\nservice_time = 1.04\n",
            ),
        ],
        observable: "a_rms",
        value: 4.55957,
        se: 0.0066,
    },
    // A_fig3, constant rejection, r = .3, inclusive.
    Twin {
        right: "clients = 200\ninformation_delay = 15\nrejection = 0.3",
        wrong: &[("rejection = 0.3", "rejection = 0.306")],
        observable: "rejections_per_request",
        value: 0.429233,
        se: 0.0005,
    },
    // A_fig3, load-dependent rejection, N = 80, cN/2 = .7, inclusive.
    Twin {
        right: "clients = 80\ninformation_delay = 15\nload_rejection_scaled = 0.7",
        wrong: &[
            (
                "load_rejection_scaled = 0.7",
                "load_rejection_scaled = 0.721",
            ),
            ("clients = 80", "clients = 88"),
        ],
        observable: "a_rms_scaled",
        value: 0.132567,
        se: 0.00061,
    },
    // A_fig2_bottom, fixed clients, b = .3, p = .4.
    Twin {
        right: "clients = 100\ninformation_delay = 10\nbias_kind = \"clients\"\nbias = 0.3\ndisinformation = 0.4",
        wrong: &[
            ("bias_kind = \"clients\"", "bias_kind = \"requests\""),
            ("bias = 0.3", "bias = 0.29"),
        ],
        observable: "a_mean",
        value: 75.3685,
        se: 0.17,
    },
    // A_unequal_service, compare = work, p = 0.
    Twin {
        right: "service_time = [1, 2]\nclients = 200\ninformation_delay = 10\ncompare = \"work\"",
        wrong: &[
            ("compare = \"work\"", "compare = \"queue\""),
            (
                "ticks_per_service = 2\nphase = 1\nservice_time = [1, 2]",
                "ticks_per_service = 50\nphase = 25\nservice_time = [1, 1.96]",
            ),
        ],
        observable: "a_mean",
        value: 62.0542,
        se: 0.12,
    },
];

#[test]
fn parameters_that_are_a_little_off_are_found_out() {
    let effort = Effort {
        replicas: 64,
        warmup: 2_000,
        duration: 8_000,
    };
    for (index, twin) in TWINS.iter().enumerate() {
        let check = Check {
            observable: twin.observable,
            value: twin.value,
            within: Within::Errors(twin.se),
        };
        let z = |parameters: &str| {
            let answers = simulate(parameters, effort, 100 + index as u64);
            distance(&check, answers.get(0, twin.observable), 0.0).abs()
        };
        let parameters = format!("{TICKS}{}", twin.right);
        let right = z(&parameters);
        assert!(right <= 4.0, "z = {right:.1} with {parameters}");
        for (from, to) in twin.wrong {
            let changed = parameters.replacen(from, to, 1);
            assert_ne!(changed, parameters);
            let wrong = z(&changed);
            assert!(
                wrong > 4.5,
                "z = {wrong:.1} does not tell {to} from {from} in {parameters}"
            );
        }
    }
}
