//! Shaders: no floats, no drift from their Rust twins, known answers in every lane.
#![allow(clippy::unwrap_used)]

use naga::{ScalarKind, TypeInner};
use queuefarm::engine::gpu::device::{Device, SENTINEL};
use queuefarm::engine::gpu::shader::assemble;
use queuefarm::models::MODELS;
use queuefarm::random::{MIDPOINT, SHORT_WORD, exponential, exponential_table, is_short};
use queuefarm::random::{
    log2_table, minus_log2, quantile, quantile_is_short, quantile_table, unit_cells,
};
use std::collections::BTreeSet;

/// A device, or a visible skip; REQUIRE_GPU turns the skip into a failure.
fn device() -> Option<Device> {
    match Device::open(None, true) {
        Ok(device) => Some(device),
        Err(fault) if std::env::var_os("REQUIRE_GPU").is_some() => {
            panic!("REQUIRE_GPU is set: {fault}")
        }
        Err(fault) => {
            eprintln!("SKIPPED, no adapter: {fault}");
            None
        }
    }
}

/// Float types that a WGSL module declares or computes with.
fn floats(source: &str) -> Vec<String> {
    let module = naga::front::wgsl::parse_str(source).unwrap();
    let is_float = |kind: ScalarKind| matches!(kind, ScalarKind::Float | ScalarKind::AbstractFloat);
    let mut found = Vec::new();
    for (_, ty) in module.types.iter() {
        let scalar = match ty.inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => Some(scalar),
            TypeInner::Vector { scalar, .. } | TypeInner::Matrix { scalar, .. } => Some(scalar),
            _ => None,
        };
        if scalar.is_some_and(|scalar| is_float(scalar.kind)) {
            found.push(format!("{:?}", ty.inner));
        }
    }
    for (_, function) in module.functions.iter() {
        for (_, expression) in function.expressions.iter() {
            match expression {
                naga::Expression::Literal(
                    naga::Literal::F32(_) | naga::Literal::F64(_) | naga::Literal::F16(_),
                ) => found.push(format!("{expression:?}")),
                naga::Expression::As {
                    kind,
                    convert: Some(_),
                    ..
                } if is_float(*kind) => {
                    found.push(format!("{expression:?}"));
                }
                _ => {}
            }
        }
    }
    found
}

#[test]
fn no_shader_knows_a_float() {
    for model in MODELS {
        assert_eq!(
            floats(&assemble(model)),
            Vec::<String>::new(),
            "{}",
            model.name
        );
    }
}

#[test]
fn a_shader_with_a_float_would_be_found() {
    assert!(!floats("fn f(x: f32) -> f32 { return x; }").is_empty());
    assert!(!floats("fn f(x: u32) -> u32 { return u32(f32(x) * 0.5); }").is_empty());
}

#[test]
fn every_shader_validates() {
    for model in MODELS {
        let module = naga::front::wgsl::parse_str(&assemble(model)).unwrap();
        let mut validator = naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::default(),
        );
        validator
            .validate(&module)
            .unwrap_or_else(|error| panic!("{}: {error:?}", model.name));
    }
}

#[test]
fn folders_and_registry_list_the_same_models() {
    let entries = |folder: &str| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect()
    };
    let used: Vec<&str> = MODELS
        .iter()
        .flat_map(|model| model.shader)
        .copied()
        .collect();
    for path in entries("shaders/models") {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            used.contains(&text.as_str()),
            "no model uses {}",
            path.display()
        );
    }
    let folders: BTreeSet<String> = entries("src/models")
        .iter()
        // A folder without words is shared by models.
        .filter(|path| path.join("words.rs").is_file())
        .map(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .replace('_', "-")
        })
        .collect();
    let registry: BTreeSet<String> = MODELS.iter().map(|model| model.name.to_owned()).collect();
    assert_eq!(folders, registry);
    for model in MODELS {
        let own = format!("shaders/models/{}.wgsl", model.name.replace('-', "_"));
        assert!(std::path::Path::new(&own).is_file(), "{own}");
    }
}

/// Runs a small kernel: one invocation for each input of `words` words, two workgroups at least.
fn compute(
    device: &Device,
    library: &[&str],
    body: &str,
    input: &[u32],
    words: usize,
    out: usize,
) -> Vec<u32> {
    let count = input.len() / words;
    let source = format!(
        "{}\n@group(0) @binding(0) var<storage, read> input: array<u32>;\n\
         @group(0) @binding(1) var<storage, read_write> output: array<u32>;\n\
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n\
         let i = id.x; if i >= {count}u {{ return; }} {body} }}\n",
        library.join("\n")
    );
    let pipeline = device.pipeline(&source, "main").unwrap();
    let input = device.buffer("input", input).unwrap();
    let output = device
        .buffer("output", &vec![SENTINEL; count * out])
        .unwrap();
    let groups = (count as u32).div_ceil(64);
    let read = device.dispatch(
        &pipeline,
        &[&input, &output],
        groups,
        &[(&output, 0, count * out)],
    );
    read.unwrap().remove(0)
}

#[test]
fn threefry_meets_the_known_answers_in_every_lane_of_the_gpu() {
    let Some(device) = device() else { return };
    let answers: Vec<Vec<u32>> = include_str!("../data/known-answers/threefry4x32.txt")
        .lines()
        .filter(|line| line.starts_with("12 "))
        .map(|line| {
            line.split_whitespace()
                .skip(1)
                .map(|w| u32::from_str_radix(w, 16).unwrap())
                .collect()
        })
        .collect();
    assert!(answers.len() >= 10);
    // Every lane of a workgroup computes every answer: lane l starts at answer l.
    let lanes = 200;
    let threefry = include_str!("../shaders/lib/threefry.wgsl");
    for shift in 0..answers.len() {
        let cases: Vec<&Vec<u32>> = (0..lanes)
            .map(|lane| &answers[(lane + shift) % answers.len()])
            .collect();
        let input: Vec<u32> = cases.iter().flat_map(|case| case[..8].to_vec()).collect();
        let body = "let x = threefry4x32(vec4<u32>(input[8u*i], input[8u*i+1u], input[8u*i+2u], input[8u*i+3u]), \
                    vec4<u32>(input[8u*i+4u], input[8u*i+5u], input[8u*i+6u], input[8u*i+7u])); \
                    output[4u*i] = x.x; output[4u*i+1u] = x.y; output[4u*i+2u] = x.z; output[4u*i+3u] = x.w;";
        let found = compute(&device, &[threefry], body, &input, 8, 4);
        for (lane, case) in cases.iter().enumerate() {
            assert_eq!(found[4 * lane..4 * lane + 4], case[8..12], "lane {lane}");
        }
    }
}

#[test]
fn the_logarithm_on_the_gpu_is_the_one_on_the_cpu() {
    let Some(device) = device() else { return };
    let table = log2_table();
    let mut input = Vec::new();
    for zeros in 0..64u32 {
        for pattern in [
            0u64,
            1,
            0x1234_5678_9ABC_DEF0,
            u64::MAX,
            0xAAAA_AAAA_5555_5555,
        ] {
            let word = ((1u64 << 63) | pattern) >> zeros;
            input.extend([(word >> 32) as u32, word as u32]);
        }
    }
    input.extend([0, 0]);
    let constants = table
        .iter()
        .map(|x| format!("{x}u"))
        .collect::<Vec<_>>()
        .join(",");
    let lookup = format!(
        "const TABLE = array<u32, 257>({constants});\nfn table(index: u32) -> u32 {{ var t = TABLE; return t[index]; }}"
    );
    let library = [
        include_str!("../shaders/lib/wide.wgsl"),
        include_str!("../shaders/lib/log2.wgsl"),
        &lookup,
    ];
    let found = compute(
        &device,
        &library,
        "output[i] = minus_log2(input[2u*i], input[2u*i+1u]);",
        &input,
        2,
        1,
    );
    for (pair, found) in input.chunks(2).zip(found) {
        assert_eq!(found, minus_log2(&table, pair[0], pair[1]), "{pair:x?}");
    }
}

/// Runs a library function over pairs of words, with a table behind them that `table(index)` reads. The
/// table's own words are pairs, too: more inputs.
fn compute_over_table(
    device: &Device,
    body: &str,
    pairs: &[u32],
    table: &[u32],
    out: usize,
) -> Vec<u32> {
    let lookup = format!(
        "fn table(index: u32) -> u32 {{ return input[{}u + index]; }}",
        pairs.len()
    );
    let library = [
        include_str!("../shaders/lib/wide.wgsl"),
        include_str!("../shaders/lib/exponential.wgsl"),
        include_str!("../shaders/lib/quantile.wgsl"),
        &lookup,
    ];
    compute(device, &library, body, &[pairs, table].concat(), 2, out)
}

/// Words with every number of leading zeros or ones, the edges of short words, and scattered ones.
fn pairs_of_words() -> Vec<u32> {
    let mut words = vec![0, 1, u64::MAX, 1 << 63, (1 << 63) - 1];
    for zeros in 0..64u32 {
        for pattern in [0, 1, 0x1234_5678_9ABC_DEF0, u64::MAX, 0xAAAA_AAAA_5555_5555] {
            let word = ((1u64 << 63) | pattern) >> zeros;
            words.extend([word, !word, word ^ 1 << 63]);
        }
    }
    for near in [SHORT_WORD - 1, SHORT_WORD, SHORT_WORD + 1] {
        words.extend([near, !near].map(|high| u64::from(high) << 32 | u64::from(MIDPOINT)));
    }
    let mut scattered = 1u64;
    for _ in 0..4000 {
        scattered = scattered
            .wrapping_mul(0x5851_F42D_4C95_7F2D)
            .wrapping_add(0x1405_7B7E_F767_814F);
        words.push(scattered);
    }
    words
        .iter()
        .flat_map(|word| [(word >> 32) as u32, *word as u32])
        .collect()
}

#[test]
fn exponentials_on_the_gpu_are_those_on_the_cpu() {
    let Some(device) = device() else { return };
    let table = exponential_table();
    // The table starts behind a word that it must skip.
    let behind = [&[0xFFFF_FFFF, 0][..], &table].concat();
    let pairs = pairs_of_words();
    let body = "let high = input[2u*i]; output[2u*i] = exponential(2u, high, input[2u*i+1u]); \
                output[2u*i+1u] = select(0u, 1u, is_short(high));";
    let found = compute_over_table(&device, body, &pairs, &behind, 2);
    let all = [&pairs[..], &behind].concat();
    for (pair, found) in all.chunks(2).zip(found.chunks(2)) {
        let expected = [
            exponential(&table, pair[0], pair[1]),
            u32::from(is_short(pair[0])),
        ];
        assert_eq!(found, expected, "{pair:x?}");
    }
}

#[test]
fn quantiles_on_the_gpu_are_those_on_the_cpu() {
    let Some(device) = device() else { return };
    // A heavy tail: rises with many bits in both of their words.
    let cells = unit_cells(&|q| q.powf(-0.4), &|p| (1.0 - p).powf(-0.4));
    let table = quantile_table(&cells, 1000.0);
    let behind = [&[0xFFFF_FFFF, 0][..], &table].concat();
    let pairs = pairs_of_words();
    let body = "let high = input[2u*i]; let x = quantile(2u, high, input[2u*i+1u]); output[3u*i] = x.x; \
                output[3u*i+1u] = x.y; output[3u*i+2u] = select(0u, 1u, quantile_is_short(high));";
    let found = compute_over_table(&device, body, &pairs, &behind, 3);
    let all = [&pairs[..], &behind].concat();
    for (pair, found) in all.chunks(2).zip(found.chunks(3)) {
        let value = quantile(&table, pair[0], pair[1]);
        let short = u32::from(quantile_is_short(pair[0]));
        assert_eq!(
            found,
            [value as u32, (value >> 32) as u32, short],
            "{pair:x?}"
        );
    }
}

#[test]
fn wide_arithmetic_on_the_gpu_is_that_of_64_bits() {
    let Some(device) = device() else { return };
    let pairs = pairs_of_words();
    let body = "let a = input[2u*i]; let b = input[2u*i+1u]; let x = multiply_wide(a, b); \
                let y = add_wide(vec2<u32>(b, a), x); let z = shift_right_wide(y, i & 31u); \
                let n = normalise(a, b); let r = shift_right_rounded_wide(y, i & 63u); let at = 10u*i; \
                output[at] = x.x; output[at+1u] = x.y; output[at+2u] = y.x; output[at+3u] = y.y; \
                output[at+4u] = z.x; output[at+5u] = z.y; output[at+6u] = n.x; output[at+7u] = n.y; \
                output[at+8u] = r.x; output[at+9u] = r.y;";
    let found = compute_over_table(&device, body, &pairs, &[], 10);
    for (i, (pair, found)) in pairs.chunks(2).zip(found.chunks(10)).enumerate() {
        let word = u64::from(pair[0]) << 32 | u64::from(pair[1]);
        let product = u64::from(pair[0]) * u64::from(pair[1]);
        let sum = word.wrapping_add(product);
        let zeros = word.leading_zeros().min(63);
        let wide = |x: u64| [x as u32, (x >> 32) as u32];
        let normal = [zeros, ((word << zeros) >> 32) as u32];
        let by = i & 63;
        let half = if by > 0 { 1u64 << (by - 1) } else { 0 };
        let rounded = wide(sum.wrapping_add(half) >> by);
        let shifted = wide(sum >> (i & 31));
        let expected = [wide(product), wide(sum), shifted, normal, rounded].concat();
        assert_eq!(found, expected, "{pair:x?}");
    }
}

#[test]
fn the_library_knows_no_float_either() {
    let library = [
        include_str!("../shaders/lib/wide.wgsl"),
        include_str!("../shaders/lib/exponential.wgsl"),
        include_str!("../shaders/lib/quantile.wgsl"),
        "fn table(index: u32) -> u32 { return index; }",
    ];
    assert_eq!(floats(&library.join("\n")), Vec::<String>::new());
}
