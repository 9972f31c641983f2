"""Pictures of the documentation, and those that are only for the build tree."""

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


def save(figure, name, experiment=None):
    """Into the documentation, or of an experiment into the build tree; what the quick setting draws goes there too."""
    if experiment or QUICK:
        output = output_folder(experiment or "pictures") / name
    else:
        output = ROOT / "docs/pictures" / name
    figure.tight_layout()
    figure.savefig(output, dpi=110, bbox_inches="tight")
    plt.close(figure)
    print(output)
