#!/usr/bin/python3
"""mercer's Python package beside scikit-learn in one run, and what Python adds to the library.

    build/venv/bin/python bench/python_speed.py            # --quick: a tenth of the rows

Best of several fits in turns, 16 columns, Gaussian kernel, ten components; the eigenvalues' largest difference is beside
the times. Run it without variables that tell OpenBLAS which processor this is.
"""

import os
import resource
import sys
import time
import warnings

import numpy as np
from sklearn.decomposition import PCA
from sklearn.decomposition import KernelPCA as TheirKernelPCA
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline

from mercer import KernelPCA

COMPONENTS, GAMMA = 10, 1 / 32
SCALE = 10 if "--quick" in sys.argv else 1


def normal_points(n):
    """As those of bench/run: the spectrum falls slowly."""
    return np.random.default_rng(1).normal(size=(n, 16))


def clusters(n):
    """Thirty clusters: the first components stand apart, and any iteration finds them soon."""
    random = np.random.default_rng(1)
    centers = 2 * random.normal(size=(30, 16))
    return centers[random.integers(len(centers), size=n)] + random.normal(size=(n, 16))


def timed(fit):
    start = time.perf_counter()
    result = fit()
    return time.perf_counter() - start, result


def compare(task, ours, theirs, repetitions, error):
    """Fits in turns; the fastest of each counts."""
    found = [(timed(ours), timed(theirs)) for _ in range(repetitions)]
    mine, peer = (min(times) for times in zip(*((a[0], b[0]) for a, b in found)))
    print(f"| {task} | {mine:.3f} s | {peer:.3f} s | {peer / mine:.1f} x | {error(found[0][0][1], found[0][1][1]):.1e} |",
          flush=True)


def eigenvalue_error(ours, theirs):
    return np.abs(ours.eigenvalues_ - theirs.eigenvalues_).max() / theirs.eigenvalues_[0]


def exact(n, points, solver, repetitions):
    X = points(n)
    theirs = {"kernel": "rbf", "gamma": GAMMA, "eigen_solver": solver, "random_state": 0}
    compare(f"exact, n = {n:,}, {points.__name__}; {solver}",
            lambda: KernelPCA(COMPONENTS, kernel="rbf", gamma=GAMMA, method="exact").fit(X),
            lambda: TheirKernelPCA(COMPONENTS, **theirs).fit(X), repetitions, eigenvalue_error)


def landmarks(n, m):
    X = normal_points(n)

    def their_error(ours, theirs):
        values = theirs.steps[1][1].explained_variance_ * (n - 1)
        return np.abs(ours.eigenvalues_ - values).max() / values[0]

    options = {"landmarks": m, "selection": "uniform"}
    compare(f"landmarks, n = {n:,}, m = {m}",
            lambda: KernelPCA(COMPONENTS, kernel="rbf", gamma=GAMMA, method="landmarks", method_options=options).fit(X),
            lambda: make_pipeline(Nystroem(gamma=GAMMA, n_components=m, random_state=0),
                                  PCA(COMPONENTS, random_state=0)).fit(X), 2, their_error)


def overhead(n, **parameters):
    """Time of a fit as Python sees it over that of the library, from the rows in memory to the model."""
    X = normal_points(n)
    estimator = KernelPCA(COMPONENTS, kernel="rbf", gamma=GAMMA, **parameters)
    fits, inside = [], []
    for _ in range(7):
        seconds, _ = timed(lambda: estimator.fit(X))
        fits.append(seconds)
        inside.append(estimator.summary_["seconds"])
    more = np.median(np.array(fits) / inside) - 1
    print(f"| {parameters['method']}, n = {n:,} | {min(fits):.4f} s | {min(inside):.4f} s | {100 * more:.2f} % |", flush=True)


def main():
    warnings.filterwarnings("ignore")
    print(f"load before {os.getloadavg()[0]:.1f}\n\n| task | mercer | scikit-learn | ratio | eigenvalue error / λ₁ |\n"
          "|---|---|---|---|---|")
    for points in (normal_points, clusters):
        for n in (5000, 10000):
            for solver in ("arpack", "randomized"):
                exact(n // SCALE, points, solver, 5 if n == 5000 else 3)
    exact(5000 // SCALE, normal_points, "auto", 1)  # which is dense for ten components
    landmarks(1_000_000 // SCALE, 500)
    print("\n| fit | from Python | in the library | more |\n|---|---|---|---|")
    overhead(5000 // SCALE, method="exact")
    overhead(10000 // SCALE, method="exact")
    overhead(1_000_000 // SCALE, method="landmarks", method_options={"landmarks": 500, "selection": "uniform"})
    print(f"\n{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB at most")


if __name__ == "__main__":
    main()
