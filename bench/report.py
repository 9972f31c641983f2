#!/usr/bin/python3
"""Puts the measured numbers into a Markdown file.

    bench/report.py README.md [RESULTS.json]

replaces what stands between the lines <!-- bench:begin --> and <!-- bench:end --> by tables made from
RESULTS.json (bench/results/latest.json). Running it again changes nothing.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from machine import QUIET_LOAD

BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
LATEST = Path(__file__).resolve().parent / "results/latest.json"


@dataclass
class Table:
    title: str
    header: list
    rows: list


def seconds(value):
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def ratio(value):
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def megabytes(value):
    return f"{value / 1e6:.0f} MB"


def best_peer(entries, tolerance):
    """The fastest library beside mercer whose result is as accurate, or None."""
    measured = [entry for entry in entries if "best_seconds" in entry and not entry["is_mercer"]]
    peers = [entry for entry in measured if entry["error"] <= tolerance]
    return min(peers, key=lambda entry: entry["best_seconds"], default=None)


def size_text(size):
    return ", ".join(f"{name} = {value:,}" for name, value in size.items())


def ways_of_mercer(entries):
    """mercer's entries, each with its way of doing the task in brackets where there are several."""
    for entry in entries:
        if entry.get("is_mercer") and "best_seconds" in entry:
            way = entry["name"].removeprefix("mercer").removeprefix(", ")
            yield entry, f" ({way})" if way else ""


def summary_table(results):
    rows = []
    for task in results["tasks"].values():
        for case in task["measured"]:
            peer = best_peer(case["entries"], task["tolerance"])
            for ours, way in ways_of_mercer(case["entries"]):
                row = [f"{task['label']}, {size_text(case['size'])}", f"{seconds(ours['best_seconds'])} s{way}"]
                if peer:
                    times = peer["best_seconds"] / ours["best_seconds"]
                    memory = [megabytes(entry["peak_memory_bytes"]) for entry in (ours, peer)]
                    row += [f"{seconds(peer['best_seconds'])} s ({peer['name']})", f"{ratio(times)} x"]
                    row += [f"{memory[0]}, {memory[1]}"]
                else:
                    row += ["none", "", megabytes(ours["peak_memory_bytes"])]
                rows.append(row)
    header = ["task", "mercer", "fastest peer of equal accuracy", "ratio", "peak memory: mercer, peer"]
    return Table("Time (best of the rounds)", header, rows)


def detail_table(task):
    rows = []
    for case in task["measured"]:
        for entry in case["entries"]:
            row = [size_text(case["size"]), entry["name"]]
            if "skipped" in entry:
                rows.append([*row, f"skipped: {entry['skipped']}", "", "", "", ""])
                continue
            times = entry["best_seconds"] / case["entries"][0]["best_seconds"]
            rows.append(
                [
                    *row,
                    seconds(entry["best_seconds"]),
                    seconds(entry["median_seconds"]),
                    ratio(times),
                    "reference" if entry is case["entries"][0] else f"{entry['error']:.0e}",
                    megabytes(entry["peak_memory_bytes"]),
                ]
            )
    header = ["size", "library", "best, s", "median, s", "times mercer", task["error_means"], "peak memory"]
    return Table(task["title"], header, rows)


def micro_table(micro):
    rows = []
    for entry in micro:
        counters = [f"{name} {value:.3g}" for name, value in entry.items() if name != "name"]
        rows.append([entry["name"], ", ".join(counters)])
    return Table("Parts of the engine, one thread", ["benchmark", "best of many interleaved runs"], rows)


def machine_text(results):
    machine = results["machine"]
    entries = [
        entry
        for task in results["tasks"].values()
        for case in task["measured"]
        for entry in case["entries"]
    ]
    libraries = sorted({entry["library"] for entry in entries if entry["library"]})
    cores = sorted({entry["blas_core"] for entry in entries if entry.get("blas_core")})
    corrected = any(entry.get("blas_core_corrected") for entry in entries)
    blas = "OpenBLAS core " + " or ".join(cores) if cores else ""
    if cores and not corrected:
        blas += " as installed, which is right: nothing to correct"
    parts = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_bytes'] / 2**30:.0f} GiB",
        f"{machine.get('simd', 'unknown')} instructions",
        blas,
        f"{machine['threads']} threads for every library",
        ", ".join(libraries),
        machine.get("compiler", ""),
        f"{machine['date']}, commit {machine['commit']}",
    ]
    text = "; ".join(part for part in parts if part) + "."
    if machine["load_before"] > QUIET_LOAD:
        text += f" The machine was busy (load {machine['load_before']:.1f}): provisional."
    return text


def lines_of_markdown(table):
    yield "| " + " | ".join(table.header) + " |"
    yield "|" + "---|" * len(table.header)
    for row in table.rows:
        yield "| " + " | ".join(cell.replace("<", "&lt;") for cell in row) + " |"
    yield ""


def lines_of_text(table):
    widths = [max(map(len, column)) for column in zip(table.header, *table.rows)]
    yield f"\n{table.title}\n"
    for row in (table.header, *table.rows):
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()


def as_markdown(results):
    text = [*lines_of_markdown(summary_table(results)), "Measured on: " + machine_text(results), ""]
    text += ["<details><summary>Every library, with errors and memory</summary>", ""]
    for task in results["tasks"].values():
        table = detail_table(task)
        text += [f"**{table.title}**", "", *lines_of_markdown(table)]
    against_bound = [entry for entry in results["micro"] if any("share" in name for name in entry)]
    if against_bound:
        table = micro_table(against_bound)
        text += [f"**{table.title}**", "", *lines_of_markdown(table)]
    return "\n".join([*text, "</details>"])


def as_text(results):
    tables = [detail_table(task) for task in results["tasks"].values()]
    if results["tasks"]:
        tables.append(summary_table(results))
    if results["micro"]:
        tables.append(micro_table(results["micro"]))
    lines = [line for table in tables for line in lines_of_text(table)]
    return "\n".join([*lines, "", machine_text(results)])


def replace_between_markers(text, replacement):
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the lines {BEGIN} and {END} are not there")
    return f"{before}{BEGIN}\n{replacement}\n{END}{after}"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    document = Path(sys.argv[1])
    results = json.loads(Path(sys.argv[2] if len(sys.argv) == 3 else LATEST).read_text())
    try:
        document.write_text(replace_between_markers(document.read_text(), as_markdown(results)))
    except ValueError as error:
        sys.exit(f"{document}: {error}")


if __name__ == "__main__":
    main()
