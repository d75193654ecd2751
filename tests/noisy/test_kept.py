"""Which relations a release keeps, and how well."""

import math

from synth.estimate import Light


def test_lights_have_a_sign_and_a_word_each() -> None:
    assert [Light.from_error(error) for error in (0.05, 0.1, 0.2, math.nan)] == [
        Light.GREEN, Light.YELLOW, Light.RED, Light.RED
    ]  # fmt: skip
    assert len({one.sign for one in Light}) == len({one.says for one in Light}) == 3
