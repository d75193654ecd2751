"""What holds of every picture of the lessons."""

import numpy as np

from synth.util import Picture


def check_picture(picture: Picture) -> None:
    """It has words, and numbers that are finite."""
    assert picture.alt.endswith(".")
    assert "nan" not in picture.alt
    numbers = picture.table.select_dtypes("number").to_numpy()
    assert not np.isinf(numbers).any()
