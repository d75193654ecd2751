"""Which way radii are drawn: never by sums of which hardly one is kept."""

from fractions import Fraction

import numpy as np
import pytest

from synth.noise import radius
from synth.noise.radius import MAX_EULER_DIMENSION, is_quick, radius_numbers
from synth.util import Ints


def test_sums_that_are_hardly_ever_kept_are_not_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Radii of many dimensions are drawn by rejection only if most proposals are kept.

    About e^(-dimension / (2 scale)) of them are. At scale 1 a table is used instead. The
    function that proposes radii is replaced by one that notes its dimension.
    """
    dimensions_drawn_by_sums: list[int] = []

    def reject_radii(_rate: Fraction, dimension: int, size: int) -> Ints:
        dimensions_drawn_by_sums.append(dimension)
        return np.zeros(size, np.int64)

    monkeypatch.setattr(radius, "_reject_radii", reject_radii)

    dimension = MAX_EULER_DIMENSION + 1
    slow, quick = Fraction(1), Fraction(dimension)
    assert not is_quick(dimension, slow)
    assert (radius_numbers(1 / slow, dimension, 3) > 0).all()
    assert dimensions_drawn_by_sums == []

    assert is_quick(dimension, quick)
    radius_numbers(1 / quick, dimension, 3)
    assert dimensions_drawn_by_sums == [dimension]
