"""Cells that a spreadsheet would run are guarded, and only these."""

import io
import re
from pathlib import Path

import pandas as pd
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import synth
from synth.bundle import guard_cell
from synth.verification import verify
from tests.bundle.bundles import ODD, make_bundle, read_bundle


def test_no_spreadsheet_runs_a_cell_and_the_dictionary_says_so(tmp_path: Path) -> None:
    """In CSV files a text that a spreadsheet would run as a formula gets an apostrophe before
    it.

    Numbers such as -5 stay as they are, and so do all texts in Parquet. The dictionary lists
    the texts that got one.
    """
    path = make_bundle(
        tmp_path, rows=[["=1+1"], ["-5"], ["@a"], ['F, "M"'], [""]] * 50, domain=ODD
    )
    files = read_bundle(path)

    for name in ("synthetic.csv", "noisy_counts.csv", "dictionary.csv"):
        table = pa_csv.read_csv(io.BytesIO(files[name]))
        cells = [str(cell) for column in table.columns for cell in column.to_pylist()]
        for cell in [*table.column_names, *cells]:
            assert not re.match(r"[=@\t\r]|[+-](?![0-9.]+$)", cell), (name, cell)
    assert "'=1+1" in files["synthetic.csv"].decode()

    # The list has the texts without their apostrophe.
    assert "an apostrophe precedes: '=sum" not in files["dictionary.csv"].decode()
    assert "an apostrophe precedes: =sum | =1+1 | @a" in files["dictionary.csv"].decode()

    exact = set(pq.read_table(io.BytesIO(files["synthetic.parquet"]))["=sum"].to_pylist())
    assert exact <= {"=1+1", "-5", "@a", 'F, "M"', None}
    assert verify(path).domain == ODD


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+1", "+1"),
        ("-1e5", "-1e5"),
        ("+cmd", "'+cmd"),
        ("\t=1", "'\t=1"),
        ("a=1", "a=1"),
        ("", ""),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("\uff0bcmd", "'\uff0bcmd"),
        ("\uff0dcmd", "'\uff0dcmd"),
        ("\uff20SUM(1)", "'\uff20SUM(1)"),
        ("\ufe66x", "'\ufe66x"),
        ("\u2212x", "'\u2212x"),
        (" =1", "' =1"),
        ("\u00a0=1", "'\u00a0=1"),
        ("\u3000@x", "'\u3000@x"),
        ("\u200b=1", "'\u200b=1"),
        ("\ufeff=1", "'\ufeff=1"),
        ("\n=1", "'\n=1"),
        ("\r\nx", "'\r\nx"),
        ("\x00=1", "'\x00=1"),
        ("'=1", "''=1"),
        ("|calc", "|calc"),
        ("%0A", "%0A"),
        ("''5", "''5"),
        ("'\t", "''\t"),
        ("''\r\nx", "'''\r\nx"),
    ],
)
def test_the_guard_spares_numbers(text: str, expected: str) -> None:
    """A text that a spreadsheet may run as a formula gets an apostrophe; a number does not.

    A formula begins with =, +, - or @ in any width. Blanks, unseen signs and an apostrophe
    before it do not matter. A tab or line break at the beginning always counts.
    """
    assert guard_cell(text) == expected


@given(st.lists(st.text("=+-@'\uff1d\u200b \t1x", max_size=4), unique=True))
@example(["\t", "'\t"])
def test_no_two_texts_are_guarded_alike(texts: list[str]) -> None:
    """Texts that differ still differ when they are guarded."""
    assert len({guard_cell(text) for text in texts}) == len(texts)


def test_the_dictionary_names_guarded_names_of_numbers_too(tmp_path: Path) -> None:
    """The name of a column of numbers begins like a formula, and is guarded in its row."""
    frame = pd.DataFrame({"=age": [20, 30, 40] * 20})
    made = synth.release(frame, {"=age": synth.Integer(0, 99, bins=3)}, epsilon=1)
    files = read_bundle(made.save(tmp_path / "b.zip"))
    assert "an apostrophe precedes: =age" in files["dictionary.csv"].decode()


def test_noisy_counts_find_names_beside_any_declared_ones(tmp_path: Path) -> None:
    """Declared columns may have all the names that the files use by themselves."""
    names = ["marginal", "marginal_", "marginal__", "marginal_2", "noisy_count"]
    frame = pd.DataFrame({name: ["x", "y"] * 50 for name in names})
    domain = {name: ["x", "y"] for name in names}
    made = synth.release(frame, domain, epsilon=1, method="independent")
    path = made.save(tmp_path / "b.zip")
    header = read_bundle(path)["noisy_counts.csv"].decode().splitlines()[0]
    assert header.split(",") == ["marginal_3", *names, "noisy_count_2"]
    assert verify(path).checks
