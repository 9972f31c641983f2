#!/usr/bin/python3
"""Writes the rows to fit on and other rows to judge by, as arrays that both libraries read: tables.py NAME FOLDER.

A process of its own, so that the memory it takes does not count as that of the processes measured after it.
"""

import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from command import mercer, real_data

HELD_OUT = 2000


def generated(folder):
    """A swiss roll, for a look without any data."""
    rows = []
    for seed, count in ((1, 1000), (2, 500)):
        table = folder / f"generated_{seed}.npy"
        mercer("generate", "swiss_roll", "-o", table, "--n", count, "--d", 3, "--seed", seed)
        rows.append(np.load(table))
    return rows


def usps(_):
    """Pixels from [-1, 1] to [0, 1]; the label comes first."""
    tables = [real_data(f"usps/usps_{part}.csv.gz") for part in ("train", "test")]
    return ((pd.read_csv(table, header=None).values[:, 1:] + 1) / 2 for table in tables)


def mnist(_):
    """Pixels from [0, 255] to [0, 1]; all rows to fit on, the first 2,000 of the others."""
    def images(part):
        with gzip.open(real_data(f"mnist/{part}-images-idx3-ubyte.gz")) as file:
            return np.frombuffer(file.read(), dtype=np.uint8, offset=16).reshape(-1, 784)

    return images("train") / 255, images("t10k")[:HELD_OUT] / 255


def kddcup(_):
    """The numbers without the text and the label, standardised by the rows to fit on; 2,000 random rows held out."""
    table = pd.read_csv(real_data("kddcup99_10pc/kddcup.data_10_percent.gz"), header=None)
    numbers = table.drop(columns=[1, 2, 3, 41]).values.astype(float)
    order = np.random.default_rng(0).permutation(len(numbers))
    fitted, held_out = numbers[np.sort(order[HELD_OUT:])], numbers[order[:HELD_OUT]]
    mean, deviation = fitted.mean(axis=0), fitted.std(axis=0)
    deviation[deviation == 0] = 1
    return (fitted - mean) / deviation, (held_out - mean) / deviation


def main():
    name, folder = sys.argv[1], Path(sys.argv[2])
    makers = {maker.__name__: maker for maker in (generated, usps, mnist, kddcup)}
    if name not in makers:
        raise SystemExit(f"there is no data set '{name}'; there are {', '.join(makers)}")
    for part, rows in zip(("fitted", "held_out"), makers[name](folder)):
        np.save(folder / f"{name}_{part}.npy", np.ascontiguousarray(rows, dtype=float))


if __name__ == "__main__":
    main()
