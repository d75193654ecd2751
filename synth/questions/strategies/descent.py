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

_MAX_PAIRS = 10
_STEP_HALVINGS = 20
_ENOUGH = 1e-4
# Stored pairs; halvings of a stride; sufficient part of the promised descent; and the
# relative descent at which it stops.
_SETTLED = 1e-6

Pair = tuple[Floats, Floats]


def descend(smooth: Smooth, start: Floats, steps: int) -> Floats:
    """Return a point of lower value, by L-BFGS (Nocedal, Wright 2006, Algorithm 7.5), without
    a clock.

    The start may have any shape.
    """
    here, (value, slope) = start, smooth(start)
    pairs: deque[Pair] = deque(maxlen=_MAX_PAIRS)
    for _ in range(steps):
        way = _direction(slope, pairs)
        shortened = _shorten_stride(
            smooth, here, value, way=way, fall=float(np.vdot(way, slope))
        )
        if shortened is None:
            break
        there, lower, steeper = shortened
        pair = (there - here, steeper - slope)
        # Only positive curvature.
        moved, turned = pair
        product = float(np.vdot(moved, turned))
        if product > 1e-12 * float(np.linalg.norm(moved) * np.linalg.norm(turned)):
            pairs.append(pair)
        settled = value - lower < _SETTLED * abs(value)
        here = there
        value = lower
        slope = steeper
        if settled:
            break
    return here


def _direction(slope: Floats, pairs: deque[Pair]) -> Floats:
    """Return the direction of the next step, by the two loops of L-BFGS.

    Nocedal, Wright (2006), algorithm 7.4; ``pairs`` has the last steps and changes of slope.

    By the curvature of the last steps; without any a tenth of a unit.
    """
    direction = slope.copy()
    if not pairs:
        return np.asarray(-0.1 * direction / max(float(np.abs(direction).max()), 1e-300))
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
    smooth: Smooth, here: Floats, value: float, *, way: Floats, fall: float
) -> tuple[Floats, float, Floats] | None:
    """Return the first halved stride that falls enough: point, value and slope; None if none.

    Armijo's rule: the value falls by a share of what the slope promises.
    """
    stride = 1.0
    for _ in range(_STEP_HALVINGS):
        there = here + stride * way
        lower, slope = smooth(there)
        if lower <= value + _ENOUGH * stride * fall:
            return there, lower, slope
        stride /= 2
    return None
