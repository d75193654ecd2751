"""Small pictures: what they draw, what they say, and that no text of a file is markup."""

import re

import numpy as np

from synth.util import SmallChart, draw_small
from synth.util.small_multiples import BARS_DRAWN, EXTRAS_SHOWN, LINES_SHOWN


def chart(cells: list[str], ordered: int = 0, **changes: object) -> SmallChart:
    """A column whose cells have ascending real shares and equal synthetic ones."""
    real = np.arange(1.0, len(cells) + 1)
    choices: dict[str, object] = {
        "title": "age",
        "notes": ["Off by 10 %"],
        "cells": cells,
        "real": real / real.sum(),
        "synthetic": np.full(len(cells), 1 / len(cells)),
        "alt": "Shares of ages.",
        "ends": ("0", "99") if ordered else None,
        "ordered": ordered,
    }
    return SmallChart(**{**choices, **changes})  # type: ignore[arg-type]


def count(html: str, kind: str) -> int:
    """The bars (real) or lines (drawn) of pictures, without those of the legend."""
    return html.partition('<div class="synth-small">')[2].count(f'<i class="{kind}"')


def test_a_list_shows_its_largest_cells_and_sums_up_the_others() -> None:
    """Five cells have a line of their own, and the last line has all others together.

    The real shares grow from 1 to 20 of 210, and the synthetic ones are all a twentieth.
    """
    names = [f"town {number}" for number in range(20)]
    drawn = draw_small([chart(names)])
    assert count(drawn.html, "real") == count(drawn.html, "drawn") == LINES_SHOWN
    assert "town 19" in drawn.html
    assert "town 3:" not in drawn.html
    assert "15 others: real 57.1 %, synthetic 75.0 %" in drawn.html
    assert list(drawn.table["cell"]) == names


def test_an_ordered_column_has_a_bar_a_bin_and_its_other_cells_beside() -> None:
    """Bins are drawn between the lowest and the highest value, missing values beside them.

    Of 100 bins each three share a bar, so that there are no more than 40.
    """
    drawn = draw_small([chart(["0 to 49", "50 to 99", "(missing)"], ordered=2)])
    assert count(drawn.html, "real") == 3
    assert re.findall("<span>(0|99)</span>", drawn.html) == ["0", "99"]
    assert '<span title="(missing)">missing</span>' in drawn.html

    drawn = draw_small([chart([str(number) for number in range(100)], ordered=100)])
    assert count(drawn.html, "real") == 34 <= BARS_DRAWN
    assert "3 ... 5: real" in drawn.html


def test_many_cells_beside_the_values_share_a_bar() -> None:
    """Of ten signs two have a bar of their own, and one has all others."""
    names = ["0 to 99", *(f"sign {number}" for number in range(10))]
    drawn = draw_small([chart(names, ordered=1)])
    assert count(drawn.html, "real") == 1 + EXTRAS_SHOWN
    assert "8 others" in drawn.html


def test_the_longest_bar_has_all_the_room() -> None:
    """Shares are drawn as parts of the largest, and nothing is longer than the picture."""
    drawn = draw_small([chart(["a", "b"], real=np.array([0.2, 0.8]))])
    assert re.findall("width:([0-9.]+)%", drawn.html.partition("</style>")[2]) == [
        "25.0",
        "100.0",
    ]
    empty = draw_small([chart(["a"], real=np.zeros(1), synthetic=np.zeros(1))])
    assert "width:0.0%" in empty.html


def test_texts_of_files_are_no_markup() -> None:
    """Names, cells and descriptions are escaped, in texts and in attributes."""
    nasty = '"><img src=x onerror=alert(1)>'
    drawn = draw_small([chart([nasty, "b"], title=nasty, alt=nasty, notes=[nasty])])
    assert "<img" not in drawn.html
    assert (
        drawn.html.count("&lt;img") == 6
    )  # title and its hint, note, alt, cell and its hint


def test_a_mark_is_behind_each_picture() -> None:
    """A marked picture says so in itself; its description stays as it is."""
    drawn = draw_small([chart(["a"]), chart(["b"])], mark="PRIVATE")
    assert drawn.html.count('translate="no" data-mark="PRIVATE">') == 2
    assert "PRIVATE" not in draw_small([chart(["a"])]).html
    assert draw_small([]).table.empty
