"""Redraws figures from result files of queuefarm, with nothing but what these hold, xarray and matplotlib.

    python examples/redraw.py fig2 fig2-top.h5 fig2-bottom.h5 -o fig2.png
    python examples/redraw.py tail redundancy-tail.h5 -o tail.svg

`fig2` draws an estimate with its interval and theory over the disinformation p, a panel a file: the file has all of
it. `tail` makes P(T >= t) of the response times out of the counts of each batch, as `queuefarm tail` does, and the
exact law out of its stages (docs/theory.md). --json prints the numbers that were drawn. examples/README.md says what
to run first; docs/output-format.md says what is in a file.
"""

import argparse
import json

import matplotlib
import numpy as np
import scipy.sparse
import scipy.stats
import xarray as xr

matplotlib.use("Agg")  # draws into files, without a display
import matplotlib.pyplot as plt

SYMBOLS = {"information_delay": r"\tau_D", "bias": "b"}
LOOKS = list(zip(["#0072b2", "#d55e00", "#009e73", "#000000"], "os^D", ["-", "--", ":", "-."]))


def fig2(files, estimate="a_rms_scaled", x="disinformation"):
    """A panel a file: the estimate against p, a series for each value of what else is swept."""
    figure, panels = plt.subplots(1, len(files), figsize=(6 * len(files), 4.5), squeeze=False, sharey=True)
    numbers = []
    for panel, file in zip(panels[0], files):
        data = xr.open_dataset(file, engine="h5netcdf")
        (other,) = set(data.attrs["swept"].split()) - {x}
        for look, (value, curve) in zip(LOOKS, data.groupby(other)):
            color, marker, line = look
            y, low, high = curve[estimate], curve[f"{estimate}_lo"], curve[f"{estimate}_hi"]
            label = f"${SYMBOLS.get(other, other)} = {value:g}$"
            errors = [y - low, high - y]
            panel.errorbar(curve[x], y, errors, fmt=marker, color=color, markersize=4, capsize=2, label=label)
            panel.plot(curve[x], curve[f"{estimate}_theory"], line, color=color, linewidth=1)
            if other == "bias":  # where the load collapses on one server
                panel.axvline((1 - 2 * value) / (2 - 2 * value), color=color, linestyle=line, linewidth=0.8)
        # As in the paper; where the load has collapsed, marks lie far above.
        p = np.array([0, 0.5])
        panel.plot(p, (1 - 2 * p) / np.sqrt(3), color="0.5", linestyle=(0, (8, 3)), linewidth=1, label=r"$(1-2p)/\sqrt{3}$")
        panel.set(title=data.attrs["title"].split(" (")[0], xlabel="disinformation $p$", xlim=(0, 0.51), ylim=(0, 1.2))
        panel.legend(loc="upper left", title=f"lines: theory\nbars: {data.attrs['confidence']:.0%} intervals")
        names = [estimate, f"{estimate}_lo", f"{estimate}_hi", f"{estimate}_theory"]
        table = data[names].to_dataframe()[names].astype(object)
        numbers.append(table.where(table.notna(), None).to_dict("list"))
    panels[0][0].set_ylabel(r"$A_\mathrm{rms}/(2\tau_D)$")
    return figure, numbers


def edges(data, name):
    """The lower end of each bin of the histogram `name`, in the unit of the quantity."""
    i, step = np.arange(int(data[f"{name}_bins"])), float(data[f"{name}_step"])
    if f"{name}_bins_an_octave" in data:
        b = int(data[f"{name}_bins_an_octave"])
        return step * np.where(i < b, i, (b + i % b) * 2.0 ** np.maximum(i // b - 1, 0))
    return step * (int(data[f"{name}_origin"]) + int(data[f"{name}_width"]) * i)


def shares(counts, level):
    """P(T >= lower edge) of each bin, its standard error and interval, and whether enough was seen to know them.

    `counts` is batch by bin. Only batches are independent: the jackknife over them says how many independent jobs would
    be as sure, and so many jobs have Jeffreys' interval (docs/statistics.md).
    """
    above = counts[:, ::-1].cumsum(axis=1)[:, ::-1].astype(float)  # exact below 2^53
    batches, total = len(above), above[:, 0].sum()
    events = above.sum(axis=0)
    p = events / total
    left_out = (events - above) / (total - above[:, :1])
    se = np.sqrt((batches - 1) / batches * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
    tail = (1 - level) / 2
    allowance = (scipy.stats.norm.isf(tail) / scipy.stats.t.isf(tail, batches - 1)) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        n = p * (1 - p) / se**2  # effective observations
        low, high = (scipy.stats.beta.ppf(q, p * n * allowance + 0.5, (1 - p) * n * allowance + 0.5) for q in (tail, 1 - tail))
        known = np.minimum(events, total - events) >= 20 * np.maximum(1, total / n)
    # Beyond the first edge that knows too little, on either side of the median, none is trusted.
    middle = np.searchsorted(-p, -0.5)
    known[middle:] = np.logical_and.accumulate(known[middle:])
    known[:middle] = np.logical_and.accumulate(known[:middle][::-1])[::-1]
    return p, se, low, high, known


def exact(servers, copies, load, times):
    """P(T > t): from m = N on, a stage lasts Exp(m (1 - rho_m)), then the job leaves with chance d/m or m falls by one."""
    m = np.arange(servers, copies - 1, -1.0)
    ratio = np.cumprod(np.r_[1, (m[:-1] - copies) / (m[:-1] - 1)])  # C(m-1, d-1)/C(N-1, d-1)
    rates = m * (1 - load * ratio)
    onward = rates[:-1] * (1 - copies / m[:-1])
    generator = scipy.sparse.diags_array([-rates, onward], offsets=[0, -1], format="csr")
    state, before, tails = np.eye(len(m))[0], 0.0, []
    for t in times:
        state, before = scipy.sparse.linalg.expm_multiply(generator * (t - before), state), t
        tails.append(state.sum())
    return np.array(tails)


def tail(files, name="response"):
    """P(T >= t) on a logarithmic axis: dots at edges of bins on a band of intervals, and the exact law as a line."""
    data = xr.open_dataset(*files, engine="h5netcdf")
    figure, axes = plt.subplots(figsize=(7, 5))
    numbers = []
    for point, (color, marker, line) in zip(range(data.sizes["point"]), LOOKS):
        at = data.isel(point=point)
        t = edges(at, name)
        p, se, low, high, known = shares(at[f"histogram_{name}"].values[:, : len(t)], data.attrs["confidence"])
        p, se, low, high, t = (values[known] for values in (p, se, low, high, t))
        shown = np.unique(np.searchsorted(t, np.linspace(t[0], t[-1], 60)))  # the eye needs no more
        p, se, low, high, t = (values[shown] for values in (p, se, low, high, t))
        step = float(at[f"{name}_step"])  # times are rounded to whole steps
        law = exact(int(at.servers), int(at.copies), float(at.load_used), t - step / 2)
        axes.fill_between(t, low, high, color=color, alpha=0.2, linewidth=0)
        axes.plot(t, p, marker, color=color, markersize=3, label=f"N = {int(at.servers)}")
        axes.plot(t, law, line, color=color, linewidth=1)
        numbers.append({"t": t.tolist(), "p": p.tolist(), "se": se.tolist(), "lo": low.tolist(), "hi": high.tolist(), "exact": law.tolist()})
    axes.set(yscale="log", xlabel="$t$ (mean service times)", ylabel=r"$P(T \geq t)$", title=data.attrs["title"])
    axes.legend(title=f"lines: exact law\nbands: {data.attrs['confidence']:.0%} intervals")
    return figure, numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=["fig2", "tail"])
    parser.add_argument("files", nargs="+", metavar="RESULT.h5")
    parser.add_argument("-o", "--output", required=True, metavar="FIGURE.png|FIGURE.svg")
    parser.add_argument("--json", action="store_true", help="print the numbers that were drawn")
    arguments = parser.parse_args()
    if arguments.figure == "tail" and len(arguments.files) > 1:
        parser.error("tail draws one file")
    figure, numbers = {"fig2": fig2, "tail": tail}[arguments.figure](arguments.files)
    figure.savefig(arguments.output, dpi=150, bbox_inches="tight")
    if arguments.json:
        print(json.dumps(numbers))


if __name__ == "__main__":
    main()
