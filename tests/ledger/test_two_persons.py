"""Two persons: nobody alone spends, looks, vouches or ends the setting."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from synth import limits
from synth.door import Entry, Ledger
from synth.errors import LedgerError, WaitingError
from synth.privacy import Neighbors, parse_budget
from tests.ledger.ledgers import ledger_with_budget, spend
from tests.ledger.two_persons import WORDS, act_as, ask, open_with_persons


def request_of(action: Callable[[], object]) -> int:
    """The number of the request that something waits for."""
    with pytest.raises(WaitingError) as caught:
        action()
    return caught.value.request


def approved_spend(ledger: Ledger, epsilon: str = "1/4") -> Entry:
    """What ann asks for and bo approves."""
    act_as(ledger, "ann")
    number = request_of(lambda: ask(ledger, epsilon))
    act_as(ledger, "bo").persons.approve(number)
    return ask(act_as(ledger, "ann"), epsilon)


def test_a_spend_waits_for_the_second_person(path: Path) -> None:
    """A request, its approval and the spend are lines of the ledger that name both."""
    ledger = open_with_persons(path)
    entry = approved_spend(ledger)
    assert (entry.by, entry.approved_by) == ("ann", "bo")
    kinds = [event.kind for event in ledger.events()]
    assert kinds == ["budget", "persons", "kept", "request", "kept", "approval", "spend"]
    assert ledger.events()[-1].content["approval"] == 6
    assert ledger.verify() == 7


def test_nobody_spends_unknown(path: Path) -> None:
    ledger = open_with_persons(path)
    with pytest.raises(LedgerError, match=r"'survey' is set to two persons \(ann, bo, cy\)"):
        ask(ledger)
    assert [event.kind for event in ledger.events()] == ["budget", "persons", "kept"]


def test_nobody_approves_their_own_request(path: Path) -> None:
    ledger = act_as(open_with_persons(path), "ann")
    number = request_of(lambda: ask(ledger))
    with pytest.raises(LedgerError, match="ann asked for this, so another person decides"):
        ledger.persons.approve(number)
    with pytest.raises(LedgerError, match="ann asked for this"):
        ledger.persons.refuse(number, "no")
    assert request_of(lambda: ask(ledger)) == number
    assert ledger.entries() == []


def test_an_approval_is_for_exactly_one_request(path: Path) -> None:
    """Another cost, question, vouching, relation or person asks anew."""
    ledger = act_as(open_with_persons(path), "ann")
    number = request_of(lambda: ask(ledger, request="a", table="t"))
    act_as(ledger, "bo").persons.approve(number)
    others = {
        request_of(lambda: ask(ledger, request="a", table="t")),
        request_of(lambda: ask(act_as(ledger, "ann"), "1/8", request="a", table="t")),
        request_of(lambda: ask(ledger, request="b", table="t")),
        request_of(lambda: ask(ledger, request="a", table="t", dossier={"vouches": True})),
        request_of(lambda: ask(act_as(Ledger(path, project="atlas"), "ann"), request="a")),
    }
    assert number not in others
    assert len(others) == 5
    assert ask(ledger, request="a", table="t").approved_by == "bo"


def test_an_approval_is_used_once(path: Path) -> None:
    ledger = open_with_persons(path)
    entry = approved_spend(ledger)
    number = request_of(lambda: ask(ledger))
    assert number > entry.number
    with pytest.raises(LedgerError, match="Request 4 was approved and used already"):
        act_as(ledger, "bo").persons.approve(4)


def test_the_same_request_again_needs_nobody(path: Path) -> None:
    """What was paid for is repeated at no cost, also by someone unknown."""
    ledger = act_as(open_with_persons(path), "ann")
    number = request_of(lambda: ask(ledger, table="t", request="a"))
    act_as(ledger, "bo").persons.approve(number)
    entry = ask(act_as(ledger, "ann"), table="t", request="a")
    assert ask(Ledger(path), table="t", request="a") == entry


def test_a_refusal_ends_an_approval_that_was_not_used(path: Path) -> None:
    """The last decision counts, and the sentence tells who refused, and why."""
    ledger = act_as(open_with_persons(path), "ann")
    number = request_of(lambda: ask(ledger))
    act_as(ledger, "bo").persons.approve(number)
    refused = act_as(ledger, "cy").persons.refuse(number, "too  much")
    assert (refused.state, refused.decided_by, refused.reason) == (
        "refused",
        "cy",
        "too much",
    )
    with pytest.raises(WaitingError, match="cy refused request 4, because of: too much"):
        ask(act_as(ledger, "ann"))
    act_as(ledger, "bo").persons.approve(number)
    assert ask(act_as(ledger, "ann")).approved_by == "bo"


def test_a_budget_that_is_too_small_asks_nobody(path: Path) -> None:
    """The refusal is recorded as ever, and no request."""
    ledger = act_as(open_with_persons(path), "ann")
    with pytest.raises(LedgerError, match="only 1 is left"):
        ask(ledger, "2")
    assert [event.kind for event in ledger.events()][-1] == "refusal"
    assert ledger.persons.requests() == []


def test_one_person_cannot_end_the_setting_or_replace_the_persons(path: Path) -> None:
    ledger = act_as(open_with_persons(path), "ann")
    number = request_of(lambda: ledger.persons.end("survey"))
    with pytest.raises(LedgerError, match="is set to two persons already"):
        ledger.persons.require({"x": "xxxxxxxxxxxx", "y": "yyyyyyyyyyyy"}, dataset="survey")
    act_as(ledger, "bo").persons.approve(number)
    act_as(ledger, "ann").persons.end("survey")
    assert ledger.persons.settings() == []
    content = ledger.events()[-1].content
    assert (content["names"], content["by"], content["approved_by"]) == ([], "ann", "bo")
    assert spend(Ledger(path), "1/4").approved_by == ""


def test_an_approval_ends_with_its_setting(path: Path) -> None:
    """After new persons were set, earlier approvals count no more."""
    ledger = act_as(open_with_persons(path), "ann")
    number = request_of(lambda: ask(ledger))
    act_as(ledger, "bo").persons.approve(number)
    end = request_of(lambda: act_as(ledger, "ann").persons.end("survey"))
    act_as(ledger, "bo").persons.approve(end)
    act_as(ledger, "ann").persons.end("survey")
    ledger.persons.require(WORDS, dataset="survey")
    assert request_of(lambda: ask(act_as(ledger, "ann"))) > end
    with pytest.raises(LedgerError, match="was made under a setting that has ended"):
        act_as(ledger, "bo").persons.refuse(number, "late")


def test_only_a_setting_of_its_own_can_be_ended(path: Path) -> None:
    ledger = open_with_persons(path, dataset="*")
    with pytest.raises(LedgerError, match="not set to two persons by itself"):
        act_as(ledger, "ann").persons.end("survey")


def test_a_setting_for_the_ledger_holds_for_new_names(path: Path) -> None:
    """Another name of the dataset does not lead around the second person."""
    ledger = open_with_persons(path, dataset="*")
    ledger.set_budget("other", parse_budget("1", Neighbors.REPLACE_ONE))
    with pytest.raises(LedgerError, match="The ledger is set to two persons"):
        ask(Ledger(path), dataset="other")
    with pytest.raises(LedgerError, match="The ledger is set to two persons already"):
        ledger.persons.require({"x": "xxxxxxxxxxxx", "y": "yyyyyyyyyyyy"}, dataset="other")
    assert ledger.datasets() == ["survey", "other"]


def test_a_known_table_keeps_its_two_persons_under_another_name(path: Path) -> None:
    ledger = act_as(open_with_persons(path), "ann")
    number = request_of(lambda: ask(ledger, table="t", request="a"))
    act_as(ledger, "bo").persons.approve(number)
    ask(act_as(ledger, "ann"), table="t", request="a")
    ledger.set_budget("other", parse_budget("1", Neighbors.REPLACE_ONE))
    with pytest.raises(LedgerError, match="'survey' is set to two persons"):
        ask(Ledger(path), dataset="other", table="t", request="b")
    others = {"x": "xxxxxxxxxxxx", "y": "yyyyyyyyyyyy"}
    ledger.persons.require(others, dataset="other")
    with pytest.raises(LedgerError, match="'survey' is set to two persons"):
        ask(Ledger(path), dataset="other", table="t", request="b")
    assert ledger.guard_of("other", "u").names == ("x", "y")  # type: ignore[union-attr]


def test_a_look_needs_two_persons(path: Path) -> None:
    ledger = act_as(open_with_persons(path), "ann")
    number = request_of(lambda: ledger.note_look("survey", "t"))
    assert ledger.looks() == []
    act_as(ledger, "bo").persons.approve(number)
    act_as(ledger, "ann").note_look("survey", "t")
    assert ledger.looks()[0].content["approved_by"] == "bo"
    Ledger(path).note_look("survey", "t")  # noted already, so nothing is new
    assert request_of(lambda: ledger.note_look("survey", "u")) > number


def test_vouching_after_the_release_needs_two_persons(path: Path) -> None:
    """A request that was paid for without vouching asks again if it vouches, once."""
    ledger = act_as(open_with_persons(path), "ann")
    number = request_of(lambda: ask(ledger, table="t", request="a"))
    act_as(ledger, "bo").persons.approve(number)
    entry = ask(act_as(ledger, "ann"), table="t", request="a")
    vouching = {"table": "t", "request": "a", "dossier": {"vouches": True}}
    number = request_of(lambda: ask(ledger, **vouching))
    assert ledger.persons.request(number).vouches
    act_as(ledger, "bo").persons.approve(number)
    assert ask(act_as(ledger, "ann"), **vouching) == entry
    assert ask(ledger, **vouching) == entry
    vouched = [event for event in ledger.events() if event.kind == "vouch"]
    assert [event.content["spend"] for event in vouched] == [entry.number]


def test_a_spend_that_vouches_names_both(path: Path) -> None:
    ledger = act_as(open_with_persons(path), "ann")
    vouching = {"table": "t", "request": "a", "dossier": {"vouches": True}}
    number = request_of(lambda: ask(ledger, **vouching))
    act_as(ledger, "bo").persons.approve(number)
    entry = ask(act_as(ledger, "ann"), **vouching)
    assert ledger.events()[-1].content["vouches"] is True
    assert ask(Ledger(path), **vouching) == entry


def test_a_request_needs_its_dossier(path: Path) -> None:
    """If two persons were set after the spend was prepared, it has to be asked again."""
    ledger = act_as(open_with_persons(path), "ann")
    with pytest.raises(LedgerError, match="was set to two persons a moment ago; ask again"):
        spend(ledger, "1/4")


def test_requests_that_wait_are_limited(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "OPEN_REQUESTS", 2)
    ledger = act_as(open_with_persons(path), "ann")
    for request in "ab":
        request_of(lambda name=request: ask(ledger, request=name))  # type: ignore[misc]
    with pytest.raises(LedgerError, match="2 requests of 'survey' wait for a second person"):
        ask(ledger, request="c")


def test_a_request_that_is_not_there_is_named(path: Path) -> None:
    with pytest.raises(LedgerError, match="The ledger has no request 1"):
        act_as(open_with_persons(path), "bo").persons.approve(1)


def test_the_dossier_is_stored_and_not_exported(path: Path) -> None:
    ledger = act_as(open_with_persons(path), "ann")
    number = request_of(lambda: ask(ledger, dossier={"promise": "nobody is seen"}))
    assert ledger.persons.dossier(number) == {"promise": "nobody is seen"}
    assert "nobody is seen" not in "\n".join(ledger.lines())


def test_an_edited_approval_is_found(path: Path) -> None:
    """A line that names another approver breaks the chain."""
    ledger = open_with_persons(path)
    approved_spend(ledger)
    ledger.close()
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE events SET content = replace(content, '\"bo\"', '\"cy\"') "
            "WHERE kind = 'approval'"
        )
    with pytest.raises(LedgerError, match="was edited: entry 6"):
        Ledger(path)


def test_a_ledger_without_persons_is_as_before(path: Path) -> None:
    ledger = ledger_with_budget(path)
    assert ledger.persons.settings() == []
    assert ledger.guard_of("survey") is None
    assert spend(ledger, "1/4").approved_by == ""
