"""Tables and the picture, from what was measured."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from picture import save

TITLES = {"generated": "swiss roll", "usps": "USPS", "mnist": "MNIST", "kddcup": "KDD Cup 99"}
LOWEST = 1e-6  # errors below it are drawn as it
DISTURBED = 0.1  # share of the processors that others took during a fit
# Families of the tables, gathered in a few for the picture.
GROUPS = {
    "exact": ("exact",),
    "landmarks": ("landmarks",),
    "landmarks, uniform, float": ("landmarks, uniform, float",),
    "greedy, partitioned": ("greedy", "partitioned"),
    "reduced sets": ("shadow", "kmeans", "paring", "herding"),
    "randomised, kernel features, others": ("randomized", "random_features", "kernel features", "kronecker",
                                            "exact, projected rows"),
    "scikit-learn KernelPCA": ("sklearn KernelPCA",),
    "scikit-learn Nystroem + PCA": ("sklearn Nystroem + PCA",),
    "scikit-learn RBFSampler + PCA": ("sklearn RBFSampler + PCA",),
}
STYLES = {
    "exact": ("D", "tab:red", 8),
    "landmarks": ("o", "tab:blue", 8),
    "landmarks, uniform, float": ("o", "deepskyblue", 8),
    "greedy, partitioned": ("^", "tab:orange", 8),
    "reduced sets": ("s", "tab:green", 6),
    "randomised, kernel features, others": ("X", "orchid", 6),
    "scikit-learn KernelPCA": ("D", "black", 8),
    "scikit-learn Nystroem + PCA": ("o", "black", 8),
    "scikit-learn RBFSampler + PCA": ("s", "black", 7),
}
LEGEND = (  # column by column
    "exact", "landmarks", "landmarks, uniform, float", "best of mercer",
    "greedy, partitioned", "reduced sets", "randomised, kernel features, others", "",
    "scikit-learn KernelPCA", "scikit-learn Nystroem + PCA", "scikit-learn RBFSampler + PCA", "best of scikit-learn",
)


def family(result):
    """That of the picture: `auto` is what it chose."""
    return result["method"] if result["family"] == "auto" else result["family"]


def is_peer(result):
    return result["family"].startswith("sklearn")


def megabytes(result):
    return result["peak_memory_bytes"] / 1e6


def seconds(result):
    return result["seconds"]


def frontier(results, across=seconds):
    """Those that nothing is both faster, or smaller, and more accurate than."""
    lowest, best = float("inf"), []
    for result in sorted(results, key=across):
        if result["error"] < lowest:
            lowest = result["error"]
            best.append(result)
    return best


def table(record):
    """As Markdown; bold: nothing is faster and more accurate; a star: other processes were busy."""
    reference = record["reference"]
    others = max(result.get("others", 0) for result in record["results"])
    yield f"\n{TITLES[record['name']]}: {record['n']:,} rows of {record['d']} columns, gamma {record['gamma']:.4g}; " \
          f"errors on {record['held_out']:,} other rows against {reference['words']} ({reference['seconds']:.1f} s, " \
          f"leaves {reference['left_of_trace']:.2g} of the trace); {record['machine']}; {record['date']}, " \
          f"load before it {record['load']:.1f}, others took at most {others:.0%} of the processors during a fit; " \
          f"\\*: more than {DISTURBED:.0%}\n"
    yield "| | setting | seconds | peak memory, MB | rows kept | error |\n|---|---|---|---|---|---|"
    best = frontier([result for result in record["results"] if "error" in result])
    for result in record["results"]:
        start = f"| {result['family']} | {result['setting']} "
        if "error" not in result:
            yield start + f"| {result['note']} | | | |"
            continue
        mark = "**" if result in best else ""
        star = " \\*" if result.get("others", 0) > DISTURBED else ""
        yield start + f"| {mark}{result['seconds']:.3g}{mark}{star} | {megabytes(result):,.0f} " \
                      f"| {result.get('library') or ''} | {mark}{result['error']:.2g}{mark} |"


def step(axis, results, across, **style):
    """The frontier of these results: what of error there is for the time or the memory."""
    best = frontier(results, across)
    if best:
        axis.step([across(result) for result in best], [result["error"] for result in best], where="post", zorder=1,
                  **style)


def plot(axis, results, across):
    """Error against time or memory. Ours are filled, scikit-learn's are hollow."""
    step(axis, [result for result in results if not is_peer(result)], across, label="best of mercer",
         color="0.75", linewidth=5)
    step(axis, [result for result in results if is_peer(result)], across, label="best of scikit-learn",
         color="0.4", linewidth=1.2, linestyle="--")
    for group, families in GROUPS.items():
        points = [(across(result), result["error"]) for result in results if family(result) in families]
        marker, color, size = STYLES[group]
        face = "white" if group.startswith("scikit-learn") else color
        axis.plot(*zip(*points) if points else ([], []), linestyle="none", marker=marker, markersize=size, color=color,
                  markerfacecolor=face, label=group, zorder=2)
    axis.set(xscale="log", yscale="log")
    axis.tick_params(labelsize=11)
    axis.xaxis.set_major_formatter("{x:g}")
    axis.grid(True, which="major", linewidth=0.5, alpha=0.6)


def draw(records):
    plt.rcParams["font.size"] = 12
    figure, axes = plt.subplots(2, len(records), figsize=(4.2 * len(records), 7.6), squeeze=False, sharey=True)
    for (above, below), record in zip(axes.T, records):
        fitted = [result for result in record["results"] if "error" in result]
        results = [dict(result, error=max(result["error"], LOWEST)) for result in fitted]
        plot(above, results, seconds)
        plot(below, results, megabytes)
        above.set_title(f"{TITLES[record['name']]}, {record['n']:,} x {record['d']}", fontsize=14)
        above.set_xlabel("seconds to fit")
        below.set_xlabel("peak memory, MB")
    for axis in axes[:, 0]:
        axis.set_ylabel("error of scores of other rows")
        axis.set_yticks([1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, LOWEST])
        axis.set_yticklabels(["1", "0.1", "0.01", "0.001", "$10^{-4}$", "$10^{-5}$", "≤ $10^{-6}$"])
    lines, names = axes[0, 0].get_legend_handles_labels()
    known = dict(zip(names, lines), **{"": plt.Line2D([], [], linestyle="none")})
    figure.legend([known[name] for name in LEGEND], LEGEND, loc="upper center", bbox_to_anchor=(0.5, 0.01), ncol=3,
                  frameon=False)
    save(figure, "frontier.png")


def report(records):
    for record in records:
        print("\n".join(table(record)))
    if records:
        draw(records)
