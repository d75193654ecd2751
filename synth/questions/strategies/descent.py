"""The minimum of a smooth function, by a fixed number of steps. PUBLIC.

>>> def bowl(x):
...     return float((x**2).sum()), 2 * x
>>> float(np.abs(descend(bowl, np.array([3.0, -2.0]), 20)).max()) < 1e-6
True
"""

from collections import deque
from collections.abc import Callable

import numpy as np

from synth.util import Floats

# A function: its value and its gradient at a point.
Smooth = Callable[[Floats], tuple[float, Floats]]

# Most stored pairs of a step and a change of the gradient.
_MAX_PAIRS = 10
# Most halvings of a stride.
_STEP_HALVINGS = 20
# Sufficient part of the descent that the gradient promises.
_SUFFICIENT_SHARE = 1e-4
# Relative descent of a step at which the search stops.
_MIN_RELATIVE_DESCENT = 1e-6

Pair = tuple[Floats, Floats]


def descend(smooth: Smooth, start: Floats, steps: int) -> Floats:
    """Return a point where a function is lower than at the start, or the start.

    It is L-BFGS (Nocedal, Wright 2006, algorithm 7.5), bounded by steps and not by time, so
    that the result is reproducible.

    Args:
        smooth: Returns the value of the function at a point, and its gradient.
        start: Where to begin, an array of any shape.
        steps: The most steps.
    """
    here = start
    value, slope = smooth(start)
    # For each of the last steps the move, and by how much the gradient changed.
    pairs: deque[Pair] = deque(maxlen=_MAX_PAIRS)
    for _ in range(steps):
        direction = _direction(slope, pairs)
        shortened = _shorten_stride(
            smooth, here, value, direction=direction, fall=float(np.vdot(direction, slope))
        )
        if shortened is None:
            break
        next_point, next_value, next_slope = shortened
        moved = next_point - here
        turned = next_slope - slope
        # Only pairs of positive curvature, beyond the rounding of floats, are of use.
        product = float(np.vdot(moved, turned))
        if product > 1e-12 * float(np.linalg.norm(moved) * np.linalg.norm(turned)):
            pairs.append((moved, turned))
        is_settled = value - next_value < _MIN_RELATIVE_DESCENT * abs(value)
        here = next_point
        value = next_value
        slope = next_slope
        if is_settled:
            break
    return here


def _direction(slope: Floats, pairs: deque[Pair]) -> Floats:
    """Return the direction of the next step, by the two loops of L-BFGS.

    Nocedal, Wright (2006), algorithm 7.4. Without earlier steps it goes down the gradient, a
    tenth of a unit in the steepest coordinate.

    Args:
        slope: The gradient at the current point.
        pairs: For each of the last steps the move, and by how much the gradient changed.
    """
    direction = slope.copy()
    if not pairs:
        # The tiny number prevents a division by 0 where the gradient is 0.
        return np.asarray(-0.1 * direction / max(float(np.abs(direction).max()), 1e-300))
    # The first loop goes from the last step back, the second forward again. Between them the
    # direction is scaled by the curvature of the last step.
    shares = []
    for moved, turned in reversed(pairs):
        shares.append(float(np.vdot(moved, direction) / np.vdot(moved, turned)))
        direction -= shares[-1] * turned
    moved, turned = pairs[-1]
    direction *= float(np.vdot(moved, turned) / np.vdot(turned, turned))
    for (moved, turned), share in zip(pairs, reversed(shares), strict=True):
        direction += (
            share - float(np.vdot(turned, direction) / np.vdot(moved, turned))
        ) * moved
    return -direction


def _shorten_stride(
    smooth: Smooth, here: Floats, value: float, *, direction: Floats, fall: float
) -> tuple[Floats, float, Floats] | None:
    """Return the first of ever shorter strides by which the function falls enough.

    The stride begins at 1 and is halved. Enough is a share of what the gradient promises
    (Armijo's rule). It returns the new point, its value and its gradient; None if no stride
    is enough.

    Args:
        smooth: Returns the value of the function at a point, and its gradient.
        here: The current point.
        value: The value there.
        direction: In which direction to step.
        fall: The product of the direction and the gradient, which is negative.
    """
    stride = 1.0
    for _ in range(_STEP_HALVINGS):
        there = here + stride * direction
        lower, slope = smooth(there)
        if lower <= value + _SUFFICIENT_SHARE * stride * fall:
            return there, lower, slope
        stride /= 2
    return None
