"""Questions through the one door: order of stages, ledger, refusals. More in
`tests/audit`.
"""

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from synth import limits
from synth.door import Ledger
from synth.errors import LedgerError, LimitError, QuestionError, ReleaseError, TableError
from synth.noise import bits
from synth.privacy import Guarantee, Neighbors, Unit, parse_budget
from synth.questions import Inquiry
from synth.spending import STAGES, ask, asking
from synth.spending.asking import Asked
from tests.ledger.ledgers import ledger_with_budget
from tests.questions.survey import PERSON, SURVEY
from tests.tables import write

CLAIMS = (
    Guarantee.pure(1),
    Guarantee.approximate(1, Fraction(1, 10)),
    Guarantee.approximate(Fraction(1, 100), Fraction(1, 100)),
    Guarantee.approximate(1, Fraction(1, 10**6)),
    Guarantee.zcdp(Fraction(1, 10)),
    Guarantee.gaussian(Fraction(1, 10)),
)
ASKED = (
    ("count where age >= 40",),
    ("mean age",),
    ("count where age >= 40", "mean age by sex"),
    ("median age",),
    ("variance age",),
)
SMALL = SURVEY.project(("sex", "age"))
ROWS = [["F", "33"], ["M", "70"], ["F", "40"], ["x y", ""], ["", "abc"]]
TEXTS = ("count where age >= 40", "mean age by sex")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The path of a CSV table with the five rows of `ROWS`, in columns sex and age."""
    return write(tmp_path / "table.csv", list(SMALL.names), ROWS)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger file with a budget of epsilon 2 for the dataset 'table'."""
    ledger = ledger_with_budget(tmp_path / "ledger", "2", "table")
    return ledger


def read_inquiry(
    *texts: str, epsilon: str = "1", neighbors: Neighbors = Neighbors.REPLACE_ONE
) -> Inquiry:
    """Read the texts as one paid inquiry; without texts, the two questions of `TEXTS`."""
    return Inquiry.read(
        texts or TEXTS, SMALL, Guarantee.pure(Fraction(epsilon)), neighbors=neighbors
    )


def count_draw(
    noise_draws: list[object], right: Callable[..., object], *arguments: object
) -> object:
    """Note that randomness was asked for, and pass on what the real source gives."""
    noise_draws.append(arguments)
    return right(*arguments)


def count_spends(ledger: Ledger) -> int:
    """Return how many spends the ledger has recorded for the table."""
    return len(ledger.balance("table").spends)


def answers_as_json(answers: Asked) -> list[object]:
    return [answer.to_json() for answer in answers.answers]


def test_answers_come_in_the_order_of_the_questions(table: Path) -> None:
    """Questions are arranged by cost, but answered in the order in which they were asked.

    The number of rows is public under replace-one, so the third answer is exact. Under
    add-remove it is private, and no answer tells it.
    """
    texts = ("mean age by sex", "count where age >= 40", "count", "top 1 sex")

    answers = ask(read_inquiry(*texts), table)

    assert [str(answer.question) for answer in answers.answers] == list(texts)
    assert answers.rows == len(ROWS)
    assert answers.answers[2].value.tolist() == [len(ROWS)]
    assert ask(read_inquiry(neighbors=Neighbors.ADD_REMOVE), table).rows is None


def test_the_budget_is_spent_between_the_stages(table: Path, ledger: Ledger) -> None:
    """The budget is spent after the rows are counted and before noise is drawn.

    `progress` is called as a stage begins. When the second stage, the drawing of noise,
    begins, the ledger still has no spend; its line is written as the first step of that
    stage.
    """
    balances: list[tuple[str, int]] = []

    ask(
        read_inquiry(),
        table,
        ledger=ledger,
        progress=lambda stage: balances.append((stage, count_spends(ledger))),
    )

    assert balances == [(STAGES[0], 0), (STAGES[1], 0)]
    assert count_spends(ledger) == 1


def test_the_same_inquiry_is_answered_again_for_nothing(table: Path, ledger: Ledger) -> None:
    """A repeated inquiry gets the same noisy answers from the ledger, and is charged once.

    A question that is spelled otherwise (40.0 for 40) is the same question. Without a ledger
    file nothing is recorded, so there is no hash of a newest entry (`head`).
    """
    first = ask(read_inquiry(), table, ledger=ledger)
    again = ask(read_inquiry("count where age >= 40.0", TEXTS[1]), table, ledger=ledger)

    assert (first.repeated, again.repeated, count_spends(ledger)) == (False, True, 1)
    assert answers_as_json(first) == answers_as_json(again)
    assert [noisy_part.tobytes() for noisy_part in first.noisy] == [
        noisy_part.tobytes() for noisy_part in again.noisy
    ]

    assert ask(read_inquiry(), table).head is None


def test_another_table_is_a_new_spend(table: Path, ledger: Ledger) -> None:
    """The same inquiry of a table with one more row is charged again, and not replayed."""
    ask(read_inquiry(), table, ledger=ledger)

    write(table, list(SMALL.names), [*ROWS, ["F", "1"]])
    assert not ask(read_inquiry(), table, ledger=ledger).repeated
    assert count_spends(ledger) == 2


def test_more_than_the_budget_is_refused_and_nothing_is_drawn(
    table: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An inquiry for epsilon 3 of a budget of 2 is refused before any noise is drawn."""
    monkeypatch.setattr(asking, "_measure", lambda *_: pytest.fail("something is drawn"))
    with pytest.raises(LedgerError, match="budget"):
        ask(read_inquiry(epsilon="3"), table, ledger=ledger)
    assert count_spends(ledger) == 0


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("budget", ["9", "rho=9,delta=1e-6", "epsilon=9,delta=1/2"])
def test_what_a_budget_cannot_pay_is_refused_before_the_spend(
    table: Path, budget: str, neighbors: Neighbors
) -> None:
    """Every inquiry is either answered in full and charged once, or refused without a charge.

    This holds for one number or several, for guarantees and budgets in every unit, and for
    both kinds of noise. A refused inquiry has also drawn no randomness. Both outcomes occur
    for every budget, so neither branch is tested in vain.
    """
    outcomes = set()

    for texts, claim, way in product(ASKED, CLAIMS, (None, "gaussian")):
        ledger = ledger_with_budget(None, budget, "table", neighbors)
        noise_draws: list[object] = []
        with patch.object(bits, "bits", partial(count_draw, noise_draws, bits.bits)):
            with suppress(QuestionError):
                inquiry = Inquiry.read(texts, SMALL, claim, neighbors=neighbors, way=way)
                inquiry.arrangement  # noqa: B018  a way may not answer these questions
                try:
                    ask(inquiry, table, ledger=ledger)
                    outcomes.add("answered")
                    assert count_spends(ledger) == 1
                except (LedgerError, ReleaseError):
                    outcomes.add("refused")
                    assert (count_spends(ledger), noise_draws) == (0, [])

    assert outcomes == {"answered", "refused"}


def test_one_number_by_its_delta_is_refused_in_words_beside_a_rho(
    table: Path, ledger: Ledger
) -> None:
    """A claim of epsilon and delta cannot be paid from a budget of rho, and the refusal says
    so.

    For a single number such a claim has no rho, and the ledger stays empty.
    """
    ledger.set_budget("other", parse_budget("rho=1,delta=1e-6", Neighbors.REPLACE_ONE))
    claim = Guarantee.approximate(1, Fraction(1, 10))
    single_question = Inquiry.read(TEXTS[:1], SMALL, claim, dataset="other")

    with pytest.raises(ReleaseError) as caught:
        ask(single_question, table, ledger=ledger)
    assert str(caught.value) == (
        "The request costs epsilon = 1, delta = 1/10, which this budget cannot pay as a rho. "
        "Choose a guarantee in its unit."
    )
    assert ledger.entries() == []


def test_what_is_public_spends_nothing(table: Path, ledger: Ledger) -> None:
    """The number of all rows is public under replace-one: it is exact, and nothing is
    recorded.
    """
    answers = ask(read_inquiry("count"), table, ledger=ledger)
    assert answers.answers[0].value.tolist() == [len(ROWS)]
    assert (answers.entry, answers.head, count_spends(ledger)) == (None, None, 0)


def test_a_mean_over_persons_takes_one_row_of_each(tmp_path: Path) -> None:
    """Of ann's five rows two are used, and the row of nobody is not.

    The mean over rows is (33 + 33 + 60) / 3, that over persons (33 + 60) / 2; at epsilon
    10,000 noise is nearly nothing.
    """
    rows = [["33", "ann"]] * 5 + [["60", "bob"], ["10", ""]]
    table = write(tmp_path / "people.csv", ["age", PERSON], rows)
    texts = ("mean age", "mean age over persons")

    loud = Guarantee.pure(10_000)
    per_person = Inquiry.read(texts, SURVEY.project(("age",)), loud, unit=Unit(PERSON, 2))

    over_rows, over_persons = (answer.value[0] for answer in ask(per_person, table).answers)
    assert over_rows == pytest.approx((2 * 33 + 60) / 3, abs=0.5)
    assert over_persons == pytest.approx((33 + 60) / 2, abs=0.5)


def test_noise_is_fresh_without_a_ledger(table: Path) -> None:
    """Without a ledger, five runs of one inquiry do not all draw the same noise.

    At epsilon 1/100 the noise is so wide that five equal counts are practically impossible.
    """
    noisy_counts = {
        ask(read_inquiry("count where age >= 40", epsilon="1/100"), table).noisy[0].item()
        for _ in range(5)
    }

    assert len(noisy_counts) > 1


def test_a_table_without_rows_is_refused_where_their_number_is_public(tmp_path: Path) -> None:
    """An empty table is refused only where the number of rows is public anyway.

    Under add-remove, or where persons are protected, that number is private. A refusal would
    tell it, so the inquiry is answered.
    """
    empty = write(tmp_path / "empty.csv", list(SMALL.names), [])

    with pytest.raises(TableError) as caught:
        ask(read_inquiry(), empty)
    assert str(caught.value) == "'empty.csv' has a header but no rows."

    persons = Inquiry.read(TEXTS, SMALL, Guarantee.pure(1), unit=Unit("age", 2))
    for private in (read_inquiry(neighbors=Neighbors.ADD_REMOVE), persons):
        assert ask(private, empty).rows is None


def test_too_many_rows_are_refused(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of exactly as many rows as the limit is answered; one row more is refused.

    The table has five rows; the limit is set to five, then to four.
    """
    monkeypatch.setattr(limits, "table_rows", lambda: len(ROWS))
    assert ask(read_inquiry(), table).rows == len(ROWS)

    monkeypatch.setattr(limits, "table_rows", lambda: len(ROWS) - 1)
    sentence = r"The table has more than 4 rows, the limit \(SYNTH_ROWS\)"
    with pytest.raises(LimitError, match=sentence):
        ask(read_inquiry(), table)


def test_a_table_that_lacks_a_column_is_refused(tmp_path: Path, ledger: Ledger) -> None:
    """A table without the declared column age is refused by its name, and nothing
    is spent.
    """
    other_path = write(tmp_path / "other.csv", ["sex"], [["F"]])
    with pytest.raises(TableError, match="age"):
        ask(read_inquiry(), other_path, ledger=ledger)
    assert count_spends(ledger) == 0


def test_a_wrong_question_never_sees_the_table() -> None:
    with pytest.raises(QuestionError):
        read_inquiry("count where agee > 3")


def test_nothing_private_is_shown(table: Path) -> None:
    """Neither exact rows nor answers reveal exact numbers when they are printed.

    The object with exact numbers prints as "private" only. Answers hold noisy arrays, which
    may be printed.
    """
    answers = ask(read_inquiry(), table)
    rows = asking.asked_rows(read_inquiry(), asking.open_any(table), asking.Engine.DUCKDB)

    assert repr(rows) == "AskedRows(private)"
    assert "private" not in repr(answers.answers[0].value)
    assert all(isinstance(noisy_part, np.ndarray) for noisy_part in answers.noisy)
