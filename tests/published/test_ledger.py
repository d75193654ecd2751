"""The schemas of exported ledgers: what Synth exports is right by them, and changes are
refused. Synth reads no exported ledger: `ledger verify --lines` compares whole lines.
"""

import json
import zipfile
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from synth.door import Ledger
from synth.door.ledger.sqlite_form import FORMAT
from synth.errors import LedgerError
from synth.privacy import Guarantee, Neighbors, parse_budget
from tests.golden.make import HERE
from tests.published.changes import GONE, change, faults
from tests.published.documents import HASH

BOTH = Neighbors.REPLACE_ONE
FIRST = HERE.parent / "first_release" / "ledger.zip"
LEDGERS = sorted([HERE / "ledger.zip", FIRST, *(HERE.parent / "ledgers").glob("*.zip")])


def filled_ledger(ledger: Ledger) -> Ledger:
    """A ledger with a budget that is raised, spends in all measures, a refusal, a look and a
    stored value.
    """
    ledger.set_budget("survey", parse_budget("rho=2,delta=1e-9", BOTH))
    ledger.change_budget("survey", parse_budget("rho=3,delta=1e-9", BOTH), "a second wave")
    table = ledger.keyed_digest([b"a table"])
    ledger.note_look("survey", table)
    paid: dict[str, Any] = {"dataset": "survey", "neighbors": BOTH, "table": table}
    first = ledger.spend(
        guarantee=Guarantee.pure(Fraction(1, 3)), purpose="counts", request="a", **paid
    )
    ledger.spend(guarantee=Guarantee.zcdp(1), purpose="answers", request="b", **paid)
    ledger.spend(
        guarantee=Guarantee.gaussian(Fraction(1, 2)), purpose="model", request="c", **paid
    )
    ledger.keep(first, "0", b"[1, 2]")
    with pytest.raises(LedgerError):
        ledger.spend(guarantee=Guarantee.zcdp(9), purpose="more", request="d", **paid)
    by_person = {**paid, "dataset": "clinic", "person": "id"}
    ledger.set_budget("clinic", parse_budget("epsilon=3,delta=1e-9", BOTH))
    ledger.spend(
        guarantee=Guarantee.of(Fraction(1), Fraction(1, 10**9)),
        purpose="model",
        request="e",
        **by_person,
    )
    return ledger


with Ledger(by="a steward", recalls=True) as _ledger, Ledger(recalls=True) as _unsigned:
    EXPORTED: dict[str, Any] = json.loads(json.dumps(filled_ledger(_ledger).export()))
    LINES: list[dict[str, Any]] = [json.loads(line) for line in _ledger.lines()]
    UNSIGNED: dict[str, Any] = filled_ledger(_unsigned).export()
KINDS = {event["kind"]: event["number"] - 1 for event in reversed(EXPORTED["events"])}
"""The place of the first event of each kind."""


def test_an_exported_ledger_has_the_form() -> None:
    """With events of all kinds, as one object and as lines; and an empty one."""
    assert set(KINDS) == {"budget", "spend", "refusal", "kept", "look"}
    assert faults("ledger", EXPORTED) == []
    assert faults("ledger", UNSIGNED) == []
    assert [faults("ledger.line", line) for line in LINES] == [[]] * len(LINES)
    assert any("request" in line for line in LINES)
    with Ledger() as empty:
        assert faults("ledger", empty.export()) == []
    assert EXPORTED["format"] == f"synth-ledger-{FORMAT}"


@pytest.mark.parametrize("path", LEDGERS, ids=lambda path: f"{path.parent.stem} {path.stem}")
def test_ledgers_of_earlier_versions_have_the_form(path: Path) -> None:
    """They, and each of their lines, have the form of the published JSON schemas."""
    with TemporaryDirectory() as folder:
        zipfile.ZipFile(path).extractall(folder)
        (file,) = Path(folder).glob("*.db")
        with Ledger(file, readonly=True) as ledger:
            assert faults("ledger", ledger.export()) == []
            for line in ledger.lines():
                assert faults("ledger.line", json.loads(line)) == []


def of(kind: str, field: str) -> str:
    """The place of a field in the first event of a kind."""
    return f"events/{KINDS[kind]}/{field}"


REFUSED: list[tuple[str, Any]] = [
    ("format", GONE),
    ("format", "synth-ledger-2"),
    ("head", "abc"),
    ("events", {}),
    ("later", 1),
    (of("spend", "number"), 0),
    (of("spend", "number"), "4"),
    (of("spend", "time"), "yesterday"),
    (of("spend", "kind"), "gift"),
    (of("spend", "dataset"), GONE),
    (of("spend", "hash"), HASH[1:]),
    (of("spend", "mark"), HASH),
    (of("spend", "content"), {}),
    (of("spend", "content/guarantee"), {"epsilon": 1}),
    (of("spend", "content/guarantee"), {"epsilon": "1", "rho": "1"}),
    (of("spend", "content/guarantee"), {"epsilon": "-1"}),
    (of("spend", "content/neighbors"), "both"),
    (of("spend", "content/purpose"), None),
    (of("spend", "content/person"), ""),
    (of("spend", "content/later"), 1),
    (of("budget", "content/budget"), GONE),
    (of("budget", "content/delta"), GONE),
    (of("budget", "content/reason"), 5),
    (of("budget", "content/spellings"), []),
    (of("refusal", "content/guarantee"), GONE),
    (of("kept", "content/spend"), 0),
    (of("kept", "content/part"), 7),
    (of("kept", "content/sha256"), "abc"),
    (of("look", "content/table"), HASH),
]


@pytest.mark.parametrize(("place", "value"), REFUSED)
def test_a_change_of_an_exported_ledger_is_refused(place: str, value: Any) -> None:
    assert faults("ledger", change(EXPORTED, place, value)) != []


REFUSED_OF_LINE: list[tuple[str, Any]] = [
    ("before", GONE),
    ("before", HASH[1:]),
    ("request", 5),
    ("request", HASH),
    ("number", GONE),
    ("number", 1.5),
    ("time", GONE),
    ("kind", GONE),
    ("kind", "budget"),
    ("dataset", ""),
    ("hash", GONE),
    ("content", GONE),
    ("content/guarantee", "1"),
    ("content/neighbors", GONE),
    ("content/by", 5),
    ("seal", HASH),
]


@pytest.mark.parametrize(("place", "value"), REFUSED_OF_LINE)
def test_a_change_of_a_line_is_refused(place: str, value: Any) -> None:
    assert faults("ledger.line", change(LINES[KINDS["spend"]], place, value)) != []
