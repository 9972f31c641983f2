#!/usr/bin/python3
"""Runs the mercer command and scikit-learn's KernelPCA on the same new data and compares the numbers.

compare_sklearn.py MERCER: exits with 0 when they agree, 1 when not, 77 (skipped) without scikit-learn.
The recorded numbers in tests/golden cover more kernels; this also covers files, options and the command.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    from sklearn.decomposition import KernelPCA
    from sklearn.metrics.pairwise import pairwise_kernels
except ImportError as missing:
    print(f"skipped: {missing} (./dev deps --all installs it)")
    sys.exit(77)

ROWS, NEW_ROWS, COLUMNS, COMPONENTS = 500, 120, 6, 5
# Eigenvalues relative to the first, scores relative to the largest. Both sides are good to about 1e-13
# times the inverse of the relative gap between eigenvalues, which stays above 1e-3 here.
EIGENVALUE_TOLERANCE = 1e-12
SCORE_TOLERANCE = 1e-10

# Name, options of mercer, arguments of pairwise_kernels, whether the data must not be negative.
CASES = [
    ("gaussian", ["--gamma", "0.1"], {"metric": "rbf", "gamma": 0.1}, False),
    ("laplacian_l1", ["--gamma", "0.1"], {"metric": "laplacian", "gamma": 0.1}, False),
    (
        "polynomial",
        ["--gamma", "0.2", "--degree", "3", "--coef0", "1.5"],
        {"metric": "poly", "gamma": 0.2, "degree": 3, "coef0": 1.5},
        False,
    ),
    ("linear", [], {"metric": "linear"}, False),
    ("cosine", [], {"metric": "cosine"}, False),
    (
        "sigmoid",
        ["--gamma", "0.02", "--coef0", "0.1"],
        {"metric": "sigmoid", "gamma": 0.02, "coef0": 0.1},
        False,
    ),
    ("exponential_chi2", ["--gamma", "0.3"], {"metric": "chi2", "gamma": 0.3}, True),
]


def points(seed, rows, non_negative):
    """A bent sheet with columns of different spread, away from the origin."""
    random = np.random.default_rng(seed)
    values = random.standard_normal((rows, COLUMNS)) * np.linspace(2.0, 0.4, COLUMNS)
    values[:, 1] += 0.3 * values[:, 0] ** 2
    return np.abs(values) if non_negative else values + 0.5


def run_mercer(mercer, folder, name, options):
    """Eigenvalues, training scores and scores of new points by the command."""
    fit = [mercer, "fit", "train.npy", "-o", "model.mercer", "--kernel", name, *options]
    fit += ["--components", str(COMPONENTS), "--scores", "scores.npy", "--json", "summary.json", "-q"]
    transform = [mercer, "transform", "model.mercer", "new.npy", "-o", "new_scores.npy", "-q"]
    for command in (fit, transform):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    summary = json.loads((folder / "summary.json").read_text())
    return (
        np.array(summary["eigenvalues"]),
        np.load(folder / "scores.npy"),
        np.load(folder / "new_scores.npy"),
    )


def score_error(mine, theirs, signs):
    return np.abs(mine * signs - theirs).max() / np.abs(theirs).max()


def compare(mercer, folder, name, options, arguments, non_negative):
    """Prints one line; true when both sides agree."""
    train, new = points(1, ROWS, non_negative), points(2, NEW_ROWS, non_negative)
    np.save(folder / "train.npy", train)
    np.save(folder / "new.npy", new)
    eigenvalues, scores, new_scores = run_mercer(mercer, folder, name, options)

    # Precomputed, because KernelPCA itself does not take all of scikit-learn's kernels by name.
    model = KernelPCA(n_components=COMPONENTS, kernel="precomputed", eigen_solver="dense")
    their_scores = model.fit_transform(pairwise_kernels(train, **arguments))
    their_new_scores = model.transform(pairwise_kernels(new, train, **arguments))
    signs = np.sign((scores * their_scores).sum(axis=0))

    eigenvalue_error = np.abs(eigenvalues - model.eigenvalues_).max() / model.eigenvalues_[0]
    train_error = score_error(scores, their_scores, signs)
    new_error = score_error(new_scores, their_new_scores, signs)
    agree = eigenvalue_error <= EIGENVALUE_TOLERANCE and max(train_error, new_error) <= SCORE_TOLERANCE
    print(
        f"{name:18} eigenvalues {eigenvalue_error:.1e}  training scores {train_error:.1e}"
        f"  new scores {new_error:.1e}  {'agree' if agree else 'DISAGREE'}"
    )
    return agree


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    mercer = str(Path(arguments[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        agreed = [compare(mercer, Path(folder), *case) for case in CASES]
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
