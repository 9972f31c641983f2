"""KernelPCA beside scikit-learn's: the same numbers where both have them, and what ours has besides."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.decomposition
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

import mercer

KERNELS = {
    "linear": {},
    "poly": {"gamma": 0.2, "degree": 2, "coef0": 0.5},
    "rbf": {"gamma": 0.1},
    "sigmoid": {"gamma": 0.001},
    "cosine": {},
}


def pair(n_components=4, **parameters):
    """Ours and theirs."""
    theirs = {name: value for name, value in parameters.items() if name != "method"}
    return (mercer.KernelPCA(n_components, **parameters),
            sklearn.decomposition.KernelPCA(n_components, eigen_solver="dense", **theirs))


def assert_same_up_to_sign(ours, theirs, tolerance=1e-8):
    signs = np.sign((ours * theirs).sum(axis=0))
    np.testing.assert_allclose(ours * signs, theirs, atol=tolerance * np.abs(theirs).max())


@pytest.mark.parametrize("kernel", KERNELS)
def test_has_scikit_learns_numbers(rows, kernel):
    ours, theirs = pair(kernel=kernel, **KERNELS[kernel])
    ours.fit(rows[:200])
    theirs.fit(rows[:200])
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    assert_same_up_to_sign(ours.eigenvectors_, theirs.eigenvectors_)
    assert_same_up_to_sign(ours.transform(rows[200:]), theirs.transform(rows[200:]))
    np.testing.assert_array_equal(ours.X_fit_, rows[:200])


@pytest.mark.parametrize("kernel, gamma", [("laplacian", 0.3), ("chi2", 0.5)])
def test_kernels_mean_what_they_mean_in_scikit_learn(rows, kernel, gamma):
    rows = np.abs(rows)
    values = pairwise_kernels(rows, metric=kernel, gamma=gamma)
    ours = mercer.KernelPCA(3, kernel=kernel, gamma=gamma).fit(rows)
    expected = mercer.KernelPCA(3, kernel="precomputed").fit(values)
    np.testing.assert_allclose(ours.eigenvalues_, expected.eigenvalues_, rtol=1e-9)
    assert_same_up_to_sign(ours.transform(rows), expected.transform(values))


def test_default_gamma_is_one_over_the_columns(rows):
    ours, theirs = (estimator.fit(rows) for estimator in pair(kernel="rbf"))
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_inverse_transform_is_scikit_learns(rows, kernel):
    parameters = {"kernel": kernel, "gamma": 0.1, "fit_inverse_transform": True, "alpha": 0.01}
    ours, theirs = (estimator.fit(rows) for estimator in pair(5, **parameters))
    expected = theirs.inverse_transform(theirs.transform(rows[:20]))
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(rows[:20])), expected,
                               atol=1e-6 * np.abs(expected).max())


def test_a_callable_is_called_with_rows_and_its_parameters(rows):
    calls = []

    def kernel(x, y, scale):
        calls.append((x.shape, y.shape))
        return float(np.exp(-scale * ((x - y) ** 2).sum()))

    ours = mercer.KernelPCA(3, kernel=kernel, kernel_params={"scale": 0.1}).fit(rows[:60])
    expected = mercer.KernelPCA(3, kernel="rbf", gamma=0.1).fit(rows[:60])
    np.testing.assert_allclose(ours.eigenvalues_, expected.eigenvalues_, rtol=1e-9)
    assert set(calls) == {((4,), (4,))}
    assert_same_up_to_sign(ours.transform(rows[60:80]), expected.transform(rows[60:80]))


def test_a_callable_goes_with_other_methods_too(rows):
    def kernel(x, y):
        return float(np.exp(-0.1 * ((x - y) ** 2).sum()))

    ours = mercer.KernelPCA(3, kernel=kernel, method="landmarks", method_options={"landmarks": 100}).fit(rows)
    exact = mercer.KernelPCA(3, kernel="rbf", gamma=0.1).fit(rows)
    np.testing.assert_allclose(ours.eigenvalues_, exact.eigenvalues_, rtol=1e-2)


def test_an_error_in_a_callable_is_raised(rows):
    def kernel(x, y):
        raise RuntimeError("no kernel today")

    with pytest.raises(RuntimeError, match="no kernel today"):
        mercer.KernelPCA(3, kernel=kernel).fit(rows)


def test_a_precomputed_kernel_gives_what_its_rows_give(rows):
    ours = mercer.KernelPCA(3, kernel="precomputed").fit(rbf_kernel(rows, gamma=0.1))
    expected = mercer.KernelPCA(3, kernel="rbf", gamma=0.1).fit(rows)
    assert_same_up_to_sign(ours.transform(rbf_kernel(rows[:9], rows, gamma=0.1)), expected.transform(rows[:9]))


def test_components_that_the_rows_do_not_have_are_zeros():
    rows = np.random.default_rng(0).normal(size=(50, 2))
    ours = mercer.KernelPCA(5).fit(rows)
    assert ours.eigenvalues_.shape == (5,)
    assert (ours.eigenvalues_[2:] == 0).all() and (ours.transform(rows)[:, 2:] == 0).all()
    assert mercer.KernelPCA(5, remove_zero_eig=True).fit_transform(rows).shape == (50, 2)
    assert mercer.KernelPCA().fit_transform(rows).shape == (50, 2)


def test_a_share_of_the_variance_in_the_place_of_a_number(rows):
    ours = mercer.KernelPCA(0.9, kernel="rbf", gamma=0.1).fit(rows)
    assert ours.explained_variance_ratio_.sum() >= 0.9
    assert ours.explained_variance_ratio_[:-1].sum() < 0.9


def test_negative_eigenvalues_are_an_error_where_scikit_learn_has_one(rows):
    for count in (2, 299):
        ours, theirs = pair(count, kernel="sigmoid", gamma=1, coef0=-1)
        try:
            expected = theirs.fit(rows).eigenvalues_
        except ValueError as error:
            assert "significant negative eigenvalues" in str(error)
            with pytest.raises(ValueError, match="There are significant negative eigenvalues"):
                ours.fit(rows)
        else:
            np.testing.assert_allclose(ours.fit(rows).eigenvalues_, expected, rtol=1e-8)


@pytest.mark.parametrize("method, options", [
    ("landmarks", {"landmarks": 200}), ("greedy", {"max_library": 200}), ("partitioned", {"blocks": 3, "mse": 1e-6}),
    ("shadow", {"ell": 20}), ("kmeans", {"centers": 200}), ("randomized", {"sparsify": 2, "rayleigh": True}),
    ("random_features", {"frequencies": 4096})])
def test_approximations_are_near_the_exact_components(rows, method, options):
    exact = mercer.KernelPCA(2, kernel="rbf", gamma=0.05).fit(rows)
    ours = mercer.KernelPCA(2, kernel="rbf", gamma=0.05, method=method, method_options=options).fit(rows)
    assert ours.summary_["method"] == method
    np.testing.assert_allclose(ours.eigenvalues_, exact.eigenvalues_, rtol=0.05)
    scores, expected = ours.transform(rows), exact.transform(rows)
    mixing = np.linalg.lstsq(scores, expected, rcond=None)[0]
    assert np.linalg.norm(expected - scores @ mixing) < 0.1 * np.linalg.norm(expected)


def test_landmarks_say_what_they_leave_out(rows):
    ours = mercer.KernelPCA(2, kernel="rbf", gamma=0.05, method="landmarks", method_options={"landmarks": 20}).fit(rows)
    assert 0 < ours.residual_trace_fraction_ < 0.2
    assert not hasattr(ours, "eigenvectors_") and not hasattr(ours, "X_fit_")
    assert not hasattr(mercer.KernelPCA(2).fit(rows), "residual_trace_fraction_")


def test_auto_takes_landmarks_for_many_rows_and_says_why():
    rows = np.random.default_rng(0).normal(size=(30000, 3))
    ours = mercer.KernelPCA(3, kernel="rbf", gamma=0.1).fit(rows)
    assert ours.summary_["method"] == "landmarks"
    assert any(choice["what"] == "method" and choice["why"] for choice in ours.summary_["choices"])


def test_reconstruct_takes_noise_off():
    random = np.random.default_rng(0)
    angle = random.uniform(0, 2 * np.pi, 600)
    circle = 5 * np.column_stack([np.cos(angle), np.sin(angle)])
    noisy = circle + 0.3 * random.normal(size=circle.shape)
    ours = mercer.KernelPCA(8, kernel="rbf", gamma=0.05).fit(noisy)
    distance = np.abs(np.linalg.norm(noisy, axis=1) - 5).mean()
    assert np.abs(np.linalg.norm(ours.reconstruct(noisy), axis=1) - 5).mean() < 0.75 * distance


def test_sparse_rows_give_what_dense_ones_give(rows):
    sparse = scipy.sparse.csr_matrix(np.where(np.abs(rows) > 1, rows, 0))
    for parameters in ({}, {"method": "landmarks", "method_options": {"landmarks": 50}},
                       {"method": "shadow"}, {"method": "partitioned", "method_options": {"partition": "order"}}):
        ours = mercer.KernelPCA(3, kernel="rbf", gamma=0.1, **parameters)
        np.testing.assert_array_equal(ours.fit(sparse).transform(sparse), ours.fit(sparse.toarray()).transform(sparse))


def test_repeated_entries_of_sparse_rows_add_up():
    twice = scipy.sparse.csr_matrix((np.ones(6), [0, 0, 1, 2, 2, 0], [0, 2, 3, 5, 6]), shape=(4, 3))
    ours = mercer.KernelPCA(2, kernel="rbf")
    np.testing.assert_array_equal(ours.fit(twice).transform(twice), ours.fit(twice.toarray()).transform(twice.toarray()))


def test_float32_is_taken_and_given(rows):
    exact = mercer.KernelPCA(3, kernel="rbf", gamma=0.1).fit(rows)
    for parameters in ({}, {"method": "landmarks", "method_options": {"landmarks": 150}, "precision": "float"}):
        ours = mercer.KernelPCA(3, kernel="rbf", gamma=0.1, **parameters)
        assert ours.fit_transform(rows.astype(np.float32)).dtype == np.float32
        assert_same_up_to_sign(ours.transform(rows.astype(np.float32)), exact.transform(rows), 1e-2)


def test_results_do_not_depend_on_threads(rows):
    first, second = (mercer.KernelPCA(3, kernel="rbf", gamma=0.1, n_jobs=jobs, method="landmarks").fit(rows)
                     for jobs in (1, 2))
    np.testing.assert_array_equal(first.transform(rows), second.transform(rows))


@pytest.mark.parametrize("parameters, message", [
    ({"method_options": {"landmark": 3}, "method": "landmarks"}, "landmarks has no option 'landmark'; it has components"),
    ({"method_options": {"selection": "best"}, "method": "landmarks"}, "selection is 'best': it must be one of auto"),
    ({"method": "greedy", "precision": "float"}, "precision='float' does not go with method='greedy'"),
    ({"n_jobs": 0}, "n_jobs == 0"),
])
def test_what_is_wrong_is_said(rows, parameters, message):
    with pytest.raises(ValueError, match=message):
        mercer.KernelPCA(2, kernel="rbf", **parameters).fit(rows)


def test_an_option_of_the_wrong_kind_is_a_type_error(rows):
    with pytest.raises(TypeError, match="option 'landmarks' cannot be 'many'"):
        mercer.KernelPCA(2, kernel="rbf", method="landmarks", method_options={"landmarks": "many"}).fit(rows)


def test_too_little_memory_is_a_memory_error(rows):
    with pytest.raises(MemoryError, match="memory limit"):
        mercer.KernelPCA(100, kernel="rbf", memory_limit=10000).fit(rows)
