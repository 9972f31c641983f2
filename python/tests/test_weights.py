"""Weights of rows: repetition, and absence."""

import numpy as np
import pytest
import sklearn.metrics.pairwise

import mercer

ESTIMATORS = [
    mercer.KernelPCA(2, kernel="rbf", gamma=0.1),
    mercer.KernelPCA(2, kernel="rbf", gamma=0.1, method="landmarks"),
    mercer.KernelPCA(2, kernel="rbf", gamma=0.1, method="greedy"),
    mercer.IncrementalKernelPCA(2, gamma=0.1),
    mercer.ReducedSetKernelPCA(2, gamma=0.1),
    mercer.FeatureAnalysis(2, gamma=0.1),
    mercer.DiffusionMaps(gamma=0.1),
    mercer.LaplacianEigenmaps(gamma=0.1),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_rows_of_weight_zero_are_absent(rows, estimator):
    weights = np.where(np.arange(len(rows)) % 3 == 0, 0.0, 1.0)
    np.testing.assert_array_equal(estimator.fit(rows, sample_weight=weights).transform(rows),
                                  estimator.fit(rows[weights > 0]).transform(rows))


def test_whole_weights_are_repetition(rows):
    weights = np.random.default_rng(1).integers(1, 4, size=len(rows))
    estimator = mercer.KernelPCA(3, kernel="rbf", gamma=0.1)
    expected = np.abs(estimator.fit(np.repeat(rows, weights, axis=0)).transform(rows))
    weighted = estimator.fit(rows, sample_weight=weights)
    np.testing.assert_allclose(np.abs(weighted.transform(rows)), expected, atol=1e-9)
    assert not hasattr(weighted, "eigenvectors_")


def test_methods_without_weights_say_so(rows):
    with pytest.raises(ValueError, match="randomized has no weighted form"):
        mercer.KernelPCA(2, kernel="rbf", method="randomized").fit(rows, sample_weight=np.full(len(rows), 2.0))


def test_a_precomputed_kernel_loses_rows_and_columns(rows):
    values = sklearn.metrics.pairwise.rbf_kernel(rows, gamma=0.1)
    weights = np.where(np.arange(len(rows)) % 3 == 0, 0.0, 1.0)
    ours = mercer.KernelPCA(2, kernel="precomputed").fit(values, sample_weight=weights)
    expected = mercer.KernelPCA(2, kernel="rbf", gamma=0.1).fit(rows[weights > 0])
    np.testing.assert_allclose(np.abs(ours.transform(values)), np.abs(expected.transform(rows)), atol=1e-9)


@pytest.mark.parametrize("parameters, message", [
    ({"method": "landmarks", "method_options": {"landmark_rows": [0, 1, 5]}}, "landmark_rows numbers all rows"),
    ({"fit_inverse_transform": True}, "fit_inverse_transform has no weighted form")])
def test_what_does_not_go_with_weights_is_refused(rows, parameters, message):
    weights = np.ones(len(rows))
    weights[0] = 0
    with pytest.raises(ValueError, match=message):
        mercer.KernelPCA(2, kernel="rbf", **parameters).fit(rows, sample_weight=weights)


def test_weights_of_nothing_are_refused(rows):
    with pytest.raises(ValueError, match="zero for every row"):
        mercer.KernelPCA(2, kernel="rbf").fit(rows, sample_weight=np.zeros(len(rows)))


def test_negative_weights_are_refused(rows):
    with pytest.raises(ValueError, match="Negative"):
        mercer.KernelPCA(2, kernel="rbf").fit(rows, sample_weight=-np.ones(len(rows)))
