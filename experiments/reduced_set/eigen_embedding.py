#!/usr/bin/python3
"""How far embeddings and eigenvalues of few centres are from kernel PCA of all rows: figures 2, 3 and 6 (a, b).

eigen_embedding.py [NAME...]: german, pendigits (default both). H. Kingravi, P. Vela, A. Gray, "Reduced set KPCA for
improving the training and execution speed of kernel machines", SDM 2013. The baseline sees all rows; the others see
80 % of them in a random order, and are compared on the remaining 20 %.
"""

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import pandas as pd
from scipy.stats import f_oneway

from command import QUICK, output_folder
from few_centres import EMBEDDED, Embedding, Split, options
from picture import plt, save

RUNS = 3 if QUICK else 50
ELLS = (3.0, 5.0) if QUICK else tuple(np.round(np.arange(3, 5.05, 0.1), 1))
SHOWN = (3.0, 3.5, 4.0, 4.5, 5.0)
RIVALS = ("uniform", "Nyström", "weighted Nyström", "landmarks")
METHODS = ("shadow", *RIVALS)
SIGNIFICANT = 0.05


def shadows(split):
    return [split.measure("shadow", ["shadow", "--ell", ell], ell) for ell in ELLS]


def rivals(split, centres):
    return [split.measure(method, options(method, centres[ell]), ell) for ell in ELLS for method in RIVALS]


def measure(points, sigma):
    """All lines of a data set, from two runs at a time, a thread each; rivals get the mean number of shadow centres."""
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        exact = Embedding(Path(name), points, sigma, "--threads", 1)
        splits = [Split(exact, number) for number in range(RUNS)]
        lines = list(pool.map(lambda split: split.measure("exact", ["exact"]), splits))
        covers = pd.DataFrame(sum(pool.map(shadows, splits), []))
        centres = covers.groupby("ell").kept.mean().round().astype(int)
        others = sum(pool.map(lambda split: rivals(split, centres), splits), [])
        return pd.concat([pd.DataFrame(lines), covers, pd.DataFrame(others)], ignore_index=True)


def print_table(results, rows):
    print("| ℓ | centres | method | embedding error | relative | eigenvalue error |")
    print("|---|---|---|---|---|---|")
    for ell in sorted(set(SHOWN) & set(ELLS)):
        for method in METHODS:
            part = results[(results.ell == ell) & (results.method == method)]
            shadow = results[(results.ell == ell) & (results.method == "shadow")]
            print(f"| {ell} | {shadow.kept.mean():.0f} ({shadow.kept.mean() / rows:.1%}) | {method} "
                  f"| {part.embedding.mean():.3f} ± {part.embedding.std():.3f} "
                  f"| {(part.embedding / part.norm).mean():.4f} | {part.eigenvalues.mean():.4f} |")


def runs_of(ells):
    """3.0, 3.1, 3.2, 3.5 as "3.0–3.2, 3.5"."""
    groups = []
    for ell in ells:
        if groups and ELLS.index(ell) == ELLS.index(groups[-1][-1]) + 1:
            groups[-1].append(ell)
        else:
            groups.append([ell])
    return ", ".join(f"{g[0]}" if len(g) == 1 else f"{g[0]}–{g[-1]}" for g in groups) or "none"


def print_significance(results, measure):
    """Where one-way analysis of variance tells the shadow from each rival, and which is better there."""
    print(f"\n| {measure}, ANOVA at {SIGNIFICANT} | shadow smaller at ℓ = | no difference | shadow larger |")
    print("|---|---|---|---|")
    for rival in RIVALS:
        verdicts = {"smaller": [], "same": [], "larger": []}
        for ell in ELLS:
            ours, theirs = (results[(results.ell == ell) & (results.method == m)][measure] for m in ("shadow", rival))
            differ = f_oneway(ours, theirs).pvalue < SIGNIFICANT
            verdicts["same" if not differ else "smaller" if ours.mean() < theirs.mean() else "larger"].append(ell)
        print(f"| against {rival} | " + " | ".join(runs_of(v) for v in verdicts.values()) + " |")


def draw(results, rows, name):
    """Errors and rows kept against ℓ, as in the paper's figures."""
    panels = {"embedding": "embedding error", "eigenvalues": "eigenvalue error"}
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6))
    for axis, (column, title) in zip(axes, panels.items()):
        for method in METHODS:
            curve = results[results.method == method].groupby("ell")[column].mean()
            axis.plot(curve.index, curve, label=method)
        axis.set_title(title, fontsize=10)
    kept = results[results.method == "shadow"].groupby("ell").kept.mean() / rows
    axes[2].plot(kept.index, 100 * kept)
    axes[2].set_title("rows kept by shadow, %", fontsize=10)
    axes[0].legend(fontsize=8)
    for axis in axes:
        axis.set_xlabel("ℓ")
        axis.set_ylim(bottom=0)
    save(figure, name, "reduced_set")


def main():
    for name in sys.argv[1:] or EMBEDDED:
        points, sigma = EMBEDDED[name]()
        train_rows = len(points) * 4 // 5
        results = measure(points, sigma)
        results.to_csv(output_folder("reduced_set") / f"eigen_embedding_{name}.csv", index=False)
        exact = results[results.method == "exact"]
        print(f"\n## {name}: {len(points)} x {points.shape[1]}, σ = {sigma}, {RUNS} runs\n")
        print(f"Exact kernel PCA of the {train_rows} rows that the others see: embedding error "
              f"{exact.embedding.mean():.3f}, eigenvalue error {exact.eigenvalues.mean():.4f}.\n")
        print_table(results, train_rows)
        for error in ("embedding", "eigenvalues"):
            print_significance(results, error)
        draw(results, train_rows, f"eigen_embedding_{name}.png")


if __name__ == "__main__":
    main()
