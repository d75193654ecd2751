"""What a second person sees, and that every way to spend waits for one."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import synth
from synth import limits
from synth.domain import LOOKED_UP
from synth.door import Ledger
from synth.drafting import DraftRequest
from synth.errors import WaitingError
from synth.estimate import FitCheck
from synth.plans import LinkedPlan, Plan
from synth.privacy import ROW, Guarantee, Neighbors, parse_budget
from synth.questions import Inquiry
from synth.spending import (
    add_score,
    ask,
    check_fit,
    draft_domain,
    look_at,
    synthesize,
    synthesize_linked,
)
from tests.ledger.two_persons import WORDS, act_as
from tests.linked.households import files_at_random, households

REPLACE = Neighbors.REPLACE_ONE
DOMAIN = synth.Domain(sex=["f", "m"], age=synth.Integer(0, 99, bins=10))
PLAN = Plan(domain=DOMAIN, epsilon=Fraction(1), method="dense", dataset="people")
CHECK = FitCheck(
    domain=DOMAIN, epsilon=Fraction(1), neighbors=REPLACE, unit=ROW, dataset="people"
)
INQUIRY = Inquiry.read(
    ["share where sex = f"], DOMAIN, Guarantee.pure(Fraction(1)), dataset="people"
)
DRAFT = DraftRequest(
    columns=("sex", "age"), guarantee=Guarantee.pure(Fraction(1)), dataset="people"
)


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """A ledger that is set to two persons, in which ann acts."""
    monkeypatch.setattr(limits, "SCRYPT_COST", 2**4)
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.set_budget("people", parse_budget("20", REPLACE))
    ledger.persons.require(WORDS)
    return act_as(ledger, "ann")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of 40 rows."""
    path = tmp_path / "people.csv"
    path.write_text("sex,age\n" + "f,31\nm,72\n" * 20, encoding="utf-8")
    return path


def request_of(action: Callable[[], object]) -> int:
    """The number of the request that something waits for."""
    with pytest.raises(WaitingError) as caught:
        action()
    return caught.value.request


WAYS: dict[str, Callable[[Path, Ledger], object]] = {
    "histogram": lambda table, ledger: synthesize(PLAN, table, ledger=ledger),
    "model": lambda table, ledger: synthesize(
        replace(PLAN, method="one-shot"), table, ledger=ledger
    ),
    "question": lambda table, ledger: ask(INQUIRY, table, ledger=ledger),
    "check": lambda table, ledger: check_fit(CHECK, table, ledger=ledger),
    "draft": lambda table, ledger: draft_domain(DRAFT, table, ledger=ledger),
    "look": lambda table, ledger: look_at(DOMAIN, table, ledger=ledger, dataset="people"),
    "score": lambda table, ledger: add_score(
        synthesize(PLAN, table), table, Fraction(1), ledger=ledger
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_spend_waits_for_a_second_person(
    ledger: Ledger, table: Path, way: str
) -> None:
    """Nothing is spent or looked at before the approval, and the line then names both."""
    if way == "score":  # each score is of rows of its own, so the same release is needed
        result = synthesize(PLAN, table)
        act = lambda: add_score(result, table, Fraction(1), ledger=ledger)  # noqa: E731
    else:
        act = lambda: WAYS[way](table, ledger)  # noqa: E731
    number = request_of(act)
    assert {event.kind for event in ledger.events()} <= {
        "budget",
        "persons",
        "kept",
        "request",
    }
    act_as(ledger, "bo").persons.approve(number)
    act_as(ledger, "ann")
    act()
    (event,) = [event for event in ledger.events() if event.kind in ("spend", "look")]
    assert (event.content["by"], event.content["approved_by"]) == ("ann", "bo")
    assert event.content["request"] == number


def test_linked_tables_wait_for_a_second_person(ledger: Ledger) -> None:
    files = files_at_random(random.Random(1), list("ABCDEFGH"))
    ledger.set_budget("homes", parse_budget("20", Neighbors.ADD_REMOVE))
    plan = LinkedPlan(
        package=households(),
        epsilon=Fraction(5),
        neighbors=Neighbors.ADD_REMOVE,
        dataset="homes",
    )
    number = request_of(lambda: synthesize_linked(plan, files.tables(), ledger=ledger))
    tables = ledger.persons.dossier(number)["tables"]
    assert [table["table"] for table in tables] == [  # type: ignore[index, union-attr]
        table.name for table in plan.package.tables
    ]
    act_as(ledger, "bo").persons.approve(number)
    result = synthesize_linked(plan, files.tables(), ledger=act_as(ledger, "ann"))
    recorded = result.certificate.ledger_record
    assert recorded is not None
    assert (recorded.requested_by, recorded.approved_by) == ("ann", "bo")


def test_the_second_person_sees_promise_forecast_and_description(
    ledger: Ledger, table: Path
) -> None:
    number = request_of(lambda: synthesize(PLAN, table, ledger=ledger))
    dossier: dict[str, Any] = dict(ledger.persons.dossier(number))
    assert dossier["cost"] == "epsilon 1"
    assert "1-differentially private" in dossier["promise"]
    assert [line.split(" rows")[0] for line in dossier["forecast"]] == [
        "1,000",
        "10,000",
        "100,000",
    ]
    (described,) = dossier["tables"]
    assert [column["name"] for column in described["columns"]] == ["sex", "age"]
    assert described["columns"][0]["constraints"]["enum"] == ["f", "m"]
    assert dossier["vouches"] is False


def test_questions_come_with_their_forecast(ledger: Ledger, table: Path) -> None:
    number = request_of(lambda: ask(INQUIRY, table, ledger=ledger))
    dossier: dict[str, Any] = dict(ledger.persons.dossier(number))
    assert dossier["choices"] == ["Question: share where sex = f"]
    assert len(dossier["forecast"]) == 3


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("score", "look")])
def test_the_second_person_sees_the_same_of_any_table(
    ledger: Ledger, table: Path, tmp_path: Path, way: str
) -> None:
    """Nothing of the view or of the request follows from the rows, not even their number."""
    first = request_of(lambda: WAYS[way](table, ledger))
    # The setting knows this request already, so another ledger is asked about other rows.
    other = Ledger(tmp_path / "other.db")
    other.set_budget("people", parse_budget("20", REPLACE))
    other.persons.require(WORDS)
    table.write_text("sex,age\n" + "m,9\nx,oops\nf,\n" * 17, encoding="utf-8")
    second = request_of(lambda: WAYS[way](table, act_as(other, "ann")))
    assert ledger.persons.dossier(first) == other.persons.dossier(second)
    fields = [
        {
            name: value
            for name, value in ledger_of.events()[number - 1].content.items()
            if name != "digest"
        }
        for ledger_of, number in ((ledger, first), (other, second))
    ]
    assert fields[0] == fields[1]


def test_values_taken_from_the_rows_are_hidden_or_marked(ledger: Ledger, table: Path) -> None:
    """Without vouching no value of the description is shown; with it, all are marked."""
    rare = synth.Domain(sex=["f", "m", "only one has this"])
    taken = replace(PLAN, domain=replace(rare, origin=LOOKED_UP))
    number = request_of(lambda: synthesize(taken, table, ledger=ledger))
    text = json.dumps(ledger.persons.dossier(number))
    assert "only one has this" not in text
    assert "so its values are not shown here" in text
    vouched = replace(taken, domain=replace(taken.domain, vouched=True))
    number = request_of(lambda: synthesize(vouched, table, ledger=ledger))
    assert ledger.persons.request(number).vouches
    text = json.dumps(ledger.persons.dossier(number))
    assert "only one has this" in text
    assert "Marked: the values of this description were taken" in text


def test_nobody_vouches_alone_for_a_release_that_was_paid(
    ledger: Ledger, table: Path
) -> None:
    """The same release again, now vouched for, waits for the second person."""
    taken = replace(PLAN, domain=replace(DOMAIN, origin=LOOKED_UP))
    number = request_of(lambda: synthesize(taken, table, ledger=ledger))
    act_as(ledger, "bo").persons.approve(number)
    synthesize(taken, table, ledger=act_as(ledger, "ann"))
    vouched = replace(taken, domain=replace(taken.domain, vouched=True))
    number = request_of(lambda: synthesize(vouched, table, ledger=ledger))
    act_as(ledger, "bo").persons.approve(number)
    result = synthesize(vouched, table, ledger=act_as(ledger, "ann"))
    assert result.repeated
    assert result.certificate.declaration.taken_is_public
    assert [event.kind for event in ledger.events()].count("vouch") == 1


def test_a_table_in_memory_is_covered(ledger: Ledger) -> None:
    frame = pa.table({"sex": ["f", "m"] * 20, "age": [31, 72] * 20})
    assert request_of(lambda: synthesize(PLAN, frame, ledger=ledger))
