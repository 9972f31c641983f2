"""scikit-learn's checks of what every estimator promises."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer

ESTIMATORS = [
    mercer.KernelPCA(),
    mercer.KernelPCA(n_components=2, kernel="rbf", gamma=0.1, method="landmarks"),
    mercer.Nystroem(),
    mercer.IncrementalKernelPCA(),
    mercer.ReducedSetKernelPCA(),
    mercer.FeatureAnalysis(),
    mercer.DiffusionMaps(),
    mercer.LaplacianEigenmaps(),
    mercer.SparseDistance(),
]


@parametrize_with_checks(ESTIMATORS)
def test_keeps_what_scikit_learn_promises(estimator, check):
    check(estimator)
