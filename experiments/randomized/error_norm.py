#!/usr/bin/python3
"""Norm of the error of sampled and rounded kernel matrices of digits, beside what bounds and predictions say of it.

Theorem 1 of D. Achlioptas, F. McSherry, B. Schoelkopf, "Sampling techniques for kernel methods", NIPS 2001, which has
no experiments. Gaussian kernel exp(-r^2/w^2) of the first m digits, not centred; norms are means over three seeds.
The theorem's sigma is the largest deviation that an entry can have, for kernel values of at most 1.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from command import QUICK, mercer, real_data
from picture import save

SEEDS = range(1 if QUICK else 3)
CASES = [(200, 30)] if QUICK else [(500, 30), (500, 80), (1500, 30), (1500, 80)]
PARTS = (2, 5) if QUICK else (2, 5, 10, 20)
CONTROLS = ("none", "mean", "rowcol", "nystrom:20", "nystrom:100")


def digits(folder, rows):
    """A file with the first rows, and their pixels."""
    table = np.loadtxt(real_data("digits/digits.csv.gz"), delimiter=",")[:rows, :-1]
    np.save(folder / "digits.npy", table)
    return folder / "digits.npy", table


def entry_range(points, width):
    """Smallest and largest kernel value of two different rows."""
    squares = (points**2).sum(axis=1)
    distances = (squares[:, None] + squares - 2 * points @ points.T)[np.triu_indices(len(points), 1)]
    return np.exp(-distances.max() / width**2), np.exp(-distances.min() / width**2)


def schemes(points, width):
    """Options of a scheme, and the theorem's sigma."""
    low, high = entry_range(points, width)
    found = {f"1 in {s}": (["--sparsify", s], np.sqrt(s - 1)) for s in PARTS}
    return found | {"±b": (["--quantize", "sign"], 1), "{0, b}": (["--quantize", "zero_one"], 1 / 2),
                    "{min, max}": (["--quantize", "min_max"], (high - low) / 2),
                    "±b, 1 in 5": (["--quantize", "sign", "--sparsify", 5], np.sqrt(5))}


def error_norms(points_file, width, *words):
    """Measured, predicted and bounded by Bernstein, means over the seeds."""
    runs = []
    for seed in SEEDS:
        summary = json.loads(mercer("fit", points_file, "-o", points_file.with_suffix(".mercer"), "--method",
                                    "randomized", "--gamma", 1 / width**2, "--no-center", "--components", 5,
                                    "--certify", "--seed", seed, "--json", "-", *words))
        bounds = summary["bounds"]
        runs.append([bounds[f"error_norm_{name}"]["value"] for name in ("measured", "predicted", "bernstein")])
    return np.mean(runs, axis=0)


def scheme_table(folder, rows, width):
    """Prints the norms of all schemes; those of sampling, for the picture."""
    file, points = digits(folder, rows)
    print(f"\nm = {rows}, w = {width}, no control\n\n| entries | measured | predicted | Bernstein, 0.99 | 4σ√m |")
    print("|---|---|---|---|---|")
    sampled = []
    for name, (words, sigma) in schemes(points, width).items():
        norms = [*error_norms(file, width, "--control", "none", *words), 4 * sigma * np.sqrt(rows)]
        print(f"| {name} | " + " | ".join(f"{norm:.1f}" for norm in norms) + " |", flush=True)
        if name in (f"1 in {s}" for s in PARTS):
            sampled.append(norms)
    return np.array(sampled)


def control_table(folder, rows, width):
    """Prints the measured norms with what is known beforehand taken out; by control, for every part kept."""
    file, _ = digits(folder, rows)
    print(f"\nm = {rows}, w = {width}, measured norm by control\n\n| entries | " + " | ".join(CONTROLS) + " |")
    print("|---" * (len(CONTROLS) + 1) + "|")
    table = []
    for s in PARTS:
        table.append([error_norms(file, width, "--sparsify", s, "--control", control)[0] for control in CONTROLS])
        print(f"| 1 in {s} | " + " | ".join(f"{norm:.2f}" for norm in table[-1]) + " |", flush=True)
    return np.array(table)


def draw(sampled, controlled, rows, width):
    figure, axes = plt.subplots(1, 2, figsize=(10, 4))
    names = ("measured", "predicted", "matrix Bernstein, 0.99", "4σ√m")
    for values, name, style in zip(sampled.T, names, ("o-", "s--", "^:", "v:")):
        axes[0].plot(PARTS, values, style, label=name, markersize=4)
    for values, name in zip(controlled.T, CONTROLS):
        axes[1].plot(PARTS, values, "o-", label=name, markersize=4)
    for axis, title in zip(axes, ("no control: norm and bounds", "measured norm by control")):
        axis.set(xscale="log", yscale="log", xlabel="one kernel value in s is kept", ylabel="‖E‖", xticks=PARTS)
        axis.set_xticklabels(PARTS)
        axis.minorticks_off()
        axis.set_title(f"{rows} digits, w = {width}, {title}", fontsize=10)
        axis.legend(fontsize=8, loc="upper left", ncol=2)
        axis.set_ylim(top=axis.get_ylim()[1] * 3)  # room for the legend
    save(figure, "randomized_error.png")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sampled = {case: scheme_table(folder, *case) for case in CASES}
        controlled = {case: control_table(folder, *case) for case in CASES}
        draw(sampled[CASES[-1]], controlled[CASES[-1]], *CASES[-1])


if __name__ == "__main__":
    main()
