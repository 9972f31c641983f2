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

from command import QUICK, output_folder, real_data
from few_centres import fit, options, scores
from picture import plt

COMPONENTS = 5
RUNS = 3 if QUICK else 50
ELLS = (3.0, 5.0) if QUICK else tuple(np.round(np.arange(3, 5.05, 0.1), 1))
SHOWN = (3.0, 3.5, 4.0, 4.5, 5.0)
# Rows that a model is timed on: so many that starting does not count.
RIVALS = ("uniform", "Nyström", "weighted Nyström", "landmarks")
METHODS = ("shadow", *RIVALS)
SIGNIFICANT = 0.05


def german():
    return np.loadtxt(real_data("german/german.data-numeric.gz"))[:, :-1], 30


def pendigits():
    rows = 600 if QUICK else 3500
    return np.loadtxt(real_data("pendigits/pendigits.tra.gz"), delimiter=",", max_rows=rows)[:, :-1], 120


def settings(sigma):
    return ["--gamma", 1 / sigma**2, "--components", COMPONENTS, "--threads", 1]


class Run:
    """One random split of the rows into those that are fitted and those that are compared."""

    def __init__(self, folder, points, sigma, baseline, number):
        self.folder = folder / str(number)
        self.folder.mkdir()
        self.number, self.baseline = number, baseline
        self.settings = [*settings(sigma), "--seed", number]
        order = np.random.default_rng(number).permutation(len(points))
        self.train, self.test = np.split(order, [len(points) * 4 // 5])
        np.save(self.folder / "train.npy", points[self.train])
        np.save(self.folder / "test.npy", points[self.test])

    def measure(self, method, words, ell=None):
        """One line of the results: what a method makes of this split."""
        model = self.folder / "model.mercer"
        fitted = fit(self.folder / "train.npy", model, words, self.settings)
        z = scores(self.folder / "test.npy", model, self.folder / "z.npy", "--threads", 1)[0]
        exact_scores, exact_eigenvalues = self.baseline
        return {"run": self.number, "ell": ell, "method": method, "kept": fitted.centres,
                "embedding": misaligned(exact_scores[self.test], z),
                "norm": np.linalg.norm(exact_scores[self.test]),
                "eigenvalues": np.linalg.norm(exact_eigenvalues - fitted.eigenvalues)}

    def exact(self):
        return [self.measure("exact", ["exact"])]

    def shadows(self):
        return [self.measure("shadow", ["shadow", "--ell", ell], ell) for ell in ELLS]

    def rivals(self, centres):
        return [self.measure(method, options(method, centres[ell]), ell) for ell in ELLS for method in RIVALS]


def misaligned(exact, approximate):
    """What remains of the exact scores after the best linear map of the others."""
    best = np.linalg.lstsq(approximate, exact, rcond=None)[0]
    return np.linalg.norm(exact - approximate @ best)


def baseline(folder, points, sigma):
    """Scores and eigenvalues of kernel PCA of all rows."""
    np.save(folder / "all.npy", points)
    fitted = fit(folder / "all.npy", folder / "all.mercer", ["exact"], settings(sigma))
    return scores(folder / "all.npy", folder / "all.mercer", folder / "all_scores.npy")[0], fitted.eigenvalues


def measure(points, sigma):
    """All lines of a data set. Two runs at a time, a thread each; rivals get the mean number of the shadows' centres."""
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        folder = Path(name)
        exact = baseline(folder, points, sigma)
        runs = [Run(folder, points, sigma, exact, number) for number in range(RUNS)]
        lines = sum(pool.map(Run.exact, runs), [])
        shadows = pd.DataFrame(sum(pool.map(Run.shadows, runs), []))
        centres = shadows.groupby("ell").kept.mean().round().astype(int)
        others = sum(pool.map(lambda run: run.rivals(centres), runs), [])
        return pd.concat([pd.DataFrame(lines), shadows, pd.DataFrame(others)], ignore_index=True)


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
    print(f"\n| {measure} error, ANOVA at {SIGNIFICANT} | shadow smaller at ℓ = | no difference | shadow larger |")
    print("|---|---|---|---|")
    for rival in RIVALS:
        verdicts = {"smaller": [], "same": [], "larger": []}
        for ell in ELLS:
            ours, theirs = (results[(results.ell == ell) & (results.method == m)][measure] for m in ("shadow", rival))
            differ = f_oneway(ours, theirs).pvalue < SIGNIFICANT
            verdicts["same" if not differ else "smaller" if ours.mean() < theirs.mean() else "larger"].append(ell)
        print(f"| against {rival} | " + " | ".join(runs_of(v) for v in verdicts.values()) + " |")


def draw(results, rows, output):
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
    figure.tight_layout()
    figure.savefig(output, dpi=90)
    print(f"\n{output}")


def main():
    sets = {"german": german, "pendigits": pendigits}
    for name in sys.argv[1:] or sets:
        points, sigma = sets[name]()
        train_rows = len(points) * 4 // 5
        results = measure(points, sigma)
        folder = output_folder("reduced_set")
        results.to_csv(folder / f"eigen_embedding_{name}.csv", index=False)
        exact = results[results.method == "exact"]
        print(f"\n## {name}: {len(points)} x {points.shape[1]}, σ = {sigma}, {RUNS} runs\n")
        print(f"Exact kernel PCA of the {train_rows} rows that the others see: embedding error "
              f"{exact.embedding.mean():.3f}, eigenvalue error {exact.eigenvalues.mean():.4f}.\n")
        print_table(results, train_rows)
        print_significance(results, "embedding")
        print_significance(results, "eigenvalues")
        draw(results, train_rows, folder / f"eigen_embedding_{name}.png")


if __name__ == "__main__":
    main()
