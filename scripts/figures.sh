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

The figures of the founding works, and the experiments that draw them:

| work | figure | experiment |
|---|---|---|
| Metzler, Klein, Bar-Yam, *Efficiency through disinformation* (2003) | Fig. 1, top: the load oscillates | `fig1-top` |
| | Fig. 1, bottom: servers run idle | `fig1-bottom`, `idle-regime` |
| | Fig. 2, top: disinformation damps | `fig2-top`, `conventions` |
| | Fig. 2, bottom: bias and collapse | `fig2-bottom`, `unequal-servers` |
| | Fig. 3: rejection damps | `fig3`, `rejection-throughput` |
| Comte, Mathieu, Bonald, notebook on Gardner, Harchol-Balter, Scheller-Wolf, Zbarsky, *Redundancy-d* | picture 1: Q against the load, with the mean field | `redundancy-load` |
| | picture 2: the best number of copies against the load | `redundancy-best-d`, `redundancy-optimal-d`, `redundancy-map` |
| | picture 3: low load | `redundancy-low-load` |
| | picture 4: heavy load | `redundancy-heavy-load` |
| | picture 5: collisions of jobs | `redundancy-collisions` |
| Czumaj, Krysta, Voecking, *Selfish traffic allocation for server farms* (2010), whose abstract has no figures | result 1: which costs have a bounded price | `selfish-price` |
| | result 2: degradation of bandwidth | `selfish-degradation` |
| | result 3: streams that cannot be split | `selfish-small-streams` |
| | result 4: largest and average cost | `selfish-max-average` |
| | servers that reject | `selfish-rejecting`, `selfish-guarantee`, `farm-rejecting`, `farm-routing` |
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
