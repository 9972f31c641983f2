#!/usr/bin/python3
"""What Python adds to the time of the library: a fit as Python sees it over `seconds` of its summary.

    build/venv/bin/python bench/python_overhead.py

16 columns, Gaussian kernel, ten components; medians of seven fits. How long they take beside scikit-learn's is measured
by bench/run.
"""

import time

import numpy as np

from mercer import KernelPCA


def overhead(n, **parameters):
    X = np.random.default_rng(1).normal(size=(n, 16))
    estimator = KernelPCA(10, kernel="rbf", gamma=1 / 32, **parameters)
    fits, inside = [], []
    for _ in range(7):
        start = time.perf_counter()
        estimator.fit(X)
        fits.append(time.perf_counter() - start)
        inside.append(estimator.summary_["seconds"])
    more = np.median(np.array(fits) / inside) - 1
    print(f"| {parameters['method']}, n = {n:,} | {min(fits):.4f} s | {min(inside):.4f} s | {100 * more:.2f} % |", flush=True)


def main():
    print("| fit | from Python | in the library | more |\n|---|---|---|---|")
    overhead(5000, method="exact")
    overhead(10000, method="exact")
    overhead(1_000_000, method="landmarks", method_options={"landmarks": 500, "selection": "uniform"})


if __name__ == "__main__":
    main()
