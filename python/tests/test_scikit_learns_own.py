"""scikit-learn's own tests of its KernelPCA and Nystroem, run on ours."""

import numpy as np
import sklearn.decomposition.tests.test_kernel_pca as kernel_pca_tests
import sklearn.tests.test_kernel_approximation as kernel_approximation_tests
from sklearn.conftest import global_dtype  # noqa: F401
from sklearn.decomposition.tests.test_kernel_pca import *  # noqa: F403
from sklearn.tests.test_kernel_approximation import *  # noqa: F403

import mercer


def setup_module():
    kernel_pca_tests.KernelPCA = mercer.KernelPCA
    kernel_approximation_tests.Nystroem = mercer.Nystroem


def teardown_module():
    import sklearn.decomposition
    import sklearn.kernel_approximation

    kernel_pca_tests.KernelPCA = sklearn.decomposition.KernelPCA
    kernel_approximation_tests.Nystroem = sklearn.kernel_approximation.Nystroem


def test_the_classes_tested_are_ours():
    assert kernel_pca_tests.KernelPCA is mercer.KernelPCA
    assert kernel_approximation_tests.Nystroem is mercer.Nystroem
    assert np.all(kernel_pca_tests.KernelPCA(1).fit(np.eye(2))._model is not None)
