#!/usr/bin/python3
"""Exact kernel PCA of USPS digits, compressed: kernel values a point against the error of the scores.

Rounding is that of D. Achlioptas, F. McSherry, B. Schoelkopf, "Sampling techniques for kernel methods", NIPS 2001,
with rows shared by all components or not; projection keeps points chosen for the components and refits. Rounding is the
mean over five seeds, its accuracies from the lowest to the highest. Scores of the training rows, the neighbours, are
those of the compressed model too.
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

from command import QUICK, mercer, output_folder, read_file
from usps import Usps, relative_error

SEEDS = 2 if QUICK else 5
ERRORS = [0.1, 0.3] if QUICK else [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5]


def expected_share(big, error):
    """Points that shared rounding is expected to keep where the offset stays as it is."""
    metadata, tensors = read_file(big)
    library, b, offset = tensors["library"], tensors["coefficients"], tensors["offset"]
    gamma = json.loads(metadata["kernel"])["parameters"]["gamma"]
    squares = (library**2).sum(axis=1)
    gram = np.exp(-gamma * np.maximum(squares[:, None] + squares - 2 * library @ library.T, 0))
    energies = (gram**2).sum(axis=1) * (b**2).sum(axis=1) / ((gram @ b + offset) ** 2).sum()
    sizes = (np.abs(b) / np.linalg.norm(b, axis=0)).max(axis=1)
    low, high = 0.0, 100.0  # logarithms of the scale
    for _ in range(60):
        p = np.minimum(1, np.exp((low + high) / 2) * sizes)
        low, high = (low, (low + high) / 2) if (energies * (1 - p) / p).sum() < error**2 else ((low + high) / 2, high)
    return p.mean()


def draw(curves):
    figure, axis = plt.subplots(figsize=(6, 4))
    for label, points in curves.items():
        axis.plot(*zip(*points), "o-", label=label, markersize=4)
    axis.set(xscale="log", yscale="log", xlabel="kernel values a point", ylabel="relative error of scores of new rows")
    axis.set_title("USPS digits, 20 components", fontsize=10)
    axis.legend(fontsize=8)
    figure.tight_layout()
    output = output_folder("randomized") / "rounding.png"
    figure.savefig(output, dpi=110)
    print(output)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        usps = Usps(folder)
        big, small = folder / "big.mercer", folder / "small.mercer"
        words = ["--label-column", "first", "--method", "exact", "--components", 20]
        rows = json.loads(mercer("fit", usps.train, "-o", big, "--json", "-", *words))["n"]
        exact = usps.scores(big)
        print(f"exact: {rows} kernel values a point, 3-nn {usps.accuracy(*exact):.4f}")
        print("\n| by | E | points | share | measured | on new rows | worst component | 3-nn |\n|---|---|---|---|---|---|---|---|")

        def compressed(error, seed, *how):
            found = ["--error", error, "--seed", seed, "--json", "-", *how]
            summary = json.loads(mercer("compress", big, "-o", small, *found))
            known, asked = usps.scores(small)
            report = summary["compression"]
            worst = max(component["measured"] for component in report["components"])
            return (summary["library_size"], report["error"]["measured"], relative_error(asked, exact[1]), worst,
                    usps.accuracy(known, asked))

        ways = {"projection": ["--by", "projection"], "rounding": [], "rounding, per component": ["--per-component"]}
        curves = {label: [] for label in ways}
        for label, how in ways.items():
            for error in ERRORS:
                seeds = 1 if label == "projection" else SEEDS
                runs = np.array([compressed(error, seed, *how) for seed in range(seeds)])
                size, measured, test, worst, _ = runs.mean(axis=0)
                low, high = runs[:, 4].min(), runs[:, 4].max()
                accuracy = f"{low:.4f}" if low == high else f"{low:.4f}-{high:.4f}"
                curves[label].append((size, test))
                print(f"| {label} | {error:.2f} | {size:.0f} | {size / rows:.1%} | {measured:.4f} | {test:.4f}"
                      f" | {worst:.3f} | {accuracy} |", flush=True)
        draw(curves)
        shares = ", ".join(f"{error}: {expected_share(big, error):.1%}" for error in ERRORS)
        print(f"\nrounding whose offset does not follow, error: share expected: {shares}")


if __name__ == "__main__":
    main()
