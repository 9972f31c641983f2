"""One library in one task: a process that is started, asked to run, and listened to."""

import contextlib
import ctypes
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import typing
from dataclasses import dataclass, field
from pathlib import Path

PEERS = Path(__file__).resolve().parent / "peers"
LONGEST_RUN_SECONDS = 600


@dataclass(frozen=True)
class Peer:
    """How to start the adapter of a library."""

    name: str
    command: tuple
    choices: tuple = ()  # arguments after those that all adapters of a task get
    tolerance: float | None = None  # instead of the task's
    is_mercer: bool = False
    blas_core: str = ""  # OPENBLAS_CORETYPE to start it with; empty: as installed
    memory_bytes: typing.Callable | None = None  # size -> what a run needs, where that is much


@dataclass
class Participant:
    """A peer at work and what is measured of it, or the reason why there is nothing to measure."""

    peer: Peer
    reason: str = ""
    facts: dict = field(default_factory=dict)  # what the adapter says of itself
    blas_core: str = ""
    seconds: list = field(default_factory=list)
    values: list = field(default_factory=list)  # of the result of each run, to be compared
    error: float | None = None  # the largest of all runs
    memory_before_bytes: int = 0  # with the library and the data loaded
    peak_memory_bytes: int = 0
    process: subprocess.Popen | None = None
    complaints: typing.IO | None = None

    def start(self, arguments, threads):
        command = [str(word) for word in (*self.peer.command, *arguments, *self.peer.choices)]
        self.complaints = tempfile.TemporaryFile("w+")
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.complaints,
                text=True,
                env=environment(threads, self.peer.blas_core),
            )
        except FileNotFoundError:
            self.skip(f"{Path(command[0]).name} is not there")
            return
        self.facts = self.listen() or {}
        if self.is_running():
            self.blas_core = blas_core(mapped_openblas(self.process.pid), self.peer.blas_core)
            self.memory_before_bytes = self.resident_peak()

    def is_running(self):
        return not self.reason

    def run_once(self):
        """Returns the time of the run, or None when the process ended instead."""
        with contextlib.suppress(BrokenPipeError):
            print("run", file=self.process.stdin, flush=True)
        answer = self.listen()
        if answer is None:
            return None
        self.seconds.append(answer["seconds"])
        self.values.append(answer["values"])
        self.peak_memory_bytes = self.resident_peak()
        return answer["seconds"]

    def listen(self):
        """The next line of the process; without one the participant is skipped."""
        alarm = threading.Timer(LONGEST_RUN_SECONDS, self.process.kill)
        alarm.start()
        line = self.process.stdout.readline()
        alarm.cancel()
        if line:
            return json.loads(line)
        code = self.process.wait()
        self.complaints.seek(0)
        words = self.complaints.read().strip().splitlines()
        if code == -signal.SIGKILL:
            words = [f"killed: out of memory or more than {LONGEST_RUN_SECONDS} s"]
        self.skip(words[-1] if words else f"exit code {code}")
        return None

    def skip(self, reason):
        self.reason = reason
        self.seconds = []

    def stop(self):
        if self.process:
            self.process.communicate()  # the end of its input ends the adapter
        if self.complaints:
            self.complaints.close()

    def resident_peak(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status)[1])

    def as_json(self):
        result = {"name": self.peer.name, "library": self.facts.get("library", "")}
        if self.reason:
            return {**result, "skipped": self.reason}
        return {
            **result,
            "is_mercer": self.peer.is_mercer,
            "blas_core": self.blas_core,
            "blas_core_corrected": bool(self.peer.blas_core),
            "seconds": self.seconds,
            "best_seconds": min(self.seconds),
            "median_seconds": statistics.median(self.seconds),
            "error": self.error,
            "memory_before_bytes": self.memory_before_bytes,
            "peak_memory_bytes": self.peak_memory_bytes,
        }


def environment(threads, core):
    """As the user has it, except for the number of threads and the BLAS core."""
    result = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
    result["PYTHONPATH"] = os.pathsep.join([str(PEERS), *filter(None, [os.environ.get("PYTHONPATH")])])
    result.pop("OPENBLAS_CORETYPE", None)
    if core:
        result["OPENBLAS_CORETYPE"] = core
    return result


def mapped_openblas(pid):
    """The OpenBLAS library that a process has loaded, or nothing."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        path = line.split(maxsplit=5)[-1]
        if re.search(r"/lib[^/]*openblas[^/]*\.so[^/]*$", path):
            return path
    return ""


def blas_core(library, core):
    """The processor that this OpenBLAS takes itself to run on, asked in a process of its own."""
    if not library:
        return ""
    question = [sys.executable, __file__, library]
    return subprocess.run(
        question, env=environment(1, core), capture_output=True, text=True, check=False
    ).stdout.strip()


if __name__ == "__main__":
    name = ctypes.CDLL(sys.argv[1]).openblas_get_corename
    name.restype = ctypes.c_char_p
    print(name().decode())
