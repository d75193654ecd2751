"""``dummy`` and ``draw`` on the command line: a file each, verified; bad options by a
sentence.
"""

import json
import zipfile
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from synth.cli.main import main
from tests.bundle.bundles import make_bundle
from tests.codebooks.test_csvw_eo import THEIRS
from tests.tables import ROWS

TYPES = {
    "sex": "category",
    "age": "int64",
    "weight": "str",
    "day": "object",
    "smoker": "bool",
}
"""Of columns as pandas reads them; weights may be outside what is declared, and days are
dates.
"""


def run(*words: str) -> int:
    return main(list(words))


def test_a_dummy_and_rows_of_a_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dummy, made from a declaration alone, and rows drawn from a release each verify.

    Without the ledger that is "not checked" (exit status 3). Functions for real releases
    refuse the dummy.

    Three quarters of 40 dummy rows are women, which is 30, as --shares sets. All 40 drawn
    rows are, by --where.
    """
    bundle = make_bundle(
        tmp_path, rows=ROWS * 50, epsilon=Fraction(9)
    )  # noise leaves some women
    domain = tmp_path / "domain.json"
    with zipfile.ZipFile(bundle) as files:
        domain.write_bytes(files.read("domain.json"))
    shares = tmp_path / "shares.json"
    shares.write_text('{"sex": {"F": 0.75}}', encoding="utf-8")
    out = str(tmp_path / "dummy.zip")
    draw_options = (
        "--rows",
        "40",
        "--shares",
        str(shares),
        "--formats",
        "parquet",
        "-o",
        out,
    )

    assert run("dummy", str(domain), *draw_options) == 0
    assert "This is a dummy" in capsys.readouterr().out
    assert run("verify", out, "-v") == 0
    assert "no file shows when it was made" in capsys.readouterr().out
    assert run("analyse", out, "--question", "share where sex = F") == 2
    assert "This is a dummy" in capsys.readouterr().err
    assert run("compare", str(domain), out) == 2
    assert "This is a dummy" in capsys.readouterr().err

    drawn_zip = str(tmp_path / "set_shares.zip")
    where = ("--where", "sex = F", "--rows", "40", "--formats", "parquet", "-o", drawn_zip)
    assert run("draw", str(bundle), *where) == 0
    assert "were set, not measured" in capsys.readouterr().out
    assert run("verify", drawn_zip, "--release", str(bundle)) == 0
    assert run("verify", drawn_zip) == 3

    for path, name in ((out, "dummy"), (drawn_zip, "set_shares")):
        with zipfile.ZipFile(path) as files, files.open(f"{name}_typed.parquet") as rows:
            drawn_rows = pd.read_parquet(rows)
        assert {column: str(drawn_rows[column].dtype) for column in drawn_rows} == TYPES
        assert drawn_rows["sex"].eq("F").sum() == (30 if name == "dummy" else 40)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("--rows", "0"),
            "--rows must be a whole number from 1 to 1,000,000,000",
        ),
        (("--rows", "5", "--shares", "sex: F=2"), "must be from 0 to 1"),
        (
            ("--rows", "5", "--shares", "no.json"),
            "The file of shares 'no.json' cannot be read.",
        ),
    ],
)
def test_bad_options_are_refused(
    words: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong number of rows or file of shares is refused by a sentence about that option."""
    assert run("dummy", "domain.json", *words) == 2
    assert sentence in capsys.readouterr().err


def test_notes_on_a_declaration_of_another_program_come_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What Synth does not take over from a declaration in CSVW-EO is noted on stderr.

    A dummy has no persons to protect; a release does not use the share of missing values.
    """
    declared = tmp_path / "eo.json"
    declared.write_text(json.dumps(THEIRS), encoding="utf-8")
    assert run("dummy", str(declared), "--rows", "5", "-o", str(tmp_path / "dummy.zip")) == 0
    assert (
        "Note: The file protects persons by the column 'penguin_id'"
        in capsys.readouterr().err
    )

    table = tmp_path / "penguins.csv"
    table.write_text("species,island,mass,sex\nAdelie,Biscoe,180,true\n", encoding="utf-8")
    spent = (
        "--epsilon",
        "1",
        "--neighbors",
        "add-remove",
        "--out",
        str(tmp_path / "b.zip"),
    )
    assert run("release", str(table), "--domain", str(declared), *spent) == 0
    assert "Note: Not used: nullableProportion of 'mass'." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("dummy.csv", "is named like a dummy table, made from a declaration alone"),
        ("DUMMY_typed.parquet", "is named like a dummy table, made from a declaration alone"),
        ("set_shares.xlsx", "is named like rows whose shares were set, not measured"),
    ],
)
def test_a_comparison_with_such_rows_is_refused(
    name: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`compare` refuses files whose names say that their rows are a dummy or had
    set shares.
    """
    assert run("compare", "people.csv", str(tmp_path / name), "--domain", "domain.json") == 2
    assert (
        capsys.readouterr().err.splitlines()[-1]
        == f"'{name}' {sentence}; rename it if it is none."
    )
