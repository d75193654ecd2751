"""Persons of a ledger: names, passphrases, and what is stored of them."""

from pathlib import Path

import pytest

from synth import limits
from synth.door import Ledger
from synth.door.ledger.persons import check_persons, is_passphrase, make_verifier
from synth.errors import LedgerError
from tests.ledger.two_persons import WORDS, open_with_persons


def test_a_passphrase_is_stored_with_a_salt_of_its_own() -> None:
    """Two verifiers of one passphrase differ, and both know it alone."""
    first, second = make_verifier("four words in row"), make_verifier("four words in row")
    assert first["salt"] != second["salt"]
    assert first["digest"] != second["digest"]
    for verifier in (first, second):
        assert is_passphrase("four words in row", verifier)
        assert not is_passphrase("four words in Row", verifier)


def test_no_file_holds_a_passphrase(path: Path) -> None:
    """Neither the ledger's file nor its export holds a passphrase; the export no digest."""
    ledger = open_with_persons(path)
    content = path.read_bytes()
    lines = "\n".join(ledger.lines())
    assert not any(words.encode() in content for words in WORDS.values())
    assert "digest" not in lines
    assert "salt" not in lines


@pytest.mark.parametrize("length", [0, limits.PASSPHRASE - 1, limits.PASSPHRASE_MOST + 1])
def test_a_passphrase_has_a_length(length: int) -> None:
    with pytest.raises(LedgerError, match="A passphrase needs 12 to 1,000 characters"):
        make_verifier("x" * length)


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["ann"], "Two persons need two names at least"),
        (["ann", " Ann "], "Two of the persons have the same name"),
        (["ann", ""], "The name of a person needs 1 to 100"),
        (["ann", "x" * 101], "The name of a person needs 1 to 100"),
        ([str(number) for number in range(101)], "At most 100 persons"),
    ],
)
def test_persons_have_names_of_their_own(names: list[str], sentence: str) -> None:
    with pytest.raises(LedgerError, match=sentence):
        check_persons(names)


@pytest.mark.parametrize(
    ("name", "words"), [("ann", "some other words"), ("cy", WORDS["bo"])]
)
def test_nobody_acts_by_the_passphrase_of_another(path: Path, name: str, words: str) -> None:
    """One sentence for a wrong name and for a wrong passphrase; then nobody acts."""
    ledger = open_with_persons(path)
    ledger.persons.identify("ann", WORDS["ann"])
    with pytest.raises(LedgerError, match="No person of this ledger has this name"):
        ledger.persons.identify(name, words)
    assert ledger.persons.acting(ledger.persons.settings()[0]) == ""


def test_who_signs_in_at_the_server_needs_no_passphrase(path: Path) -> None:
    """An address acts if the server says that it signed in, and not by its name alone."""
    setting = Ledger(path).persons.require(
        {}, signed_in=["ann@example.org", "bo@example.org"]
    )
    signed_in = Ledger(path, by="ann@example.org", signed_in=True)
    named = Ledger(path, by="ann@example.org")
    stranger = Ledger(path, by="cy@example.org", signed_in=True)
    assert signed_in.persons.acting(setting) == "ann@example.org"
    assert named.persons.acting(setting) == ""
    assert stranger.persons.acting(setting) == ""
