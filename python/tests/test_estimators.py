"""What the other estimators find."""

import numpy as np
import pytest
import sklearn.kernel_approximation
from sklearn.decomposition import PCA
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

import mercer


@pytest.mark.parametrize("parameters", [{}, {"gamma": 0.3}, {"kernel": "poly", "degree": 2.5, "gamma": 1},
                                        {"kernel": "cosine"}, {"kernel": "laplacian"}], ids=str)
def test_nystroem_has_scikit_learns_features(rows, parameters):
    rows = np.abs(rows)
    common = {"n_components": 20, "random_state": 3, **parameters}
    ours = mercer.Nystroem(**common).fit(rows)
    theirs = sklearn.kernel_approximation.Nystroem(**common).fit(rows)
    np.testing.assert_array_equal(ours.component_indices_, theirs.component_indices_)
    values, expected = (features @ features.T for features in (ours.transform(rows), theirs.transform(rows)))
    np.testing.assert_allclose(values, expected, atol=1e-6 * np.abs(expected).max())


def test_nystroem_chooses_better_rows(rows):
    values = sklearn.metrics.pairwise.rbf_kernel(rows, gamma=0.3)

    def error(**parameters):
        features = mercer.Nystroem(gamma=0.3, n_components=40, random_state=0, **parameters).fit_transform(rows)
        return np.linalg.norm(values - features @ features.T)

    assert error(selection="rpcholesky") < error()


def test_nystroem_of_a_precomputed_kernel_with_fewer_components(rows):
    values = sklearn.metrics.pairwise.rbf_kernel(rows, gamma=0.1)
    precomputed = mercer.Nystroem(kernel="precomputed", n_components=30, random_state=0).fit(values)
    ours = mercer.Nystroem(gamma=0.1, n_components=30, random_state=0).fit(rows)
    np.testing.assert_allclose(precomputed.transform(values), ours.transform(rows), atol=1e-7)


def test_incremental_linear_is_pca(rows):
    ours = mercer.IncrementalKernelPCA(2, kernel="linear", batch_size=64).fit(rows)
    expected = PCA(2).fit(rows)
    np.testing.assert_allclose(ours.eigenvalues_, expected.singular_values_**2, rtol=1e-8)
    np.testing.assert_allclose(np.abs(ours.transform(rows)), np.abs(expected.transform(rows)), atol=1e-7)


def test_incremental_sees_what_all_rows_show(rows):
    ours = mercer.IncrementalKernelPCA(3, gamma=0.05, mse=1e-8)
    for batch in np.array_split(rows, 5):
        ours.partial_fit(batch)
    exact = mercer.KernelPCA(3, kernel="rbf", gamma=0.05).fit(rows)
    assert ours.n_samples_seen_ == len(rows)
    np.testing.assert_allclose(ours.eigenvalues_, exact.eigenvalues_, rtol=1e-4)


def test_a_first_batch_that_failed_is_forgotten(rows):
    ours = mercer.IncrementalKernelPCA(2, kernel="chi2")
    with pytest.raises(ValueError):
        ours.partial_fit(rows)
    assert ours.set_params(kernel="rbf").partial_fit(rows[:, :3]).transform(rows[:, :3]).shape == (300, 2)


def test_a_stream_goes_on_after_pickling(rows):
    import pickle

    straight = mercer.IncrementalKernelPCA(3, gamma=0.05).partial_fit(rows[:150]).partial_fit(rows[150:])
    resumed = pickle.loads(pickle.dumps(mercer.IncrementalKernelPCA(3, gamma=0.05).partial_fit(rows[:150])))
    np.testing.assert_array_equal(resumed.partial_fit(rows[150:]).transform(rows), straight.transform(rows))


def test_reduced_sets_keep_their_centres(rows):
    ours = mercer.ReducedSetKernelPCA(2, gamma=0.05, ell=2).fit(rows)
    assert len(ours.centers_) == len(ours.center_weights_) < len(rows)
    assert ours.center_weights_.sum() == pytest.approx(len(rows))
    radius = 1 / np.sqrt(0.05) / 2
    assert (pairwise_distances(rows, ours.centers_).min(axis=1) < radius).all()
    assert "mmd_radius" in ours.summary_["bounds"]


def test_features_say_what_they_explain(rows):
    ours = mercer.FeatureAnalysis(5, gamma=0.05).fit(rows)
    summary = ours.summary_
    assert ours.gains_.sum() + ours.reconstruction_error_ == pytest.approx(
        summary["total_variance"]["high"] / summary["total_weight"])
    assert ours.transform(rows).shape == (300, 5)
    fewer = mercer.FeatureAnalysis(stop_error=0.2, gamma=0.05).fit(rows)
    assert fewer.reconstruction_error_ <= 0.2


@pytest.mark.parametrize("estimator", [mercer.DiffusionMaps(2, gamma=0.2), mercer.LaplacianEigenmaps(2, gamma=0.2)],
                         ids=str)
def test_graphs_part_clusters(estimator):
    random = np.random.default_rng(0)
    labels = np.repeat([0, 1], 100)
    rows = random.normal(size=(200, 2)) * 0.5 + 6 * labels[:, np.newaxis]
    first = estimator.fit_transform(rows)[:, 0]
    assert (np.sign(first) == np.sign(first[0]) * np.where(labels == 0, 1, -1)).all()
    reduced = estimator.set_params(reduce="shadow").fit(rows).transform(rows)[:, 0]
    assert abs(np.corrcoef(first, reduced)[0, 1]) > 0.999


@pytest.mark.parametrize("metric, theirs", [("euclidean", "euclidean"), ("l1", "cityblock")])
def test_neighbours_are_exact(rows, metric, theirs):
    ours = mercer.SparseDistance(16, metric=metric).fit(rows[:250])
    distances, items = ours.kneighbors(rows[250:], 4)
    expected, expected_items = NearestNeighbors(n_neighbors=4, metric=theirs).fit(rows[:250]).kneighbors(rows[250:])
    if metric == "l1":
        expected = np.sqrt(expected)
    np.testing.assert_array_equal(items, expected_items)
    np.testing.assert_allclose(distances, expected, rtol=1e-9)
    others = ours.kneighbors(n_neighbors=3, return_distance=False)
    assert others.shape == (250, 3) and (others != np.arange(250)[:, np.newaxis]).all()


def test_distances_lie_between_their_bounds(rows):
    ours = mercer.SparseDistance(16).fit(rows[:250])
    true = pairwise_distances(rows[250:], rows[:250])
    lower, upper = ours.bounds(rows[250:])
    assert (lower <= true + 1e-6).all() and (true <= upper + 1e-6).all()
    # Four columns and sixteen landmarks leave nothing to estimate.
    np.testing.assert_allclose(ours.estimate(rows[250:]), true, atol=1e-5)


def test_a_distance_may_be_a_function(rows):
    ours = mercer.SparseDistance(8, metric=lambda x, y: float(((x - y) ** 2).sum()),
                                 metric_params={"hilbertian": True}).fit(rows[:60])
    expected = mercer.SparseDistance(8).fit(rows[:60])
    np.testing.assert_array_equal(ours.kneighbors(rows[60:70])[1], expected.kneighbors(rows[60:70])[1])


def test_distances_may_be_precomputed(rows):
    ours = mercer.SparseDistance(8, metric="precomputed", rerank=20).fit(pairwise_distances(rows[:60]))
    found = ours.kneighbors(pairwise_distances(rows[60:70], rows[:60]), 1)[1]
    expected = mercer.SparseDistance(8).fit(rows[:60]).kneighbors(rows[60:70], 1)[1]
    assert (found == expected).mean() >= 0.9
