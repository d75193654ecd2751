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
    return write(tmp_path / "table.csv", list(SMALL.names), ROWS)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = ledger_with_budget(tmp_path / "ledger", "2", "table")
    return ledger


def read_inquiry(
    *texts: str, epsilon: str = "1", neighbors: Neighbors = Neighbors.REPLACE_ONE
) -> Inquiry:
    return Inquiry.read(
        texts or TEXTS, SMALL, Guarantee.pure(Fraction(epsilon)), neighbors=neighbors
    )


def count_draw(
    noise_draws: list[object], right: Callable[..., object], *arguments: object
) -> object:
    noise_draws.append(arguments)
    return right(*arguments)


def count_spends(ledger: Ledger) -> int:
    return len(ledger.balance("table").spends)


def answers_as_json(answers: Asked) -> list[object]:
    return [answer.to_json() for answer in answers.answers]


def test_answers_come_in_the_order_of_the_questions(table: Path) -> None:
    """Questions are arranged by cost, but answered in order; the number of rows is public
    under replace-one only.
    """
    texts = ("mean age by sex", "count where age >= 40", "count", "top 1 sex")
    answers = ask(read_inquiry(*texts), table)
    assert [str(answer.question) for answer in answers.answers] == list(texts)
    assert answers.rows == len(ROWS)
    assert answers.answers[2].value.tolist() == [len(ROWS)]
    assert ask(read_inquiry(neighbors=Neighbors.ADD_REMOVE), table).rows is None


def test_the_budget_is_spent_between_the_stages(table: Path, ledger: Ledger) -> None:
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
    """A question that is spelled otherwise is the same question."""
    first = ask(read_inquiry(), table, ledger=ledger)
    again = ask(read_inquiry("count where age >= 40.0", TEXTS[1]), table, ledger=ledger)
    assert (first.repeated, again.repeated, count_spends(ledger)) == (False, True, 1)
    assert answers_as_json(first) == answers_as_json(again)
    assert [noisy_part.tobytes() for noisy_part in first.noisy] == [
        noisy_part.tobytes() for noisy_part in again.noisy
    ]
    assert ask(read_inquiry(), table).head is None


def test_another_table_is_a_new_spend(table: Path, ledger: Ledger) -> None:
    ask(read_inquiry(), table, ledger=ledger)
    write(table, list(SMALL.names), [*ROWS, ["F", "1"]])
    assert not ask(read_inquiry(), table, ledger=ledger).repeated
    assert count_spends(ledger) == 2


def test_more_than_the_budget_is_refused_and_nothing_is_drawn(
    table: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    """One number or several, in every unit: all of it is answered, or nothing is charged."""
    refused_ways = set()
    for texts, claim, way in product(ASKED, CLAIMS, (None, "gaussian")):
        ledger = ledger_with_budget(None, budget, "table", neighbors)
        noise_draws: list[object] = []
        with patch.object(bits, "bits", partial(count_draw, noise_draws, bits.bits)):
            with suppress(QuestionError):
                inquiry = Inquiry.read(texts, SMALL, claim, neighbors=neighbors, way=way)
                inquiry.arrangement  # noqa: B018  a way may not answer these questions
                try:
                    ask(inquiry, table, ledger=ledger)
                    refused_ways.add("answered")
                    assert count_spends(ledger) == 1
                except (LedgerError, ReleaseError):
                    refused_ways.add("refused")
                    assert (count_spends(ledger), noise_draws) == (0, [])
    assert refused_ways == {"answered", "refused"}


def test_one_number_by_its_delta_is_refused_in_words_beside_a_rho(
    table: Path, ledger: Ledger
) -> None:
    """Epsilon and delta of one number are no rho, so a budget of rho refuses them."""
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
    noisy_bytes = {
        ask(read_inquiry("count where age >= 40", epsilon="1/100"), table).noisy[0].item()
        for _ in range(5)
    }
    assert len(noisy_bytes) > 1


def test_a_table_without_rows_is_refused_where_their_number_is_public(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.csv", list(SMALL.names), [])
    with pytest.raises(TableError) as caught:
        ask(read_inquiry(), empty)
    assert str(caught.value) == "'empty.csv' has a header but no rows."
    persons = Inquiry.read(TEXTS, SMALL, Guarantee.pure(1), unit=Unit("age", 2))
    for private in (read_inquiry(neighbors=Neighbors.ADD_REMOVE), persons):
        assert ask(private, empty).rows is None


def test_too_many_rows_are_refused(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of exactly as many rows as the limit is answered, one of more rows is not."""
    monkeypatch.setattr(limits, "table_rows", lambda: len(ROWS))
    assert ask(read_inquiry(), table).rows == len(ROWS)
    monkeypatch.setattr(limits, "table_rows", lambda: len(ROWS) - 1)
    sentence = r"The table has more than 4 rows, the limit \(SYNTH_ROWS\)"
    with pytest.raises(LimitError, match=sentence):
        ask(read_inquiry(), table)


def test_a_table_that_lacks_a_column_is_refused(tmp_path: Path, ledger: Ledger) -> None:
    other_path = write(tmp_path / "other.csv", ["sex"], [["F"]])
    with pytest.raises(TableError, match="age"):
        ask(read_inquiry(), other_path, ledger=ledger)
    assert count_spends(ledger) == 0


def test_a_wrong_question_never_sees_the_table() -> None:
    with pytest.raises(QuestionError):
        read_inquiry("count where agee > 3")


def test_nothing_private_is_shown(table: Path) -> None:
    """Nothing that holds exact numbers prints them."""
    answers = ask(read_inquiry(), table)
    rows = asking.asked_rows(read_inquiry(), asking.open_any(table), asking.Engine.DUCKDB)
    assert repr(rows) == "AskedRows(private)"
    assert "private" not in repr(answers.answers[0].value)
    assert all(isinstance(noisy_part, np.ndarray) for noisy_part in answers.noisy)
