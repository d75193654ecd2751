"""Layers for the whole private path: each function says what of the promise it saw broken, or ''.

6 `counting`    counts of all neighbours of small tables: they move by no more than is declared,
                share what is called public, and are those of a plain reader of the declaration
7 `asking`      queries of all neighbours, in three norms
7 `choosing`    the law of a choice on neighbours, enumerated
7 `guarding`    what a door lets out, and `resuming`, what it lets out under an earlier spend
5 `replaying`   a release of neighbours with its noise frozen: the same bytes, questions and noise,
                and inputs that move by no more than was paid for
8 `accounting`  what is paid for against Renyi divergences and deltas of the laws themselves
9 `spending`    what a ledger lets be spent, by several processes and after edits of its file

They go through public functions only, and look them up where they are used, so that a mutant in
one place is in the whole path.
"""

import csv
import json
import math
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from synth import door, pipeline, queries
from synth.counting import counts
from synth.counting.counts import CodedRows
from synth.domain.domain import Categorical, Date, Domain, Integer, Number, Outside
from synth.errors import LedgerError, SynthError
from synth.ledger.ledger import Ledger
from synth.models import session, strategies
from synth.models.allocation import Account
from synth.models.choosing import Fitted
from synth.noise import bits, exponential
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.laplace import DiscreteLaplace
from synth.plan import Method, Plan
from synth.privacy import accounting, guarantee
from synth.privacy.budget import parse_budget
from synth.privacy.guarantee import ROW, Guarantee, Neighbors, Unit
from synth.table.private_table import open_table
from tests.audit.exact import Tree, decimal, error, tree
from tests.audit.layers import SLACK
from tests.audit.twins import NoJoiner
from tests.tables import cells, code, write

Rows = list[list[str]]
HEADER = ["pid", "a", "b", "c"]
DOMAIN = Domain(
    (
        Categorical(name="a", categories=("x", "y", "z"), outside=Outside.DROP),
        Categorical(name="b", categories=("0", "1", "2"), outside=Outside.DROP),
        Categorical(name="c", categories=("p", "q")),
    )
)
PERSON = Unit("pid", 2)
SECRET = "zq-secret-cell"
OTHERS = [
    *[["bob", "x", "0", "q"], ["bob", "x", "1", "p"], ["bob", "y", "2", "q"]],
    *[["lee", "x", "0", "p"]] * 2,
    *[["eve", "x", "2", "q"], ["eve", "y", "1", "q"], ["kim", "y", "1", "q"]],
]
"""Rows that all neighbours share; bob has more than may be used."""
ANN: list[Rows] = [
    [],
    [["ann", "x", "0", "p"]],
    [["ann", "x", "0", "p"]] * 4,
    [["ann", "y", "2", "q"]] * 3,
    [["ann", "z", "2", "q"]] * 3,
    [["ann", "x", "0", "q"], ["ann", "y", "2", "p"], ["ann", "y", "1", "p"]],
    [["ann", "?", "0", "p"], ["ann", "x", SECRET, "p"], ["ann", "x", "1", "p"]],
]
"""What one person may bring."""
NOBODY: list[Rows] = [[["", "x", "0", "p"]] * 4]
ONE = [
    ["ann", a, b, "q"] for a, b in (("x", "0"), ("z", "2"), ("x", "2"), ("?", "0"), ("x", SECRET))
]


def related(neighbors: Neighbors, unit: Unit) -> tuple[list[Rows], Callable[[Rows, Rows], bool]]:
    """Small tables, and which of them are neighbours."""
    if unit.person:
        tables = [rows + OTHERS for rows in [*ANN, *NOBODY]]
        bare = tables[0]
        return tables, lambda a, b: neighbors is Neighbors.REPLACE_ONE or bare in (a, b)
    if neighbors is Neighbors.REPLACE_ONE:
        return [[row, *OTHERS] for row in ONE], lambda *_: True
    tables = [OTHERS, *([row, *OTHERS] for row in ONE)]
    return tables, lambda a, b: OTHERS in (a, b)


# Layer 6.


def counting(*units: Unit) -> str:
    """Neighbours' counts, in all ways to count them, against the moves that are declared."""
    for unit in units or (ROW, PERSON):
        known: list[tuple[Rows, list[Any]]] = []
        for neighbors in Neighbors:
            tables, are = related(neighbors, unit)
            for rows in tables:
                made = next((m for r, m in known if r == rows), None) or counted(rows, unit)
                for earlier, other in known:
                    broken = are(rows, earlier) and _moves(made, other, unit, neighbors)
                    if broken and (earlier in tables):
                        return f"{broken} ({neighbors}, {unit})"
                known.append((rows, made))
    return ""


def counted(rows: Rows, unit: Unit) -> list[Any]:
    """Counts of the whole table and of its marginals, as both ways of release ask for them."""
    with TemporaryDirectory() as folder:
        table = open_table(write(Path(folder) / "t.csv", HEADER, rows))
        whole = counts.count(table, DOMAIN, unit)
        marginals = counts.coded(table, DOMAIN, unit)
    return [whole, *(marginals.count(place) for place in ((0,), (1,), (0, 1), (0, 1, 2)))]


def _moves(one: list[Any], other: list[Any], unit: Unit, neighbors: Neighbors) -> str:
    for a, b in zip(one, other, strict=True):
        gap = np.abs(a.dense() - b.dense())
        if gap.sum() > unit.sensitivity(neighbors):
            return "counts move by more than is declared"
        if (gap**2).sum() > unit.squared(neighbors):
            return "squares of counts move by more than is declared"
        if a.public_rows(neighbors) != b.public_rows(neighbors):
            return "the number of rows is public, and tells neighbours apart"
        if a.domain.shape != b.domain.shape:
            return "the cells tell neighbours apart"
    if not (one[0].dense() == one[-1].dense()).all():
        return "the histogram and the marginals are not of the same rows"
    return ""


MONTHS = ("2024-01-01", "2024-02-01", "2024-07-01", "2024-12-31")
READ = Domain(
    (
        Categorical(name="sex", categories=("F", "M"), missing=True),
        Integer(name="age", minimum=0, maximum=99, bins=5),
        Integer(name="pay", minimum=0, maximum=9, bins=2, outside=Outside.DROP),
        Number(name="weight", minimum="0", maximum="2.5", bins=5, outside=Outside.CELL),
        Date(name="day", minimum="2024-01-01", maximum="2024-12-31", edges=MONTHS, missing=True),
    ),
    ("", "NA"),
)
EDGES = {
    "sex": ["F", "M", " F ", "f", "NA", "", "X"],
    "age": ["0", "19", "20", "39", "40", "99", "100", "-1", "nan", "", "1e3"],
    "pay": ["4", "5", "0", "9", "10", "-1", "nan", "4.5"],
    "weight": ["0.5", "0.4999", "0", "2.5", "2.51", "-0.1", "nan", "inf", ""],
    "day": ["2024-01-31", "2024-02-01", "2024-12-31", "2024-01-01", "2025-01-01", "", "x"],
}
USUAL = ["F", "50", "7", "1", "2024-06-15"]


def reading() -> str:
    """Cells at every edge of the declaration, each in one column of a usual row."""
    rows = [USUAL] + [
        [cell if name == own else usual for name, usual in zip(EDGES, USUAL, strict=True)]
        for own, listed in EDGES.items()
        for cell in listed
    ]
    with TemporaryDirectory() as folder:
        # The file of an earlier session had another table under the same name.
        for content in (rows[:3], rows):
            table = open_table(write(Path(folder) / "t.csv", list(EDGES), content))
            whole = counts.count(table, READ)
            codes = counts.codes(table, READ)
        found = dict(zip(whole.cells.tolist(), whole.counts.tolist(), strict=True))
    wanted = Counter(cells(READ, rows))
    if found != wanted or whole.rows != len(rows):
        return "the histogram is not that of the declaration"
    if Counter(np.ravel_multi_index(codes, READ.shape).tolist()) != wanted:
        return "the codes are not those of the declaration"
    return ""


# Layer 5.


@dataclass
class Seen:
    """A release with its noise frozen: what left, and what went into the noise."""

    left: Any = None
    asked: list[Any] = field(default_factory=list)
    prices: list[Fraction] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)


def replaying(method: Method, neighbors: Neighbors, unit: Unit = ROW, **options: Any) -> str:
    """Everything public is the same of neighbours; the inputs' moves are within what was paid."""
    tables, are = related(neighbors, unit)
    plan = Plan(DOMAIN, Fraction(2), neighbors=neighbors, method=method, unit=unit, **options)
    seen = [released(plan, rows) for rows in tables]
    for (one, a), (other, b) in product(zip(seen, tables, strict=True), repeat=2):
        if SECRET in repr(one.left):
            return "a cell is quoted"
        if not are(a, b):
            continue
        if one.left != other.left:
            return "what leaves differs beside the noise"
        if one.asked != other.asked:
            return "what is asked differs"
        if not plan.delta and _costs_more(one, other):
            return "inputs move by more than was paid for"
        if sum(one.prices) > plan.epsilon:
            return "more is paid for than was charged"
    return ""


def released(plan: Plan, rows: Rows) -> Seen:
    """One release with frozen noise; a refusal is something that leaves, too."""
    seen = Seen()
    with TemporaryDirectory() as folder, frozen(seen):
        source = write(Path(folder) / "t.csv", HEADER, rows)
        try:
            result = pipeline.synthesize(plan, source)
        except SynthError as error:
            seen.left = str(error).replace(folder, "")
            return seen
        files = {name: p.read_bytes() for name, p in result.write(Path(folder) / "out").items()}
    for name, content in files.items():
        if b'"created"' in content:
            files[name] = json.loads(content) | {"created": ""}
    seen.left = files
    return seen


@contextmanager
def frozen(seen: Seen) -> Iterator[None]:
    """Noise that does not look at its input, but for the shape of it."""

    def answer(noise: Any, values: Any) -> Any:
        seen.asked.append((repr(noise), values.shape))
        seen.inputs.append((noise, values.copy()))
        made = np.random.default_rng(len(seen.inputs)).integers(-3, 9, values.shape)
        return made + 6 if values.size > 1 else made + 40

    def choose(scores: Any, *, epsilon: Fraction, sensitivity: int) -> int:
        seen.asked.append((len(scores), epsilon, sensitivity))
        seen.inputs.append((epsilon / sensitivity, np.array([int(score) for score in scores])))
        return 0

    measure, choice = door.Door.measure, door.Door.choose

    def priced(door: Any, query: Any, noise: Any) -> Any:
        seen.prices.append(door.price(query, noise).epsilon or Fraction(0))
        return measure(door, query, noise)

    def paid(door: Any, query: Any, cost: Guarantee) -> Any:
        seen.prices.append(cost.epsilon or Fraction(0))
        return choice(door, query, cost)

    private = session.Session._private

    def guessed(one: Any, clique: Any, expected: Any) -> Any:
        seen.asked.append(expected.tolist())  # a guess is public
        return private(one, clique, expected)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session.Session, "_private", guessed)
        patch.setattr(door.Door, "measure", priced)
        patch.setattr(door.Door, "choose", paid)
        for law in (DiscreteLaplace, DiscreteGaussian):
            patch.setattr(law, "release", answer)
        patch.setattr(door, "permute_and_flip", choose)
        patch.setattr(door, "exponential", choose)
        patch.setattr(strategies, "Together", partial(Quick, seen))
        patch.setattr(strategies, "_join", partial(_quick_join, seen))
        patch.setattr(bits, "bits", np.random.default_rng(5).bytes)
        yield


class Quick(NoJoiner):
    """Rows that say how many there are to be; they would follow from what is noted here."""

    def __init__(self, seen: Seen, evidence: Any, *rest: Any) -> None:
        super().__init__(evidence, *rest)
        self._total = int(evidence.total)
        seen.asked.append(([c.tolist() for c in evidence.columns], dict(evidence.distances)))

    def rows(self, *_: Any) -> Any:
        return np.zeros((self._total, len(HEADER) - 1), dtype=np.int32)


def _quick_join(seen: Seen, evidence: Any, strategy: Any, estimates: Any, *_: Any) -> Any:
    codes = Quick(seen, evidence).rows()
    return Fitted(strategy, codes, estimates, evidence.total)


def _costs_more(one: Seen, other: Seen) -> bool:
    """Whether a part moves by more than its price; a choice by its score that moves the most."""
    for (noise, a), (_, b), price in zip(one.inputs, other.inputs, one.prices, strict=True):
        gap = np.abs(a.astype(object) - b.astype(object))
        choice = isinstance(noise, Fraction)
        cost = (
            Fraction(int(gap.max())) * noise if choice else Fraction(int(gap.sum())) / noise.scale
        )
        if cost > price:
            return True
    return False


# Layer 7: the door and what it takes.


def asking() -> str:
    """Every query about tables, of all neighbours: it moves by no more than it declares."""
    for unit, neighbors in product((ROW, PERSON), Neighbors):
        tables, are = related(neighbors, unit)
        made = [_queries(_table(rows, unit), neighbors) for rows in tables]
        for (one, a), (other, b) in product(zip(made, tables, strict=True), repeat=2):
            if not are(a, b):
                continue
            for mine, its in zip(one, other, strict=True):
                gap = np.abs(mine.values() - its.values())
                moves = mine.sensitivity
                found = (gap.sum(), (gap**2).sum(), gap.max())
                if any(f > d for f, d in zip(found, astuple(moves), strict=True)):
                    return f"the query '{mine.name}' moves by more than it declares"
                if mine.rows != its.rows or mine.describe() != its.describe():
                    return f"what is public of the query '{mine.name}' tells neighbours apart"
    return ""


def _table(rows: Rows, unit: Unit) -> CodedRows:
    """Rows as the product would keep them, the first of each person."""
    seen: Counter[str] = Counter()
    found, left_out = [], 0
    for row in rows:
        inside = [code(c, cell, ("",)) for c, cell in zip(DOMAIN.columns, row[1:], strict=True)]
        seen[row[0]] += 1
        if unit.person and (not row[0] or seen[row[0]] > unit.max_rows):
            continue
        found += [inside] if None not in inside else []
        left_out += None in inside
    codes = np.array(found, dtype=np.int32).reshape(-1, len(DOMAIN.columns))
    total = len(found) + (0 if unit.person else left_out)
    return CodedRows(DOMAIN, list(codes.T), total, unit)


def _queries(table: CodedRows, neighbors: Neighbors) -> list[Any]:
    """One of each kind; guesses near, far above and among the counts."""
    guesses = [
        session.Guess(table.count(place), np.full(table.count(place).domain.size, value))
        for place in ((0,), (1, 2), (0, 1, 2))
        for value in (0.3, 9.0, 1e9)
    ]
    whole = table.count((0, 1, 2))
    return [
        queries.histogram(whole, neighbors),
        queries.rows(whole, neighbors),
        *(queries.marginal(table.count(place), neighbors) for place in ((0,), (1, 2))),
        queries.distances(guesses, neighbors),
        queries.summed_distance(guesses, table.unit, neighbors),
        queries.worst_guess(guesses, [1] * len(guesses), neighbors),
    ]


def choosing() -> str:
    """The law of a choice, by all its coins, on neighbours: their loss is within its price."""
    cost = Guarantee.pure(Fraction(1, 2))
    for unit, neighbors in product((ROW, PERSON), Neighbors):
        tables, are = related(neighbors, unit)
        laws = [_law_of_choice(_table(rows, unit), neighbors, cost) for rows in tables]
        for (one, a), (other, b) in product(zip(laws, tables, strict=True), repeat=2):
            if are(a, b) and error(one, other) > decimal(Fraction(1, 2)) + SLACK:
                return "a choice tells more than was paid for"
    return ""


def _law_of_choice(table: CodedRows, neighbors: Neighbors, cost: Guarantee) -> Any:
    """Which of three guesses is chosen, with the probability of each."""
    some = [table.count((i,)) for i in range(3)]
    guesses = [session.Guess(c, np.full(c.domain.size, 2.0)) for c in some]
    query = queries.worst_guess(guesses, [0, 0, 0], neighbors)

    def run(random: Tree) -> int:
        def toss(law: Any) -> int:
            heads = (-decimal(law.exponent)).exp()
            return 0 if law.exponent == 0 else random.pick([heads, 1 - heads])

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(exponential, "below", random.even)
            patch.setattr(exponential, "invert", toss)
            return int(door._choice(query, cost)["values"][0])

    return tree(run)[0]


def guarding() -> str:
    """A door lets nothing out that costs more than its guarantee, by what inputs do move."""
    for neighbors, unit in product(Neighbors, (ROW, PERSON)):
        query = queries.histogram(_table(OTHERS, unit).count((0, 1)), neighbors)
        l1, squared = (
            unit.max_rows * neighbors.sensitivity,
            unit.max_rows**2 * neighbors.sensitivity,
        )
        for noise, least, claim in (
            (lambda v: DiscreteLaplace(Fraction(v)), l1, Guarantee.pure(1)),
            (lambda v: DiscreteGaussian(Fraction(v)), Fraction(squared, 2), Guarantee.zcdp(1)),
        ):
            made = lambda: door(neighbors, unit, claim)  # noqa: E731, B023
            if _refused(lambda: made().measure(query, noise(least))):  # noqa: B023
                return "a door refuses what is within its guarantee"
            if not _refused(lambda: made().measure(query, noise(least * Fraction(99, 100)))):  # noqa: B023
                return "a door lets out more than its guarantee"
            twice = made()
            twice.measure(query, noise(2 * least))
            if not _refused(lambda: twice.measure(query, noise(least * Fraction(19, 10)))):  # noqa: B023
                return "two answers cost more than the guarantee of their door"
        other = next(n for n in Neighbors if n is not neighbors)
        for strange in (
            door(other, unit, Guarantee.pure(99)),
            door(neighbors, Unit("kin", 3), Guarantee.pure(99)),
        ):
            if not _refused(lambda: strange.measure(query, DiscreteLaplace(Fraction(9)))):  # noqa: B023
                return "a door answers about other neighbours than it was opened for"
    return ""


def door(neighbors: Neighbors, unit: Unit, claim: Guarantee, **more: Any) -> door.Door:
    """A door of its own ledger."""
    told = {"ledger": Ledger(), "dataset": "d", "purpose": "audit"} | more
    return door.Door(neighbors=neighbors, unit=unit, guarantee=claim, **told)


def resuming() -> str:
    """Under one spend no more leaves than was charged, whoever goes on with it, at other shares."""
    counted, half = _table(OTHERS, ROW), Fraction(1, 2)
    one, two = (queries.marginal(counted.count((i,)), Neighbors.ADD_REMOVE) for i in (0, 1))
    noise = lambda cost: DiscreteLaplace(1 / cost)  # noqa: E731
    with TemporaryDirectory() as folder, Ledger(Path(folder) / "l.db") as ledger:
        ledger.set_budget("d", parse_budget("9", Neighbors.ADD_REMOVE))
        words = {"ledger": ledger, "table": "t", "request": "r"}

        def again() -> door.Door:
            return door(Neighbors.ADD_REMOVE, ROW, Guarantee.pure(1), **words)

        first = again().measure(one, noise(half))
        changed = again()
        with suppress(SynthError):
            replayed = changed.measure(one, noise(Fraction(1, 4)))
            if replayed.guarantee.epsilon != half or replayed.mechanism != noise(half):
                return "a part is claimed at another scale than it was drawn with"
            changed.measure(two, noise(Fraction(3, 4)))
            return "more leaves under a spend than was charged"
        if not _refused(lambda: again().measure(two, noise(half))):
            return "what is kept of one query answers another"
        same = again()
        if not np.array_equal(same.measure(one, noise(half)).values, first.values):
            return "a part is drawn again"
        if not same.repeated or ledger.balance("d").spent != 1:
            return "going on is paid for twice"
        same.measure(two, noise(half))
        if _refused(again):
            return "a finished release cannot be repeated"
    return ""


# Layer 8.


def accounting_holds() -> str:
    """What costs are said to be, against divergences of the laws that are drawn."""
    for epsilon in (Fraction(1, 4), Fraction(1), Fraction(3)):
        rho = float(guarantee.in_rho(Guarantee.pure(epsilon)))
        if any(_response_divergence(float(epsilon), a) > a * rho * (1 + 1e-9) for a in ORDERS):
            return "a pure epsilon counts as too little rho"
        spent = parse_budget("rho=9,delta=1e-9", Neighbors.ADD_REMOVE)
        if float(spent.spent([Guarantee.pure(epsilon)])) < rho * (1 - 1e-9):
            return "a budget counts a pure epsilon as too little rho"
        for delta in (Fraction(1, 10**3), Fraction(1, 10**9)):
            noise = DiscreteGaussian.for_rho(accounting.zcdp_rho(epsilon, delta), sensitivity2=1)
            if noise.delta(float(epsilon), sensitivity=1) > delta:
                return "epsilon and delta hold less than the rho that is spent for them"
    return _noise_holds() or _choices_hold()


ORDERS = (1.001, 1.5, 2.0, 8.0, 40.0)


def _response_divergence(epsilon: float, order: float) -> float:
    """Renyi, of randomised response: no pure mechanism has a larger one."""
    p = 1 / (1 + math.exp(-epsilon))
    return _divergence(np.array([p, 1 - p]), np.array([1 - p, p]), order)


def _divergence(p: Any, q: Any, order: float) -> float:
    return float(np.log(np.sum(p**order * q ** (1 - order))) / (order - 1))


def _noise_holds() -> str:
    """The noise of an account against the moves of small histograms, by search."""
    for neighbors, most in product(Neighbors, (1, 3)):
        unit = Unit("pid", most) if most > 1 else ROW
        moves = _histogram_moves(most, neighbors)
        l1 = max(sum(map(abs, move)) for move in moves)
        squared = max(sum(step * step for step in move) for move in moves)
        cost = Fraction(1, 3)
        pure = Account(Guarantee.pure(1), neighbors, unit)
        rho = Account(Guarantee.zcdp(1), neighbors, unit)
        if Fraction(l1) / pure.noise(cost).scale > cost:  # type: ignore[attr-defined]
            return "Laplace noise of an account is too small"
        if Fraction(squared) / (2 * rho.noise(cost).sigma2) > cost:  # type: ignore[attr-defined]
            return "Gaussian noise of an account is too small"
        far = 64 * l1  # one distance, in 64ths of a row
        if Fraction(5 * far) / pure.distance_noise(cost, 5).scale > cost:  # type: ignore[attr-defined]
            return "Laplace noise on distances is too small"
        if Fraction(5 * far**2) / (2 * rho.distance_noise(cost, 5).sigma2) > cost:  # type: ignore[attr-defined]
            return "Gaussian noise on distances is too small"
        parts = pure.split(Fraction(1), [0.1, 2.0, 0.0, 7.7])
        if sum(parts) != 1 or sum(pure.by_size(Fraction(1), [2, 9, 4])) != 1:
            return "the parts of a budget are more than the whole"
    return ""


def _histogram_moves(most: int, neighbors: Neighbors) -> list[tuple[int, ...]]:
    """All changes of three cells when a person's rows, at most so many, go and come."""
    some = [h for h in product(range(most + 1), repeat=3) if sum(h) <= most]
    if neighbors is Neighbors.ADD_REMOVE:
        return some
    one_row = [h for h in some if sum(h) == most] if most == 1 else some
    return [tuple(b - a for a, b in zip(x, y, strict=True)) for x in one_row for y in one_row]


def _choices_hold() -> str:
    """The rho of an exponential mechanism at the rate that a door draws it with."""
    for rho in (Fraction(1, 50), Fraction(1, 2), Fraction(3)):
        rate = float(door._root(8 * rho)) if hasattr(door, "_root") else 0.0
        for one in product((-0.5, 0.0, 0.5), repeat=2):
            for other in product((-0.5, 0.0, 0.5), repeat=2):
                if max(abs(a - b) for a, b in zip(one, other, strict=True)) > 1:
                    continue
                p, q = (np.exp(rate / 2 * np.array(s)) for s in (one, other))
                p, q = p / p.sum(), q / q.sum()
                if any(_divergence(p, q, a) > a * float(rho) * (1 + 1e-9) for a in ORDERS):
                    return "a choice costs more rho than is paid"
    return ""


# Layer 9.


SPEND = {"dataset": "d", "neighbors": Neighbors.REPLACE_ONE, "purpose": "audit"}


@cache
def _begun() -> TemporaryDirectory[str]:
    """A ledger of a budget of 1 with one spend of a quarter and something kept of it."""
    folder: TemporaryDirectory[str] = TemporaryDirectory()
    with Ledger(Path(folder.name) / "l.db") as ledger:
        ledger.set_budget("d", parse_budget("1", Neighbors.REPLACE_ONE))
        entry = ledger.spend(**SPEND, guarantee=Guarantee.pure(Fraction(1, 4)))
        ledger.keep(entry, "1", b"kept")
    return folder


@contextmanager
def ledgers(count: int = 1) -> Iterator[list[Ledger]]:
    """Ledgers of several processes, on one file that has been begun."""
    with TemporaryDirectory() as folder:
        path = Path(shutil.copytree(_begun().name, Path(folder) / "l")) / "l.db"
        opened = [Ledger(path) for _ in range(count)]
        try:
            yield opened
        finally:
            for one in opened:
                one.close()


def spending() -> str:
    """What may be spent of a budget, and nothing beyond it, in whatever order it is asked."""
    return _within() or _mixed() or _edited()


def _refused(act: Callable[[], Any]) -> bool:
    try:
        act()
    except SynthError:
        return True
    return False


def _within() -> str:
    """Two processes spend in turns, to the last part of the budget; a rest of any size is kept."""
    with ledgers(2) as pair:
        asked = [
            Fraction(1, 4),
            Fraction(1, 3),
            Fraction(1, 2),
            Fraction(1, 10**30),
            Fraction(1, 6),
        ]
        asked += [Fraction(1, 10**30), Fraction(1), Fraction(1, 6) - Fraction(2, 10**30)]
        asked += [Fraction(1, 10**30)]
        spent = Fraction(1, 4)
        for turn, cost in enumerate(asked):
            one = pair[turn % 2]
            act = lambda one=one, cost=cost: one.spend(**SPEND, guarantee=Guarantee.pure(cost))  # noqa: E731
            admitted = not _refused(act)
            if admitted and spent + cost > 1:
                return "more than the budget is spent"
            if not admitted and spent + cost <= 1:
                return "what is left of a budget cannot be spent"
            spent += cost if admitted else 0
            written = sum((entry.guarantee.epsilon or 0 for entry in one.entries()), Fraction(0))
            if written != spent or one.balance("d").left != 1 - spent:
                return "the ledger does not say what was spent"
    return ""


def _mixed() -> str:
    """Spends that cannot be added up are refused."""
    with ledgers() as (ledger,):
        small = Guarantee.pure(Fraction(1, 100))
        odd: list[dict[str, Any]] = [
            {"guarantee": small, "neighbors": Neighbors.ADD_REMOVE},
            {"guarantee": small, "person": "pid"},
            {"guarantee": Guarantee.approximate(Fraction(1, 100), Fraction(1, 10**9))},
            {"guarantee": Guarantee.zcdp(Fraction(1, 100))},
        ]
        for different in odd:
            if not _refused(lambda d=different: ledger.spend(**(SPEND | d))):
                return "what cannot be added up is spent"
        if not _refused(lambda: ledger.set_budget("d", parse_budget("0.2", SPEND["neighbors"]))):  # type: ignore[arg-type]
            return "a budget is set below what is spent"
        approximate = parse_budget("epsilon=9,delta=1e-9", Neighbors.REPLACE_ONE)
        claim = Guarantee.approximate(1, Fraction(2, 3 * 10**9))
        if not approximate.admits([claim]) or approximate.admits([claim, claim]):
            return "deltas do not add up"
    return ""


EDITS = [
    "UPDATE kept SET payload = X'00'",
    "UPDATE events SET content = replace(content, '1/4', '1/9') WHERE kind = 'spend'",
    "UPDATE events SET dataset = 'e' WHERE kind = 'spend'",
    "DELETE FROM events WHERE number > 2; DELETE FROM kept",
    "DELETE FROM events WHERE number > 1; DELETE FROM kept",
]


def _edited() -> str:
    """No edit of the file is spent under, and no edited value leaves."""
    for edit in EDITS:
        with TemporaryDirectory() as folder:
            path = Path(shutil.copytree(_begun().name, Path(folder) / "l")) / "l.db"
            with sqlite3.connect(path) as file:
                file.executescript(edit)
            file.close()
            with suppress(LedgerError), Ledger(path) as ledger:
                for entry in ledger.entries():
                    ledger.kept(entry, "1")
                ledger.spend(**SPEND, guarantee=Guarantee.pure(Fraction(1, 4)))
                return "an edited ledger is taken"
    return ""


def repeating(**options: Any) -> str:
    """The same request gets the same values and spends once; any other is paid for."""
    plan = Plan(DOMAIN, Fraction(1, 4), neighbors=Neighbors.REPLACE_ONE, dataset="d", **options)
    with TemporaryDirectory() as folder, Ledger(Path(folder) / "l.db") as ledger:
        ledger.set_budget("d", parse_budget("9", Neighbors.REPLACE_ONE))
        sources = [
            write(Path(folder) / f"{i}.csv", HEADER, rows * 9)
            for i, rows in enumerate([OTHERS, [["ann", "y", "2", "q"], *OTHERS[1:]]])
        ]
        made, spent = [], []
        other = replace(plan, epsilon=Fraction(1, 2))
        for one, source in ((plan, 0), (plan, 0), (other, 0), (plan, 1), (plan, 0)):
            made.append(pipeline.synthesize(one, sources[source], ledger=ledger))
            spent.append(ledger.balance("d").spent)
        quarters = [int(4 * amount) for amount in spent]
        if quarters != [1, 1, 3, 4, 4]:
            return "a repeated request is paid for, or another is not"
        values = [_values(result) for result in made]
        if values[0] != values[1] or values[0] != values[4]:
            return "a repeated request draws fresh noise without a charge"
        if values[0] == values[2] or values[0] == values[3]:
            return "noise is used again"
        ledger.verify()
    return ""


def _values(result: Any) -> Any:
    return result.record.table().values.tolist()


def ordering() -> str:
    """The spend is in the ledger before any noise is drawn; where it cannot be, none is."""
    plan = Plan(DOMAIN, Fraction(1, 2), dataset="d")
    with ledgers() as (ledger,), TemporaryDirectory() as folder:
        source = write(Path(folder) / "t.csv", HEADER, OTHERS * 5)
        before, early = ledger.balance("d").spent, []
        draw = DiscreteLaplace.release

        def watched(noise: DiscreteLaplace, values: Any) -> Any:
            early.append(ledger.balance("d").spent == before)
            return draw(noise, values)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(DiscreteLaplace, "release", watched)
            pipeline.synthesize(plan, source, ledger=ledger)
            if any(early) or not early:
                return "noise is drawn before the spend is written"
            early.clear()
            ledger.spend(**SPEND, guarantee=Guarantee.pure(Fraction(1, 4)))
            more = replace(plan, epsilon=Fraction(1, 4))
            if not _refused(lambda: pipeline.synthesize(more, source, ledger=ledger)) or early:
                return "noise is drawn for a spend that is refused"
    return ""


def freshness() -> str:
    """Two answers have noise of their own: as many fresh bits for the second as for the first."""
    noise, values, asked = DiscreteLaplace(Fraction(20)), np.zeros(5_000, np.int64), []
    fresh = bits.bits

    def counted_bits(nbytes: int) -> bytes:
        asked.append(nbytes)
        return fresh(nbytes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bits, "bits", counted_bits)
        drawn = []
        for _ in range(2):
            asked.clear()
            drawn.append(noise.release(values))
            if sum(asked) < 2 * values.size:
                return "noise is not fresh"
        if np.array_equal(*drawn) or not (drawn[0] != 0).any():
            return "noise is used again"
        some = np.array([0, 1, 0, 7])
        patch.setattr(bits, "bits", np.random.default_rng(0).bytes)
        one = noise.release(some)
        patch.setattr(bits, "bits", np.random.default_rng(0).bytes)
        if not np.array_equal(noise.release(some * 0) + some, one):
            return "noise looks at what it is added to"
    return ""


def plain_rows(path: Path) -> Rows:
    """The rows of a file as a mutant reads them that goes its own way."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]
