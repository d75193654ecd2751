"""A ledger recognises each of the tables that were released together."""

from tests.ledger.ledgers import ledger_with_budget, spend

TABLES = ("whole", "one", "two")


def test_each_table_of_a_spend_is_recognised_and_its_request_is_no_table() -> None:
    """A spend on several linked tables keeps the fingerprint of each, apart from its request.

    Each of the three tables is known, and the spend counts as one table of the dataset:
    number 1. The other spend is on table 2.
    """
    ledger = ledger_with_budget(None, "3")
    together = spend(ledger, "1/2", table=" ".join(TABLES), request="ask")
    other_spend = spend(ledger, "1/4", table="other", request="ask")

    assert ledger.tables_of(together.number) == TABLES
    assert ledger.tables_of(other_spend.number) == ("other",)

    for table in (*TABLES, "other"):
        assert ledger.known_as(table) == ["survey"]
    assert ledger.known_as("third") == []
    assert ledger.tables("survey") == {together.number: 1, other_spend.number: 2}


def test_a_look_at_linked_tables_is_recorded_once() -> None:
    """A look at a table that an earlier look has seen is no new entry."""
    ledger = ledger_with_budget(None)
    ledger.note_look("survey", "whole one two")
    ledger.note_look("survey", "two")
    assert len(ledger.looks()) == 1

    ledger.note_look("survey", "three")
    assert len(ledger.looks()) == 2
