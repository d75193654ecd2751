"""The ledger: the spends on each dataset, written and synced before noise is drawn.

It holds chained events. A *budget* is set; a *spend* is charged against it, or a *refusal*
says that it exceeds it. The values that the door releases for a spend are *stored*, so the
same request returns the same release at no cost. A release that was killed halfway goes on
under its spend: only stored values can ever leave, and the first process that stores one
wins.

The file discloses nothing about the table. Names and budgets come from the steward, and
stored values are public. Digests under a key that never leaves the key file identify tables.

>>> from synth.privacy.budget import parse_budget
>>> ledger = Ledger()
>>> from fractions import Fraction
>>> ledger.set_budget("survey", parse_budget("1", Neighbors.REPLACE_ONE))
>>> half = Guarantee.pure(Fraction(1, 2))
>>> entry = ledger.spend(
...     dataset="survey", guarantee=half, neighbors=Neighbors.REPLACE_ONE, purpose="histogram"
... )
>>> entry.number, str(entry.guarantee), ledger.balance("survey").left
(2, 'epsilon = 1/2', Fraction(1, 2))
"""

from __future__ import annotations

import hmac
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self, cast

from synth import limits
from synth.door.ledger import chain
from synth.door.ledger.budgets import (
    BudgetEntry,
    check_reason,
    read_budget,
    refuse_other_budget,
    write_budget,
)
from synth.door.ledger.chain import PERSONS, RESERVATION, Event
from synth.door.ledger.entries import AskedSpend, Balance, Entry
from synth.door.ledger.names import check_name, list_datasets, look_alike, standard
from synth.door.ledger.sqlite_form import FORMAT
from synth.door.ledger.sqlite_store import Store, is_kept, kept_content
from synth.errors import LedgerError, ReleaseError, SynthError, TableError, WaitingError
from synth.privacy import Budget, Guarantee, Neighbors, brief, smallest_budget, terms
from synth.util import Document, check_types

if TYPE_CHECKING:
    from synth.door.ledger.checks import Allowance, Asker
    from synth.door.ledger.persons import PersonsSetting
    from synth.door.ledger.reservations import Reservation
    from synth.door.ledger.two_persons import TwoPersons

# How far the release of a spend came: see `Ledger.state`.
MADE = "bundle made"
READY = "answer kept"
# Part name of the digest of a bundle's certificate.
BUNDLED = "certificate "
# Part name of a draft or a check of a declaration.
PREPARED = "preparation"
# Kind of the event that records a look at exact shares of a table's rows.
LOOKED = "look"
# Kind of the event which records that somebody vouched for values after the release.
VOUCHED = "vouch"
# What the line of a request for such a look says.
LOOK_PURPOSE = "a look at exact numbers of the rows, without noise, by the one who asks"
# Kind of the event that records a spend that exceeded the budget.
REFUSED = "refusal"
# What a damaged ledger raises, and a closed one.
UNREADABLE = (SynthError, sqlite3.Error)


class StoredValue(NamedTuple):
    """A value that the ledger stores under a spend.

    Attributes:
        payload: The value.
        hash: The hash of the event that seals it.
    """

    payload: bytes
    hash: str


class Ledger:
    """A ledger in a file, or in memory only if you give no path.

    Args:
        path: The file. It and its key file are created if they don't exist.
        readonly: Open an existing ledger for reading; the key file may be absent.
        by: Who spends and sets budgets, if known; it is recorded.
        signed_in: Whether ``by`` is the address of a person who has signed in at the server.
        project: The project whose reserved budget pays for the spends; empty for none.
        recalls: Whether a ledger in memory recalls tables, so that the same request on the
            same table costs nothing again. A ledger in a file always does.

    Raises:
        LedgerError: The file can't be opened, is no ledger, or was edited.

    >>> with Ledger() as ledger:
    ...     print(ledger.path, len(ledger.entries()))
    None 0

    A release makes all of these calls by itself. To read a ledger you need only the last
    ones.

    >>> from synth.privacy.budget import parse_budget
    >>> ledger, relation = Ledger(), Neighbors.REPLACE_ONE
    >>> table = ledger.keyed_digest([b"the content of a table"])
    >>> ledger.fingerprint() == ledger.keyed_digest([]), ledger.sealed
    (True, True)
    >>> ledger.set_budget("survey", parse_budget("1", relation))
    >>> ledger.set_default_budget("survey", parse_budget("3", relation))
    False
    >>> ledger.note_look("survey", table)
    >>> [look.dataset for look in ledger.looks()]
    ['survey']
    >>> ledger.guard_of("survey", table) is None, ledger.persons.settings()
    (True, [])
    >>> asked = {"dataset": "survey", "table": table, "request": "a histogram"}
    >>> entry = ledger.spend(
    ...     guarantee=Guarantee.pure(1), neighbors=relation, purpose="histogram", **asked
    ... )
    >>> ledger.paid(**asked) == entry, ledger.state(entry)
    (True, 'nothing drawn yet')
    >>> ledger.tables_of(entry.number) == (table,)
    True
    >>> ledger.tables_of_spends() == {entry.number: (table,)}
    True
    >>> kept = ledger.keep(entry, "counts", b"[501, 498]")
    >>> ledger.kept(entry, "counts") == kept, ledger.state(entry)
    (True, 'values kept')
    >>> ledger.datasets(), ledger.known_as(table), ledger.tables("survey")
    (['survey'], ['survey'], {3: 1})
    >>> ledger.look_alikes("sürvey"), ledger.remarks("survey", table)
    (['survey'], [])
    >>> ledger.entries() == [entry]
    True
    >>> ledger.balance("survey").left, ledger.verify(), len(ledger.events())
    (Fraction(0, 1), 4, 4)
    >>> change = ledger.change_budget("survey", parse_budget("2", relation), "a second wave")
    >>> ledger.balance("survey").left, change.reason
    (Fraction(1, 1), 'a second wave')
    >>> ledger.note_vouching(entry, {"vouches": True})
    >>> reserved = ledger.reserve("survey", "1/2", project="atlas")
    >>> reserved.project, reserved.amount
    ('atlas', Fraction(1, 2))
    >>> ledger.allow_checks("survey", 3, "Ada") in ledger.checks("survey")
    True
    >>> len([*ledger.lines()]) == len(ledger.events())
    True
    >>> ledger.export()["head"] == ledger.head
    True
    >>> ledger.close()
    """

    @check_types
    def __init__(  # noqa: PLR0913 - public: whose ledger it is, each by name
        self,
        path: str | Path | None = None,
        *,
        readonly: bool = False,
        by: str = "",
        signed_in: bool = False,
        project: str = "",
        recalls: bool = False,
    ) -> None:
        """Open or create the ledger; see the class for the arguments."""
        self.recalls = recalls or path is not None
        # Absolute, so that it stays the same file if the process goes to another folder.
        self.path = None if path is None else Path(path).absolute()
        self._by = {"by": by} if by else {}
        self._refusal = ""  # the sentence that refuses new spends; see `accept_repeats_only`
        self.project = _read_project(project) if project else ""
        self._store = Store(self.path, readonly=readonly)
        self._signed_in = by if signed_in else ""

    def __repr__(self) -> str:
        """Return the name of the file, and the numbers of datasets and spends."""
        return f"Ledger({self._in_words})"

    def _repr_html_(self) -> str:
        """Return each dataset's budget and the rest of the budget as HTML, for a notebook."""
        try:
            balances = [self.balance(dataset) for dataset in self.datasets()]
        except UNREADABLE:
            balances = []
        from synth.door.ledger.showing import balances_html

        return balances_html(self._in_words, balances)

    @property
    def _in_words(self) -> str:
        """The ledger in words; its name alone if it is closed or damaged."""
        name = "in memory" if self.path is None else self.path.name
        try:
            from synth.door.ledger.showing import describe_numbers

            numbers = describe_numbers(len(self.datasets()), len(self.entries()))
        except UNREADABLE:  # what shows an object must not fail
            return f"{name}, not readable"
        return f"{name}: {numbers}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the ledger cannot be used afterwards."""
        self._store.close()

    @cached_property
    def persons(self) -> TwoPersons:
        """The persons of the ledger, what they ask for, and what they approve."""
        from synth.door.ledger.two_persons import TwoPersons  # which most do not need

        return TwoPersons(self._store, signed_in=self._signed_in)

    @property
    def sealed(self) -> bool:
        """Whether the key is present, so that seals are checked and not only hashes."""
        return self._store.key is not None

    # Writing.

    def accept_repeats_only(self, sentence: str) -> None:
        """Refuse every new spend and budget from now on, with this sentence.

        A request that was paid for before is answered all the same: a command may repeat a
        release whose files are there already, but must not pay for another one that it could
        not write.

        >>> from synth.privacy import parse_budget
        >>> ledger = Ledger()
        >>> ledger.accept_repeats_only("The file is there already.")
        >>> ledger.set_budget("survey", parse_budget("3", Neighbors.ADD_REMOVE))
        Traceback (most recent call last):
        synth.errors.ReleaseError: The file is there already.
        """
        self._refusal = sentence

    @property
    def has_repeats_only(self) -> bool:
        """Whether every new spend and budget is refused.

        >>> Ledger().has_repeats_only
        False
        """
        return bool(self._refusal)

    @check_types
    def set_budget(self, dataset: str, budget: Budget) -> None:
        """Set the first budget of a dataset; the same budget again changes nothing.

        Raises:
            LedgerError: The dataset has another budget, which only `change_budget` changes.
                Or this one is smaller than the spends, or has another relation.
            ReleaseError: The ledger accepts repeats only.
        """
        dataset = check_name(dataset)
        with self._store.writing():
            balance = self.balance(dataset)
            if balance.budget == budget:
                return
            if balance.budgets:
                refuse_other_budget(dataset, balance.budget, budget)
            self._append_budget(balance, budget)

    def set_default_budget(self, dataset: str, budget: Budget) -> bool:
        """Set the budget of a dataset that never had one; return whether it did."""
        dataset = check_name(dataset)
        with self._store.writing():
            balance = self.balance(dataset)
            if balance.budgets:
                return False
            self._append_budget(balance, budget)
            return True

    @check_types
    def change_budget(self, dataset: str, budget: Budget, reason: str) -> BudgetEntry:
        """Raise or lower the budget of a dataset, and record when and why.

        Args:
            dataset: The dataset's name, in any spelling.
            budget: The new budget.
            reason: Why the budget changes; the ledger shows and exports it.

        Returns:
            The budget as it is recorded.

        Raises:
            LedgerError: The ledger does not know the dataset, this is its budget already, or
                it is smaller than the spends, or has another relation. Or there is no reason.
        """
        dataset = check_name(dataset)
        reason = check_reason(reason)
        with self._store.writing():
            if dataset not in self.datasets():
                raise LedgerError(
                    f"The ledger knows no dataset '{dataset}', so there is no budget to "
                    f"change; {list_datasets(self.datasets())}."
                )
            balance = self.balance(dataset)
            if balance.budget == budget:
                raise LedgerError(f"The budget of '{dataset}' is {budget} already.")
            return self._append_budget(balance, budget, reason)

    def _append_budget(
        self, balance: Balance, budget: Budget, reason: str = ""
    ) -> BudgetEntry:
        """Record a budget for all spellings of a dataset's name, and return the record.

        Args:
            balance: The dataset's spends so far.
            budget: The new budget.
            reason: Why it changes; empty for the first one.

        Raises:
            LedgerError: It does not cover the spends, or counts them in another way.
            ReleaseError: The ledger accepts repeats only.
        """
        self._refuse_if_new()
        dataset = balance.dataset
        for entry in balance.spends:  # refuses a budget of another unit or relation
            budget.check(entry.guarantee, entry.neighbors)
        if not all(budget.admits(subtotal.guarantees) for subtotal in balance.subtotals):
            spent = brief(replace(balance, budget=budget).spent)
            raise LedgerError(
                f"The budget of '{dataset}' cannot be {budget}, because {spent} is already "
                "spent."
            )
        content = write_budget(budget) | self._by
        if reason:
            content["reason"] = reason
        # Earlier versions had a budget for each spelling; this one replaces all of them.
        if older := self._spellings(dataset)[1:]:
            content["spellings"] = older
        return BudgetEntry.from_event(self._store.append("budget", dataset, content))

    def spend(  # noqa: PLR0913 - public: what the line says, each by name
        self,
        *,
        dataset: str,
        guarantee: Guarantee,
        neighbors: Neighbors,
        purpose: str,
        person: str = "",
        table: str = "",
        request: str = "",
        dossier: Document | None = None,
        asker: Asker | None = None,
    ) -> Entry:
        """Record one spend and sync it to disk, or return the spend of the same request.

        Args:
            dataset: The steward's name for the people in the table; budgets go by its
                standard spelling (`names.standard`).
            guarantee: The spend.
            neighbors: Which tables count as neighbours for this guarantee.
            purpose: The purchase, in words.
            person: The column that identifies the person; empty if each row is a person.
            table: The table's `fingerprint`. Of linked tables: the digest of all of them
                together, then the fingerprint of each protected one, separated by blanks.
            request: Together with the table, determines the release; empty for a new spend
                every time.
            dossier: A second person's view of the spend, if it needs one (`guard_of`).
            asker: Who has claimed figures compared, if that is known.

        Raises:
            LedgerError: The spend exceeds the budget, protects another unit than the spends
                before, or can't be written; or the asker has no checks left. Nothing may be
                released.
            WaitingError: A second person has to approve it first.
            ReleaseError: It is new, and the ledger accepts repeats only.
        """
        dataset = check_name(dataset)
        content: Document = {
            "guarantee": terms(guarantee),
            "neighbors": neighbors.value,
            "purpose": purpose,
        }
        if person:
            content["person"] = person
        content |= self._by
        if self.project:
            content["project"] = self.project
        if asker is not None:
            content |= asker.to_json()
        asked = AskedSpend(
            dataset=dataset,
            guarantee=guarantee,
            neighbors=neighbors,
            person=person,
            table=table,
            request=request,
            content=content,
            dossier=dossier,
        )
        with self._store.writing():
            outcome = self._find_or_write(asked, asker)
        if isinstance(outcome, Entry):
            return outcome
        raise outcome  # once the line that tells of it is on the disk

    def _find_or_write(self, asked: AskedSpend, asker: Asker | None) -> Entry | LedgerError:
        """Return the spend of the same request, or a new one, inside a turn of writing.

        Returns:
            The spend. Or the error to raise after the turn, because an error inside it would
            undo the line that tells of it.

        Raises:
            LedgerError: The spend cannot be counted; no line tells of that.
        """
        dataset = asked.dataset
        setting = self.guard_of(dataset, asked.table)
        earlier_spend = self.paid(dataset=dataset, table=asked.table, request=asked.request)
        # The same request with another guarantee, relation or unit is a new spend.
        if earlier_spend and asked.is_paid_by(earlier_spend):
            waiting = self._vouch_again(earlier_spend, setting, asked.dossier)
            return waiting or earlier_spend
        self._refuse_if_new()
        if asker is not None:
            from synth.door.ledger.checks import refuse_used_up

            refuse_used_up(asker, dataset, self.checks(dataset))
        balance = self._check_budget(
            dataset, asked.guarantee, asked.neighbors, person=asked.person
        )
        mark = self._make_mark(dataset, asked.table, asked.request)
        try:
            balance.check_paid(asked.guarantee)
        except LedgerError as refusal:
            self._note_refusal(dataset, asked.content, mark)
            return refusal
        content = asked.content
        if setting is not None:
            outcome = self.persons.authorise(
                setting, dataset, asked.subject, dossier=asked.dossier
            )
            if isinstance(outcome, WaitingError):
                return outcome
            content = {**content, **asked.vouching, **outcome.to_json()}
        return Entry.from_event(self._store.append("spend", dataset, content, mark=mark))

    def checks(self, dataset: str) -> list[Allowance]:
        """Return how many checks of a dataset each asker may have, and has had."""
        from synth.door.ledger.checks import allowances

        names = self._spellings(dataset)
        return allowances(
            (event.kind, event.content) for event in self.events() if event.dataset in names
        )

    def note_vouching(self, spend: Entry, dossier: Document) -> None:
        """Record that somebody vouches for the values of a release that was paid before.

        Nothing is recorded if one person may vouch alone.

        Args:
            spend: The spend of the release.
            dossier: The second person's view of it, with the values that are vouched for.

        Raises:
            WaitingError: A second person has to approve it first.
            LedgerError: Nobody said who vouches.
        """
        with self._store.writing():
            setting = self.guard_of(spend.dataset, " ".join(self.tables_of(spend.number)))
            waiting = self._vouch_again(spend, setting, dossier)
        if waiting is not None:
            raise waiting  # once the line of the request is on the disk

    def _vouch_again(
        self, spend: Entry, setting: PersonsSetting | None, dossier: Document | None
    ) -> LedgerError | None:
        """Record that a request which was paid for vouches for its values only now.

        Nothing is recorded if one person may vouch alone, or if the spend or an earlier line
        vouches already.

        Returns:
            The error to raise after the turn, if a second person has to approve it first.
        """
        if setting is None or not (dossier and dossier.get("vouches") is True):
            return None
        has_vouched = any(
            event.content.get("spend", event.number) == spend.number
            and event.content.get("vouches", event.kind == VOUCHED)
            for event in self._store.events()
            if event.kind in ("spend", VOUCHED)
        )
        if has_vouched:
            return None
        purpose = f"vouch that the values from the rows in entry {spend.number} are public"
        subject: Document = {"purpose": purpose, "spend": spend.number, "vouches": True}
        outcome = self.persons.authorise(setting, spend.dataset, subject, dossier=dossier)
        if isinstance(outcome, WaitingError):
            return outcome
        content: Document = {"spend": spend.number, **outcome.to_json()}
        self._store.append(VOUCHED, spend.dataset, content)
        return None

    def guard_of(self, dataset: str, table: str = "") -> PersonsSetting | None:
        """Return the setting by which a spend needs two persons; None if one may spend alone.

        Args:
            dataset: The dataset's name, in any spelling.
            table: The table's `fingerprint`, as for `spend`. A table that was spent on or
                looked at under a name that needs two persons needs them under each name.
        """
        if not self._store.events(PERSONS):
            return None
        tables = {*table.split()}
        marked = [*self._marked_spends(), *self.looks()] if tables else []
        names = [event.dataset for event in marked if tables & {*tables_marked_by(event)}]
        return self.persons.setting(dataset, *names)

    def reserve(self, dataset: str, amount: str, project: str) -> Reservation:
        """Reserve a part of a dataset's budget for a project, so that others cannot spend it.

        The project's own spends count against it. A new amount takes the place of the one
        before, and ``0`` ends the reservation.

        Args:
            dataset: The dataset's name, in any spelling.
            amount: A number in the unit of the budget, or ``epsilon=1,delta=1e-7``.
            project: The project's name.

        Raises:
            LedgerError: The dataset has no budget, or the rest of the budget is smaller.
            WaitingError: A second person has to approve it first.
            ArgumentError: The amount cannot be read.
        """
        dataset = check_name(dataset)
        from synth.door.ledger.reservations import check_project

        project = check_project(project)
        with self._store.writing():
            outcome = self._write_reservation(dataset, amount, project)
        if isinstance(outcome, LedgerError):
            raise outcome  # once the line of the request is on the disk
        return outcome

    def _write_reservation(
        self, dataset: str, text: str, project: str
    ) -> Reservation | LedgerError:
        """Record a reservation, or return the error to raise after the turn of writing."""
        from synth.door.ledger.reservations import Reservation, read_reserved

        self._refuse_if_new()
        balance = self.balance(dataset)
        if balance.budget is None:
            raise LedgerError(f"'{dataset}' has no budget, so nothing of it can be reserved.")
        amount, delta = read_reserved(text, balance.budget)
        reserved = Reservation(number=0, time="", project=project, amount=amount, delta=delta)
        others = [other for other in balance.reservations if other.project != project]
        reserving = replace(balance, reservations=(*others, reserved), project="")
        reserving.check_reservations()
        content = reserved.to_json() | self._by
        setting = self.guard_of(dataset)
        if setting is not None:
            purpose = f"reserve {text} for the project '{project}'"
            outcome = self.persons.authorise(
                setting, dataset, {"purpose": purpose, **reserved.to_json()}, dossier={}
            )
            if isinstance(outcome, WaitingError):
                return outcome
            content |= outcome.to_json()
        return Reservation.from_event(self._store.append(RESERVATION, dataset, content))

    @check_types
    def allow_checks(self, dataset: str, limit: int, asker: str = "") -> Allowance:
        """Declare how many claimed figures an asker may have compared with the real ones.

        Args:
            dataset: The dataset's name, in any spelling.
            limit: The number, those so far included.
            asker: The name of the asker; empty for each one without a number of their own.

        Returns:
            The number, and how many are used.

        Raises:
            ArgumentError: The number or the name is wrong.
            LedgerError: The ledger does not know the dataset, or can't be written.

        >>> from synth.privacy import parse_budget
        >>> ledger = Ledger()
        >>> ledger.set_budget("survey", parse_budget("3", Neighbors.REPLACE_ONE))
        >>> ledger.allow_checks("survey", 3, "Ada").words
        'Checks by Ada: 0 of 3 used.'
        >>> len(ledger.checks("survey"))
        1
        """
        from synth.door.ledger.checks import (
            DECLARED,
            check_asker,
            check_limit,
            find_allowance,
        )

        dataset = check_name(dataset)
        content: Document = {"limit": check_limit(limit)}
        if asker:
            content["asker"] = check_asker(asker)
        with self._store.writing():
            # Otherwise a misspelt name would become a dataset of its own.
            if dataset not in self.datasets():
                raise LedgerError(
                    f"The ledger knows no dataset '{dataset}', of which figures could be "
                    f"checked; {list_datasets(self.datasets())}."
                )
            self._store.append(DECLARED, dataset, content | self._by)
            allowance = find_allowance(self.checks(dataset), asker)
        assert allowance is not None  # it was declared just now
        return allowance

    def keep(self, entry: Entry, part: str, payload: bytes) -> StoredValue:
        """Store a value that the door releases under a spend; the value stored first stays.

        Args:
            entry: The spend that paid for it.
            part: A name for the value, unique within the spend.
            payload: The value.

        Returns:
            The stored value, which alone may leave.

        Raises:
            LedgerError: The value can't be written; then it may not leave.
        """
        if len(payload) > limits.KEPT_BYTES:
            raise LedgerError(
                "The release is too large to be kept in a ledger; coarsen the domain."
            )
        with self._store.writing():
            stored = self.kept(entry, part)
            if stored is not None:
                return stored
            content = kept_content(entry.number, part, payload)
            event = self._store.append("kept", entry.dataset, content)
            self._store.keep(event.number, entry.number, part, payload=payload)
            return StoredValue(payload, event.hash)

    def note_look(self, dataset: str, table: str) -> None:
        """Record once that somebody looked at exact shares of a table's rows.

        Args:
            dataset: The dataset's name, in any spelling.
            table: The table's `fingerprint`; empty if the ledger cannot recognise the table.

        Raises:
            LedgerError: It can't be written.
        """
        with self._store.writing():
            names = self._spellings(dataset)
            # For a table that the ledger cannot recognise, any look at the dataset is enough.
            is_noted = any(
                look.dataset in names and (not table or table in tables_marked_by(look))
                for look in self.looks()
            )
            waiting = None if is_noted else self._write_look(check_name(dataset), table)
        if waiting is not None:
            raise waiting  # once the line of the request is on the disk

    def _write_look(self, dataset: str, table: str) -> WaitingError | None:
        """Record a look, or return the error to raise after the turn of writing."""
        content: Document = {**self._by}
        setting = self.guard_of(dataset, table)
        if setting is not None:
            outcome = self.persons.authorise(
                setting, dataset, {"purpose": LOOK_PURPOSE}, dossier={}
            )
            if isinstance(outcome, WaitingError):
                return outcome
            content |= outcome.to_json()
        mark = self._make_mark(dataset, table, LOOKED)
        self._store.append(LOOKED, dataset, content, mark=mark)
        return None

    def _note_refusal(self, dataset: str, content: Document, mark: str) -> None:
        """Record that a spend exceeded the budget, unless the same refusal is recorded.

        ``dataset``, ``content`` and ``mark`` are those that the event of the spend would have
        had.
        """
        # Until the next spend or budget of a dataset, only its first refusals are recorded:
        # nobody fills the disk by asking. A refusal follows from the budget and the price,
        # both public.
        names = self._spellings(dataset)
        recent_refusals = []
        for event in reversed(self.events()):
            if event.dataset not in names:
                continue
            if event.kind in ("spend", "budget"):
                break
            if event.kind == REFUSED:
                recent_refusals.append(event)
        is_recorded = any(
            (refusal.content, refusal.mark) == (content, mark) for refusal in recent_refusals
        )
        if not is_recorded and len(recent_refusals) < limits.REFUSALS:
            self._store.append(REFUSED, dataset, content, mark=mark)

    # Reading.

    def looks(self) -> list[Event]:
        """Return all events that record a look at exact shares of a table's rows, oldest
        first.
        """
        return self._store.events(LOOKED)

    def tables_of(self, spend: int) -> tuple[str, ...]:
        """Return the keyed digests of the tables of a spend, by the number of the spend."""
        return self.tables_of_spends().get(spend, ())

    def tables_of_spends(self) -> dict[int, tuple[str, ...]]:
        """Return the keyed digests of the tables of each spend, by the spend's number."""
        return {event.number: tables_marked_by(event) for event in self._marked_spends()}

    def paid(self, *, dataset: str, table: str, request: str) -> Entry | None:
        """Return the latest spend that paid for this request on this table; None without one.

        Args:
            dataset: Its name in the ledger, in any of its spellings.
            table: The keyed digest of the table; if empty, no spend can be found.
            request: The text that determines the release; likewise.
        """
        if not table or not request:
            return None
        # Marks are compared without the digests of single tables in their middle. Earlier
        # versions recorded linked tables by the digest of all of them only.
        marks = [
            _digests_at_ends(self._make_mark(name, table, request))
            for name in self._spellings(dataset)
        ]
        for spend in reversed(self._marked_spends()):
            if _digests_at_ends(spend.mark) in marks:
                return Entry.from_event(spend)
        return None

    def kept(self, entry: Entry, part: str) -> StoredValue | None:
        """Return a value that is stored under a spend.

        ``entry`` is the spend, ``part`` the name of the value. None if no such value is
        stored.
        """
        stored = self._store.payload(entry.number, part)
        if stored is None:
            return None
        event, payload = stored
        return StoredValue(payload, event.hash)

    def state(self, entry: Entry) -> str:
        """Return in words how far the release of a spend came.

        ``entry`` is the spend. The answer follows from the names of the values that are
        stored for it. A name that begins with `BUNDLED` says that the bundle was made, and
        `PREPARED` is the result of a paid draft or check. Other names are numbers of answers,
        or "seed".
        """
        parts = self._store.parts(entry.number)
        if any(part.startswith(BUNDLED) for part in parts):
            return MADE
        if PREPARED in parts:
            return READY
        return "values kept" if parts else "nothing drawn yet"

    def events(self) -> list[Event]:
        """All events, oldest first."""
        return self._store.events()

    def entries(self) -> list[Entry]:
        """All spends, oldest first."""
        return [Entry.from_event(event) for event in self._store.events("spend")]

    def datasets(self) -> list[str]:
        """Return all datasets, in order of first appearance."""
        return list(dict.fromkeys(map(standard, self._store.names())))

    @check_types
    def balance(self, dataset: str) -> Balance:
        """Return budget and spends of a dataset, under all spellings of its name.

        Earlier versions had a budget for each spelling. Then the spends are added, and the
        budget is the smallest one, until you set one for all spellings."""
        names = self._spellings(dataset)
        spends = self._store.events("spend")
        entries = tuple(Entry.from_event(event) for event in spends if event.dataset in names)
        budgets = self._budgets(names)
        # Fixed if all budgets in force were set before the first spend.
        fixed = not entries or all(number < entries[0].number for number in budgets)
        events = (event for event in self._store.events("budget") if event.dataset in names)
        history = tuple(map(BudgetEntry.from_event, events))
        smallest = smallest_budget(budgets.values())  # None without any that can be compared
        return Balance(
            dataset=standard(dataset),
            budget=smallest,
            spends=entries,
            fixed=fixed,
            budgets=history,
            reservations=self._reservations(names),
            project=self.project,
        )

    def _reservations(self, names: list[str]) -> tuple[Reservation, ...]:
        """Return the reservation of each project now, by all spellings of a dataset."""
        events = self._store.events(RESERVATION)
        if not events:
            return ()
        from synth.door.ledger.reservations import Reservation

        reservations: dict[str, Reservation] = {}
        for event in events:
            if event.dataset in names:
                reservation = Reservation.from_event(event)
                reservations[reservation.project] = reservation
        return tuple(kept for kept in reservations.values() if kept.amount or kept.delta)

    def look_alikes(self, dataset: str) -> list[str]:
        """Return other datasets whose names look like this one."""
        others = [name for name in self.datasets() if name != standard(dataset)]
        return [name for name in others if look_alike(name, dataset)]

    def known_as(self, table: str) -> list[str]:
        """Return the datasets under whose names this table was released before."""
        spends = (
            event for event in self._marked_spends() if table in tables_marked_by(event)
        )
        return list(dict.fromkeys(standard(event.dataset) for event in spends))

    def tables(self, dataset: str) -> dict[int, int]:
        """Return which table of the dataset each spend was on, by the number of the spend.

        Tables are numbered from 1 up, in the order of their first spends. Spends on tables
        that the ledger cannot recognise are left out.
        """
        spends = [
            event
            for event in self._marked_spends()
            if standard(event.dataset) == standard(dataset)
        ]
        # A mark starts with the digest of all tables of the spend together.
        tables = {event.number: event.mark.split()[0] for event in spends}
        in_order = list(dict.fromkeys(tables.values()))
        return {number: 1 + in_order.index(table) for number, table in tables.items()}

    @property
    def head(self) -> str:
        """The hash of the last event; it identifies the whole ledger."""
        last = self._store.last()
        return chain.START if last is None else last.hash

    def fingerprint(self, *paths: Path) -> str:
        """Return a keyed digest of a table's files, as 32 hex digits.

        Without the ledger's key it says nothing about the files. The digest of several files
        is a digest of their digests, so it also depends on where each file ends. The order
        in which the paths are given does not matter.

        Raises:
            TableError: A file can't be read.
        """
        try:
            digests = [self.keyed_digest(_blocks(path)) for path in sorted(paths)]
            if len(digests) == 1:
                return digests[0]
            return self.keyed_digest(file_digest.encode() for file_digest in digests)
        except OSError:
            raise TableError("The table cannot be read.") from None

    def keyed_digest(self, blocks: Iterable[bytes | memoryview]) -> str:
        """Return a keyed digest of a table's content, as 32 hex digits (128 bits).

        ``blocks`` are the successive bytes of the content. Without the ledger's key the
        digest says nothing about the content.
        """
        assert self._store.key is not None
        digest = hmac.new(self._store.key, digestmod="sha256")
        for block in blocks:
            digest.update(block)
        return digest.hexdigest()[:32]

    def remarks(self, dataset: str, *tables: str) -> list[str]:
        """Return what the steward should know before a release, as sentences.

        They say whether the dataset's name was used for other tables before, and whether
        these tables were released under other names. ``tables`` are keyed digests of the
        tables, as from `fingerprint`.
        """
        dataset = standard(dataset)
        names = list(dict.fromkeys(name for table in tables for name in self.known_as(table)))
        others = [f"'{name}'" for name in names if name != dataset]
        earlier_tables = set(self.tables(dataset).values())
        remarks = []
        if earlier_tables and dataset not in names:
            remarks.append(
                f"The name '{dataset}' was used before with another table; both count "
                "against its budget, and this one becomes its table "
                f"{len(earlier_tables) + 1}."
            )
        if others:
            remarks.append(
                f"The same table was released before as {', '.join(others)}; to the people "
                "in it, the spends under all its names add up."
            )
        return remarks

    def verify(self) -> int:
        """Check every link, seal and stored value; return the number of events.

        Raises:
            LedgerError: Names the first event that was edited.
        """
        self._store.check()
        with self._store.read_turn():
            payloads = self._store.payloads()
            events = self.events()
        for event in events:
            if event.kind == "kept":
                row = payloads.pop(event.number, None)
                if row is None or not is_kept(event, row):
                    self._store.refuse_edited(event.number)
        for number in payloads:  # a value that no event seals
            self._store.refuse_edited(number)
        return len(events)

    def export(self) -> Document:
        """Return everything that may be shown, as JSON: all events without keyed digests."""
        events = self.events()
        head = events[-1].hash if events else chain.START
        public_events = [event.public() for event in events]
        return {"format": f"synth-ledger-{FORMAT}", "head": head, "events": public_events}

    def lines(self) -> Iterator[str]:
        """Yield the chained events as lines of JSON, oldest first.

        Each line holds the hash before it, so that it can be checked by itself, and a keyed
        digest of a request; see docs/how-to/formats.md."""
        before = chain.START
        for event in self.events():
            # A mark ends with the digest of the request, after those of the tables.
            request = {"request": event.mark.rpartition(" ")[2]} if event.mark else {}
            yield chain.canonical({**event.public(), **request, "before": before})
            before = event.hash

    def _refuse_if_new(self) -> None:
        """Refuse a new spend or budget if the ledger accepts repeats only."""
        if self._refusal:
            raise ReleaseError(self._refusal)

    def _spellings(self, dataset: str) -> list[str]:
        """Return the standard spelling of a dataset's name, then others in the ledger."""
        name = standard(dataset)
        others = (spelling for spelling in self._store.names() if spelling != name)
        return [name, *(spelling for spelling in others if standard(spelling) == name)]

    def _budgets(self, names: list[str]) -> dict[int, Budget]:
        """Return the budgets in force, by the numbers of the events that set them.

        ``names`` are all spellings of a dataset's name. In force is the last budget set for
        each spelling, of which only ledgers of earlier versions have several.
        """
        last_events = {}
        for event in self._store.events("budget"):
            if event.dataset not in names:
                continue
            # A budget may replace those of other spellings of the name.
            other_spellings = cast("list[str]", event.content.get("spellings", []))
            for name in (event.dataset, *other_spellings):
                last_events[name] = event
        return {event.number: read_budget(event.content) for event in last_events.values()}

    def _marked_spends(self) -> list[Event]:
        """Return the events of all spends on tables that the ledger recognises."""
        return [event for event in self._store.events("spend") if event.mark]

    def _make_mark(self, dataset: str, table: str, request: str) -> str:
        """Return the mark of a spend, by which its tables and its request are recognised.

        It is ``table``, the keyed digests of the tables separated by blanks, and after them a
        keyed digest of the dataset, the first of these digests and the request. It is empty
        without a table.
        """
        assert self._store.key is not None
        digest_of_all = table.partition(" ")[0]
        if not table:
            return ""
        return f"{table} {chain.mark(self._store.key, dataset, digest_of_all, request)}"

    def _check_budget(
        self, dataset: str, guarantee: Guarantee, neighbors: Neighbors, *, person: str
    ) -> Balance:
        """Return the dataset's balance, against which a new spend is then checked.

        Args:
            dataset: The dataset's name.
            guarantee: What is to be spent.
            neighbors: Which tables count as neighbours for this guarantee.
            person: The column that identifies the person; empty if each row is a person.

        Raises:
            LedgerError: There is no budget, which only a ledger in memory allows. Or the
                budget or earlier spends count something that this spend cannot be added to.
        """
        balance = self.balance(dataset)
        balance.check(person)
        budget = balance.budget
        if budget is None:
            if self.path is None:
                return balance
            if len(names := self._spellings(dataset)) > 1:
                spellings = ", ".join(f"'{name}'" for name in names)
                raise LedgerError(
                    f"The names {spellings} are one dataset, and their budgets cannot be "
                    "compared; give it one by `synth ledger budget`, such as 3."
                )
            raise LedgerError(
                f"The ledger has no budget for '{dataset}' yet; give it one, such as "
                "--budget 3."
            )
        budget.check(guarantee, neighbors)
        return balance


def _read_project(name: str) -> str:
    """Return a project's name in its standard spelling; LedgerError if it cannot be one."""
    from synth.door.ledger.reservations import check_project  # which most do not need

    return check_project(name)


def tables_marked_by(event: Event) -> tuple[str, ...]:
    """Return the keyed digests of tables in an event's mark, before that of the request."""
    return tuple(event.mark.split()[:-1])


def _digests_at_ends(mark: str) -> tuple[str, str]:
    """Return two digests of a mark: of all its tables together, and of the request."""
    digest_of_tables = mark.partition(" ")[0]
    digest_of_request = mark.rpartition(" ")[2]
    return digest_of_tables, digest_of_request


def _blocks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, one MiB at a time."""
    with path.open("rb") as file:
        while block := file.read(2**20):
            yield block
