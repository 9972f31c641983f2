"""Pictures with a row of images for every method: what it made of the same few."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def save_rows(rows, path, shape, colors, value_range):
    """`rows` maps a label to as many flattened images as the others have."""
    count = len(next(iter(rows.values())))
    figure, axes = plt.subplots(len(rows), count, figsize=(0.7 * count, 0.72 * len(rows)))
    for row, (label, images) in zip(axes, rows.items()):
        for axis, image in zip(row, images):
            axis.imshow(image.reshape(shape), cmap=colors, vmin=value_range[0], vmax=value_range[1])
            axis.set_xticks([]), axis.set_yticks([])
        row[0].set_ylabel(label, rotation=0, ha="right", va="center", fontsize=8)
    figure.subplots_adjust(wspace=0.05, hspace=0.05)
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)
    print(path)
