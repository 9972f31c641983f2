"""What a fit did, how well, at what cost."""

import json


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
