"""Layer 10: questions answered through the door, on neighbours."""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.spatial.distance import cdist

from synth.domain import Domain
from synth.door import Ledger, door
from synth.errors import SynthError
from synth.noise import DiscreteGaussian, DiscreteLaplace, KNorm, Mechanism, Norm
from synth.privacy import ROW, Guarantee, Neighbors, Sensitivity, Unit, parse_budget
from synth.private.queries import totals
from synth.questions import Block, Inquiry, Way
from synth.spending import asking
from tests.audit.path.tables import Rows
from tests.questions.points import asked_rows, codes_of, some_points, vectors
from tests.questions.survey import PERSON, SURVEY, some_question
from tests.tables import write

POINTS = 400
"""Rows that stand for all others: all ends of atoms where there are no more than that."""
CLAIMS = (
    Guarantee.pure(1),
    Guarantee.zcdp(Fraction(1, 8)),
    Guarantee(epsilon=Fraction(1), delta=Fraction(1, 10**6)),
)
PEOPLE = Unit(PERSON, 3)
SMALL = SURVEY.project(("sex", "smoker", "age", "weight", "seen"))


def moving(start: int = 0, number_of_workloads: int = 25) -> str:
    """Exact totals of random workloads, of rows at every end of every atom, and of persons:
    they move by no more than is declared, and as far where that is said to be exact."""
    return next(
        filter(None, (_moved(start + seed) for seed in range(number_of_workloads))), ""
    )


def _some_inquiry(random: Random, domain: Domain, unit: Unit, most_questions: int) -> Inquiry:
    """A random inquiry that the limits let through."""
    claim, neighbors = random.choice(CLAIMS), random.choice(list(Neighbors))
    while True:
        questions = [
            some_question(random, unit, domain)
            for _ in range(random.randint(1, most_questions))
        ]
        inquiry = Inquiry.read(questions, domain, claim, neighbors=neighbors, unit=unit)
        with suppress(SynthError):
            assert inquiry.arrangement.portions
            return inquiry


def _moved(seed: int) -> str:
    random = Random(seed)
    names = random.sample(SURVEY.names, random.randint(1, 3))
    domain = SURVEY.project([name for name in SURVEY.names if name in names])
    inquiry = _some_inquiry(random, domain, random.choice((ROW, ROW, PEOPLE)), 6)
    points = some_points(inquiry.workload, random, POINTS)
    codes, is_all = codes_of(inquiry.workload, points), len(points) < POINTS
    for portion in inquiry.arrangement.portions:
        for way in (portion.way, *portion.others):
            rows = vectors(portion.block, way, points, codes) if way.joint else None
            broken = checked(portion.block, way, points, rows, random, is_all=is_all)
            if broken:
                return (
                    f"{broken} (seed {seed}, {way.name}: "
                    f"{'; '.join(map(str, inquiry.questions))})"
                )
    return ""


def checked(
    block: Block, way: Way, points: Any, added: Any, random: Random, *, is_all: bool
) -> str:
    """What is wrong with the moves that a way declares of some rows that add these, or of
    all.
    """
    if way.joint is None:
        return _known(block)
    rows = and_damaged(added)
    some = [random.choice(points) for _ in range(random.randint(0, 9))]
    broken = _linear(block, way, some)
    if broken:
        return broken
    moves = farthest(rows, block)
    declared, least = astuple(way.joint.sensitivity), astuple(way.joint.least)
    if any(move > most_declared for move, most_declared in zip(moves, declared, strict=True)):
        return f"totals move by {moves}, more than {declared}"
    persons = _persons(rows, block, random)
    if any(
        move > most_declared for move, most_declared in zip(persons, declared, strict=True)
    ):
        return f"totals of persons move by {persons}, more than {declared}"
    if is_all and any(max(1, move) < low for move, low in zip(moves, least, strict=True)):
        return f"nobody moves by {least}, as is said to be exact, but by {moves}"
    if way.joint.exact != (way.joint.least == way.joint.sensitivity):
        return "what is exact is not what is reached"
    return ""


def _known(block: Block) -> str:
    """What costs nothing adds the same number for every row, whatever it holds."""
    workload = block.workload
    shared = workload.unit.shares_rows(workload.neighbors)
    counts_every_row = all(int(workload.tallies[n].place.min()) >= 0 for n in block.tallies)
    is_one_number = all(workload.tallies[n].size == 1 for n in block.tallies)
    return (
        ""
        if shared and counts_every_row and is_one_number
        else "what is private is answered for nothing"
    )


def _linear(block: Block, way: Way, rows: Any) -> str:
    """A query gives the sums over its rows, and declares what its way does."""
    steps = tuple(dict.fromkeys(g.summand for g in way.grains if g.summand is not None))
    query = totals(asked_rows(block.workload, rows, steps, block.unit), block, way)
    want = vectors(block, way, rows).sum(axis=0) if rows else np.zeros(query.size)
    if query.values().tolist() != want.astype(np.int64).tolist():
        return "totals are not the sums over their rows"
    assert way.joint is not None
    return (
        ""
        if query.sensitivity == way.joint.sensitivity
        else "a query declares something else"
    )


def and_damaged(rows: Any) -> Any:
    """With a row whose cells cannot be told apart, which is a row of the table and adds
    nothing.
    """
    return np.concatenate((rows, 0 * rows[:1]))


def farthest(rows: Any, block: Block) -> tuple[int, ...]:
    """The farthest pair of neighbours among some rows, in L1, squared L2 and L-infinity.

    Of persons: K rows alike, replaced by K alike or by none, which is the farthest.
    """
    unique = np.unique(rows, axis=0)
    others = unique if block.workload.neighbors is Neighbors.REPLACE_ONE else 0 * unique[:1]
    k = block.unit.max_rows
    norms = (("cityblock", k), ("sqeuclidean", k * k), ("chebyshev", k))
    return tuple(int(cdist(unique, others, name).max()) * times for name, times in norms)


def _persons(rows: Any, block: Block, random: Random) -> tuple[int, ...]:
    """The farthest of some pairs of persons, with up to K rows of any kind."""
    numbers_of_rows = [
        random.randint(0 if block.unit.person else 1, block.unit.max_rows) for _ in range(60)
    ]
    persons = np.zeros((len(numbers_of_rows), rows.shape[1]), dtype=np.int64)
    rows_of_persons = random.choices(range(len(rows)), k=sum(numbers_of_rows))
    np.add.at(
        persons,
        np.repeat(np.arange(len(numbers_of_rows)), numbers_of_rows),
        rows[rows_of_persons],
    )
    others = persons if block.workload.neighbors is Neighbors.REPLACE_ONE else 0 * persons[:1]
    return tuple(
        int(cdist(persons, others, name).max())
        for name in ("cityblock", "sqeuclidean", "chebyshev")
    )


def charging(number_of_inquiries: int = 12) -> str:
    """What the ways of an arrangement cost is within what is charged, by moves of real
    rows.
    """
    for seed in range(number_of_inquiries):
        inquiry = _some_inquiry(Random(seed), SMALL, ROW, 4)
        arrangement = inquiry.arrangement
        spent: Guarantee | None = None
        for portion in arrangement.portions:
            if portion.way.joint is not None:
                spent = _price(portion.way) if spent is None else spent + _price(portion.way)
        if spent is not None:
            charged = arrangement.spending
            if charged is None or not door.covers(charged, spent):
                return f"{spent} is charged as {charged}"
    return ""


def _price(way: Way) -> Guarantee:
    assert way.cost is not None
    assert way.joint is not None
    if way.mechanism is None:
        return way.cost
    if way.cost.delta and isinstance(way.mechanism, door.DiscreteGaussian):
        assert way.mechanism.meets(way.cost, way.joint.sensitivity)
        return way.cost
    return way.mechanism.price(way.joint.sensitivity)


# Whole inquiries on neighbours, with the noise frozen.

QUESTIONS = (
    "count where age >= 33 and sex = F",
    "count",
    "share where smoker = yes",
    "table sex by smoker",
    "mean age by sex",
    "total weight where sex != M",
    "means age, seen",
    "top 1 sex",
    "top 2 sex with counts",
    "variance age by sex",
    "regression weight on age where smoker = yes",
    "median age where sex = F",
    "quantiles 1/4, 3/4 of age with interval",
    "best of [age < 33; sex = F; smoker = yes] by count",
    "close to 2 within 0.5: count where smoker = yes",
)
RANGES = [f"count where age >= {low} and age < {low + 30}" for low in (0, 10, 20, 33, 60)]
STRATEGIC = (
    (
        Neighbors.REPLACE_ONE,
        PEOPLE,
        (("table sex by smoker", "table age by sex"), "marginals"),
    ),
    (Neighbors.ADD_REMOVE, PEOPLE, ((*RANGES, "count where sex = F"), "hierarchy")),
    (Neighbors.REPLACE_ONE, ROW, ((*RANGES, "count where sex = F"), "fitted")),
    (
        Neighbors.REPLACE_ONE,
        PEOPLE,
        (("quantiles 1/4, 3/4 of age where sex = F",), "hierarchy"),
    ),
    (Neighbors.ADD_REMOVE, ROW, (("median age",), "hierarchy")),
    (
        Neighbors.REPLACE_ONE,
        ROW,
        (("close to 0.4 within 0.15: share where smoker = yes",), None),
    ),
)
FREE = ("count", "mean age by sex")
SHARED = (Neighbors.REPLACE_ONE, ROW, (FREE, None))
"""The first is known."""
BASE: Rows = [
    ["F", "yes", "10", "0.5", "2024-01-01T00:00:05"],
    ["M", "no", "50", "2", ""],
    ["M", "1", "999", "9", "2024-01-01T00:00:59"],
    ["x y", "yes", "33", "1", "abc"],
]
OTHERS: Rows = [
    ["F", "no", "90", "2.5", "2024-01-01T00:00:00"],
    ["", "", "", "", ""],
    ["zzz-secret", "maybe", "abc", "-inf", "never"],
    ["F", "yes", "1e9", "nan", "1"],
]


@contextmanager
def frozen() -> Iterator[list[tuple[Any, Sensitivity]]]:
    """The door with noise that is always the same; it tells what it was given."""
    inputs: list[tuple[Any, Sensitivity]] = []

    def draw_answer(query: Any, *_: Any, **_named: Any) -> dict[str, Any]:
        inputs.append((query.values(), query.sensitivity))
        return {"values": np.random.default_rng(len(inputs)).integers(-3, 40, query.size)}

    def choose_second(query: Any, *_: Any, **_named: Any) -> dict[str, Any]:
        inputs.append((one_by_one(query), query.sensitivity))
        return {"values": np.array([1])}

    with patch.multiple(door, _draw_answer=draw_answer, _draw_choice=choose_second):
        yield inputs


def one_by_one(query: Any) -> Any:
    """The scores of all candidates."""
    values = query.values()
    return values if query.sizes is None else np.repeat(values, query.sizes)


def inquiring() -> str:
    """The same bytes leave for neighbours, and what the noise is added to moves as
    declared.
    """
    with TemporaryDirectory() as name:
        kinds = product(Neighbors, (ROW, PEOPLE), ((QUESTIONS, None),))
        for neighbors, unit, (questions, way) in (*kinds, SHARED, *STRATEGIC):
            cost = Guarantee.zcdp(1) if way == "marginals" else Guarantee.pure(4)
            inquiry = Inquiry.read(
                questions, SMALL, cost, neighbors=neighbors, unit=unit, way=way
            )
            if unit.person:
                tables = [_owned(BASE, [])] + [_owned(BASE, [row] * 4) for row in OTHERS]
            elif neighbors is Neighbors.REPLACE_ONE:
                tables = [[*BASE, row] for row in OTHERS]
            else:
                tables = [BASE, *([*BASE, row] for row in OTHERS)]
            broken = _replayed(Path(name), inquiry, tables)
            if broken:
                return broken
    return ""


def _owned(base: Rows, rows_of_person: Rows) -> Rows:
    return [[*row, f"p{i}"] for i, row in enumerate(base)] + [
        [*row, "ann"] for row in rows_of_person
    ]


def _replayed(folder: Path, inquiry: Inquiry, tables: list[Rows]) -> str:
    header = [*SMALL.names, PERSON][: len(tables[0][0])]
    leavings, inputs = [], []
    for rows in tables:
        with frozen() as inputs_of_table:
            source = write(folder / "table.csv", header, rows)
            try:
                result = asking.ask(inquiry, source)
                answers = [answer.to_json() for answer in result.answers]
                leaving = [answers, result.rows, [noisy.tolist() for noisy in result.noisy]]
            except SynthError as error:
                leaving = [str(error)]
        leavings.append(json.dumps(leaving))
        inputs.append(inputs_of_table)
    if any(leaving != leavings[0] for leaving in leavings):
        return "neighbours are told apart by what leaves beside the noise"
    if "secret" in leavings[0]:
        return "a cell of the table leaves"
    for inputs_of_other in inputs[1:]:
        for (mine, moves), (its, same) in zip(inputs[0], inputs_of_other, strict=True):
            gap = np.abs(mine - its)
            far = (gap.sum(), (gap**2).sum(), gap.max())
            if moves != same or any(a > b for a, b in zip(far, astuple(moves), strict=True)):
                return f"what noise is added to moves by {far}, and {moves} is declared"
    return ""


# The ledger.


def recording() -> str:
    """The spend comes before the noise; alike is repeated for nothing, and all else is
    not.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        for layer in (_spent_first, _repeats, _kills, _refuses):
            try:
                broken = layer(folder)
            except SynthError as error:
                broken = f"what is within the budget is refused: {error}"
            if broken:
                return broken
    return ""


def _table(folder: Path, rows: Rows = BASE) -> Path:
    return write(folder / "table.csv", list(SMALL.names), rows)


def _asks(*texts: str, epsilon: str = "1/2", **options: Any) -> Inquiry:
    return Inquiry.read(texts, SMALL, Guarantee.pure(Fraction(epsilon)), **options)


PAIR = ("count where age >= 33", "mean age by sex")


def _ledger(path: Path) -> Ledger:
    """A ledger with a file, and enough budget."""
    ledger = Ledger(path)
    ledger.set_budget("table", parse_budget("99", Neighbors.REPLACE_ONE))
    return ledger


def _spent_first(folder: Path) -> str:
    """When anything is drawn, the ledger's file holds the whole spend, of all blocks."""
    path, spends_seen = folder / "first.ledger", []
    draw_answer = door._draw_answer

    def look(*arguments: Any, **named: Any) -> Any:
        spends_seen.append(Ledger(path).balance("table").spends)
        return draw_answer(*arguments, **named)

    with patch.object(door, "_draw_answer", look):
        try:
            asking.ask(_asks(*PAIR), _table(folder), ledger=_ledger(path))
        except SynthError as error:
            return f"blocks are not charged: {error}"
    half = Guarantee.pure(Fraction(1, 2))
    right = len(spends_seen) == 2 and all(
        len(s) == 1 and s[0].guarantee == half for s in spends_seen
    )
    return "" if right else "noise is drawn before the whole spend is written"


def _repeats(folder: Path) -> str:
    path, table = folder / "again.ledger", _table(folder)
    ledger = _ledger(path)
    content_of = lambda result: json.dumps([answer.to_json() for answer in result.answers])  # noqa: E731
    first = asking.ask(_asks(*PAIR, "table sex"), table, ledger=ledger)
    same = asking.ask(
        _asks("count where age >= 33.0", "mean age by sex", "table sex", dataset="table"),
        table,
        ledger=Ledger(path),
    )
    if content_of(same) != content_of(first) or not same.repeated or first.repeated:
        return "the same inquiry is drawn anew"
    if len(Ledger(path).balance("table").spends) != 1:
        return "the same inquiry is paid twice"
    turned = (
        "count where age < 70 and not age >= 33",
        "count where not age >= 33 and age < 70",
    )
    # An epsilon of 20 leaves hardly any noise.
    a, b = (
        asking.ask(_asks(text, way="histogram", epsilon="20"), table, ledger=ledger)
        for text in turned
    )
    if not b.repeated:
        return "the same condition in another order is drawn anew"
    if [answer.value.tolist() for answer in a.answers] != [
        answer.value.tolist() for answer in b.answers
    ]:
        return "the same condition in another order is answered otherwise"
    before = len(Ledger(path).balance("table").spends)
    new = (
        _asks(*PAIR, "table sex", epsilon="1/3"),
        _asks(PAIR[1], PAIR[0], "table sex"),
        _asks(*PAIR, "table sex", way="laplace"),
        _asks(PAIR[0], "mean age by smoker", "table sex"),
    )
    for inquiry in new:
        if asking.ask(inquiry, table, ledger=ledger).repeated:
            return "another inquiry is given an answer that was kept"
    asking.ask(new[0], _table(folder, [*BASE, OTHERS[0]]), ledger=ledger)
    spends = len(Ledger(path).balance("table").spends)
    return "" if spends == before + len(new) + 1 else "another inquiry, or table, is not paid"


class _Killed(BaseException):
    pass


def _kills(folder: Path) -> str:
    """Killed between spend and noise, and between two blocks, it goes on under the same
    spend.
    """
    for after in (0, 1):
        path, table = folder / f"killed{after}.ledger", _table(folder)
        draw_answer, count = door._draw_answer, [0]

        def dies(
            *arguments: Any,
            count: list[int] = count,
            after: int = after,
            draw_answer: Any = draw_answer,
            **named: Any,
        ) -> Any:
            if count[0] == after:
                raise _Killed
            count[0] += 1
            return draw_answer(*arguments, **named)

        with patch.object(door, "_draw_answer", dies):
            try:
                asking.ask(_asks(*PAIR), table, ledger=_ledger(path))
            except _Killed:
                pass
        finished = asking.ask(_asks(*PAIR), table, ledger=Ledger(path))
        again = asking.ask(_asks(*PAIR), table, ledger=Ledger(path))
        if len(Ledger(path).balance("table").spends) != 1:
            return "who was killed pays twice"
        if [a.tolist() for a in finished.noisy] != [a.tolist() for a in again.noisy]:
            return "who was killed gets two answers"
    return ""


def _refuses(folder: Path) -> str:
    """More than the budget pays is refused, and nothing is drawn."""
    ledger = Ledger(folder / "budget.ledger")
    ledger.set_budget("table", parse_budget("1", Neighbors.REPLACE_ONE))
    ledger_spends = lambda: len(ledger.balance("table").spends)  # noqa: E731
    asking.ask(_asks("count where age >= 33", epsilon="2/3"), _table(folder), ledger=ledger)
    with frozen() as inputs:
        try:
            asking.ask(
                _asks("count where age >= 34", epsilon="1/2"), _table(folder), ledger=ledger
            )
        except SynthError:
            return "" if not inputs and ledger_spends() == 1 else "a refusal draws or spends"
    return "more than the budget is spent"


def losing(number_of_inquiries: int = 15) -> str:
    """The noise of random ways, at the moves of real rows, costs no more than it says.

    Laplace noise by the integers of its law, shifted by the largest move; K-norm noise, whose
    chance is by q^ceil(norm) alone, by its norm; Gaussian noise by D^2 / (2 sigma^2).
    """
    for seed in range(number_of_inquiries):
        random = Random(seed)
        domain = SURVEY.project(random.sample(SURVEY.names, 2))
        inquiry = _some_inquiry(random, domain, ROW, 3)
        points = some_points(inquiry.workload, random, 300)
        for portion in inquiry.arrangement.portions:
            for way in (portion.way, *portion.others):
                if (
                    way.joint is not None
                    and way.cost is not None
                    and way.mechanism is not None
                ):
                    far = farthest(
                        and_damaged(vectors(portion.block, way, points)), portion.block
                    )
                    if not within(way.mechanism, far, way.cost):
                        return f"{way.name} loses more than {way.cost} at {far} (seed {seed})"
    return ""


def within(noise: Mechanism, far: tuple[int, ...], cost: Guarantee) -> bool:
    """Whether noise costs no more than that where answers move so far."""
    if isinstance(noise, DiscreteGaussian):
        if cost.rho is None:
            return noise.meets(cost, Sensitivity(*(max(1, move) for move in far)))
        return far[1] / (2 * noise.sigma2) <= cost.rho
    assert cost.epsilon is not None
    if isinstance(noise, KNorm):
        norm = {Norm.L1: far[0], Norm.MAX: far[2]}.get(noise.norm)
        # The root of a square, rounded up.
        root = math.isqrt(max(0, far[1] - 1)) + (far[1] > 0)
        return (root if norm is None else norm) / noise.scale <= cost.epsilon
    assert isinstance(noise, DiscreteLaplace)
    return far[0] / noise.scale <= cost.epsilon
