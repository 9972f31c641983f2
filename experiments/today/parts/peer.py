#!/usr/bin/python3
"""One fit by scikit-learn, in a process of its own: peer.py ROWS HELD_OUT SCORES NAME SIZE GAMMA COMPONENTS.

Prints its time and peak memory as JSON. The memory is taken before the scores of the rows held out are computed, which
are no part of the fit.
"""

import json
import resource
import sys
import time

import numpy as np
from sklearn.decomposition import PCA, KernelPCA
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.pipeline import make_pipeline


def estimator(name, size, gamma, components):
    if name == "nystroem":
        features = Nystroem(gamma=gamma, n_components=size, random_state=0)
        return make_pipeline(features, PCA(components, random_state=0))
    if name == "rbf_sampler":
        features = RBFSampler(gamma=gamma, n_components=size, random_state=0)
        return make_pipeline(features, PCA(components, random_state=0))
    return KernelPCA(components, kernel="rbf", gamma=gamma, eigen_solver=name, random_state=0)


def main():
    rows, held_out, scores, name, size, gamma, components = sys.argv[1:]
    points = np.load(rows)
    model = estimator(name, int(size), float(gamma), int(components))
    start = time.perf_counter()
    model.fit(points)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "peak_memory_bytes": peak}), flush=True)
    np.save(scores, model.transform(np.load(held_out)))


if __name__ == "__main__":
    main()
