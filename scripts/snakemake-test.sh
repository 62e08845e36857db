#!/usr/bin/env bash
# Runs examples/snakemake on a small experiment, and compares what comes of it with a single run.
#
#   scripts/snakemake-test.sh PROGRAM PYTHON      the built queuefarm, and a Python with h5py and venv
#
# Installs Snakemake from PyPI in a virtual environment under target/ (half a minute, 135 MB), unless SNAKEMAKE names one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ $# = 2 ] || { echo "usage: scripts/snakemake-test.sh PROGRAM PYTHON" >&2; exit 2; }
program=$(realpath "$1")
python=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
root=$PWD
export NODEVICE_SELECT=1

environment=$root/target/snakemake
snakemake=${SNAKEMAKE:-$environment/bin/snakemake}
if ! "$snakemake" --version >/dev/null 2>&1; then
    echo "snakemake-test: installing snakemake in target/snakemake with pip" >&2
    "$python" -m venv --clear "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check "snakemake>=9,<10"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$root/data/experiments/fig2-top.toml" .
# Snakemake takes a quote at the end of a value away.
changes="--set disinformation='{list=[0,0.2]}' --set replicas=256 --set batches=8 --set warmup=500 --set duration=500"
make_it() {
    "$snakemake" --quiet all --snakefile "$root/examples/snakemake/Snakefile" --cores 2 \
        --config queuefarm="$program" changes="$changes" "$@" >log 2>&1 || { cat log >&2; exit 1; }
}
make_it
eval "'$program' run fig2-top.toml -o single.h5 --backend cpu --quiet $changes"
"$python" "$root/tests/python/same_datasets.py" single.h5 results/fig2-top.h5
[ "$(wc -l <results/fig2-top.csv)" -gt 4 ] && grep -q '</svg>' results/fig2-top.svg

# A shard whose marker is gone is done already: its parts say so, and nothing of the result changes.
cp results/fig2-top.h5 before.h5
rm results/fig2-top.shards/3-of-4
make_it
"$python" "$root/tests/python/same_datasets.py" before.h5 results/fig2-top.h5
echo "snakemake-test: passed ($SECONDS s)" >&2
