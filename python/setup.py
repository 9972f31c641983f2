"""Builds the extension module with CMake; everything else about the package is in pyproject.toml."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent.parent


class CMakeBuild(build_ext):
    """One extension, configured and built from the root of the project.

    MERCER_CMAKE_BUILD names a folder to build in, so that the next build need not begin anew; CMAKE_ARGS has more
    options for CMake.
    """

    def build_extension(self, extension):
        target = Path(self.get_ext_fullpath(extension.name)).resolve()
        folder = Path(os.environ.get("MERCER_CMAKE_BUILD") or Path(self.build_temp).resolve() / "cmake")
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DMERCER_BUILD_CLI=OFF", "-DMERCER_BUILD_PYTHON=ON",
                   f"-DPython_EXECUTABLE={sys.executable}", *os.environ.get("CMAKE_ARGS", "").split()]
        if shutil.which("ninja"):
            options.append("-GNinja")
        if shutil.which("ccache"):
            options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, *options], check=True)
        jobs = str(self.parallel or os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", folder, "--target", "mercer_python", "-j", jobs], check=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        built = folder / "python" / target.name
        shutil.copyfile(built, target)


def version():
    """The one of the library."""
    return re.search(r"project\(mercer VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


setup(version=version(), ext_modules=[Extension("mercer._native", [])], cmdclass={"build_ext": CMakeBuild})
