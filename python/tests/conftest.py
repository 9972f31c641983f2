"""Tests of the installed package."""

import numpy as np
import pytest


@pytest.fixture
def rows():
    """Rows in clusters, of four columns."""
    random = np.random.default_rng(0)
    return random.normal(size=(300, 4)) + 3 * random.integers(0, 3, size=(300, 1))
