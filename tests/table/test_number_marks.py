"""Marks in numbers are suggested by names that can be typed, and numbers are read by them."""

from pathlib import Path

import pytest

from synth.domain import Domain, Number
from synth.private.counting import count
from synth.private.table import Format, PrivateTable, open_table, parse_format


def open_text(folder: Path, content: str, form: Format) -> PrivateTable:
    """Write a text as a CSV file and open it."""
    path = folder / "t.csv"
    path.write_text(content, encoding="utf-8")
    return open_table(path, form)


@pytest.mark.parametrize(
    ("between", "named"),
    [
        ("\u00a0", "nbsp"),
        ("\u202f", "narrow"),
        ("\u2009", "thin"),
        (" ", "space"),
        ("'", "'"),
        ("\u2019", "\u2019"),
    ],
)
@pytest.mark.parametrize("decimal", [".", ","])
def test_blanks_and_apostrophes_between_thousands_are_suggested_and_read(
    tmp_path: Path, between: str, named: str, decimal: str
) -> None:
    """French, Swedish and Swiss programs group digits so, and no screen shows which blank.

    The suggestion is an option that can be typed, and the rows are read by it. A decimal
    comma in another column belongs to the same suggestion.
    """
    numbers = [f"{n}{between}{n}00{between}250{decimal}5" for n in range(1, 9)]
    rows = "".join(f"{number};12{decimal}5;f\n" for number in numbers)
    content = f"income;share;sex\n{rows}"
    table = open_text(tmp_path, content, Format(delimiter=";"))
    expected = ["delimiter=;", *["decimal=,"][: decimal == ","], f"thousands={named}"]
    assert [*table.suggest_options()] == expected

    chosen = open_text(tmp_path, content, parse_format(expected))
    assert chosen.suggest_options() == ()
    domain = Domain((Number(name="income", minimum=0, maximum=10**7, bins=10),))
    assert sum(count(chosen, domain).counts.tolist()) == 8


@pytest.mark.parametrize("ending", ["", "-"])
def test_a_point_and_a_comma_in_one_number_decide_for_the_file(
    tmp_path: Path, ending: str
) -> None:
    """SAP writes a dozen as 12,000, with three decimals, beside amounts such as 1.234,50-."""
    rows = "".join(f"{n}.234,50{ending};{n},000;f\n" for n in range(1, 9))
    table = open_text(tmp_path, f"amount;pieces;sex\n{rows}", Format(delimiter=";"))
    assert table.suggest_options() == ("delimiter=;", "decimal=,", "thousands=.")


@pytest.mark.parametrize(
    "number", ["030 123 456", "110 00", "10 1250", "New 100", "12 345 Ulm"]
)
def test_blanks_in_telephone_numbers_and_codes_are_no_marks(
    tmp_path: Path, number: str
) -> None:
    table = open_text(tmp_path, "phone,sex\n" + f"{number},f\n" * 9, Format())
    assert table.suggest_options() == ()


def test_points_between_thousands_are_suggested_with_the_decimal_comma(
    tmp_path: Path,
) -> None:
    """German and Spanish amounts have one group mostly: 2.153,86 can be read in one way only.

    A third of the amounts has a point, so it is no text that becomes missing.
    """
    rows = "".join(
        f"{name};{n},5\n{name};8{n},86\n{name};2.15{n},8\n"
        for n, name in ((1, "f"), (2, "m"), (3, "f"))
    )
    table = open_text(tmp_path, f"sex;cost\n{rows}", Format(delimiter=";"))
    assert [*table.suggest_options()] == ["delimiter=;", "decimal=,", "thousands=."]


@pytest.mark.parametrize("number", ["1.234", "12.500", "1.234,567,8"])
def test_one_group_without_a_decimal_comma_is_a_decimal_number(
    tmp_path: Path, number: str
) -> None:
    table = open_text(tmp_path, "sex;cost\n" + f"f;{number}\n" * 9, Format(delimiter=";"))
    assert not any(option.startswith("thousands") for option in table.suggest_options())
