#!/usr/bin/env bash
# Draws every experiment of data/experiments that has a [plot] into docs/figures, and lists them in its README.md.
#
#   scripts/figures.sh PROGRAM [--set KEY=VALUE ...]    options go to `queuefarm run`
#
# A few minutes on two cores. Results stay in target/figures, to be looked at with `queuefarm summary`.
set -euo pipefail
program=$(realpath "$1")
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."

results=target/figures
figures=docs/figures
mkdir -p "$results" "$figures"

# The comment at the head of an experiment, as one paragraph.
story() { sed -n '/^#/!q; s/^# \{0,1\}//p' "$1" | tr '\n' ' ' | sed 's/ *$//'; }

title() { sed -n 's/^title = "\(.*\)"$/\1/p' "$1"; }

list=$(mktemp)
trap 'rm -f "$list"' EXIT
cat >"$list" <<'HEAD'
# Figures

Every experiment of [data/experiments](../../data/experiments) with its picture, drawn by `make figures`, which writes this
page, too. Marks are the simulation with 95 % intervals; lines are theory, where there is any, and
[theory.md](../theory.md) says what each formula assumes.
HEAD

for experiment in data/experiments/*.toml; do
    grep -q '^\[plot\]' "$experiment" || continue
    name=$(basename "$experiment" .toml)
    "$program" run "$experiment" -o "$results/$name.h5" --force --quiet "$@"
    "$program" plot "$results/$name.h5" -o "$figures/$name.svg"
    {
        printf '\n## %s\n\n' "$(title "$experiment")"
        printf '![%s](%s.svg)\n\n' "$(title "$experiment")" "$name"
        printf '[%s](../../%s): %s\n' "$name.toml" "$experiment" "$(story "$experiment")"
    } >>"$list"
done
cp "$list" "$figures/README.md"
printf 'figures: %s\n' "$figures/README.md"
