"""Kernel features, each in the span of a few rows."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ._estimator import ModelTransformer, check_rows, weighted_rows


class FeatureAnalysis(ModelTransformer):
    """Kernel feature analysis: features found one by one, each in the span of the rows chosen so far.

    Accelerated (AKFA, ACKFA; Jiang, Snapp, Motai & Zhu 2006) and sparse (SKFA; Smola, Mangasarian & Schoelkopf 1999).

    Parameters
    ----------
    n_components : int, default=None
        Most features. None: 10, or as many as `stop_error` takes.

    rule : {'akfa', 'ackfa', 'skfa'}, default='akfa'
        Which row makes the next feature: the one that lowers the error most, the same among rows that still have an
        error of `delta`, or the one of large variance and small coefficients.

    stop_error : float, default=None
        Enough when the mean squared distance of the rows from the features is at most this.

    delta : float, default=None
        Rows nearer than this are cut; of 'ackfa', which needs it.

    delta_relative : bool, default=False
        `delta` is a fraction of the largest distance in the beginning.

    projection : {'exact', 'sparse_mean'}, default='exact'
        'sparse_mean' projects the mean on the chosen rows, so that the model keeps these only.

    candidates : int, default=None
        Compare so many rows, drawn anew for each feature, instead of all.

    terms : int, default=None
        Sum over so many rows, drawn anew for each feature, instead of all.

    kernel : str or callable, default='rbf'
        As of `mercer.KernelPCA`.

    gamma : float or 'median', default=None
        Coefficient of the kernel. None: 1 / n_features. 'median': the median heuristic.

    degree : int, default=3
        Degree of 'poly'.

    coef0 : float, default=1
        Independent term of 'poly'.

    kernel_params : dict, default=None
        ``length`` and ``alpha`` of kernels that have these; keyword arguments of a callable.

    center : bool, default=True
        Subtract the mean in feature space.

    random_state : int, RandomState instance or None, default=None
        Seed of whatever is random. None is 0.

    n_jobs : int, default=None
        Threads. None and -1: all processors.

    memory_limit : int, default=None
        Most bytes that a fit may allocate for its work. None: half of the installed memory.

    progress : bool or callable, default=False
        As of `mercer.KernelPCA`.

    Attributes
    ----------
    gains_ : ndarray of shape (n_components,)
        Variance that each feature explains; need not decrease.

    reconstruction_error_ : float
        Mean squared distance of the rows from the features.

    error_curve_ : list of dict
        That error with fewer features: ``size`` and ``error``.

    summary_ : mercer.Summary
        What the fit did, how well, at what cost.

    n_features_in_ : int
        Number of columns.

    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where they have names.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer import FeatureAnalysis
    >>> X, _ = load_digits(return_X_y=True)
    >>> FeatureAnalysis(n_components=12, gamma=1e-3).fit_transform(X).shape
    (1797, 12)
    """

    _parameter_constraints: dict = {
        **ModelTransformer._parameter_constraints,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "rule": [StrOptions({"akfa", "ackfa", "skfa"})],
        "stop_error": [Interval(Real, 0, None, closed="neither"), None],
        "delta": [Interval(Real, 0, None, closed="left"), None],
        "delta_relative": ["boolean"],
        "projection": [StrOptions({"exact", "sparse_mean"})],
        "candidates": [Interval(Integral, 1, None, closed="left"), None],
        "terms": [Interval(Integral, 1, None, closed="left"), None],
        "center": ["boolean"],
    }

    def __init__(
        self,
        n_components=None,
        *,
        rule="akfa",
        stop_error=None,
        delta=None,
        delta_relative=False,
        projection="exact",
        candidates=None,
        terms=None,
        kernel="rbf",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
        center=True,
        random_state=None,
        n_jobs=None,
        memory_limit=None,
        progress=False,
    ):
        self.n_components = n_components
        self.rule = rule
        self.stop_error = stop_error
        self.delta = delta
        self.delta_relative = delta_relative
        self.projection = projection
        self.candidates = candidates
        self.terms = terms
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.center = center
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.progress = progress

    def fit(self, X, y=None, sample_weight=None):
        """Find features.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows; dense doubles are made of others.

        y : Ignored
            Present for API consistency by convention.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights; whole numbers equal repetition, zero is absence.

        Returns
        -------
        self : object
            The estimator.
        """
        self._validate_params()
        X, weights = weighted_rows(check_rows(self, X, reset=True, least=2), sample_weight)
        options = {"features": self.n_components, "stop_error": self.stop_error, "delta": self.delta,
                   "delta_relative": self.delta_relative, "projection": self.projection,
                   "candidates": self.candidates, "terms": self.terms, "center": self.center}
        self._fit_native(self.rule, X, weights, options)
        summary = self.summary_
        self.gains_ = np.array(summary["gains"])
        self.reconstruction_error_ = summary["reconstruction_error"]
        self.error_curve_ = summary.get("error_curve", [])
        return self
