"""Files that the command line reads and writes, too."""

from . import _native
from ._native import Distances, Kernel, Model, Stream


def load(path, kernel=None):
    """What a file of mercer holds.

    Parameters
    ----------
    path : str or path-like
        A file that `mercer fit`, `mercer update` or `mercer distance fit` wrote, or `save`.

    kernel : callable, default=None
        The kernel of a model over a callable, which no file can hold.

    Returns
    -------
    loaded : mercer.Model, mercer.Stream or mercer.Distances
        Whatever it is.
    """
    kind = _native.file_kind(path)
    if kernel is not None and kind != "model":
        raise ValueError(f"{path} holds a {kind}: only models over a callable take a kernel")
    if kind == "model":
        try:
            return Model.load(path, None if kernel is None else Kernel("function", {}, kernel))
        except _native.FileError as error:
            if kernel is None and "custom kernel" in str(error):
                raise _native.FileError(f"{path} holds a model over a callable kernel, whose function no file can hold: "
                                        "mercer.load(path, kernel) takes it again") from None
            raise
    if kind == "stream":
        return Stream.load(path)
    if kind == "distance":
        return Distances.load(path)
    raise _native.FileError(f"{path} holds a {kind.replace('_', ' ')}: what parts of the data were summarised as is for "
                            "`mercer merge`, which makes a model of them")


def save(fitted, path):
    """Write a fitted estimator, a model, a stream or distances to a file.

    Parameters
    ----------
    fitted : estimator, mercer.Model, mercer.Stream or mercer.Distances
        What to write. Of an estimator it is the model; pickle it to keep the estimator.

    path : str or path-like
        The file; one that is there is replaced, as a whole or not at all.
    """
    fitted.save(path)
