"""Shares that somebody types: read exactly, spread over cells, and followed by rows."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from synth.domain import Domain
from synth.domain.building import Integer
from synth.errors import ArgumentError, SynthError
from synth.rows import draw_independent, load_shares, parse_shares, spread_shares

DOMAIN = Domain(sex=["f", "m"], age=Integer(0, 99, bins=10, missing=True))


def test_shares_are_read_exactly() -> None:
    """Shares are read as exact fractions, from decimals and from quotients."""
    assert parse_shares(["age: 0 to 9=0.1, (missing)=1/5"]) == {
        "age": {"0 to 9": Fraction(1, 10), "(missing)": Fraction(1, 5)}
    }


@pytest.mark.parametrize(
    "text", ["sex", "sex: f", "sex: f=much", "sex: f=-0.1", "sex: f=0.6, m=0.6"]
)
def test_what_is_none_is_refused(text: str) -> None:
    """Shares that are absent, no numbers, negative or above 1 in sum are refused."""
    with pytest.raises(ArgumentError):
        parse_shares([text])


def test_a_column_is_given_once() -> None:
    """Shares that name a column twice are refused."""
    with pytest.raises(ArgumentError, match="Shares of the column 'sex' are given twice"):
        parse_shares(["sex: f=0.1", "sex: m=0.1"])


def test_a_file_says_the_same(tmp_path: Path) -> None:
    """Shares are read from a JSON file, exactly as well; a number for a column is refused."""
    path = tmp_path / "shares.json"
    path.write_text('{"sex": {"f": 0.1}}', encoding="utf-8")
    assert load_shares(path) == {"sex": {"f": Fraction(1, 10)}}

    path.write_text('{"sex": 3}', encoding="utf-8")
    with pytest.raises(ArgumentError, match="must name cells"):
        load_shares(path)


def test_the_rest_keeps_its_proportions() -> None:
    """Cells without a given share divide the rest in proportion to their weights.

    The share of x is 1/2. The other half is divided 1 to 3 between y and z. If all others
    weigh 0, the shares must add up to 1 and are refused.
    """
    column = Domain(a=["x", "y", "z"])["a"]
    spread = spread_shares(column, {"x": Fraction(1, 2)}, np.array([5.0, 1.0, 3.0]))
    assert spread.tolist() == [0.5, 0.125, 0.375]

    with pytest.raises(ArgumentError, match="must add up to 1"):
        spread_shares(column, {"x": Fraction(1, 2)}, np.array([5.0, 0.0, 0.0]))


def test_rows_follow_the_shares_and_are_else_uniform() -> None:
    """Rows have exactly the given shares, and columns without shares are uniform.

    A quarter of 1,100 rows is 275. The ages have 11 cells, ten bins and the missing one, so
    each has 100 rows. The same seed draws the same rows.
    """
    rows = draw_independent(DOMAIN, 1_100, {"sex": {"f": Fraction(1, 4)}}, seed=7)
    assert np.bincount(rows.codes[0]).tolist() == [275, 825]
    assert np.bincount(rows.codes[1]).tolist() == [100] * 11

    again = draw_independent(DOMAIN, 1_100, {"sex": {"f": Fraction(1, 4)}}, seed=7)
    assert again.table.equals(rows.table)


def test_shares_of_what_is_not_declared_are_refused() -> None:
    """Shares of a column or a cell that the domain lacks are refused by name."""
    with pytest.raises(SynthError, match="has no column 'wage'"):
        draw_independent(DOMAIN, 10, {"wage": {"1": Fraction(1)}}, seed=7)
    with pytest.raises(
        ArgumentError, match="Column 'sex' has no cell 'x'; its cells are 'f', 'm'"
    ):
        draw_independent(DOMAIN, 10, {"sex": {"x": Fraction(1)}}, seed=7)
