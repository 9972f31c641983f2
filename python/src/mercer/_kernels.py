"""Kernels by the names and meanings of scikit-learn, and those of mercer that it has no name for."""

from functools import partial
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from ._native import Kernel

# Name here -> name in the library and the parameters that it takes.
KERNELS = {
    "linear": ("linear", ()),
    "poly": ("polynomial", ("gamma", "degree", "coef0")),
    "polynomial": ("polynomial", ("gamma", "degree", "coef0")),
    "rbf": ("gaussian", ("gamma",)),
    "sigmoid": ("sigmoid", ("gamma", "coef0")),
    "cosine": ("cosine", ()),
    "laplacian": ("laplacian_l1", ("gamma",)),
    "chi2": ("exponential_chi2", ("gamma",)),
    "additive_chi2": ("negative_chi2", ()),
    "laplacian_l2": ("laplacian", ("gamma",)),
    "matern32": ("matern32", ("length",)),
    "matern52": ("matern52", ("length",)),
    "rational_quadratic": ("rational_quadratic", ("length", "alpha")),
    "precomputed": ("precomputed", ()),
}

KERNEL_CONSTRAINTS = {
    "kernel": [StrOptions(set(KERNELS)), callable],
    "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"median"}), None],
    "degree": [Interval(Integral, 1, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "kernel_params": [dict, None],
}


def default_gamma(kernel, n_features):
    """scikit-learn's: 1 for chi2, otherwise one over the number of columns."""
    return 1.0 if kernel == "chi2" else 1.0 / n_features


def make_kernel(kernel, n_features, *, gamma=None, degree=3, coef0=1, kernel_params=None):
    """The library's kernel for what scikit-learn's parameters mean.

    As there, `kernel_params` are for callables only, and for the ``length`` and ``alpha`` that its kernels do not have. A
    ``length`` that is not given is chosen by the median heuristic, as ``gamma="median"`` is.
    """
    extra = dict(kernel_params or {})
    if callable(kernel):
        return Kernel("function", {}, partial(kernel, **extra) if extra else kernel)
    if kernel not in KERNELS:
        raise ValueError(f"there is no kernel {kernel!r}; there are {', '.join(KERNELS)}")
    name, takes = KERNELS[kernel]
    if gamma == "median" and kernel not in ("rbf", "laplacian", "laplacian_l2", "chi2"):
        raise ValueError(f"gamma='median' is for kernels of distances; {kernel!r} has no such width")
    parameters = {"degree": degree, "coef0": coef0}
    if gamma != "median":
        parameters["gamma"] = default_gamma(kernel, n_features) if gamma is None else gamma
    parameters |= {key: extra[key] for key in ("length", "alpha") if key in extra}
    parameters = {key: float(value) for key, value in parameters.items() if key in takes}
    if name == "polynomial" and not parameters["degree"].is_integer():
        name = "real_polynomial"
    return Kernel(name, parameters)
