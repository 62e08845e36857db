"""Says whether two result files hold the same datasets, bit for bit. Attributes, which say how they were made, may differ."""

import sys

import h5py
import numpy


def datasets(path):
    found = {}
    with h5py.File(path) as file:
        def look(name, thing):
            if isinstance(thing, h5py.Dataset):
                found[name] = (thing.dtype, thing.shape, thing[()])

        file.visititems(look)
    return found


def bits(values):
    """Bytes, except where values are strings of any length, which are themselves."""
    values = numpy.asarray(values)
    return values.tolist() if values.dtype.hasobject else values.tobytes()


a, b = (datasets(path) for path in sys.argv[1:3])
if a.keys() != b.keys():
    sys.exit(f"in one of them only: {sorted(a.keys() ^ b.keys())}")
differing = [name for name in a if a[name][:2] != b[name][:2] or bits(a[name][2]) != bits(b[name][2])]
if differing or len(a) < 5:
    sys.exit(f"of {len(a)} datasets these differ: {differing}")
print(f"{len(a)} datasets are the same, bit for bit")
