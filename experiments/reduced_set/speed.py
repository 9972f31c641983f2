#!/usr/bin/python3
"""Time and errors of few centres beside kernel PCA of all rows: the speed-ups of figures 2 and 3, and other densities.

speed.py [NAME...]: german, pendigits (default both). H. Kingravi, P. Vela, A. Gray, "Reduced set KPCA for improving
the training and execution speed of kernel machines", SDM 2013. Splits and errors as in eigen_embedding.py; every rival
has the mean number of the shadows' centres. Times are of one thread, the best over the splits, nothing else running.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import pandas as pd

from command import QUICK, output_folder
from few_centres import EMBEDDED, Embedding, Split, options, scores
from picture import plt, save

SPLITS = 2 if QUICK else 10
ELLS = (3.0, 5.0) if QUICK else (3.0, 3.5, 4.0, 4.5, 5.0)
NEW_ROWS = 2_000 if QUICK else 50_000  # to transform: so many that reading and starting hardly count
ONE_THREAD = ("--threads", 1)
FULL = {"exact": ["exact"], "exact, dense": ["exact", "--solver", "dense"]}
RIVALS = ("uniform", "Nyström", "weighted Nyström", "landmarks", "k-means", "herding")
METHODS = ("shadow", *RIVALS)
DENSITIES = ("shadow", "k-means", "uniform", "herding")


def timed(split, new, method, words, ell=None):
    """A line of the split's results, with the time for new rows."""
    line = split.measure(method, words, ell)
    line["test"] = scores(new, split.folder / "model.mercer", split.folder / "new_scores.npy", *ONE_THREAD)[1]
    return line


def measure(points, sigma):
    with tempfile.TemporaryDirectory() as name:
        folder, new = Path(name), Path(name) / "new.npy"
        np.save(new, np.resize(points, (NEW_ROWS, points.shape[1])))
        baseline = Embedding(folder, points, sigma, *ONE_THREAD)
        splits = [Split(baseline, number) for number in range(SPLITS)]
        lines = [timed(split, new, method, words) for split in splits for method, words in FULL.items()]
        for ell in ELLS:
            covers = [timed(split, new, "shadow", ["shadow", "--ell", ell], ell) for split in splits]
            centres = round(np.mean([line["kept"] for line in covers]))
            lines += covers + [timed(split, new, method, options(method, centres), ell)
                               for split in splits for method in RIVALS]
        return pd.DataFrame(lines)


def best(results, method, column):
    """The shortest time: for each ℓ, or for the exact ones once."""
    part = results[results.method == method]
    return part[column].min() if method in FULL else part.groupby("ell")[column].min()


def print_speeds(results, column, what, baseline):
    print(f"\n{what}: {baseline} {1e3 * best(results, baseline, column):.3g} ms, times faster than it\n")
    print("| ℓ | centres | " + " | ".join(METHODS) + " |\n" + "|---" * (len(METHODS) + 2) + "|")
    ratios = {method: best(results, baseline, column) / best(results, method, column) for method in METHODS}
    kept = results[results.method == "shadow"].groupby("ell").kept.mean()
    for ell in ELLS:
        print(f"| {ell} | {kept[ell]:.0f} | " + " | ".join(f"{ratios[m][ell]:.3g}" for m in METHODS) + " |")


def print_densities(results):
    print("\nembedding error / eigenvalue error / training, ms\n")
    print("| ℓ | centres | " + " | ".join(DENSITIES) + " |\n" + "|---" * (len(DENSITIES) + 2) + "|")
    means = results.groupby(["method", "ell"])[["embedding", "eigenvalues", "kept"]].mean()
    for ell in ELLS:
        cells = [f"{means.embedding[m, ell]:.3f} / {means.eigenvalues[m, ell]:.4f} / "
                 f"{1e3 * best(results, m, 'fit')[ell]:.3g}" for m in DENSITIES]
        print(f"| {ell} | {means.kept['shadow', ell]:.0f} | " + " | ".join(cells) + " |")


def draw(results, name):
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
    for axis, column, title in zip(axes, ("fit", "test"), ("training", "new rows")):
        exact = best(results, "exact", column)
        for method in METHODS:
            axis.plot(ELLS, exact / best(results, method, column), marker=".", label=method)
        axis.axhline(1, color="0.5", linestyle=":", label="exact")
        axis.set_title(f"{title}: times faster than exact", fontsize=10)
        axis.set_xlabel("ℓ")
    axes[0].legend(fontsize=7)
    save(figure, name, "reduced_set")


def main():
    for name in sys.argv[1:] or EMBEDDED:
        points, sigma = EMBEDDED[name]()
        results = measure(points, sigma)
        print(f"\n## {name}: {len(points)} x {points.shape[1]}, σ = {sigma}, {SPLITS} splits")
        for baseline in FULL:
            print_speeds(results, "fit", "training", baseline)
        print_speeds(results, "test", f"{NEW_ROWS:,} new rows", "exact")
        print_densities(results)
        results.to_csv(output_folder("reduced_set") / f"speed_{name}.csv", index=False)
        draw(results, f"speed_{name}.png")


if __name__ == "__main__":
    main()
