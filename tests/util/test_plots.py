"""Pictures say the same in the figure, in words and in the table."""

import numpy as np
from plotly.colors import sample_colorscale

from synth.util import plots


def test_long_names_are_cut_short_on_the_axis_only() -> None:
    """A long name is shortened in the middle on the axis; the plotted values keep
    it whole.
    """
    cells = ("1 · a very long name of a category", "2 · short")
    axis = plots.one_way("c", cells, [0.5, 0.5], synthetic=[0.4, 0.6]).figure.layout.yaxis
    assert axis.ticktext == ("1 · a very lo…f a category", "2 · short")
    assert axis.tickvals == cells


def test_one_way_bars_carry_both_shares() -> None:
    """Bars of one column show real and synthetic shares, and the table their differences.

    The error is half of the sum of the absolute differences, 25 %.
    """
    picture = plots.one_way("job", ("a", "b"), [0.25, 0.75], synthetic=[0.5, 0.5])
    real, synthetic = picture.figure.data
    assert (real.marker.color, synthetic.marker.color) == (plots.REAL, plots.SYNTHETIC)
    assert list(real.x) == [0.25, 0.75]
    assert list(synthetic.x) == [0.5, 0.5]
    assert picture.table["difference"].tolist() == [0.25, -0.25]
    assert "Off by 25.0 %" in picture.alt


def test_one_way_draws_the_largest_cells_in_code_order() -> None:
    """Of 100 cells the 40 with the largest shares are drawn, in the order of the domain.

    The shares grow with the cell, so these are 60 to 99; the table has all 100.
    """
    shares = np.arange(100) / 4950
    picture = plots.one_way("x", [str(i) for i in range(100)], shares, synthetic=shares)
    assert list(picture.figure.data[0].y) == [str(i) for i in range(60, 100)]
    assert len(picture.table) == 100


def test_two_way_names_the_worst_pair() -> None:
    """A heat map of pairs says in words which pair has the largest error: here 30 %."""
    errors = [[0.0, 0.1, 0.3], [0.1, 0.0, 0.2], [0.3, 0.2, 0.0]]
    picture = plots.two_way(("a", "b", "c"), errors)
    assert "'a' by 'c' with 30.0 %" in picture.alt
    assert picture.table.loc["b", "c"] == 0.2


def test_numbers_in_a_heat_map_can_be_read_on_every_color() -> None:
    """Each number has a contrast of 4.5 or more with its cell: 81 errors from 0 to 20 %."""
    errors = (0.2 * np.arange(81) / 80).reshape(9, 9)
    errors[4, 4] = np.nan
    _, texts = plots.two_way([f"c{n}" for n in range(9)], errors).figure.data

    assert len(texts.text) == 80
    assert (texts.text[0], texts.x[-1], texts.y[-1], texts.text[-1]) == (
        "0.0%",
        "c8",
        "c8",
        "20.0%",
    )
    shares = errors[np.isfinite(errors)] / np.nanmax(errors)
    cells = sample_colorscale(plots.HEAT, shares.tolist(), colortype="tuple")
    contrasts = [
        contrast(cell, ink) for cell, ink in zip(cells, texts.textfont.color, strict=True)
    ]
    assert min(contrasts) >= 4.5


def contrast(color: tuple[float, ...], ink: str) -> float:
    """The contrast of two colours by WCAG 2.2, the second as #RRGGBB."""
    other = tuple(int(ink[place : place + 2], 16) / 255 for place in (1, 3, 5))
    low, high = sorted(map(luminance, (color, other)))
    return (high + 0.05) / (low + 0.05)


def luminance(color: tuple[float, ...]) -> float:
    """The relative luminance of red, green and blue from 0 to 1."""
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
    return float(np.dot(parts, (0.2126, 0.7152, 0.0722)))


def test_one_column_has_no_pair() -> None:
    assert plots.two_way(("a",), [[0.1]]).alt == "Heat map of one column's error."


def test_worst_first_is_sorted_and_short() -> None:
    """Of 40 errors the 15 largest are drawn, the largest first, and the table has all of
    them.

    The table also has the error by chance alone, where it is known.
    """
    picture = plots.worst_first({f"t{i}": i / 100 for i in range(40)}, floor={"t39": 0.01})
    assert picture.figure.data[0].y[0] == "t39"
    assert len(picture.figure.data[0].y) == 15
    assert len(picture.table) == 40
    assert picture.table["chance alone"].iloc[0] == 0.01


def test_forecast_curve_marks_the_choice() -> None:
    """The picture of errors by epsilon says in words what to expect at the chosen epsilon."""
    picture = plots.forecast_curve([0.1, 1, 10], {"pairs": [0.9, 0.5, 0.1]}, chosen=1)
    assert "At 1: pairs 50.0 %." in picture.alt
    assert picture.table["pairs"].tolist() == [0.9, 0.5, 0.1]


def test_pair_gap_is_balanced_around_zero() -> None:
    """The colors of differences between two tables are symmetric around 0.

    The largest difference is 0.1 to either side. Half of the sum of their sizes is the error,
    10 %.
    """
    picture = plots.pair_gap(("a", "b"), (("x", "y"), ("u", "v")), [[0.1, -0.1], [0.0, 0.0]])
    heat = picture.figure.data[0]
    assert heat.zmin == -heat.zmax == -0.1
    assert "Error 10.0 %." in picture.alt


def test_intervals_say_what_they_draw() -> None:
    """A picture of intervals names the largest answer with its interval, or says that none
    has one.

    Of 90 answers the 40 largest are drawn, so the first drawn one is number 50.
    """
    picture = plots.intervals(
        "table sex",
        ("f", "m"),
        plots.DrawnNumbers(value=[3, 5], low=[1, 4], high=[5, 6]),
        axis=plots.NumberAxis(unit="rows"),
    )
    assert "The largest is 'm' with 5 (4 to 6)." in picture.alt
    assert list(picture.figure.data[0].error_x.array) == [5 - 3, 6 - 5], "high less middle"

    without_values = plots.intervals(
        "mean",
        ("a",),
        plots.DrawnNumbers(value=[np.nan], low=[np.nan], high=[np.nan], real=[1.0]),
        axis=plots.NumberAxis(unit="x"),
    )
    assert "none of 1 has one" in without_values.alt
    assert [trace.name for trace in without_values.figure.data] == ["answer", "real"]

    of_many_bars = plots.intervals(
        "q",
        list(map(str, range(90))),
        plots.DrawnNumbers(value=range(90), low=range(90), high=range(90)),
        axis=plots.NumberAxis(unit=""),
    )
    assert len(of_many_bars.figure.data[0].x) == plots.BARS_SHOWN
    assert of_many_bars.figure.data[0].customdata[0] == "50"


def test_shares_are_percentages_on_the_axis_and_in_words() -> None:
    """Shares are shown as percentages, on the axis and in words."""
    picture = plots.intervals(
        "q",
        ("a",),
        plots.DrawnNumbers(value=[0.09], low=[0.08], high=[0.1]),
        axis=plots.NumberAxis(unit="share", is_share=True),
    )
    assert picture.figure.layout.xaxis.tickformat == ".1~%"
    assert "with 9.0 % (8.0 to 10.0 %)" in picture.alt


def test_a_watermark_is_behind_bars_and_above_the_cells_of_a_heat_map() -> None:
    """The watermark PRIVATE is below bars, and in the margin of a heat map.

    Between its cells, the word would be unreadable and in the way of their numbers.
    """
    bars = plots.add_watermark(plots.worst_first({"a": 0.1}, floor={}))
    label = bars.figure.layout.shapes[-1]
    assert (label.layer, label.label.text) == ("below", "PRIVATE - do not share")
    heat = plots.add_watermark(plots.two_way(("a", "b"), [[0, 0.1], [0.1, 0]]))
    (word,) = heat.figure.layout.annotations
    assert (word.text, word.y, word.yanchor) == ("PRIVATE - do not share", 1, "bottom")
    assert not heat.figure.layout.shapes
