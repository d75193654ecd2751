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
from tests.ledger.ledgers import budgeted
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
    made = budgeted(tmp_path / "ledger", "2", "table")
    return made


def inquiry(
    *texts: str, epsilon: str = "1", neighbors: Neighbors = Neighbors.REPLACE_ONE
) -> Inquiry:
    return Inquiry.read(
        texts or TEXTS, SMALL, Guarantee.pure(Fraction(epsilon)), neighbors=neighbors
    )


def counted(drawn: list[object], right: Callable[..., object], *given: object) -> object:
    drawn.append(given)
    return right(*given)


def spends(ledger: Ledger) -> int:
    return len(ledger.balance("table").spends)


def told(asked: Asked) -> list[object]:
    return [answer.to_json() for answer in asked.answers]


def test_answers_come_in_the_order_of_the_questions(table: Path) -> None:
    texts = ("mean age by sex", "count where age >= 40", "count", "top 1 sex")
    found = ask(inquiry(*texts), table)
    assert [str(answer.question) for answer in found.answers] == list(texts)
    assert found.rows == len(ROWS)
    assert found.answers[2].value.tolist() == [len(ROWS)]
    assert ask(inquiry(neighbors=Neighbors.ADD_REMOVE), table).rows is None


def test_the_budget_is_spent_between_the_stages(table: Path, ledger: Ledger) -> None:
    seen: list[tuple[str, int]] = []
    ask(
        inquiry(),
        table,
        ledger=ledger,
        progress=lambda stage: seen.append((stage, spends(ledger))),
    )
    assert seen == [(STAGES[0], 0), (STAGES[1], 0)]
    assert spends(ledger) == 1


def test_the_same_inquiry_is_answered_again_for_nothing(table: Path, ledger: Ledger) -> None:
    first = ask(inquiry(), table, ledger=ledger)
    again = ask(inquiry("count where age >= 40.0", TEXTS[1]), table, ledger=ledger)
    assert (first.repeated, again.repeated, spends(ledger)) == (False, True, 1)
    assert told(first) == told(again)
    assert [one.tobytes() for one in first.noisy] == [one.tobytes() for one in again.noisy]
    assert ask(inquiry(), table).head is None


def test_another_table_is_a_new_spend(table: Path, ledger: Ledger) -> None:
    ask(inquiry(), table, ledger=ledger)
    write(table, list(SMALL.names), [*ROWS, ["F", "1"]])
    assert not ask(inquiry(), table, ledger=ledger).repeated
    assert spends(ledger) == 2


def test_more_than_the_budget_is_refused_and_nothing_is_drawn(
    table: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "_measure", lambda *_: pytest.fail("something is drawn"))
    with pytest.raises(LedgerError, match="budget"):
        ask(inquiry(epsilon="3"), table, ledger=ledger)
    assert spends(ledger) == 0


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("budget", ["9", "rho=9,delta=1e-6", "epsilon=9,delta=1/2"])
def test_what_a_budget_cannot_pay_is_refused_before_the_spend(
    table: Path, budget: str, neighbors: Neighbors
) -> None:
    """One number or several, in every unit: all of it is answered, or nothing is charged."""
    found = set()
    for texts, claim, way in product(ASKED, CLAIMS, (None, "gaussian")):
        ledger = budgeted(None, budget, "table", neighbors)
        drawn: list[object] = []
        with patch.object(bits, "bits", partial(counted, drawn, bits.bits)):
            with suppress(QuestionError):
                asked = Inquiry.read(texts, SMALL, claim, neighbors=neighbors, way=way)
                asked.arrangement  # noqa: B018  a way may not answer these questions
                try:
                    ask(asked, table, ledger=ledger)
                    found.add("answered")
                    assert spends(ledger) == 1
                except (LedgerError, ReleaseError):
                    found.add("refused")
                    assert (spends(ledger), drawn) == (0, [])
    assert found == {"answered", "refused"}


def test_one_number_by_its_delta_is_refused_in_words_beside_a_rho(
    table: Path, ledger: Ledger
) -> None:
    ledger.set_budget("other", parse_budget("rho=1,delta=1e-6", Neighbors.REPLACE_ONE))
    claim = Guarantee.approximate(1, Fraction(1, 10))
    one = Inquiry.read(TEXTS[:1], SMALL, claim, dataset="other")
    with pytest.raises(ReleaseError) as caught:
        ask(one, table, ledger=ledger)
    assert str(caught.value) == (
        "The request costs epsilon = 1, delta = 1/10, which this budget cannot pay as a rho. "
        "Choose a guarantee in its unit."
    )
    assert ledger.entries() == []


def test_what_is_public_spends_nothing(table: Path, ledger: Ledger) -> None:
    found = ask(inquiry("count"), table, ledger=ledger)
    assert found.answers[0].value.tolist() == [len(ROWS)]
    assert (found.entry, found.head, spends(ledger)) == (None, None, 0)


def test_a_mean_over_persons_takes_one_row_of_each(tmp_path: Path) -> None:
    rows = [["33", "ann"]] * 5 + [["60", "bob"], ["10", ""]]
    table = write(tmp_path / "people.csv", ["age", PERSON], rows)
    texts = ("mean age", "mean age over persons")
    loud = Guarantee.pure(10_000)
    one = Inquiry.read(texts, SURVEY.project(("age",)), loud, unit=Unit(PERSON, 2))
    over_rows, over_persons = (answer.value[0] for answer in ask(one, table).answers)
    assert over_rows == pytest.approx((2 * 33 + 60) / 3, abs=0.5)
    assert over_persons == pytest.approx((33 + 60) / 2, abs=0.5)


def test_noise_is_fresh_without_a_ledger(table: Path) -> None:
    drawn = {
        ask(inquiry("count where age >= 40", epsilon="1/100"), table).noisy[0].item()
        for _ in range(5)
    }
    assert len(drawn) > 1


def test_a_table_without_rows_is_refused_where_their_number_is_public(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.csv", list(SMALL.names), [])
    with pytest.raises(TableError) as caught:
        ask(inquiry(), empty)
    assert str(caught.value) == "'empty.csv' has a header but no rows."
    persons = Inquiry.read(TEXTS, SMALL, Guarantee.pure(1), unit=Unit("age", 2))
    for private in (inquiry(neighbors=Neighbors.ADD_REMOVE), persons):
        assert ask(private, empty).rows is None


def test_too_many_rows_are_refused(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "table_rows", lambda: len(ROWS))
    assert ask(inquiry(), table).rows == len(ROWS)
    monkeypatch.setattr(limits, "table_rows", lambda: len(ROWS) - 1)
    said = r"The table has more than 4 rows, the limit \(SYNTH_ROWS\)"
    with pytest.raises(LimitError, match=said):
        ask(inquiry(), table)


def test_a_table_that_lacks_a_column_is_refused(tmp_path: Path, ledger: Ledger) -> None:
    other = write(tmp_path / "other.csv", ["sex"], [["F"]])
    with pytest.raises(TableError, match="age"):
        ask(inquiry(), other, ledger=ledger)
    assert spends(ledger) == 0


def test_a_wrong_question_never_sees_the_table() -> None:
    with pytest.raises(QuestionError):
        inquiry("count where agee > 3")


def test_nothing_private_is_shown(table: Path) -> None:
    asked = ask(inquiry(), table)
    rows = asking.asked_rows(inquiry(), asking.open_any(table), asking.Engine.DUCKDB)
    assert repr(rows) == "AskedRows(private)"
    assert "private" not in repr(asked.answers[0].value)
    assert all(isinstance(one, np.ndarray) for one in asked.noisy)
