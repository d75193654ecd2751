"""Values that mean a missing one, in files that have missing values of several kinds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import synth
from synth.bundle import FORMATS, export
from synth.domain import Domain
from synth.rows import decode
from tests.bundle.exports.contract import table_of

KINDS = {"8": "refused", "9": "unknown"}
EDU = synth.Categorical({"1": "low", "2": "high", **KINDS}, missing=KINDS)
LETTERS = {".a": "refused", ".c": "unknown"}
ANSWER = synth.Categorical({"1": "yes", "2": "no", **LETTERS}, missing=LETTERS)
WORDS = synth.Categorical(["red", "blue", "none"], missing={"none": "not asked"})
DOMAIN = Domain(edu=EDU, answer=ANSWER, color=WORDS)
PAY: dict[str, Any] = {
    "name": "pay",
    "type": "integer",
    "constraints": {"minimum": 0, "maximum": 60},
    "synth:bins": 6,
    "synth:spikes": [{"value": "98", "label": "refused"}, {"value": "-8", "label": "asked"}],
    "missingValues": ["", "98", "-8"],
}


def read_export(name: str, folder: Path, domain: Domain = DOMAIN) -> tuple[Any, Any]:
    """The cells of a written file by column, and its header, as the program has them."""
    pyreadstat = pytest.importorskip("pyreadstat")
    path = export(table_of(domain), FORMATS[name], folder / f"t.{name}")
    return getattr(pyreadstat, f"read_{name}")(path, user_missing=True, output_format="dict")


def test_spss_has_them_as_codes_of_missing_values(tmp_path: Path) -> None:
    """A code is the value itself, or one above all others for a text."""
    cells, header = read_export("sav", tmp_path)
    ranges = {
        name: [ends["lo"] for ends in spans] for name, spans in header.missing_ranges.items()
    }
    assert ranges == {"edu": [8, 9], "answer": [3, 4], "color": [3]}
    assert header.variable_value_labels == {
        "edu": {1: "low", 2: "high", 8: "refused", 9: "unknown"},
        "answer": {1: "yes", 2: "no", 3: "refused", 4: "unknown"},
        "color": {1: "red", 2: "blue", 3: "none · not asked"},
    }
    assert {*cells["edu"]} - {None} >= {1, 2, 8, 9}


def test_stata_has_them_as_letters(tmp_path: Path) -> None:
    """Stata files have reasons for missing values as letters; a declared letter stays."""
    cells, header = read_export("dta", tmp_path)
    assert {str(cell) for cell in cells["edu"]} == {"1.0", "2.0", "a", "b", "None"}
    assert {str(cell) for cell in cells["answer"]} == {"1.0", "2.0", "a", "c", "None"}
    assert header.variable_value_labels["answer"] == {
        1: "yes",
        2: "no",
        "a": "refused",
        "c": "unknown",
    }
    assert header.variable_value_labels["color"]["a"] == "none · not asked"


def test_stata_has_numbers_after_many_letters(tmp_path: Path) -> None:
    """A column whose first 150 rows all are letters is written as numbers, and so is one that
    begins with empty cells; pyreadstat takes it for texts by the first 100 cells alone.
    """
    pyreadstat = pytest.importorskip("pyreadstat")
    answer = synth.Categorical({"1": "yes", "2": "no", **LETTERS}, missing=LETTERS)
    domain = Domain(answer=answer)
    refused = domain["answer"].labels.index(".a")
    codes = np.array([refused] * 150 + [0, 1], dtype=np.int32)
    path = export(decode(domain, [codes], seed=7), FORMATS["dta"], tmp_path / "t.dta")
    cells, _ = pyreadstat.read_dta(path, user_missing=True, output_format="dict")
    assert [*cells["answer"][:150]] == ["a"] * 150
    assert [*cells["answer"][150:]] == [1, 2]


@pytest.mark.parametrize(("count", "is_range"), [(3, False), (5, True)])
def test_spss_has_many_as_a_range(count: int, is_range: bool, tmp_path: Path) -> None:
    """SPSS takes up to three single codes for missing values; more become one range."""
    kinds = {str(90 + number): f"reason {number}" for number in range(count)}
    column = synth.Categorical({"1": "yes", **kinds}, missing=kinds)
    _, header = read_export("sav", tmp_path, Domain(answer=column))
    spans = [(ends["lo"], ends["hi"]) for ends in header.missing_ranges["answer"]]
    assert spans == ([(90, 94)] if is_range else [(90, 90), (91, 91), (92, 92)])


def test_a_format_that_cannot_hold_them_says_so() -> None:
    """SPSS has no four codes with a value between them; Excel and SAS have none at all."""
    kinds = dict.fromkeys(("1", "3", "5", "7"), "missing")
    column = synth.Categorical({"2": "two", "4": "four", **kinds}, missing=kinds)
    domain = Domain(answer=column)
    for name in ("sav", "xlsx", "xpt", "parquet"):
        losses = " ".join(FORMATS[name].list_losses(domain))
        assert "'1', '3', '5', '7' means a missing value, and is an ordinary value" in losses
    assert "ordinary" not in " ".join(FORMATS["dta"].list_losses(domain))


@pytest.mark.parametrize("name", ["sav", "dta"])
def test_what_is_read_back_is_what_was_written(name: str, tmp_path: Path) -> None:
    """Values, labels and reasons come back by a look at the written file."""
    pytest.importorskip("pyreadstat")
    path = export(table_of(DOMAIN, 400), FORMATS[name], tmp_path / f"t.{name}")
    edu = synth.draft(path).domain["edu"]
    assert [title.partition(" · ")[2] for title in edu.titles] == [
        "low",
        "high",
        "refused",
        "unknown",
        "",
    ]
    assert len(edu.reasons) == 2


@pytest.mark.parametrize(("name", "marks"), [("sav", (98, -8)), ("dta", ("a", "b"))])
def test_reasons_among_numbers_are_missing_values(
    name: str, marks: tuple[Any, Any], tmp_path: Path
) -> None:
    """Codes outside the bounds, with their labels."""
    cells, header = read_export(name, tmp_path, Domain.from_schema({"fields": [PAY]}))
    assert {*marks} <= {*cells["pay"]}
    assert header.variable_value_labels["pay"] == {marks[0]: "refused", marks[1]: "asked"}
    if name == "sav":
        codes = {ends["lo"] for ends in header.missing_ranges["pay"]}
        assert codes == {*marks}
    else:
        assert {*header.missing_user_values["pay"]} == {*marks}
        assert not {98, -8} & {*cells["pay"]}
