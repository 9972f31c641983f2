#!/usr/bin/python3
"""Every method of the library and scikit-learn on the same rows with the same kernel: time, memory and error.

    frontier.py                      measures on USPS, MNIST and KDD Cup 99, then makes the tables and the picture
    frontier.py usps mnist           measures on these, and shows them with what was measured before
    frontier.py --again mnist        measures anew what other processes disturbed, and shows all
    frontier.py --show               only shows what was measured before

Each fit is a process of its own, with two threads and BLAS as it is installed, whatever OPENBLAS_* in the environment
say. The error is the relative distance, over rows that were not fitted, of the reference's scores from the nearest
linear combination of a method's: zero when the two spans are equal. Results are in build/experiments/today, one JSON
file for each data set.
"""

import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from command import COMMAND, QUICK, mercer, output_folder
from parts.contenders import contenders
from parts.report import DISTURBED, report

COMPONENTS = 10
THREADS = 2
LIMIT_SECONDS = 10 if QUICK else 60
REPETITIONS = 1 if QUICK else 3  # of fits that take less than two seconds; the fastest counts
REFERENCES = {
    "generated": ("--method", "exact"),
    "usps": ("--method", "exact"),
    "mnist": ("--method", "exact", "--precision", "float"),
    # Landmarks of another seed than those that are compared with it, which would be among its own otherwise.
    "kddcup": ("--method", "landmarks", "--landmarks", 5000, "--seed", 7),
}
DATA = ("generated",) if QUICK else ("usps", "mnist", "kddcup")
PARTS = Path(__file__).resolve().parent / "parts"
FOLDER = output_folder("today")


class Task:
    """A data set: its files, its kernel, and the scores that others are compared with."""

    def __init__(self, name):
        self.name = name
        self.fitted, self.held_out = (FOLDER / f"{name}_{part}.npy" for part in ("fitted", "held_out"))
        self.model, self.summary, self.scores = (FOLDER / f"{name}.{ending}"
                                                 for ending in ("mercer", "summary.json", "scores.npy"))
        self.n, self.d = np.load(self.fitted, mmap_mode="r").shape
        mercer("fit", self.fitted, "-o", self.model, "--landmarks", 100, "--json", self.summary, "-q")
        self.gamma = json.loads(self.summary.read_text())["kernel"]["parameters"]["gamma"]
        self.make_reference()

    def make_reference(self):
        words = REFERENCES[self.name]
        done = run(self.fit_command(words), 900)
        if "note" in done:
            raise SystemExit(f"no reference for {self.name}: {done['note']}")
        summary = json.loads(self.summary.read_text())
        self.reference = self.held_out_scores()
        self.machine = f"{summary['simd']}, {summary['blas']}"
        self.known = {"words": " ".join(map(str, words)), "seconds": summary["seconds"],
                      "left_of_trace": summary.get("residual_trace_fraction", 0)}

    def fit_command(self, words):
        return [COMMAND, "fit", self.fitted, "-o", self.model, "--gamma", self.gamma, "--threads", THREADS,
                "--json", self.summary, "-q", *words]

    def peer_command(self, contender):
        return [sys.executable, PARTS / "peer.py", self.fitted, self.held_out, self.scores, contender.peer,
                contender.size, self.gamma, COMPONENTS]

    def held_out_scores(self):
        mercer("transform", self.model, self.held_out, "-o", self.scores, "-q")
        return np.load(self.scores)

    def fit(self, contender):
        """Time, memory and rows kept, or a note why not; the scores of the rows held out are left in their file."""
        if contender.peer:
            done = run(self.peer_command(contender), LIMIT_SECONDS)
            return done if "note" in done else json.loads(done["output"]) | {"others": done["others"]}
        done = run(self.fit_command(contender.words), LIMIT_SECONDS)
        if "note" in done:
            return done
        summary = json.loads(self.summary.read_text())
        self.held_out_scores()
        return {"seconds": summary["seconds"], "peak_memory_bytes": done["peak_memory_bytes"],
                "library": summary.get("library_size"), "method": summary["method"], "others": done["others"]}

    def error(self):
        """min over M of |A - B M| / |A|, with A the reference's scores and B those in the file."""
        scores = np.load(self.scores)
        mixing = np.linalg.lstsq(scores, self.reference, rcond=None)[0]
        return float(np.linalg.norm(self.reference - scores @ mixing) / np.linalg.norm(self.reference))


def run(command, limit):
    """What a process prints and its peak memory, or a note why there is nothing; ends here if the process failed."""
    as_installed = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
    environment = as_installed | {"OPENBLAS_NUM_THREADS": str(THREADS), "OMP_NUM_THREADS": str(THREADS)}
    words = [sys.executable, PARTS / "measured.py", limit, *command]
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode != 0:
        raise SystemExit(done.returncode)
    return json.loads(done.stdout)


def too_large(contender):
    """A peer that would bring the machine down is not started."""
    available = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return contender.memory_bytes > 0.8 * available


def measure(task, contender):
    result = {"family": contender.family, "setting": contender.setting}
    if too_large(contender):
        return result | {"note": f"needs {contender.memory_bytes / 1e9:.0f} GB"}
    fits = []
    while not fits or (len(fits) < REPETITIONS and fits[-1]["seconds"] < 2):
        fits.append(task.fit(contender))
        if "note" in fits[-1]:
            return result | fits[-1]
    return result | min(fits, key=lambda fit: fit["seconds"]) | {"error": task.error()}


def results_file(name):
    return FOLDER / f"{name}.json"


def results_before(name):
    """What was measured, by family and setting."""
    results = json.loads(results_file(name).read_text())["results"]
    return {(result["family"], result["setting"]): result for result in results}


def measure_again(task, contender, before):
    """What nobody disturbed stays; of what was disturbed the faster counts."""
    if before and before.get("others", 0) <= DISTURBED:
        return before
    result = measure(task, contender)
    return min((result, before), key=lambda fit: fit["seconds"]) if before and "seconds" in result else result


def measure_all(name, before):
    """Measures every contender on a data set, and keeps what comes, if the data are there."""
    load = os.getloadavg()[0]
    environment = os.environ | {"PYTHONPATH": str(PARTS.parent.parent)}
    subprocess.run([sys.executable, PARTS / "tables.py", name, FOLDER], check=True, env=environment)
    if not (FOLDER / f"{name}_fitted.npy").exists():
        return
    task = Task(name)
    record = {"name": name, "n": task.n, "d": task.d, "gamma": task.gamma, "held_out": len(task.reference),
              "limit_seconds": LIMIT_SECONDS, "machine": task.machine, "reference": task.known, "load": load,
              "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC", "results": []}
    stopped = set()
    for contender in contenders(task.n, task.d):
        if contender.family in stopped:
            continue
        result = measure_again(task, contender, before.get((contender.family, contender.setting)))
        if contender.size and "note" in result:
            stopped.add(contender.family)  # larger ones take longer
        record["results"].append(result)
        results_file(name).write_text(json.dumps(record, indent=1))
        print(f"{name}: {json.dumps(result)}", file=sys.stderr, flush=True)


def main():
    words = sys.argv[1:]
    again = words[:1] == ["--again"]
    if words != ["--show"]:
        for name in words[again:] or DATA:
            measure_all(name, results_before(name) if again else {})
    report([json.loads(results_file(name).read_text()) for name in DATA if results_file(name).exists()])


if __name__ == "__main__":
    main()
