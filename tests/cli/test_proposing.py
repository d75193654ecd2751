"""``synth domain draft --look --obey``: relations of all rows, from the file to a release."""

import csv
import io
import json
from datetime import date
from pathlib import Path
from zipfile import ZipFile

import pytest

from synth.domain import LOOKED_UP
from tests.cli.conftest import Line
from tests.counting.related_tables import (
    COUNTRIES,
    DAY_OF_AGES,
    write_cities,
    write_loans,
)


def read_rows(bundle: Path) -> list[dict[str, str]]:
    """Return the synthetic rows of a bundle."""
    with ZipFile(bundle) as archive:
        return [*csv.DictReader(io.StringIO(archive.read("synthetic.csv").decode()))]


def release(cli: Line, folder: Path, table: Path, *words: object) -> Path:
    """Draft with all proposals taken in, release by it, verify, and return the bundle."""
    draft = folder / "draft.json"
    given = ("domain", "draft", table, "--look", "--obey", "all")
    assert cli(*given, "--out", draft)[0] == 0
    bundle = folder / "bundle.zip"
    paid = ("release", table, "--domain", draft, "--epsilon", 1, "--out", bundle)
    assert cli(*paid, *words)[0] == 0
    assert cli("verify", bundle)[0] in (0, 3)
    return bundle


def test_no_released_row_breaks_what_was_taken(cli: Line, tmp_path: Path) -> None:
    """Each released city has its country, and each age follows from the birth.

    The certificate says that these relations were taken from the rows.
    """
    bundle = release(cli, tmp_path, write_cities(tmp_path))
    broken_rows = [
        row
        for row in read_rows(bundle)
        if row["country"] != COUNTRIES[row["city"]]
        or int(row["age"]) != (DAY_OF_AGES - date.fromisoformat(row["born"])).days // 365
    ]
    assert broken_rows == []
    with ZipFile(bundle) as archive:
        certificate = json.loads(archive.read("certificate.json"))
        statement = archive.read("statement.txt").decode()
        declaration = json.loads(archive.read("domain.json"))
    assert certificate["domain_origin"] == LOOKED_UP
    sentence = "'country' follows from 'city'; 'age' follows from 'born'"
    assert sentence in certificate["caveats"][-1]
    assert "'country' follows from" in " ".join(statement.split())
    assert declaration["fields"][1]["synth:derived"]["taken"] is True


@pytest.mark.slow
def test_no_released_loan_ends_before_it_starts(cli: Line, tmp_path: Path) -> None:
    """A rule that was taken in, that a loan ends after it starts, holds in all synthetic
    rows.
    """
    bundle = release(
        cli, tmp_path, write_loans(tmp_path), "--rules", tmp_path / "draft.rules.json"
    )
    rows = read_rows(bundle)
    assert not [row for row in rows if row["paid_off"] and row["paid_off"] < row["started"]]
    with ZipFile(bundle) as archive:
        assert "'started' is at most 'paid_off'" in archive.read("certificate.json").decode()


def test_proposals_are_listed_and_not_taken(cli: Line, tmp_path: Path) -> None:
    """Without a name the terminal shows what to type; the file holds no derived column."""
    cities = write_cities(tmp_path)
    status, _, errors = cli("domain", "draft", cities, "--look", "--out", tmp_path / "d.json")
    assert status == 0
    assert "(--obey 'country from city')" in errors
    assert "--obey all" in errors
    assert "synth:derived" not in (tmp_path / "d.json").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--obey", "all"], "--obey needs --look."),
        (["--look", "--obey", "x"], "The look does not propose 'x'"),
        (["--look", "--obey", "all"], "'d.rules.json' is there already"),
    ],
)
def test_what_does_not_go_together(
    words: list[str], sentence: str, cli: Line, tmp_path: Path
) -> None:
    """A wrong name, rules in the way, and options without a look are one sentence each."""
    loans = write_loans(tmp_path)
    (tmp_path / "d.rules.json").write_text("mine")
    status, _, errors = cli("domain", "draft", loans, *words, "--out", tmp_path / "d.json")
    assert status == 2
    assert sentence in " ".join(errors.replace(f"{tmp_path}/", "").split())
    assert not (tmp_path / "d.json").exists()
    assert (tmp_path / "d.rules.json").read_text() == "mine"


def test_a_rule_needs_a_file_to_be_beside(cli: Line, tmp_path: Path) -> None:
    """On standard output is one description, so a rule has no place."""
    refusal = cli.refusal("domain", "draft", write_loans(tmp_path), "--look", "--obey", "all")
    assert "is a rule, and rules have a file of their own" in refusal
    assert "add --out FILE.json" in refusal


def test_that_nothing_is_proposed_is_said(cli: Line, tmp_path: Path) -> None:
    """`--obey all` of a table without relations says so, and writes the description alone."""
    table = tmp_path / "t.csv"
    table.write_text("sex,smoker\n" + "f,yes\nm,no\nf,no\nm,yes\n" * 50)
    draft = tmp_path / "draft.json"

    status, _, errors = cli("domain", "draft", table, "--look", "--obey", "all", "-o", draft)

    assert status == 0
    assert "The look proposes no relation, so none was taken in." in errors
    assert sorted(tmp_path.glob("*.json")) == [draft]
