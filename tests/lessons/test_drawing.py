"""Lines and bars: told apart by color and dash, with their words and tables."""

import numpy as np
import pandas as pd

from synth.lessons.drawing import bar_picture, in_decades, line_picture
from synth.util import QUIET


def test_lines_differ_in_color_and_dash_and_bounds_are_quiet() -> None:
    """Lines of a picture differ in color and dash, so that they are told apart without color.

    The third line is a bound, called "allowed", and has the quiet color. Both axes are
    logarithmic after `in_decades`.
    """
    curves = {name: np.array([1.0, 10.0]) for name in ("one", "two", "allowed")}
    picture = in_decades(line_picture([1, 2], curves, "Three lines.", x="n", y="error"))
    assert list(picture.table.columns) == ["n", "one", "two", "allowed"]
    lines = [trace.line for trace in picture.figure.data]
    assert len({line.dash for line in lines}) == len({line.color for line in lines}) == 3
    assert lines[2].color == QUIET
    assert picture.figure.layout.xaxis.type == picture.figure.layout.yaxis.type == "log"


def test_bars_are_grouped_by_the_first_column() -> None:
    """Bars are grouped by the first column of their table, and each other column
    is a series.
    """
    table = pd.DataFrame({"noise": ["a", "b"], "formula": [1.0, 2.0], "seen": [1.5, 2.5]})
    picture = bar_picture(table, "Bars.", y="error")
    assert [trace.name for trace in picture.figure.data] == ["formula", "seen"]
    assert picture.figure.layout.xaxis.title.text == "noise"
