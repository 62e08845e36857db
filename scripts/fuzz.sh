#!/usr/bin/env bash
# Fuzzes what strangers' files can reach, each target for so many seconds: experiment files and CSV tables with libFuzzer,
# result files with a campaign of broken ones. Stops at the first that panics, hangs or takes more memory than allowed.
#
#   scripts/fuzz.sh SECONDS
#
# What was found lies in fuzz/artifacts: its file belongs into data/fuzz, where tests read it from then on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:?usage: scripts/fuzz.sh SECONDS}
memory=2048 # MiB
patience=25 # seconds for one input

say() { printf 'fuzz: %s\n' "$*" >&2; }

if ! cargo +nightly --version >/dev/null 2>&1; then
    say "libFuzzer needs a nightly compiler: rustup toolchain install nightly"
    exit 1
fi
if ! cargo fuzz --version >/dev/null 2>&1; then
    say "cargo-fuzz is missing: cargo install cargo-fuzz"
    exit 1
fi

fuzz() {
    local target=$1
    shift
    say "$target for $seconds s"
    cargo +nightly fuzz run --release --sanitizer none "$target" "fuzz/corpus/$target" "data/fuzz/$target" "$@" -- \
        -max_total_time="$seconds" -rss_limit_mb="$memory" -malloc_limit_mb="$memory" -timeout="$patience" \
        -max_len=8192 -dict=fuzz/words.dict -print_final_stats=1
}

mkdir -p fuzz/corpus/experiment fuzz/corpus/table
for starter in src/models/*/starter.toml; do
    cp "$starter" "fuzz/corpus/experiment/$(basename "$(dirname "$starter")").toml"
done
cp data/experiments/*.toml data/your-farm/*.toml fuzz/corpus/experiment/
cp data/your-farm/*.csv fuzz/corpus/table/

fuzz experiment
fuzz table
say "result files for $seconds s"
FUZZ_SECONDS=$seconds cargo test --locked --release --test hdf5_campaign -- --ignored --nocapture
