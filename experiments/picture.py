"""Pictures of the documentation."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from command import QUICK, ROOT, output_folder


def panels(count, size):
    """A figure with this many equal panels of the same scale side by side."""
    return plt.subplots(1, count, figsize=size, sharex=True, sharey=True)


def finish_panel(axis, title):
    axis.set_title(title, fontsize=10)
    axis.set_aspect("equal")


def save(figure, name):
    """Into the documentation; what the quick setting draws is not for it."""
    output = (output_folder("pictures") if QUICK else ROOT / "docs/pictures") / name
    figure.tight_layout()
    figure.savefig(output, dpi=110, bbox_inches="tight")
    print(output)
