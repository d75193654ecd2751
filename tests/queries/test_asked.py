"""The exact totals of random workloads against plain Python that goes row by row."""

import os
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

from synth.domain import Categorical, Domain, Integer, Outside
from synth.errors import SynthError
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from synth.private.counting import Engine
from synth.private.queries import asked_rows, totals
from synth.private.table import PrivateTable, open_table
from synth.questions import Answer, Inquiry, Question, WayName, read_answers
from synth.questions.kinds import counts, sums
from synth.util import Ints
from tests.questions import plain
from tests.questions.survey import PERSON, SURVEY, some_question, some_rows
from tests.tables import write

LOUD = Guarantee.pure(1000)
"""So little noise that every group has an answer."""
PEOPLE = Unit(PERSON, 3)
WORKLOADS = min(3_000, int(os.environ.get("SYNTH_FUZZ_CASES", "300")) // 5)


def exactly(inquiry: Inquiry, table: PrivateTable) -> list[Ints]:
    """What the door would add noise to."""
    rows = asked_rows(inquiry, table, Engine.DUCKDB)
    return [
        np.zeros(1, np.int64)
        if portion.way.joint is None
        else totals(rows, portion.block, portion.way).values()
        for portion in inquiry.arrangement.portions
    ]


def answered(inquiry: Inquiry, table: PrivateTable, rows: int | None) -> list[Answer]:
    """The answers without noise; of a choice the best."""
    found = exactly(inquiry, table)
    for place, portion in enumerate(inquiry.arrangement.portions):
        if portion.way.name is WayName.CHOICE:
            found[place] = np.array([int(np.argmax(found[place]))])
    return read_answers(inquiry.arrangement, found, rows)


def slack(question: Question, rows: int) -> list[float]:
    """How far rounding to a grid may take sums, and means, of each column."""
    found = []
    for name in question.columns:
        column = SURVEY[name]
        low, high, unit, *_ = column.summable
        wide = max(high - low, abs(low), abs(high)) if unit is None else 0.0
        found.append((rows if question.kind is sums.TOTAL else 1) * wide / 2**19 + 1e-6)
    return found


def agrees(answer: Answer, rows: Sequence[plain.Row], *, public: bool) -> bool:
    """Whether an answer is what its rows say."""
    question = answer.question
    match question.kind:
        case counts.COUNT | counts.TABLE:
            want = plain.table(question, rows, SURVEY)
            return answer.value.tolist() == want
        case counts.TOP:
            return _is_top(answer, plain.table(question, rows, SURVEY))
        case counts.SHARE:
            want_ = plain.share(question, rows, SURVEY)
            return _close(answer, [want_], [1e-9])
        case sums.TOTAL:
            added = plain.totals(question, rows, SURVEY, public=public)
            return _close(answer, added, slack(question, len(rows)))
    return _close(
        answer, plain.means(question, rows, SURVEY, public=public), slack(question, 1)
    )


def _is_top(answer: Answer, want: list[int]) -> bool:
    titles = SURVEY[answer.question.columns[0]].titles
    names = answer.labels if answer.question.counts else answer.chosen
    held = [want[titles.index(name)] for name in names]
    if answer.question.counts and answer.value.tolist() != held:
        return False
    return held == sorted(want, reverse=True)[: answer.question.k]


def _close(answer: Answer, want: Sequence[Fraction | None], off: Sequence[float]) -> bool:
    offs = list(off) * (len(want) // len(off))
    return len(answer.value) == len(want) and all(
        np.isnan(found) if true is None else abs(Fraction(found) - true) <= within
        for found, true, within in zip(answer.value.tolist(), want, offs, strict=True)
    )


def check(seed: int, folder: Path) -> int:
    """A random workload on a random table, under both relations; how many answers agreed."""
    random = Random(seed)
    texts = some_rows(random, random.randint(1, 60))
    table = open_table(write(folder / f"{seed}.csv", list(SURVEY.names), texts))
    rows, good = plain.read(SURVEY, texts), 0
    for neighbors in Neighbors:
        public = neighbors is Neighbors.REPLACE_ONE
        asked = [some_question(random) for _ in range(random.randint(1, 12))]
        inquiry = _inquiry(asked, neighbors, ROW)
        if inquiry is None:
            continue
        for answer in answered(inquiry, table, len(rows) if public else None):
            assert agrees(answer, rows, public=public), (
                seed,
                neighbors,
                str(answer.question),
            )
            good += 1
    return good


def check_persons(seed: int, folder: Path) -> int:
    """The same where persons have rows; who has more than K has them all alike."""
    random = Random(seed)
    kept: list[list[str]] = []
    texts: list[list[str]] = []
    one_each: list[list[str]] = []
    for person in range(random.randint(1, 12)):
        many = random.randint(1, 7)
        name = random.choice((f"p{person}", f"p{person}", ""))
        own = some_rows(random, 1) * many
        if not random.randrange(3):
            own = some_rows(random, 1)
        texts += [[name, *row] for row in own]
        if name:
            kept += own[: PEOPLE.max_rows]
            one_each += own[:1]
    header = [PERSON, *SURVEY.names]
    table = open_table(write(folder / f"{seed}.csv", header, texts))
    rows, persons, good = plain.read(SURVEY, kept), plain.read(SURVEY, one_each), 0
    for neighbors in Neighbors:
        asked = [some_question(random, PEOPLE) for _ in range(random.randint(1, 12))]
        inquiry = _inquiry(asked, neighbors, PEOPLE)
        for answer in answered(inquiry, table, None) if inquiry else []:
            used = persons if answer.question.over == "persons" else rows
            assert agrees(answer, used, public=False), (seed, neighbors, str(answer.question))
            good += 1
    return good


def _inquiry(asked: list[Question], neighbors: Neighbors, unit: Unit) -> Inquiry | None:
    inquiry = Inquiry.read(asked, SURVEY, LOUD, neighbors=neighbors, unit=unit)
    try:
        assert inquiry.arrangement.portions
    except SynthError:
        return None
    return inquiry


@pytest.mark.slow
@pytest.mark.parametrize("start", [0, pytest.param(19, marks=pytest.mark.slow)])
def test_totals_are_those_of_the_rows(start: int, tmp_path: Path) -> None:
    assert sum(check(start + seed, tmp_path) for seed in range(8)) > 50


@pytest.mark.slow
def test_totals_of_persons_are_those_of_their_rows(tmp_path: Path) -> None:
    assert sum(check_persons(seed, tmp_path) for seed in range(8)) > 30


def test_totals_move_as_declared_where_a_damaged_line_replaces_another(
    tmp_path: Path,
) -> None:
    sex = Categorical(name="sex", categories=("F", "M"), outside=Outside.CELL)
    domain = Domain((sex, Integer(name="age", minimum=0, maximum=99)))
    texts = ["count where sex in (F, M, '(other)')", "count where age >= 65"]
    inquiry = Inquiry.read(texts, domain, LOUD, way=WayName.LAPLACE)
    found: list[list[Ints]] = []
    for number, last in enumerate(("F,70", 'F,"70')):
        path = tmp_path / f"{number}.csv"
        path.write_text(f"sex,age\nM,30\nF,80\n{last}\n", encoding="utf-8")
        found.append(exactly(inquiry, open_table(path)))
    (portion,) = inquiry.arrangement.portions
    moved = np.abs(found[0][0] - found[1][0])
    assert (int(moved.sum()), int(moved.max())) == (2, 1)
    assert portion.way.joint.sensitivity.l1 == 2


@pytest.mark.slow
def test_totals_of_many_workloads_are_those_of_the_rows(tmp_path: Path) -> None:
    """Sixty of them, and three thousand in `make evidence`."""
    seeds = range(5000, 5000 + WORKLOADS)
    good = sum(check(seed, tmp_path) + check_persons(seed, tmp_path) for seed in seeds)
    assert good > 8 * WORKLOADS
