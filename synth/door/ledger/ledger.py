"""The ledger: what has been spent on which dataset, written and synced before noise is drawn.

It holds chained events: a *budget* is set, a *spend* is charged against it, and what the door
let out for a spend is *stored*, so that the same request gets the same release again and spends
nothing. A release that was killed halfway goes on under its spend: only what is stored can ever
leave, and the first to store it wins.

The file discloses nothing of the table: names and budgets are the steward's, stored values
are public, and tables are recognised by digests under a key that never leaves the key file.

>>> from synth.privacy.budget import parse_budget
>>> ledger = Ledger()
>>> ledger.set_budget("survey", parse_budget("1", Neighbors.REPLACE_ONE))
>>> half = Guarantee.pure(Fraction(1, 2))
>>> entry = ledger.spend(dataset="survey", guarantee=half, neighbors=Neighbors.REPLACE_ONE,
...                      purpose="histogram")
>>> entry.number, str(entry.guarantee), ledger.balance("survey").left
(2, 'epsilon = 1/2', Fraction(1, 2))
"""

import hmac
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Self, cast

from synth import limits
from synth.door.ledger import chain
from synth.door.ledger.chain import Event
from synth.door.ledger.entries import Balance, Entry
from synth.door.ledger.names import check_name, look_alike, standard
from synth.door.ledger.sqlite_store import FORMAT, Store, is_kept, kept_content
from synth.errors import LedgerError, TableError
from synth.privacy import Budget, Guarantee, Neighbors, brief, from_terms, smallest_budget, terms
from synth.util import Document

MADE, READY = "bundle made", "answer kept"
BUNDLED = "certificate "
"""The name under which the digest of a bundle's certificate is filed."""
PREPARED = "preparation"
"""The name under which a draft or a check of a declaration is filed."""
LOOKED = "look"
"""The kind of event that says that somebody looked at exact shares of a table's rows."""


class Ledger:
    """A ledger in a file that outlives the process; without a path, in memory only.

    Args:
        path: The file; it and its key file are made where they are absent.
        readonly: Open an existing ledger to read it; the key file may be absent.
        by: Who spends and sets budgets through it, if that is known; it is written down.

    Raises:
        LedgerError: The file cannot be opened, is no ledger, or was edited.

    >>> with Ledger() as ledger:
    ...     print(ledger.path, len(ledger.entries()))
    None 0

    A release does all of the following by itself; a reader of a ledger needs what comes last.

    >>> from synth.privacy.budget import parse_budget
    >>> ledger, relation = Ledger(), Neighbors.REPLACE_ONE
    >>> table = ledger.keyed_digest([b"the content of a table"])
    >>> ledger.fingerprint() == ledger.keyed_digest([]), ledger.sealed
    (True, True)
    >>> ledger.set_budget("survey", parse_budget("1", relation))
    >>> ledger.note_look("survey", table)
    >>> ledger.was_looked_at("survey", table), ledger.was_looked_at("census", table)
    (True, False)
    >>> asked = {"dataset": "survey", "table": table, "request": "a histogram"}
    >>> entry = ledger.spend(
    ...     guarantee=Guarantee.pure(1), neighbors=relation, purpose="histogram", **asked
    ... )
    >>> ledger.paid(**asked) == entry, ledger.state(entry)
    (True, 'nothing drawn yet')
    >>> kept = ledger.keep(entry, "counts", b"[501, 498]")
    >>> ledger.kept(entry, "counts") == kept, ledger.state(entry)
    (True, 'values kept')
    >>> ledger.datasets(), ledger.known_as(table), ledger.tables("survey")
    (['survey'], ['survey'], {3: 1})
    >>> ledger.look_alikes("sürvey"), ledger.remarks("survey", table)
    (['survey'], [])
    >>> ledger.entries() == ledger.spends_of("survey", table) == [entry]
    True
    >>> ledger.balance("survey").left, ledger.verify(), len(ledger.events())
    (Fraction(0, 1), 4, 4)
    >>> ledger.export()["head"] == ledger.head
    True
    >>> ledger.close()
    """

    def __init__(
        self, path: str | Path | None = None, *, readonly: bool = False, by: str = ""
    ) -> None:
        self.path = None if path is None else Path(path)
        self._by = {"by": by} if by else {}
        self._store = Store(self.path, readonly=readonly)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    @property
    def sealed(self) -> bool:
        """Whether the key is there, so that seals are checked and not only hashes."""
        return self._store.key is not None

    # Writing.

    def set_budget(self, dataset: str, budget: Budget) -> None:
        """Set or change the budget of a dataset; the same one again changes nothing.

        Raises:
            LedgerError: It is smaller than what is spent, or counts other neighbours.
        """
        dataset = check_name(dataset)
        with self._store.writing():
            balance = self.balance(dataset)
            if balance.budget == budget:
                return
            for entry in balance.spends:
                budget.check(entry.guarantee, entry.neighbors)
            if not all(budget.admits(one.guarantees) for one in balance.subtotals):
                spent = brief(replace(balance, budget=budget).spent)
                raise LedgerError(
                    f"The budget of '{dataset}' cannot be {budget}, because {spent} is "
                    "already spent."
                )
            content = _budget_content(budget) | self._by
            if older := self._spellings(dataset)[1:]:
                content["spellings"] = older
            self._store.append("budget", dataset, content)

    def spend(
        self,
        *,
        dataset: str,
        guarantee: Guarantee,
        neighbors: Neighbors,
        purpose: str,
        person: str = "",
        table: str = "",
        request: str = "",
    ) -> Entry:
        """Write one spend and sync it to the disk, or find the spend of the same request.

        Args:
            dataset: The steward's name for the people in the table; budgets go by its
                standard spelling (`names.standard`).
            guarantee: The cost.
            neighbors: The relation it is about.
            purpose: A few words for the reader of the ledger.
            person: The column that says whose row it is; empty where each row is a person.
            table: The table's `fingerprint`.
            request: What, with the table, determines the release; empty: always a new spend.

        Raises:
            LedgerError: It exceeds the budget, protects another unit than the spends before, or
                cannot be written; nothing may be released.
        """
        dataset = check_name(dataset)
        content: Document = {
            "guarantee": terms(guarantee),
            "neighbors": neighbors.value,
            "purpose": purpose,
            **({"person": person} if person else {}),
            **self._by,
        }
        with self._store.writing():
            found = self.paid(dataset=dataset, table=table, request=request)
            asked = (guarantee, neighbors, person)
            if found and (found.guarantee, found.neighbors, found.person) == asked:
                return found
            self._check_budget(dataset, guarantee, neighbors, person)
            mark = self._mark(dataset, table, request)
            return Entry.from_event(self._store.append("spend", dataset, content, mark))

    def keep(self, entry: Entry, part: str, payload: bytes) -> tuple[bytes, str]:
        """Store what the door lets out under a spend; what was stored first stays.

        Returns:
            The stored payload, which alone may leave, and the hash of its event.

        Raises:
            LedgerError: It cannot be written; then it may not leave.
        """
        if len(payload) > limits.KEPT_BYTES:
            raise LedgerError(
                "The release is too large to be kept in a ledger; coarsen the domain."
            )
        with self._store.writing():
            kept = self.kept(entry, part)
            if kept is not None:
                return kept
            content = kept_content(entry.number, part, payload)
            event = self._store.append("kept", entry.dataset, content)
            self._store.keep(event.number, entry.number, part, payload)
            return payload, event.hash

    def note_look(self, dataset: str, table: str) -> None:
        """Write down, once, that somebody looked at exact shares of a table's rows.

        Raises:
            LedgerError: It cannot be written.
        """
        with self._store.writing():
            if not self.was_looked_at(dataset, table):
                mark = self._mark(dataset, table, LOOKED)
                self._store.append(LOOKED, check_name(dataset), {**self._by}, mark)

    # Reading.

    def was_looked_at(self, dataset: str, table: str) -> bool:
        """Whether somebody looked at exact shares of a table's rows, under this name."""
        names = self._spellings(dataset)
        looks = self._store.events(LOOKED)
        return any(one.dataset in names and one.mark.split()[0] == table for one in looks)

    def paid(self, *, dataset: str, table: str, request: str) -> Entry | None:
        """The spend of the same request for the same table, if it was made."""
        if not table or not request:
            return None
        marks = [self._mark(name, table, request) for name in self._spellings(dataset)]
        spends = reversed(self._store.events("spend"))
        return next((Entry.from_event(event) for event in spends if event.mark in marks), None)

    def kept(self, entry: Entry, part: str) -> tuple[bytes, str] | None:
        """The payload of a spend under a name, and the hash of its event."""
        found = self._store.payload(entry.number, part)
        return None if found is None else (found[1], found[0].hash)

    def state(self, entry: Entry) -> str:
        """How far the release of a spend came, in a few words."""
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
        """The names of all datasets, in the order of their first appearance."""
        return list(dict.fromkeys(map(standard, self._store.names())))

    def balance(self, dataset: str) -> Balance:
        """Budget and spends of a dataset, under all spellings of its name.

        Earlier versions had a budget for each spelling. Then the spends add up, and the budget
        is within all that were set, until one is set for all of them.
        """
        names = self._spellings(dataset)
        spends = self._store.events("spend")
        entries = tuple(Entry.from_event(event) for event in spends if event.dataset in names)
        budgets = self._budgets(names)
        fixed = not entries or all(number < entries[0].number for number in budgets)
        return Balance(standard(dataset), smallest_budget(budgets.values()), entries, fixed)

    def spends_of(self, dataset: str, table: str) -> list[Entry]:
        """The spends on a table under all spellings of a name, oldest first."""
        names = self._spellings(dataset)
        found = (one for one in self._marks() if one.mark.split()[0] == table)
        return [Entry.from_event(event) for event in found if event.dataset in names]

    def look_alikes(self, dataset: str) -> list[str]:
        """Other datasets whose names a reader may take for this one."""
        others = [name for name in self.datasets() if name != standard(dataset)]
        return [name for name in others if look_alike(name, dataset)]

    def known_as(self, table: str) -> list[str]:
        """The datasets that a table was spent on."""
        seen = (event for event in self._marks() if table and event.mark.split()[0] == table)
        return list(dict.fromkeys(standard(event.dataset) for event in seen))

    def tables(self, dataset: str) -> dict[int, int]:
        """Which table each spend on a dataset was of: numbers from 1 up, by the spend's number.

        They count the dataset's tables in the order of their first spends; a spend of a table
        that has no files is not in it.
        """
        mine = [event for event in self._marks() if standard(event.dataset) == standard(dataset)]
        first = list(dict.fromkeys(event.mark.split()[0] for event in mine))
        return {event.number: 1 + first.index(event.mark.split()[0]) for event in mine}

    @property
    def head(self) -> str:
        """The hash of the last event: it stands for the whole ledger."""
        last = self._store.last()
        return chain.START if last is None else last.hash

    def fingerprint(self, *paths: Path) -> str:
        """A keyed digest of the files of a table; without the key it says nothing of them.

        That of several files is a digest of theirs, so that it tells where each of them ends.

        Raises:
            TableError: A file cannot be read.
        """
        try:
            each = [self.keyed_digest(_blocks(path)) for path in sorted(paths)]
            return each[0] if len(each) == 1 else self.keyed_digest(one.encode() for one in each)
        except OSError:
            raise TableError("The table cannot be read.") from None

    def keyed_digest(self, blocks: Iterable[bytes | memoryview]) -> str:
        """A keyed digest of the content of a table; without the key it says nothing of it."""
        assert self._store.key is not None
        digest = hmac.new(self._store.key, digestmod="sha256")
        for block in blocks:
            digest.update(block)
        return digest.hexdigest()[:32]

    def remarks(self, dataset: str, table: str) -> list[str]:
        """What the steward should know before this table is released under this name."""
        dataset = standard(dataset)
        others = [f"'{name}'" for name in self.known_as(table) if name != dataset]
        known = set(self.tables(dataset).values())
        remarks = []
        if known and dataset not in self.known_as(table):
            remarks.append(
                f"The name '{dataset}' was used before with another table; both count against "
                f"its budget, and this one becomes its table {len(known) + 1}."
            )
        if others:
            remarks.append(
                f"The same table was released before as {', '.join(others)}; to the people in "
                "it the spends under all its names add up."
            )
        return remarks

    def verify(self) -> int:
        """Check every link, seal and stored value; return the number of events.

        Raises:
            LedgerError: Naming the first event that was edited.
        """
        self._store.check()
        with self._store.read_turn():
            payloads, events = self._store.payloads(), self.events()
        for event in events:
            if event.kind == "kept":
                row = payloads.pop(event.number, None)
                if row is None or not is_kept(event, *row):
                    self._store.refuse_edited(event.number)
        for number in payloads:
            self._store.refuse_edited(number)
        return len(events)

    def export(self) -> Document:
        """Everything that may be shown: the chained events, without the keyed digests."""
        events = self.events()
        head = events[-1].hash if events else chain.START
        shown = [event.public() for event in events]
        return {"format": f"synth-ledger-{FORMAT}", "head": head, "events": shown}

    def _spellings(self, dataset: str) -> list[str]:
        """The standard spelling of a name, and others that stand for it in the ledger."""
        name = standard(dataset)
        others = (other for other in self._store.names() if other != name)
        return [name, *(other for other in others if standard(other) == name)]

    def _budgets(self, names: list[str]) -> dict[int, Budget]:
        """The budgets in force, of each spelling the last that was set for it, by their events."""
        found = {}
        mine = (event for event in self._store.events("budget") if event.dataset in names)
        for event in mine:
            for name in (event.dataset, *cast("list[str]", event.content.get("spellings", []))):
                found[name] = event
        return {event.number: _budget(event.content) for event in found.values()}

    def _marks(self) -> list[Event]:
        return [event for event in self._store.events("spend") if event.mark]

    def _mark(self, dataset: str, table: str, request: str) -> str:
        """What stands of a table and a request in the ledger: keyed digests."""
        assert self._store.key is not None
        return table and f"{table} {chain.mark(self._store.key, dataset, table, request)}"

    def _check_budget(
        self, dataset: str, guarantee: Guarantee, neighbors: Neighbors, person: str
    ) -> None:
        balance = self.balance(dataset)
        balance.check(person)
        budget = balance.budget
        if budget is None:
            if self.path is None:
                return
            if len(names := self._spellings(dataset)) > 1:
                listed = ", ".join(f"'{name}'" for name in names)
                raise LedgerError(
                    f"The names {listed} are one dataset, and their budgets cannot be compared; "
                    "give it one, such as --budget 3."
                )
            raise LedgerError(
                f"The ledger has no budget for '{dataset}' yet; give it one, such as --budget 3."
            )
        budget.check(guarantee, neighbors)
        balance.check_paid(budget, guarantee)


def _blocks(path: Path) -> Iterator[bytes]:
    """What a file holds, a piece at a time."""
    with path.open("rb") as file:
        while block := file.read(2**20):
            yield block


def _budget_content(budget: Budget) -> Document:
    return {
        "budget": terms(budget.guarantee),
        "neighbors": budget.neighbors.value,
        "delta": None if budget.delta is None else str(budget.delta),
    }


def _budget(content: Document) -> Budget:
    delta = cast("str | None", content["delta"])
    return Budget(
        from_terms(cast("dict[str, str]", content["budget"])),
        Neighbors(cast("str", content["neighbors"])),
        None if delta is None else Fraction(delta),
    )
