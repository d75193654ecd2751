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
from synth.estimate import WayName
from synth.privacy import ROW, Guarantee, Neighbors, Sensitivity, Unit
from synth.private.counting import Engine
from synth.private.queries import asked_rows, totals
from synth.private.table import PrivateTable, open_table
from synth.questions import Answer, Inquiry, Question, read_answers
from synth.questions.kinds import counts, sums
from synth.util import Ints
from tests.questions import plain
from tests.questions.survey import PERSON, SURVEY, some_question, some_rows
from tests.tables import write

LOUD = Guarantee.pure(1000)
"""So little noise that every group has an answer."""
PEOPLE = Unit(PERSON, 3)
WORKLOADS = min(3_000, int(os.environ.get("SYNTH_FUZZ_CASES", "300")) // 5)


def find_exact_totals(inquiry: Inquiry, table: PrivateTable) -> list[Ints]:
    """What the door would add noise to."""
    rows = asked_rows(inquiry, table, Engine.DUCKDB)
    return [
        np.zeros(1, np.int64)
        if portion.way.joint is None
        else totals(rows, portion.block, portion.way).values()
        for portion in inquiry.arrangement.portions
    ]


def answer_without_noise(
    inquiry: Inquiry, table: PrivateTable, rows: int | None
) -> list[Answer]:
    """The answers without noise; of a choice the best."""
    totals_of_portions = find_exact_totals(inquiry, table)
    for place, portion in enumerate(inquiry.arrangement.portions):
        if portion.way.name is WayName.CHOICE:
            totals_of_portions[place] = np.array([int(np.argmax(totals_of_portions[place]))])
    return read_answers(inquiry.arrangement, totals_of_portions, rows)


def slacks_of(question: Question, rows: int) -> list[float]:
    """How far rounding to a grid may take sums, and means, of each column."""
    slacks = []
    number_of_roundings = rows if question.kind is sums.TOTAL else 1
    for name in question.columns:
        low, high, unit, *_ = SURVEY[name].summable
        is_rounded = unit is None
        widest = max(high - low, abs(low), abs(high)) if is_rounded else 0.0
        # A range has about 2^19 steps of the grid; what is left is the rounding of floats.
        slacks.append(number_of_roundings * widest / 2**19 + 1e-6)
    return slacks


def agrees(answer: Answer, rows: Sequence[plain.Row], *, public: bool) -> bool:
    """Whether an answer is what its rows say."""
    question = answer.question
    match question.kind:
        case counts.COUNT | counts.TABLE:
            expected_counts = plain.table(question, rows, SURVEY)
            return answer.value.tolist() == expected_counts
        case counts.TOP:
            return _is_top(answer, plain.table(question, rows, SURVEY))
        case counts.SHARE:
            expected_share = plain.share_of(question, rows, SURVEY)
            return _is_close(answer, [expected_share], [1e-9])
        case sums.TOTAL:
            expected_totals = plain.totals(question, rows, SURVEY, public=public)
            return _is_close(answer, expected_totals, slacks_of(question, len(rows)))
    expected_means = plain.means(question, rows, SURVEY, public=public)
    return _is_close(answer, expected_means, slacks_of(question, 1))


def _is_top(answer: Answer, expected_counts: list[int]) -> bool:
    titles = SURVEY[answer.question.columns[0]].titles
    names = answer.labels if answer.question.counts else answer.chosen
    counts_of_names = [expected_counts[titles.index(name)] for name in names]
    if answer.question.counts and answer.value.tolist() != counts_of_names:
        return False
    return counts_of_names == sorted(expected_counts, reverse=True)[: answer.question.k]


def _is_close(
    answer: Answer, expected_values: Sequence[Fraction | None], slacks: Sequence[float]
) -> bool:
    all_slacks = list(slacks) * (len(expected_values) // len(slacks))
    return len(answer.value) == len(expected_values) and all(
        np.isnan(value)
        if expected is None
        else abs(Fraction(value) - expected) <= slack_of_value
        for value, expected, slack_of_value in zip(
            answer.value.tolist(), expected_values, all_slacks, strict=True
        )
    )


def check_rows(seed: int, folder: Path) -> int:
    """Check a random workload on a random table, under both relations.

    Returns how many answers agreed with plain Python.
    """
    random = Random(seed)
    texts = some_rows(random, random.randint(1, 60))
    table = open_table(write(folder / f"{seed}.csv", list(SURVEY.names), texts))
    rows = plain.read_rows(SURVEY, texts)
    answers_that_agree = 0
    for neighbors in Neighbors:
        public = neighbors is Neighbors.REPLACE_ONE
        questions = [some_question(random) for _ in range(random.randint(1, 12))]
        inquiry = _inquiry(questions, neighbors, ROW)
        if inquiry is None:
            continue
        for answer in answer_without_noise(inquiry, table, len(rows) if public else None):
            assert agrees(answer, rows, public=public), (
                seed,
                neighbors,
                str(answer.question),
            )
            answers_that_agree += 1
    return answers_that_agree


def check_persons(seed: int, folder: Path) -> int:
    """Check a workload where persons have rows; who has more than K has them all alike.

    Returns how many answers agreed with plain Python.
    """
    random = Random(seed)
    rows_that_count: list[list[str]] = []
    texts: list[list[str]] = []
    first_rows: list[list[str]] = []
    for person in range(random.randint(1, 12)):
        number_of_rows = random.randint(1, 7)
        name = random.choice((f"p{person}", f"p{person}", ""))
        rows_of_person = some_rows(random, 1) * number_of_rows
        if not random.randrange(3):
            rows_of_person = some_rows(random, 1)
        texts += [[name, *row] for row in rows_of_person]
        if name:
            rows_that_count += rows_of_person[: PEOPLE.max_rows]
            first_rows += rows_of_person[:1]
    header = [PERSON, *SURVEY.names]
    table = open_table(write(folder / f"{seed}.csv", header, texts))
    rows = plain.read_rows(SURVEY, rows_that_count)
    persons = plain.read_rows(SURVEY, first_rows)
    answers_that_agree = 0
    for neighbors in Neighbors:
        questions = [some_question(random, PEOPLE) for _ in range(random.randint(1, 12))]
        inquiry = _inquiry(questions, neighbors, PEOPLE)
        for answer in answer_without_noise(inquiry, table, None) if inquiry else []:
            counted = persons if answer.question.over == "persons" else rows
            assert agrees(answer, counted, public=False), (
                seed,
                neighbors,
                str(answer.question),
            )
            answers_that_agree += 1
    return answers_that_agree


def _inquiry(questions: list[Question], neighbors: Neighbors, unit: Unit) -> Inquiry | None:
    inquiry = Inquiry.read(questions, SURVEY, LOUD, neighbors=neighbors, unit=unit)
    try:
        assert inquiry.arrangement.portions
    except SynthError:
        return None
    return inquiry


@pytest.mark.slow
@pytest.mark.parametrize("start", [0, 19])
def test_totals_are_those_of_the_rows(start: int, tmp_path: Path) -> None:
    """Exact totals of random questions agree with plain Python that reads row by row.

    `check_rows` checks each answer and returns how many there were. Eight workloads under two
    relations have 104 questions on average, and most have an answer.
    """
    assert sum(check_rows(start + seed, tmp_path) for seed in range(8)) > 50


@pytest.mark.slow
def test_totals_of_persons_are_those_of_their_rows(tmp_path: Path) -> None:
    assert sum(check_persons(seed, tmp_path) for seed in range(8)) > 30


def test_totals_move_as_declared_where_a_damaged_line_replaces_another(
    tmp_path: Path,
) -> None:
    """A damaged line that replaces another one moves each count by at most one, as declared.

    The line has an open quote, so it cannot be split into cells and none of its cells counts.
    One row fewer has a sex, and one fewer an age of 65 or more: two counts move by one each.
    """
    sex = Categorical(name="sex", categories=("F", "M"), outside=Outside.CELL)
    domain = Domain((sex, Integer(name="age", minimum=0, maximum=99)))
    texts = ["count where sex in (F, M, '(other)')", "count where age >= 65"]
    inquiry = Inquiry.read(texts, domain, LOUD, way=WayName.LAPLACE)

    totals_of_tables: list[list[Ints]] = []
    for number, last_line in enumerate(("F,70", 'F,"70')):
        path = tmp_path / f"{number}.csv"
        path.write_text(f"sex,age\nM,30\nF,80\n{last_line}\n", encoding="utf-8")
        totals_of_tables.append(find_exact_totals(inquiry, open_table(path)))

    (portion,) = inquiry.arrangement.portions
    moved = np.abs(totals_of_tables[0][0] - totals_of_tables[1][0])
    assert moved.tolist() == [1, 1]
    assert portion.way.joint.sensitivity.l1 == 2


@pytest.mark.slow
def test_totals_of_many_workloads_are_those_of_the_rows(tmp_path: Path) -> None:
    """Exact totals of many random workloads agree with plain Python, for rows and for
    persons. There are 60 workloads, and up to 3,000 in `make evidence`. Each check returns
    the number of answers; a workload has 13 questions on average, and most have an answer. So
    the sum would show it if workloads were passed over.
    """
    seeds = range(5000, 5000 + WORKLOADS)
    answers_that_agree = sum(
        check_rows(seed, tmp_path) + check_persons(seed, tmp_path) for seed in seeds
    )
    assert answers_that_agree > 8 * WORKLOADS


def check_missing_values(folder: Path, engine: Engine) -> None:
    """Check how many values an engine counts as missing, and how far a row moves the count.

    Of six rows, one has no hours, one has the code 98 and one the sign "unknown", which are
    reasons. Of regions, one is empty and one is "refused". A condition moves a count by one
    row, whichever cells it takes.
    """
    domain = Domain(
        (
            Integer(
                name="hours",
                minimum=0,
                maximum=80,
                bins=8,
                spikes=(98,),
                signs=("unknown",),
                missing=True,
                missing_values=("", "98", "unknown"),
            ),
            Categorical(
                name="region",
                categories=("north", "south", "refused"),
                missing=True,
                missing_values=("", "refused"),
            ),
        )
    )
    rows = [
        ["40", "north"],
        ["", "north"],
        ["98", "south"],
        ["unknown", "refused"],
        ["0", ""],
        ["80", "south"],
    ]
    table = open_table(write(folder / "t.csv", list(domain.names), rows))

    for condition, expected in (
        ("hours is missing", 3),
        ("hours is not missing", 3),
        ("hours = 98", 1),
        ("hours is missing and hours != 98", 2),
        ("region is missing", 2),
        ("hours is missing or region is missing", 4),
    ):
        inquiry = Inquiry.read([f"count where {condition}"], domain, LOUD)
        asked = asked_rows(inquiry, table, engine)
        (portion,) = inquiry.arrangement.portions
        query = totals(asked, portion.block, portion.way)
        assert query.values().tolist() == [expected], condition
        assert query.sensitivity == Sensitivity(1, 1, 1)


def test_values_are_missing_for_any_reason(tmp_path: Path) -> None:
    """A value is missing if its cell is empty, or if it says why."""
    check_missing_values(tmp_path, Engine.DUCKDB)


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_values_are_missing_for_any_reason_on_spark(tmp_path: Path) -> None:
    """A value is missing on Spark if its cell is empty, or if it says why."""
    check_missing_values(tmp_path, Engine.SPARK)
