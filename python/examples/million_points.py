"""A million rows by landmarks, with a certain account of what is left out."""

import time

import numpy as np

from mercer import KernelPCA

random = np.random.default_rng(0)
X = random.normal(size=(1_000_000, 16)) + 3 * random.normal(size=(20, 16))[random.integers(20, size=1_000_000)]
start = time.perf_counter()
kpca = KernelPCA(n_components=10, kernel="rbf", gamma="median", method="landmarks", method_options={"landmarks": 500})
scores = kpca.fit_transform(X)
print(f"{time.perf_counter() - start:.1f} s for {scores.shape[0]} x {scores.shape[1]} scores")
print(kpca.summary_)
