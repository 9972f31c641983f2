"""Rows on disk: a memory-mapped array by landmarks, and a stream of batches that could come from anywhere."""

import resource
import tempfile
from pathlib import Path

import numpy as np

from mercer import IncrementalKernelPCA, KernelPCA

BATCH, BATCHES = 50_000, 20


def batch(number):
    random = np.random.default_rng(number)
    return random.normal(size=(BATCH, 8)).astype(np.float32) + 4 * random.integers(3, size=(BATCH, 1), dtype=np.int32)


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "rows.npy"
    table = np.lib.format.open_memmap(path, "w+", np.float32, (BATCH * BATCHES, 8))
    for number in range(BATCHES):
        table[number * BATCH : (number + 1) * BATCH] = batch(number)
    del table

    # Read block by block, in the single precision that it has.
    rows = np.load(path, mmap_mode="r")
    landmarks = KernelPCA(5, kernel="rbf", gamma=0.02, method="landmarks", method_options={"landmarks": 200}).fit(rows)
    print(landmarks.summary_.brief())

stream = IncrementalKernelPCA(5, gamma=0.02, mse=0.01)
for number in range(BATCHES):
    stream.partial_fit(batch(number))
print(stream.summary_.brief())
print("eigenvalues, landmarks", landmarks.eigenvalues_.round(1))
print("eigenvalues, stream   ", stream.eigenvalues_.round(1))
print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")
