"""KernelPCA beside scikit-learn's: the same numbers where both have them, and what ours has besides."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.decomposition
from sklearn.exceptions import ConvergenceWarning, NotFittedError
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


def test_a_precomputed_kernel_need_not_be_symmetric_to_the_last_bit(rows, tmp_path):
    values = rbf_kernel(rows, gamma=0.1)
    values[0, 1] += 1e-14
    for center in (True, False):
        ours = mercer.KernelPCA(3, kernel="precomputed", center=center).fit(values)
        expected = mercer.KernelPCA(3, kernel="rbf", gamma=0.1, center=center).fit(rows)
        np.testing.assert_allclose(ours.eigenvalues_, expected.eigenvalues_, rtol=1e-9)
        ours.save(tmp_path / "m.mercer")
        np.testing.assert_array_equal(mercer.load(tmp_path / "m.mercer").transform(values), ours.transform(values))


def test_an_asymmetric_kernel_is_centred_first_and_not_saved(tmp_path):
    skewed = np.array([[1.0, 2.0], [3.0, 40.0]])
    ours = mercer.KernelPCA(1, kernel="precomputed").fit(skewed)
    np.testing.assert_allclose(ours.fit_transform(skewed), ours.transform(skewed), atol=1e-12)
    with pytest.raises(ValueError, match="asymmetric"):
        ours.save(tmp_path / "m.mercer")
    with pytest.raises(ValueError, match="not symmetric"):
        mercer.KernelPCA(1, kernel="precomputed", center=False).fit(skewed)


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
    for count in (2, 299, None):
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


def test_what_the_fit_warns_of_is_a_warning(rows):
    with pytest.warns(ConvergenceWarning, match="solver stopped"):
        mercer.KernelPCA(20, kernel="rbf", gamma=5, max_iter=3, eigen_solver="arpack").fit(
            np.random.default_rng(0).normal(size=(3000, 4)))
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        mercer.KernelPCA(2, kernel="sigmoid", gamma=1, coef0=-1).fit(rows)


def test_a_fit_that_failed_is_none(rows):
    ours = mercer.KernelPCA(299, kernel="sigmoid", gamma=1, coef0=-1)
    with pytest.raises(ValueError, match="significant negative eigenvalues"):
        ours.fit(rows)
    with pytest.raises(NotFittedError):
        ours.transform(rows)


def test_nothing_of_an_earlier_fit_stays(rows):
    reduced = mercer.ReducedSetKernelPCA(2, gamma=0.1).fit(rows)
    assert hasattr(reduced, "center_weights_")
    assert not hasattr(reduced.set_params(center=False).fit(rows), "center_weights_")
    inverse = mercer.KernelPCA(2, kernel="rbf", fit_inverse_transform=True).fit(rows)
    assert inverse.dual_coef_.shape == rows.shape
    assert not hasattr(inverse.set_params(fit_inverse_transform=False).fit(rows), "dual_coef_")


def test_scores_of_another_width_have_no_inverse(rows):
    ours = mercer.KernelPCA(2, kernel="rbf", fit_inverse_transform=True).fit(rows)
    with pytest.raises(ValueError, match="X has 7 columns, but there are 2 components"):
        ours.inverse_transform(np.zeros((3, 7)))


@pytest.mark.parametrize("form", ["csc", "coo", "bsr", "csr"])
def test_models_take_every_sparse_form(rows, form):
    sparse = scipy.sparse.csr_matrix(np.where(np.abs(rows) > 1, rows, 0))
    model = mercer.KernelPCA(2, kernel="rbf").fit(rows)._model
    np.testing.assert_array_equal(model.transform(sparse.asformat(form)), model.transform(sparse.toarray()))


def test_broken_sparse_matrices_are_refused(rows):
    model = mercer.KernelPCA(2, kernel="rbf").fit(rows)._model
    for place, value in ((-1, 10**9), (3, -5), (0, 1)):
        broken = scipy.sparse.csr_matrix(rows)
        broken.indptr[place] = value
        with pytest.raises(ValueError, match="sparse matrix is broken"):
            model.transform(broken)
    broken = scipy.sparse.csr_matrix(rows)
    broken.indices[5] = 99
    with pytest.raises(ValueError, match="sparse matrix is broken"):
        model.transform(broken)


@pytest.mark.parametrize("parameters, message", [
    ({"method": "landmarks", "tol": 0.1}, "eigen_solver, tol and max_iter are of exact kernel PCA"),
    ({"gamma": "median", "kernel": "poly"}, "'poly' has no such width"),
    ({"method_options": {"landmark": 3}, "method": "landmarks"}, "landmarks has no option 'landmark'; it has components"),
    ({"method_options": {"selection": "best"}, "method": "landmarks"}, "selection is 'best': it must be one of auto"),
    ({"method": "greedy", "precision": "float"}, "precision='float' does not go with method='greedy'"),
    ({"n_jobs": 0}, "n_jobs == 0"),
])
def test_what_is_wrong_is_said(rows, parameters, message):
    with pytest.raises(ValueError, match=message):
        mercer.KernelPCA(2, **({"kernel": "rbf"} | parameters)).fit(rows)


def test_an_option_of_the_wrong_kind_is_a_type_error(rows):
    with pytest.raises(TypeError, match="option 'landmarks' cannot be 'many'"):
        mercer.KernelPCA(2, kernel="rbf", method="landmarks", method_options={"landmarks": "many"}).fit(rows)


def test_too_little_memory_is_a_memory_error(rows):
    with pytest.raises(MemoryError, match="memory limit"):
        mercer.KernelPCA(100, kernel="rbf", memory_limit=10000).fit(rows)
