"""What all estimators here have in common: checks of the rows, a model of the library, its scores."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _native
from ._kernels import KERNEL_CONSTRAINTS, make_kernel
from ._run import Run, transform_run
from ._summary import Summary

RUN_CONSTRAINTS = {
    "random_state": ["random_state"],
    "n_jobs": [None, Integral],
    "memory_limit": [Interval(Integral, 1, None, closed="left"), None],
    "progress": ["boolean", callable],
}

# Their formula is written in this package, so that the command line could not read them.
KERNELS_WITHOUT_FILES = ("negative_chi2", "real_polynomial")

# Why a check of scikit-learn is not for estimators that choose among rows.
REORDERED_ROWS = {
    "check_sample_weights_invariance": (
        "the check also reorders the rows, which are copies of four points: such ties go to the first row, and signs "
        "and choices with them. That rows of weight zero count as absent is in tests/test_weights.py"
    )
}


def check_rows(estimator, X, reset, least=1):
    """Rows as the library takes them, `least` at least: doubles or floats, dense or CSR, finite; not copied if possible."""
    return estimator._validate_data(X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset,
                                    ensure_min_samples=least)


def weighted_rows(X, sample_weight):
    """Rows and their weights without those of weight zero, which count as absent."""
    if sample_weight is None:
        return X, None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if np.any(weights < 0):
        raise ValueError("Negative values in data passed to `sample_weight`")
    present = weights > 0
    if not present.any():
        raise ValueError("`sample_weight` is zero for every row")
    return (X, weights) if present.all() else (X[present], weights[present])


class ModelTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """An estimator with a kernel of scikit-learn's parameters, around a model of the library, `_model`."""

    _parameter_constraints: dict = {**KERNEL_CONSTRAINTS, **RUN_CONSTRAINTS}

    def transform(self, X):
        """Component values of new rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New rows. Those of float32 are evaluated in single precision, sparse ones block by block.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            Component values, in the type of the rows.
        """
        check_is_fitted(self)
        return self._model.transform(check_rows(self, X, reset=False), transform_run(self))

    def save(self, path):
        """Write the model to a file that the command line and `mercer.load` read.

        Parameters
        ----------
        path : str or path-like
            The file; one that is there is replaced, as a whole or not at all.
        """
        check_is_fitted(self)
        if self._model.kernel_name in KERNELS_WITHOUT_FILES:
            raise ValueError(f"no file can hold the kernel {self._model.kernel_name}: pickle the estimator instead")
        self._model.save(path)

    @property
    def summary_(self):
        """What the fit did, how well, at what cost: a `mercer.Summary`."""
        return Summary.of(self._fitted("_model"))

    @property
    def _n_features_out(self):
        return self._model.components

    def _fitted(self, name):
        """An attribute of the fitted state, for properties: absent before the fit."""
        try:
            return self.__dict__[name]
        except KeyError:
            raise AttributeError(f"this {type(self).__name__} has no fit yet") from None

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__

    def _fit_native(self, method, X, weights, options):
        """Sets the model, and says what there is to warn of."""
        for name in [name for name in self.__dict__ if name.endswith("_") and name not in ("n_features_in_",
                                                                                         "feature_names_in_")]:
            delattr(self, name)
        with Run(self) as run:
            self._model = _native.fit(method, X, self._make_kernel(), options, weights, run)
        Summary.of(self._model).warn()

    def _make_kernel(self):
        return make_kernel(self.kernel, self.n_features_in_, gamma=self.gamma, degree=self.degree, coef0=self.coef0,
                           kernel_params=self.kernel_params)

    def _more_tags(self):
        return {
            "pairwise": self.kernel == "precomputed",
            "requires_positive_X": self.kernel in ("chi2", "additive_chi2"),
            "preserves_dtype": [np.float64, np.float32],
            "_xfail_checks": REORDERED_ROWS,
        }
