"""Reads a result file with h5py, h5netcdf and xarray, and compares it with what was written.

Usage: read_output.py OUT.h5 EXPECTED.json. Exits with an error at the first difference.
"""

import json
import sys

import h5netcdf
import h5py
import numpy as np
import xarray as xr


def exact(low, high):
    """Numbers of 128 bits from their two halves, as Python integers."""
    return low.astype(object) + high.astype(object) * 2**64


def integers(texts):
    """Nested lists of texts as nested lists of integers."""
    return [integers(x) for x in texts] if isinstance(texts, list) else int(texts)


def with_h5py(path, expected):
    with h5py.File(path) as file:
        assert file.attrs["program"] == "queuefarm"
        assert file.attrs["schema_version"] == 2
        assert file.attrs["title"] == expected["title"]
        assert file.attrs["experiment"] == expected["source"]
        assert file.attrs["seed"] == expected["seed"]
        assert int(file.attrs["seed_uint64"]) == int(expected["seed"])
        assert int(file.attrs["steps"]) == int(expected["steps"])
        assert json.loads(file.attrs["overrides"]) == []
        histogram = file["histogram_" + expected["histogram"]]
        axes = [axis.keys() for axis in histogram.dims]
        assert axes == [["point"], ["batch"], [expected["histogram"] + "_bin"]], axes
        assert histogram.compression == "gzip" and histogram.shuffle and histogram.fletcher32
        assert histogram.dtype == np.uint64
        words = file["information"].asstr()[:].tolist()
        assert words == expected["information"], words


def with_h5netcdf(path, expected):
    with h5netcdf.File(path, "r") as file:
        assert len(file.dimensions["point"]) == expected["points"]
        assert len(file.dimensions["batch"]) == expected["batches"]
        assert len(file.dimensions["half"]) == 2
        name = "sum_" + expected["sum"]
        assert file.variables[name].dimensions == ("point", "batch", "half")
        for variable in file.variables.values():
            assert "units" in variable.attrs and "long_name" in variable.attrs, variable.name
            assert not any(d.startswith("phony") for d in variable.dimensions), variable.name


def with_xarray(path, expected):
    with xr.open_dataset(path, engine="h5netcdf") as data:
        points, batches = expected["points"], expected["batches"]
        assert data.sizes["point"] == points and data.sizes["batch"] == batches
        assert data.attrs["model"] == expected["model"]
        assert int(data.attrs["replicas"]) == expected["replicas"]
        for name in expected["parameters"]:
            assert name in data.coords, name
            assert data[name].dims[0] == "point", name
        assert data["clients"].values.tolist() == expected["clients"]
        assert data["information"].values.tolist() == expected["information"]

        name = expected["observable"]
        assert data[name].dims == ("point",)
        assert data[name].attrs["long_name"] == expected["long_name"]
        assert data[name].attrs["units"] == (expected["unit"] or "1")
        assert data[name].values.tolist() == [i + 0.5 for i in range(points)]
        assert data[name + "_theory"].values.tolist() == [i + 0.0625 for i in range(points)]
        assert np.isnan(data[name + "_se"].values).tolist() == [False] * (points - 1) + [True]
        assert "clients" in data[name].coords

        of = expected["histogram"]
        counts = data["histogram_" + of]
        assert counts.dims == ("point", "batch", of + "_bin")
        bins = expected["bins"]
        assert data[of + "_bins"].values.tolist() == bins
        assert counts.sizes[of + "_bin"] == max(bins)
        assert counts.values[0, :, : bins[0]].tolist() == expected["counts"]
        assert not counts.values[0, :, bins[0] :].any()
        origin, width = expected["origin"], expected["width"]
        start, step = (origin, width) if expected["common_bins"] else (0, 1)
        edges = [start + step * i for i in range(max(bins))]
        assert data[of + "_bin"].values.tolist() == edges
        assert int(data[of + "_origin"][0]) == origin and int(data[of + "_width"][0]) == width

        name = "sum_" + expected["sum"]
        assert data[name].dtype == np.uint64
        sums = exact(data[name].values, data[name + "_high"].values)
        assert sums.tolist() == integers(expected["sums"])

        ticks = data["recorded_ticks"].values
        for name in ["ensemble_sum", "ensemble_square"]:
            assert data[name].dims == ("point", "batch", "tick")
            numbers = exact(data[name].values, data[name + "_high"].values)
            for point, rows in enumerate(integers(expected[name])):
                assert numbers[point, :, : ticks[point]].tolist() == rows, (name, point)
        assert data["ensemble_mean"].dims == ("point", "tick")
        assert data["ensemble_mean"].values[0, : ticks[0]].tolist() == [i - 0.5 for i in range(ticks[0])]
        assert np.isnan(data["ensemble_variance"].values[0, ticks[0] :]).all()

        traced = data["trajectories"]
        assert traced.dims == ("point", "trajectory", "tick")
        for point, rows in enumerate(expected["trajectories"]):
            for replica, values in rows:
                found = traced.isel(point=point).sel(trajectory=replica).values[: ticks[point]]
                assert found.tolist() == values, (point, replica)


def main():
    path, facts = sys.argv[1:]
    with open(facts, encoding="utf-8") as file:
        expected = json.load(file)
    for name, check in [("h5py", with_h5py), ("h5netcdf", with_h5netcdf), ("xarray", with_xarray)]:
        check(path, expected)
        print(f"{name}: ok")


main()
