"""What a fit did, how well, at what cost."""

import json
import warnings

from sklearn.exceptions import ConvergenceWarning


class Summary(dict):
    """The summary of a fit as a dictionary, by the keys of docs/summary.schema.json.

    ``print(summary)`` shows all of it as text for people, ``summary.brief()`` one line.
    """

    def __init__(self, text="{}", brief="", full=""):
        super().__init__(json.loads(text))
        self._brief = brief
        self._full = full

    @classmethod
    def of(cls, fitted):
        """The summary of a model or of distances."""
        return cls(*fitted.summary)

    def brief(self) -> str:
        """One line: method, size, components, error, time."""
        return self._brief

    def __str__(self):
        return self._full

    def warn(self):
        """Says aloud what the fit has to warn of, but for the BLAS, which is no matter of the data."""
        for message in self["warnings"]:
            if "OPENBLAS_CORETYPE" not in message:
                warnings.warn(message, stacklevel=3)
        ending = self["termination"]
        if ending["reason"] == "not_converged":
            warnings.warn(ending["message"], ConvergenceWarning, stacklevel=3)
        elif ending["reason"] == "tolerance_missed":
            warnings.warn(ending["message"], stacklevel=3)
