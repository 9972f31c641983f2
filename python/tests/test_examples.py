"""Examples run, and the pictures of the tutorial are there; examples in docstrings give what they say."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mercer

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_runs(example, tmp_path):
    done = subprocess.run([sys.executable, example, tmp_path], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    if example.stem == "tutorial":
        assert {path.name for path in tmp_path.glob("*.png")} == {"circles.png", "noise.png", "roll.png"}


@pytest.mark.parametrize("page", ["README.md", "python/README.md", "docs/python.md"])
def test_code_in_the_documentation_runs(page, rows, capsys):
    blocks = re.findall("```python\n(.*?)```", (EXAMPLES.parents[1] / page).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, {"X": rows, "X_new": rows[:5]})
    assert "Kernel PCA" in capsys.readouterr().out


@pytest.mark.parametrize("name", [name for name in mercer.__all__ if "Examples" in (getattr(mercer, name).__doc__ or "")])
def test_docstrings_give_what_they_say(name):
    cls = getattr(mercer, name)
    (test,) = [test for test in doctest.DocTestFinder(recurse=False).find(cls, name) if test.examples]
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0
