"""Layer 7 on the whole private path: counting, persons, rules, session, account, door and ledger.

Each mutant is one mistake in one function, given to the layer of `tests.audit.path` that must
see it by a law, by neighbours, or by a plain reader of the declaration; none by what the product
gave before.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from synth import door, pipeline, queries
from synth.counting import counts
from synth.counting.counts import CodedRows, Counts
from synth.domain.domain import Domain, Integer, Outside
from synth.door import Door
from synth.errors import LedgerError, ReleaseError, TableError
from synth.ledger import chain, sqlite_store
from synth.ledger.entries import Balance
from synth.ledger.ledger import Ledger
from synth.ledger.parts import Kept
from synth.ledger.sqlite_store import Store
from synth.models import choice, session
from synth.models.allocation import Account
from synth.models.session import Session
from synth.noise.laplace import DiscreteLaplace
from synth.plan import Method
from synth.privacy import accounting, budget, guarantee
from synth.privacy.budget import Budget
from synth.privacy.guarantee import ROW, Neighbors, Unit
from synth.queries import tables
from synth.table.private_table import open_table
from tests.audit import path, tally
from tests.audit.mutate import catch, edited, replaced
from tests.audit.path import HEADER, PERSON, Rows, plain_rows
from tests.conftest import Report
from tests.tables import code, write

pytestmark = [pytest.mark.mutant, pytest.mark.slow]

Place = tuple[Any, str, Any]
REPLACE, ADD = Neighbors.REPLACE_ONE, Neighbors.ADD_REMOVE


@dataclass(frozen=True)
class Mutant:
    """What is wrong, where, and the layer that must see it."""

    name: str
    layer: str
    sees: Callable[[], str]
    places: Callable[[], Sequence[Place]]


def edit(owner: Any, name: str, old: str, new: str) -> Callable[[], Sequence[Place]]:
    return lambda: [(owner, name, edited(owner.__dict__[name], old, new))]


def put(owner: Any, name: str, make: Callable[[Any], Any]) -> Callable[[], Sequence[Place]]:
    """In the place of something, what is made of it."""
    return lambda: [(owner, name, make(getattr(owner, name)))]


# Counting: the product's ways to count go one way that a plain reader would not.


def reading(choose: Callable[[Rows, Unit], Rows]) -> Callable[[], Sequence[Place]]:
    """Both ways to count, of rows that are chosen so."""

    def codes(table: Any, domain: Domain, unit: Unit = ROW, **_: Any) -> list[Any]:
        names = HEADER.index(unit.person) if unit.person else None
        columns = [HEADER.index(name) for name in domain.names]
        kept = choose(plain_rows(table.path), unit)
        found = [
            [
                code(column, row[at], ("",))
                for column, at in zip(domain.columns, columns, strict=True)
            ]
            for row in kept
        ]
        assert names in (None, 0)
        whole = [row for row in found if None not in row]
        shape = (len(whole), len(columns))
        return list(np.array(whole, dtype=np.int32).reshape(shape).T)

    def count(table: Any, domain: Domain, unit: Unit = ROW, *_: Any) -> Counts:
        found = codes(table, domain, unit)
        values = np.zeros(domain.shape, np.int64)
        np.add.at(values, tuple(found), 1)
        rows = len(found[0]) if unit.person else len(plain_rows(table.path))
        occupied = np.flatnonzero(values)
        return Counts(domain, occupied, values.reshape(-1)[occupied], rows, unit)

    return lambda: [(counts, "count", count), (counts, "codes", codes), (pipeline, "count", count)]


def first(rows: Rows, unit: Unit, key: Callable[[list[str]], Any] = lambda row: row[0]) -> Rows:
    """The first rows of each key, as many as may be used; of nobody none."""
    seen: Counter[Any] = Counter()
    kept = []
    for row in sorted(rows):
        if not unit.person:
            kept.append(row)
        elif row[0] and seen[key(row)] < unit.max_rows:
            seen[key(row)] += 1
            kept.append(row)
    return kept


def by_others(rows: Rows, unit: Unit) -> Rows:
    """Of each person the rows that are most common among all."""
    common = Counter(tuple(row[1:]) for row in rows)
    return first([row for row in rows], unit) if not unit.person else [
        row
        for person in {row[0] for row in rows} - {""}
        for row in sorted(
            (row for row in rows if row[0] == person), key=lambda row: -common[tuple(row[1:])]
        )[: unit.max_rows]
    ]  # fmt: skip


def every_second_left_out(rows: Rows, unit: Unit) -> Rows:
    return [row for i, row in enumerate(first(rows, unit)) if i % 2 == 0]


def of_nobody(rows: Rows, unit: Unit) -> Rows:
    return first(rows, unit) + [row for row in rows if unit.person and not row[0]]


def each_cell(rows: Rows, unit: Unit) -> Rows:
    return first(rows, unit, key=tuple)


def more_rows(right: Any) -> Any:
    """One row more of each person than is declared."""

    def count(table: Any, domain: Domain, unit: Unit = ROW, *rest: Any, **words: Any) -> Any:
        wide = replace(unit, max_rows=unit.max_rows + 1) if unit.person else unit
        found = right(table, domain, wide, *rest, **words)
        return replace(found, unit=unit) if isinstance(found, Counts) else found

    return count


def only_seen(right: Any) -> Any:
    """Categories that are in the table, and no others."""

    def count(table: Any, domain: Domain, *rest: Any) -> Counts:
        at, listed = HEADER.index("a"), plain_rows(table.path)
        kept = tuple(c for c in ("x", "y", "z") if any(row[at] == c for row in listed)) or ("x",)
        columns = [
            replace(column, categories=kept) if column.name == "a" else column
            for column in domain.columns
        ]
        found: Counts = right(table, Domain(tuple(columns)), *rest)
        return found

    return count


def also_first_cells(right: Any) -> Any:
    """A row that is left out counts in the first three cells."""

    def count(table: Any, domain: Domain, *rest: Any) -> Counts:
        found: Counts = right(table, domain, *rest)
        lost = found.rows - int(found.counts.sum())
        dense = found.dense()
        dense[:3] += lost
        occupied = np.flatnonzero(dense)
        return replace(found, cells=occupied, counts=dense[occupied])

    return count


def mended(right: Any) -> Any:
    """Rows that a rule forbids are given the commonest cell of the other rows."""

    def count(rows: CodedRows, columns: Any) -> Counts:
        whole = np.ravel_multi_index(rows.codes, rows.domain.shape)
        good = whole[whole != 0]
        if len(good):
            whole = np.where(whole == 0, np.bincount(good).argmax(), whole)
        codes = [c.astype(np.int32) for c in np.unravel_index(whole, rows.domain.shape)]
        found: Counts = right(replace(rows, codes=codes), columns)
        return found

    return count


# Reading: one engine takes a declaration, or a cell, for another.


def as_declared(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The histogram is counted under another declaration of the same cells."""

    def made(right: Any) -> Any:
        def count(table: Any, domain: Domain, *rest: Any) -> Counts:
            other = Domain(
                tuple(change(column) for column in domain.columns), domain.missing_values
            )
            return replace(right(table, other, *rest), domain=domain)

        return count

    return made


def edge_moved(column: Any) -> Any:
    if column.name != "age":
        return column
    return Integer(name="age", minimum=0, maximum=99, edges=(0, 21, 40, 60, 80, 99))


def rule(name: str, outside: Outside) -> Callable[[Any], Any]:
    return lambda column: replace(column, outside=outside) if column.name == name else column


def as_written(change: Callable[[str, str], str]) -> Callable[[Any], Any]:
    """Cells are read as others: a name and a text to another text."""

    def made(right: Any) -> Any:
        def count(table: Any, domain: Domain, *rest: Any) -> Counts:
            rows = [
                [change(n, c) for n, c in zip(table.header, row, strict=True)]
                for row in plain_rows(table.path)
            ]
            with TemporaryDirectory() as folder:
                copy = write(Path(folder) / "t.csv", list(table.header), rows)
                found: Counts = right(open_table(copy), domain, *rest)
            return found

        return count

    return made


def the_day_before(name: str, cell: str) -> str:
    if name != "day" or cell != "2024-02-01":
        return cell
    return "2024-01-31"


def remembered(right: Any) -> Any:
    """Counts by the name of the file, whatever is in it by now."""
    memory: dict[Any, Counts] = {}
    return lambda table, *rest: memory.setdefault(table.path, right(table, *rest))


# Session, door.


def exact_total(right: Any) -> Any:
    def measure_columns(one: Session, cost: Fraction) -> None:
        right(one, cost)
        one.evidence.total = float(one._rows.rows)

    return measure_columns


def exact_columns(right: Any) -> Any:
    def measure_columns(one: Session, cost: Fraction) -> None:
        right(one, cost)
        one.evidence.columns[0] = one._rows.count((0,)).dense().astype(float)

    return measure_columns


def cost_by_rows(right: Any) -> Any:
    """A crowded marginal gets less noise."""

    def measure(one: Session, clique: Any, cost: Fraction) -> Any:
        crowded = one._rows.count(clique).counts.sum() > 8
        return right(one, clique, cost * Fraction(9, 10) if crowded else cost)

    return measure


def exact_distances(right: Any) -> Any:
    def measure_distances(one: Session, cost: Fraction) -> None:
        right(one, cost)
        for pair in one.evidence.pairs:
            far = np.abs(one._rows.count(pair).dense() - one.evidence.guess(pair).reshape(-1)).sum()
            one.evidence.distances[pair] = float(far) * 100 if int(far * 64) % 2 else 0.0

    return measure_distances


def choice_for_nothing(right: Any) -> Any:
    """What a choice costs is forgotten."""

    def measure_worst(one: Session, *rest: Any) -> Any:
        before = one._door.spent
        chosen = right(one, *rest)
        one._door.spent = before
        return chosen

    return measure_worst


def clipped_by_rows(_: Any) -> Any:
    """Guesses above the private number of rows are pulled down to it."""

    def distance(guess: Any) -> int:
        expected = np.clip(guess.expected, 0, guess.counts.counts.sum())
        return int(np.abs(64 * guess.counts.dense() - np.rint(64 * expected)).sum())

    return property(distance)


def seed_of_counts(_: Any) -> Any:
    return lambda _: sum(map(ord, SEEN[-1]))


SEEN: list[str] = [""]


def overheard(right: Any) -> Any:
    def measure(door: Door, query: Any, *rest: Any, **words: Any) -> Any:
        held = query if isinstance(query, Counts) else None
        values = held.dense() if held is not None else query.values()
        SEEN.append(values.tobytes().hex())
        return right(door, query, *rest, **words)

    return measure


def quoting(right: Any) -> Any:
    def count(table: Any, *rest: Any) -> Any:
        for row in plain_rows(table.path):
            if row[2] not in "012":
                message = f"The cell '{row[2]}' is none of the declared ones."
                raise TableError(message)
        return right(table, *rest)

    return count


def refusing(right: Any) -> Any:
    def count(table: Any, *rest: Any) -> Any:
        if any(row[1] == "?" for row in plain_rows(table.path)):
            message = "A cell cannot be read."
            raise TableError(message)
        return right(table, *rest)

    return count


class Late(Ledger):
    """Spends in memory, and in the file only when it is told to."""

    def __init__(self, real: Ledger) -> None:
        super().__init__()
        self.real, self.said = real, dict[str, Any]()

    def spend(self, **said: Any) -> Any:
        self.said = said
        return super().spend(**said)


def spent_late() -> Sequence[Place]:
    start, seed = Door.__init__, Door.seed

    def begin(door: Any, *, ledger: Ledger, **words: Any) -> None:
        door.late = Late(ledger)
        start(door, ledger=door.late, **words)

    def finish(door: Any) -> int:
        door.late.real.spend(**door.late.said)
        return seed(door)

    return [(Door, "__init__", begin), (Door, "seed", finish)]


def refusal_ignored(right: Any) -> Any:
    def begin(door: Any, *, ledger: Ledger, **words: Any) -> None:
        try:
            right(door, ledger=ledger, **words)
        except LedgerError:
            right(door, ledger=Ledger(), **words)

    return begin


# Noise.


def no_noise_on_empties(right: Any) -> Any:
    return lambda noise, values: np.where(values > 0, right(noise, values), 0)


def noise_twice(right: Any) -> Any:
    memory: dict[Any, Any] = {}

    def again(noise: Any, values: Any) -> Any:
        made = memory.setdefault(values.size, right(noise, values * 0).reshape(-1))
        return values + made.reshape(values.shape)

    return again


def seeded(_: Any) -> Any:
    random = np.random.default_rng(1)
    return lambda noise, values: values + np.rint(random.laplace(0, noise.scale, values.shape))


def noise_by_size(right: Any) -> Any:
    return lambda noise, values: np.where(values > 5, values, right(noise, values))


# Ledger.


def of_this_process(_: Any) -> Sequence[Place]:
    balance, spend = Ledger.balance, Ledger.spend

    def mine(ledger: Any, dataset: str) -> Balance:
        found = balance(ledger, dataset)
        own = ledger.__dict__.setdefault("_own", [])
        kept = tuple(e for e in found.spends if e.number <= 2 or e.number in own)
        return replace(found, spends=kept)

    def noted(ledger: Any, **said: Any) -> Any:
        entry = spend(ledger, **said)
        ledger.__dict__.setdefault("_own", []).append(entry.number)
        return entry

    return [(Ledger, "balance", mine), (Ledger, "spend", noted)]


def drawn_again() -> Sequence[Place]:
    return [
        (Ledger, "kept", lambda *_: None),
        (Ledger, "keep", lambda ledger, _entry, _part, payload: (payload, ledger.head)),
    ]


def cheap_replay() -> Sequence[Place]:
    """A kept part claims the noise that is asked for now, and costs what that would."""
    find, summed = Kept.find, Kept._sum

    def found(kept: Any, number: int, about: dict[str, Any]) -> Any:
        part = kept.get(str(number))
        return find(kept, number, about) if part is None else replace(part, about=about)

    def forgiving(kept: Any, cost: Any) -> Any:
        try:
            return summed(kept, cost)
        except ReleaseError:
            return kept._spent

    return [(Kept, "find", found), (Kept, "_sum", forgiving)]


def not_added_up() -> Sequence[Place]:
    """Neither by the door nor by what it keeps."""
    pay = edited(Door._pay, "cost if self.spent is None else self.spent + cost", "cost")
    return [(Door, "_pay", pay), (Kept, "_sum", lambda _, cost: cost)]


@cache
def model(neighbors: Neighbors, method: Method = Method.TREE) -> Callable[[], str]:
    return lambda: path.replaying(method, neighbors)


@cache
def dense(neighbors: Neighbors, unit: Unit = ROW) -> Callable[[], str]:
    return lambda: path.replaying(Method.DENSE, neighbors, unit)


def large_delta() -> str:
    with replaced(choice, "DELTA_MAX", Fraction(1)):
        return path.replaying(Method.INDEPENDENT, ADD, delta=Fraction(1, 7))


def rows() -> str:
    return path.counting(ROW)


def persons() -> str:
    return path.counting(PERSON)


COUNTING, READING, REPLAY = "6 neighbours", "6 plain reader", "5 record and replay"
QUERIES, RESUME = "7 queries and door", "7 going on"
LAWS, LEDGER, FRESH = "8 divergences", "9 ledger", "1 bits of its own"
Told = tuple[str, str, Callable[[], str], Callable[[], Sequence[Place]]]

TOLD: list[Told] = [
    # Counting and persons.
    (
        "rows public for persons",
        COUNTING,
        persons,
        edit(Unit, "shares_rows", " and not self.person", ""),
    ),
    (
        "rows public where one is added",
        COUNTING,
        rows,
        edit(Unit, "shares_rows", "neighbors is Neighbors.REPLACE_ONE and ", ""),
    ),
    (
        "rows counted after rules leave some out",
        COUNTING,
        rows,
        edit(Counts, "public_rows", "return self.rows", "return int(self.counts.sum())"),
    ),
    (
        "sensitivity of persons without their rows",
        COUNTING,
        persons,
        edit(Unit, "sensitivity", "self.max_rows * ", ""),
    ),
    (
        "squared sensitivity of k rows taken for k",
        COUNTING,
        persons,
        edit(Unit, "squared", "self.max_rows**2", "self.max_rows"),
    ),
    (
        "sensitivity 1 where a row is replaced",
        COUNTING,
        rows,
        edit(Neighbors, "sensitivity", "2 if", "1 if"),
    ),
    (
        "a person's rows beyond k kept",
        COUNTING,
        persons,
        lambda: [
            (counts, "count", more_rows(counts.count)),
            (counts, "codes", more_rows(counts.codes)),
        ],
    ),
    ("rows beyond k kept by one of two ways", COUNTING, persons, put(counts, "codes", more_rows)),
    ("a person's rows chosen by other people's", COUNTING, persons, reading(by_others)),
    ("k rows of each person and cell", COUNTING, persons, reading(each_cell)),
    ("rows that name nobody kept", COUNTING, persons, reading(of_nobody)),
    ("rows left out by their place", COUNTING, rows, reading(every_second_left_out)),
    ("categories from the data", COUNTING, rows, put(counts, "count", only_seen)),
    (
        "rows outside counted in several cells",
        COUNTING,
        rows,
        put(counts, "count", also_first_cells),
    ),
    ("rules applied to private rows", COUNTING, rows, put(CodedRows, "count", mended)),
    # Reading.
    (
        "a bin's edge off by one on one engine",
        READING,
        path.reading,
        put(counts, "count", as_declared(edge_moved)),
    ),
    (
        "nearest taken for drop",
        READING,
        path.reading,
        put(counts, "count", as_declared(rule("age", Outside.DROP))),
    ),
    (
        "drop taken for nearest",
        READING,
        path.reading,
        put(counts, "count", as_declared(rule("pay", Outside.NEAREST))),
    ),
    (
        "NaN inside",
        READING,
        path.reading,
        put(counts, "count", as_written(lambda _, c: "0" if c == "nan" else c)),
    ),
    (
        "a date off by the time zone",
        READING,
        path.reading,
        put(counts, "count", as_written(the_day_before)),
    ),
    (
        "letter case ignored",
        READING,
        path.reading,
        put(counts, "count", as_written(lambda n, c: c.upper() if n == "sex" else c)),
    ),
    (
        "an empty cell read as zero",
        READING,
        path.reading,
        put(counts, "count", as_written(lambda n, c: c or ("0" if n == "weight" else c))),
    ),
    (
        "the maximum outside",
        READING,
        path.reading,
        put(counts, "count", as_written(lambda _, c: "9.9" if c == "2.5" else c)),
    ),
    ("the memory of an earlier session", READING, path.reading, put(counts, "count", remembered)),
    # Session and door.
    (
        "the model's number of rows exact",
        REPLAY,
        model(ADD),
        put(Session, "measure_columns", exact_total),
    ),
    (
        "the model's number of rows public",
        REPLAY,
        model(ADD),
        edit(Unit, "shares_rows", "neighbors is Neighbors.REPLACE_ONE and ", ""),
    ),
    (
        "a column's exact counts in the place of noisy ones",
        REPLAY,
        model(REPLACE),
        put(Session, "measure_columns", exact_columns),
    ),
    ("noise by the number of rows", REPLAY, model(ADD), put(Session, "measure", cost_by_rows)),
    (
        "pairs chosen by exact distances",
        REPLAY,
        model(REPLACE),
        put(Session, "measure_distances", exact_distances),
    ),
    (
        "an adaptive choice not charged",
        REPLAY,
        model(ADD, Method.ADAPTIVE),
        put(Session, "measure_worst", choice_for_nothing),
    ),
    (
        "nothing charged by the door",
        REPLAY,
        model(REPLACE),
        put(Door, "_pay", lambda _: lambda *_: None),
    ),
    (
        "delta refused by private rows",
        REPLAY,
        large_delta,
        edit(pipeline, "_model", "if plan.unit.shares_rows(plan.neighbors):", "if True:"),
    ),
    (
        "a seed from the counts",
        REPLAY,
        dense(REPLACE),
        lambda: [
            (Door, "seed", seed_of_counts(Door.seed)),
            (Door, "measure", overheard(Door.measure)),
        ],
    ),
    ("an error that quotes a cell", REPLAY, dense(REPLACE), put(pipeline, "count", quoting)),
    ("a table refused for one row", REPLAY, dense(ADD), put(pipeline, "count", refusing)),
    (
        "persons' noise of one row",
        REPLAY,
        dense(REPLACE, PERSON),
        edit(Unit, "sensitivity", "self.max_rows * ", ""),
    ),
    (
        "noise of one cell where a row is replaced",
        REPLAY,
        dense(REPLACE),
        edit(Neighbors, "sensitivity", "2 if", "1 if"),
    ),
    ("the spend written after the noise", LEDGER, path.ordering, spent_late),
    (
        "noise drawn although the ledger refuses",
        LEDGER,
        path.ordering,
        put(Door, "__init__", refusal_ignored),
    ),
    # Queries and the door.
    (
        "a guess clipped by private rows",
        QUERIES,
        path.asking,
        put(session.Guess, "distance", clipped_by_rows),
    ),
    (
        "the sensitivity of a score halved",
        QUERIES,
        path.asking,
        put(tables, "distance_sensitivity", lambda right: lambda *rest: right(*rest) // 2),
    ),
    (
        "the sensitivity of distances in rows",
        QUERIES,
        path.asking,
        put(
            tables,
            "distance_sensitivity",
            lambda _: lambda unit, neighbors: unit.sensitivity(neighbors),
        ),
    ),
    (
        "the sum of distances moved as one",
        QUERIES,
        path.asking,
        edit(queries, "summed_distance", "* len(guesses)", "* 1"),
    ),
    (
        "squares of distances added as one",
        QUERIES,
        path.asking,
        edit(queries, "distances", "each**2 * len(guesses)", "each**2"),
    ),
    (
        "a number of rows moved by one row of a person",
        QUERIES,
        path.asking,
        edit(queries, "rows", "Sensitivity(most, most**2, most)", "Sensitivity(1, 1, 1)"),
    ),
    (
        "a histogram moved by one cell",
        QUERIES,
        path.asking,
        edit(tables, "histogram_sensitivity", "unit.sensitivity(neighbors), ", "unit.max_rows, "),
    ),
    (
        "Laplace noise paid by the largest move",
        QUERIES,
        path.guarding,
        edit(
            door,
            "price",
            "mechanism.guarantee(moves.l1)",
            "mechanism.guarantee(moves.l_infinity)",
        ),
    ),
    (
        "Gaussian noise paid by half the squares",
        QUERIES,
        path.guarding,
        edit(
            door,
            "price",
            "mechanism.guarantee(moves.squared_l2)",
            "mechanism.guarantee(Fraction(moves.squared_l2, 2))",
        ),
    ),
    ("answers not added up", QUERIES, path.guarding, not_added_up),
    (
        "other neighbours answered",
        QUERIES,
        path.guarding,
        edit(Door, "_check", "query.neighbors is not self.neighbors", "False"),
    ),
    (
        "another unit answered",
        QUERIES,
        path.guarding,
        edit(Door, "_check", "query.unit != self.unit", "False"),
    ),
    ("a part replayed at the scale that is asked", RESUME, path.resuming, cheap_replay),
    (
        "a part kept of another query",
        RESUME,
        path.resuming,
        put(Kept, "_check", lambda _: lambda *_: None),
    ),
    ("kept parts drawn again", RESUME, path.resuming, drawn_again),
    (
        "a resumed release paid anew",
        RESUME,
        path.resuming,
        put(Ledger, "paid", lambda _: lambda *_, **__: None),
    ),
    (
        "pairs chosen by their exact scores",
        QUERIES,
        path.choosing,
        put(door, "permute_and_flip", lambda _: lambda scores, **__: int(np.argmax(scores))),
    ),
    (
        "a choice at the rate of one direction",
        QUERIES,
        path.choosing,
        put(
            door,
            "permute_and_flip",
            lambda right: lambda scores, **told: right(scores, monotone=True, **told),
        ),
    ),
    (
        "the price of a choice doubled when drawn",
        QUERIES,
        path.choosing,
        put(door, "_rate", lambda right: lambda cost: 2 * right(cost)),
    ),
    # Account.
    (
        "a pure epsilon counted as an eighth of its square",
        LAWS,
        path.accounting_holds,
        edit(guarantee, "in_rho", "**2 / 2", "**2 / 8"),
    ),
    (
        "the same in a budget",
        LAWS,
        path.accounting_holds,
        edit(budget, "_amount", "**2 / 2", "**2 / 8"),
    ),
    (
        "twice the rho for epsilon and delta",
        LAWS,
        path.accounting_holds,
        edit(accounting, "zcdp_rho", "certain * 2**64", "certain * 2**65"),
    ),
    (
        "a choice at twice its rate",
        LAWS,
        path.accounting_holds,
        put(door, "_root", lambda right: lambda value: 2 * right(value)),
    ),
    (
        "Gaussian noise by L1",
        LAWS,
        path.accounting_holds,
        edit(
            Account,
            "noise",
            "self.unit.squared(self.neighbors)",
            "self.unit.sensitivity(self.neighbors)",
        ),
    ),
    (
        "Laplace noise without a person's rows",
        LAWS,
        path.accounting_holds,
        edit(
            Account,
            "noise",
            "each = self.unit.sensitivity(self.neighbors)",
            "each = self.neighbors.sensitivity",
        ),
    ),
    (
        "distances not in 64ths",
        LAWS,
        path.accounting_holds,
        put(
            Account,
            "distance_noise",
            lambda right: lambda one, cost, count: right(one, cost * 64, count),
        ),
    ),
    (
        "distances paid as one",
        LAWS,
        path.accounting_holds,
        put(Account, "distance_noise", lambda right: lambda one, cost, _: right(one, cost, 1)),
    ),
    (
        "parts of a budget that are more than it",
        LAWS,
        path.accounting_holds,
        edit(Account, "split", "Fraction(part, sum(parts))", "Fraction(part + 1, sum(parts))"),
    ),
    # Ledger.
    (
        "the budget checked before the spend",
        LEDGER,
        path.spending,
        edit(Budget, "admits", "spends = list(spends)", "spends = list(spends)[:-1]"),
    ),
    (
        "the last part of a budget refused",
        LEDGER,
        path.spending,
        edit(
            Budget,
            "admits",
            "self.spent(spends) <= self.amount",
            "self.spent(spends) < self.amount",
        ),
    ),
    (
        "budgets added up in floats",
        LEDGER,
        path.spending,
        edit(
            Budget,
            "admits",
            "self.spent(spends) <= self.amount",
            "float(self.spent(spends)) <= float(self.amount)",
        ),
    ),
    (
        "deltas not added up",
        LEDGER,
        path.spending,
        edit(Budget, "admits", " and deltas <= self.guarantee.delta", ""),
    ),
    (
        "relations and units of cost mixed",
        LEDGER,
        path.spending,
        put(Budget, "check", lambda _: lambda *_: None),
    ),
    (
        "rows and persons mixed",
        LEDGER,
        path.spending,
        put(Balance, "check", lambda _: lambda *_: None),
    ),
    ("spends of other processes unseen", LEDGER, path.spending, lambda: of_this_process(None)),
    (
        "a spend not written",
        LEDGER,
        path.spending,
        put(Ledger, "spend", lambda _: lambda _, **said: _unwritten(**said)),
    ),
    (
        "edits of entries not seen",
        LEDGER,
        path.spending,
        put(chain, "is_linked", lambda _: lambda *_: True),
    ),
    (
        "the end of the ledger not looked at",
        LEDGER,
        path.spending,
        put(Store, "_check_ending", lambda _: lambda *_: None),
    ),
    (
        "a kept value replaced",
        LEDGER,
        path.spending,
        put(sqlite_store, "is_kept", lambda _: lambda *_: True),
    ),
    ("a repeated request drawn afresh", LEDGER, path.repeating, drawn_again),
    (
        "another table taken for the same",
        LEDGER,
        path.repeating,
        put(Ledger, "fingerprint", lambda _: lambda *_: "0" * 32),
    ),
    # Noise.
    (
        "empty cells without noise",
        FRESH,
        path.freshness,
        put(DiscreteLaplace, "release", no_noise_on_empties),
    ),
    (
        "noise used for two parts",
        FRESH,
        path.freshness,
        put(DiscreteLaplace, "release", noise_twice),
    ),
    ("noise from a seed", FRESH, path.freshness, put(DiscreteLaplace, "release", seeded)),
    (
        "no noise on large counts",
        FRESH,
        path.freshness,
        put(DiscreteLaplace, "release", noise_by_size),
    ),
]
MUTANTS = [Mutant(*told) for told in TOLD]


_spend = Ledger.spend


def _unwritten(**said: Any) -> Any:
    return _spend(Ledger(), **said)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_slip_in_the_private_path_is_caught(mutant: Mutant, report: Report) -> None:
    with ExitStack() as stack:
        for place in mutant.places():
            stack.enter_context(replaced(*place))
        catch(mutant.name, mutant.layer, lambda: bool(mutant.sees()), report)


@pytest.mark.parametrize("sees", dict.fromkeys(mutant.sees for mutant in MUTANTS))
def test_the_right_path_is_not_caught(sees: Callable[[], str]) -> None:
    assert sees() == ""
    tally.add("layers of the private path", held=1)
