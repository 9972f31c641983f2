"""A wheel of this package works outside the tree."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake to build with")
def test_a_wheel_runs_elsewhere(tmp_path):
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    offline = ["--no-deps", "--no-index"]
    built = os.environ | {"MERCER_CMAKE_BUILD": os.environ.get("MERCER_CMAKE_BUILD", str(PACKAGE.parent / "build/python")),
                          "CMAKE_ARGS": "-DCMAKE_CXX_COMPILER=g++ -DMERCER_WERROR=ON"}
    subprocess.run([*pip, "wheel", PACKAGE, "--no-build-isolation", *offline, "-w", tmp_path], check=True, env=built)
    (wheel,) = tmp_path.glob("mercer-*.whl")
    subprocess.run([*pip, "install", wheel, *offline, "--target", tmp_path / "there"], check=True)
    code = "import mercer, numpy; print(mercer.__file__, mercer.KernelPCA(2, kernel='rbf').fit_transform(numpy.eye(5)).shape)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True,
                          env=os.environ | {"PYTHONPATH": str(tmp_path / "there")})
    assert done.stdout.split(" ", 1) == [str(tmp_path / "there/mercer/__init__.py"), "(5, 2)\n"]
    assert (tmp_path / "there/mercer/_native.pyi").exists() and (tmp_path / "there/mercer/py.typed").exists()
