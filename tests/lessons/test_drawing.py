"""Lines and bars: told apart by color and dash, with their words and tables."""

import numpy as np
import pandas as pd

from synth.lessons.drawing import bar_picture, in_decades, line_picture
from synth.util import QUIET


def test_lines_differ_in_color_and_dash_and_bounds_are_quiet() -> None:
    curves = {name: np.array([1.0, 10.0]) for name in ("one", "two", "allowed")}
    picture = in_decades(line_picture([1, 2], curves, "Three lines.", x="n", y="error"))
    assert list(picture.table.columns) == ["n", "one", "two", "allowed"]
    looks = [trace.line for trace in picture.figure.data]
    assert len({look.dash for look in looks}) == len({look.color for look in looks}) == 3
    assert looks[2].color == QUIET
    assert picture.figure.layout.xaxis.type == picture.figure.layout.yaxis.type == "log"


def test_bars_are_grouped_by_the_first_column() -> None:
    table = pd.DataFrame({"noise": ["a", "b"], "formula": [1.0, 2.0], "seen": [1.5, 2.5]})
    picture = bar_picture(table, "Bars.", y="error")
    assert [trace.name for trace in picture.figure.data] == ["formula", "seen"]
    assert picture.figure.layout.xaxis.title.text == "noise"
