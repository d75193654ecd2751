"""Spending: budgets, exact sums, repeated requests, and releases that spend."""

import json
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from synth import limits
from synth.cli.main import main
from synth.door import Ledger
from synth.errors import LedgerError, ReleaseError
from synth.privacy import Guarantee, parse_budget
from tests.ledger.ledgers import ADD, REPLACE, ledger_with_budget, spend


def test_ten_tenths_are_exactly_one_and_nothing_more_fits(path: Path) -> None:
    """Spends are exact rationals, so after ten tenths not even 10^-30 is left."""
    ledger = ledger_with_budget(path)
    for _ in range(10):
        spend(ledger, "1/10")
    assert ledger.balance("survey").left == 0
    with pytest.raises(LedgerError, match=r"This release costs 1/10{30}, but of the budget"):
        spend(ledger, Fraction(1, 10**30))


def test_who_spends_is_written_down_where_it_is_known(path: Path) -> None:
    """The ledger records who set a budget and who spent, if that is known.

    The first two entries, a budget and a spend, are Ann's. The second spend is nobody's.
    """
    with Ledger(path, by="ann@example.org") as ledger:
        ledger.set_budget("survey", parse_budget("1", REPLACE))
        assert spend(ledger, "1/4").by == "ann@example.org"

    with Ledger(path) as ledger:
        assert spend(ledger, "1/4").by == ""
        assert [entry.by for entry in ledger.entries()] == ["ann@example.org", ""]

        names_of_spenders = [
            event["content"].get("by") for event in ledger.export()["events"]
        ]
        assert names_of_spenders == ["ann@example.org", "ann@example.org", None]
        assert ledger.verify() == 3


def test_a_budget_is_needed_in_a_file_and_can_change(path: Path) -> None:
    """A ledger file needs a budget before a spend; it may change, but not below what was
    spent.

    After a spend of 3/2, the budget may become 1.5, so that nothing is left, but not 1. After
    a spend its relation stays. A ledger in memory needs no budget.
    """
    ledger = Ledger(path)
    with pytest.raises(LedgerError, match="no budget for 'survey' yet; give it one"):
        spend(ledger)

    ledger = ledger_with_budget(path, "2")
    spend(ledger, "3/2")
    with pytest.raises(
        LedgerError, match=r"cannot be epsilon = 1, replace-one, because 1.5 is"
    ):
        ledger.change_budget("survey", parse_budget("1", REPLACE), "less")

    with pytest.raises(LedgerError, match="counts add-remove neighbours"):
        ledger.change_budget("survey", parse_budget("5", ADD), "more")
    ledger.change_budget("survey", parse_budget("1.5", REPLACE), "less")
    assert Ledger(path).balance("survey").left == 0

    assert spend(Ledger(), 1).number == 1, "in memory, no budget is needed"


def test_the_same_request_is_charged_once_and_another_is_not(path: Path) -> None:
    """A request is charged once for the same table; another table or request is charged.

    Two spends of 1/2 use the whole budget of 1. Even then the first request is found again.
    """
    ledger = ledger_with_budget(path)
    first = spend(ledger, table="t1", request="r")
    assert spend(Ledger(path), table="t1", request="r") == first
    assert ledger.balance("survey").spent == Fraction(1, 2)

    assert spend(ledger, table="t2", request="r").number != first.number

    with pytest.raises(LedgerError, match="only 0 is left"):
        spend(ledger, table="t1", request="another")

    assert spend(Ledger(path), table="t1", request="r") == first, "even with nothing left"


def test_without_a_request_every_spend_counts() -> None:
    ledger = ledger_with_budget(None)
    assert spend(ledger, table="t").number != spend(ledger, table="t").number


def test_what_is_kept_first_stays(path: Path) -> None:
    """A part of a spend's results is stored once: whoever stores it again gets the first.

    It comes with the hash of the ledger's newest entry, which holds it.
    """
    ledger = ledger_with_budget(path)
    entry = spend(ledger)
    assert ledger.kept(entry, "1") is None

    kept_place = ledger.keep(entry, "1", b"first")
    assert Ledger(path).keep(entry, "1", b"second") == kept_place == ledger.kept(entry, "1")

    assert kept_place[0] == b"first"
    assert kept_place[1] == ledger.head


def test_what_is_too_large_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result of five bytes is refused where the limit is four."""
    monkeypatch.setattr(limits, "KEPT_BYTES", 4)
    ledger = ledger_with_budget(None)

    with pytest.raises(LedgerError, match="too large to be kept"):
        ledger.keep(spend(ledger), "1", b"12345")


def test_fingerprints_know_a_table_and_only_with_the_key(tmp_path: Path) -> None:
    """A ledger recognises a table by its bytes, and nobody else can compute that fingerprint.

    It is keyed: another ledger has another one, and a plain SHA-256 digest differs. A changed
    table has another one too.
    """
    table = tmp_path / "t.csv"
    table.write_text("age\n41\n")
    first_ledger = Ledger(tmp_path / "a.db")
    second_ledger = Ledger(tmp_path / "b.db")

    known_fingerprint = first_ledger.fingerprint(table)
    assert (
        known_fingerprint
        == Ledger(tmp_path / "a.db").fingerprint(table)
        != second_ledger.fingerprint(table)
    )

    assert sha256(table.read_bytes()).hexdigest()[:32] != known_fingerprint

    table.write_text("age\n42\n")
    assert first_ledger.fingerprint(table) != known_fingerprint


def test_a_folder_is_known_by_each_of_its_files(tmp_path: Path) -> None:
    """A table in two files is recognised by what each file holds, whichever is named first.

    Bytes that move from one file into another, or files that exchange their content, change
    the fingerprint: four pairs have four. Each of the last two files alone has another one,
    six in all.
    """
    ledger = Ledger()
    first = tmp_path / "a"
    second = tmp_path / "b"

    marks = set()
    for contents in ((b"one", b"two"), (b"onet", b"wo"), (b"onetwo", b""), (b"two", b"one")):
        first.write_bytes(contents[0])
        second.write_bytes(contents[1])
        marks.add(ledger.fingerprint(first, second))
        assert ledger.fingerprint(second, first) in marks, "whichever is named first"

    assert len(marks | {ledger.fingerprint(first), ledger.fingerprint(second)}) == 6


def test_remarks_on_a_name_with_another_table_and_a_table_with_another_name(
    path: Path,
) -> None:
    """The same name with another table, and the same table under another name,
    get a remark.
    """
    ledger = ledger_with_budget(path, "9")
    ledger.set_budget("other", parse_budget("9", REPLACE))
    spend(ledger, table="t1", request="r")

    assert ledger.remarks("survey", "t1") == []
    assert "'survey' was used before with another table" in ledger.remarks("survey", "t2")[0]
    assert (
        "The same table was released before as 'survey';" in ledger.remarks("other", "t1")[0]
    )


def test_a_release_is_recorded_repeated_and_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command line charges a release once, and refuses one that the budget cannot pay.

    Of a budget of 1.5, a release for 1 leaves 0.5. The same release again, and another repair
    of its noisy counts, are free. A release for 0.6 is refused, first because its folder is
    there already. The certificate names an entry of the ledger.
    """
    table = tmp_path / "t.csv"
    domain = tmp_path / "d.json"
    table.write_text("sex\nF\nM\nF\n")
    field = {
        "name": "sex",
        "type": "string",
        "constraints": {"enum": ["F", "M"], "required": True},
    }
    domain.write_text(json.dumps({"fields": [field]}))

    def release(out: str, *options: str) -> tuple[int, str]:
        files = [str(table), "--domain", str(domain), "--out", str(tmp_path / out)]
        status = main(
            ["release", *files, "--ledger", str(tmp_path / "l.db"), "--anyway", *options]
        )
        errors = capsys.readouterr()
        return status, errors.out + errors.err

    assert release("a", "--epsilon", "1", "--dataset", "survey", "--budget", "1.5")[0] == 0

    status, errors = release("b", "--epsilon", "1", "--dataset", "survey")
    assert status == 0
    assert "made before: nothing was spent" in errors
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()
    status, errors = release(
        "c", "--epsilon", "1", "--dataset", "survey", "--repair", "clamp"
    )
    assert (status, "nothing was spent" in errors) == (0, True), "repairs are free"
    status, errors = release("c", "--epsilon", "0.6", "--dataset", "survey")
    assert (status, "is there already and is kept" in errors) == (2, True)

    status, errors = release("d", "--epsilon", "0.6", "--dataset", "survey")
    assert status == 2
    assert "only 0.5 is left" in errors

    certificate = json.loads((tmp_path / "a" / "certificate.json").read_text())
    assert certificate["ledger"]["head"] in {
        e.hash for e in Ledger(tmp_path / "l.db").events()
    }


def test_a_ledger_may_accept_repeats_only(tmp_path: Path) -> None:
    """A ledger can be told to answer only what was paid for before, and to refuse all else.

    Another request, another table and a spend without a request are refused with the given
    sentence, and so is a new budget. No byte of the file changes.
    """
    spend_options: dict[str, Any] = {"dataset": "us", "table": "a" * 32, "request": "one"}
    claim: dict[str, Any] = {
        "guarantee": Guarantee.pure(1),
        "neighbors": REPLACE,
        "purpose": "one",
    }

    path = tmp_path / "l.db"
    with Ledger(path) as ledger:
        ledger.set_budget("us", parse_budget("2", REPLACE))
        paid = ledger.spend(**spend_options, **claim)

    before = path.read_bytes()
    with Ledger(path) as ledger:
        assert not ledger.has_repeats_only
        ledger.accept_repeats_only("Something is there already.")
        assert ledger.has_repeats_only
        assert ledger.spend(**spend_options, **claim) == paid
        ledger.set_budget("us", parse_budget("2", REPLACE))

        for wrong in (
            spend_options | {"request": "two"},
            spend_options | {"table": "b" * 32},
            {"dataset": "us"},
        ):
            with pytest.raises(ReleaseError, match=r"^Something is there already\.$"):
                ledger.spend(**wrong, **claim)
        with pytest.raises(ReleaseError, match=r"^Something is there already\.$"):
            ledger.set_budget("others", parse_budget("3", REPLACE))

    assert path.read_bytes() == before
