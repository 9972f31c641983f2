"""Writes the files that golden.h reads, and draws the points that they are about."""

import numpy as np

MASK = (1 << 64) - 1


def uniforms(seed, count):
    """The first draws of splitmix64 in [0, 1), the stream of src/engine/random.h."""
    draws = np.empty(count)
    for i in range(count):
        z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        draws[i] = ((z ^ (z >> 31)) >> 11) * 2.0**-53
    return draws


def number(value):
    """The shortest of up to 17 digits that reads back as the same double."""
    return repr(float(value))


def write(path, comments, matrices):
    """`matrices` maps names to numbers, lists (written as one row) or two-dimensional arrays."""
    lines = [f"# {comment}" for comment in comments]
    for name, values in matrices.items():
        rows = np.atleast_2d(np.asarray(values, dtype=float))
        lines.append(f"{name} {rows.shape[0]} {rows.shape[1]}")
        lines += [" ".join(number(value) for value in row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
