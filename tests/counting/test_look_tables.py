"""Neutral tables that once lost rows in silence: what a draft says of each, and loses."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from synth.private.counting import profile_table
from synth.private.counting.look import Look
from synth.private.table import open_table
from tests.tables import write

SEED = 53


def look_at(folder: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Look:
    """A look at a table of these rows."""
    texts = [[str(value) for value in row] for row in rows]
    return profile_table(open_table(write(folder / "t.csv", header, texts)))


def list_values(look: Look, name: str) -> list[str]:
    """The values that a draft lists for a column, whether it takes part or not."""
    (column,) = [column for column in look.columns if column.name == name]
    return list(column.field["constraints"]["enum"])


def draw_towns(seed: int, rows: int) -> list[tuple[str, str, int]]:
    """People of 120 towns."""
    draw = Random(seed)
    return [
        (f"Town{draw.randrange(120):03}", draw.choice("fm"), draw.randrange(18, 90))
        for _ in range(rows)
    ]


def test_a_list_of_120_values_is_drafted_whole_and_alike_for_other_people(
    tmp_path: Path,
) -> None:
    """Other people of the same towns, as of next year, get the same lists and bounds."""
    header = ["town", "sex", "age"]
    looks = [
        look_at(tmp_path, header, draw_towns(SEED, 6_000)),
        look_at(tmp_path, header, draw_towns(SEED + 1, 5_000)),
    ]
    for look in looks:
        assert list_values(look, "town") == [f"Town{n:03}" for n in range(120)]
        assert look.losses == {}
        assert look.open == {}
    assert [c.field for c in looks[0].columns] == [c.field for c in looks[1].columns]


def test_texts_beside_a_number_of_most_rows_are_a_loss_that_is_said(tmp_path: Path) -> None:
    """99 of 100 rows have 0, and the others a war of their own: 0 is no range of numbers."""
    draw = Random(SEED)
    rows = [(f"War of {n}" if n % 60 == 0 else 0, draw.choice("fm")) for n in range(6_000)]
    look = look_at(tmp_path, ["war", "sex"], rows)
    assert list_values(look, "war") == ["0"]
    assert look.losses == {"war": pytest.approx(1 / 60)}
    assert any("'war'" in note and "1.7 %" in note for note in look.notes)


def test_numbers_of_companies_are_a_list_in_their_order(tmp_path: Path) -> None:
    """Codes from 0 to 56 are very uneven: those of fewer than 10 rows are the only loss."""
    draw = Random(SEED)
    weights = [draw.random() ** 4 for _ in range(57)]
    codes = draw.choices(range(57), weights, k=20_000)
    look = look_at(tmp_path, ["company_id", "sex"], [(c, draw.choice("fm")) for c in codes])

    expected_codes = [code for code in range(57) if codes.count(code) >= 10]
    assert list_values(look, "company_id") == [str(code) for code in expected_codes]
    lost_rows = sum(code not in expected_codes for code in codes)
    assert look.losses.get("company_id", 0) == lost_rows / 20_000 < 0.01


def test_numbers_of_countries_are_a_list_without_invented_ones(tmp_path: Path) -> None:
    """161 codes of 2 to 950 are listed, so that none of the other 788 comes out."""
    draw = Random(SEED)
    codes = draw.sample(range(2, 951), 161)
    rows = [(draw.choice(codes), draw.choice("fm")) for _ in range(6_000)]
    look = look_at(tmp_path, ["ccode", "sex"], rows)
    assert list_values(look, "ccode") == [str(code) for code in sorted(codes)]
    assert look.losses == {}


def test_who_infected_whom_is_left_out_like_the_patients_own_number(tmp_path: Path) -> None:
    """Three of four patients have nobody; the others have another patient's number."""
    draw = Random(SEED)
    first = 10**9
    rows = [
        (
            first + n,
            first + draw.randrange(600) if draw.random() < 0.26 else "",
            draw.choice("fm"),
        )
        for n in range(5_000)
    ]
    look = look_at(tmp_path, ["patient_id", "infected_by", "sex"], rows)
    assert look.left_out == {
        "patient_id": "is a key that identifies rows or persons",
        "infected_by": "holds keys of the column 'patient_id'",
    }


@pytest.mark.parametrize(("rows", "subject"), [([], "No row"), ([("f", 33)], "Too few rows")])
def test_no_row_and_one_row_propose_nothing(
    tmp_path: Path, rows: Sequence[Sequence[object]], subject: str
) -> None:
    """A look at a table without rows, or with one row, leaves all columns open and shows no
    value.
    """
    look = look_at(tmp_path, ["sex", "age"], rows)
    assert look.is_empty
    assert {*look.open} == {"sex", "age"}
    assert look.notes[0].startswith(f"{subject} of the table can be read")
    assert "33" not in str(look.schema())


@pytest.mark.slow
def test_each_of_many_columns_is_described(tmp_path: Path) -> None:
    """Each of 200 columns, of four codes each, is described."""
    draw = Random(SEED)
    header = [f"v{place}" for place in range(200)]
    rows = [[draw.randrange(4) for _ in header] for _ in range(300)]
    look = look_at(tmp_path, header, rows)
    assert {tuple(list_values(look, name)) for name in header} == {("0", "1", "2", "3")}
    assert (look.losses, look.open, look.left_out) == ({}, {}, {})
