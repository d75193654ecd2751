"""What a function is given as a domain: a draft is one too, and other things get a
sentence.
"""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import synth
from synth.domain import DRAFTED, LOOKED_UP
from synth.errors import DomainError
from tests.api.people import DOMAIN, FRAME

OPEN = FRAME.assign(day=["03/04/2014", "05/06/2014"] * 500)


@pytest.fixture(scope="module")
def drafted() -> synth.Draft:
    return synth.draft(FRAME)


def test_a_release_takes_a_draft_and_its_certificate_says_so(
    drafted: synth.Draft, tmp_path: Path
) -> None:
    made = synth.release(FRAME, drafted, epsilon=1)
    assert made.domain == drafted.domain
    assert made.certificate.domain_origin == LOOKED_UP
    opened = synth.open_bundle(made.save(tmp_path / "r.zip"))
    assert opened.domain.origin == LOOKED_UP
    assert synth.verify(tmp_path / "r.zip").checks
    assert synth.compare(FRAME, made).columns < 0.2


def test_a_release_with_a_draft_under_a_guarantee_counts_its_cost() -> None:
    drafted = synth.draft(FRAME, epsilon=90)
    assert drafted.domain.names == ("age", "sex")
    made = synth.release(FRAME, drafted, epsilon=1)
    assert made.certificate.domain_origin == DRAFTED
    assert len(made.domain.drafts) == 1
    assert made.domain.drafts == drafted.domain.drafts


def test_every_function_that_takes_a_domain_takes_a_draft(drafted: synth.Draft) -> None:
    domain = drafted.domain
    asked = synth.ask(FRAME, drafted, "count where sex = f")
    assert asked.certificate.domain_origin == LOOKED_UP
    assert synth.dummy(drafted, rows=10).certificate.domain_origin == LOOKED_UP
    assert synth.forecast(drafted, rows=1000).plan.domain == domain
    checked = synth.check(FRAME, drafted)
    assert (checked.domain, checked.domain.origin) == (domain, LOOKED_UP)
    model = synth.Synthesizer(drafted, epsilon=1).fit(FRAME)
    assert model.release.certificate.domain_origin == LOOKED_UP


def test_open_columns_of_a_draft_take_no_part_and_are_named() -> None:
    drafted = synth.draft(OPEN)
    assert drafted.open == ("day",)
    with pytest.warns(
        UserWarning, match=r"columns open, and they take no part: 'day'\.$"
    ) as told:
        made = synth.release(OPEN, drafted, epsilon=1)
    assert told[0].filename == __file__
    assert made.domain.names == ("age", "sex")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert synth.release(OPEN, drafted, epsilon=1, columns=["sex"]).domain.names == (
            "sex",
        )
    with pytest.raises(DomainError, match="leaves the column 'day' open, as its notes say"):
        synth.release(OPEN, drafted, epsilon=1, columns=["day"])


def test_a_declaration_may_be_incomplete_beside_the_chosen_columns() -> None:
    document = synth.draft(OPEN).document
    made = synth.release(OPEN, document, epsilon=1, columns=["sex", "age"])
    assert made.domain.names == ("sex", "age")
    with pytest.raises(DomainError, match="Column 'day'"):
        synth.release(OPEN, document, epsilon=1)
    with pytest.raises(DomainError, match="no column 'sax'; it has age, sex, day"):
        synth.release(OPEN, document, epsilon=1, columns=["sax"])


def test_a_draft_that_describes_nothing_is_refused_in_one_sentence() -> None:
    few = FRAME.head(3)
    drafted = synth.draft(few)
    assert repr(drafted) == "Draft(0 of 2 columns)"
    with pytest.raises(DomainError, match="describes no column to the end, as its notes say"):
        synth.release(few, drafted)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (lambda: FRAME, "type DataFrame; synth.draft drafts one from a table"),
        (lambda: synth.check(FRAME, DOMAIN), "type Check; give its .domain"),
        (lambda: synth.forecast(DOMAIN, rows=10).plan, "type Plan; give its .domain"),
        (lambda: 5, "type int"),
        (lambda: None, "type NoneType"),
        (lambda: ["age", "sex"], "type list"),
    ],
)
def test_what_declares_no_domain_is_refused_before_any_spend(
    given: Callable[[], Any], sentence: str, tmp_path: Path
) -> None:
    declared, book = given(), tmp_path / "ledger.db"
    calls: list[Callable[[], Any]] = [
        lambda: synth.release(FRAME, declared, ledger=book, budget=3),
        lambda: synth.ask(FRAME, declared, "count", ledger=book, budget=3),
        lambda: synth.check(FRAME, declared, 1, ledger=book, budget=3),
        lambda: synth.forecast(declared, rows=10),
        lambda: synth.dummy(declared, rows=10),
        lambda: synth.Synthesizer(declared),
    ]
    for call in calls:
        with pytest.raises(DomainError) as caught:
            call()
        assert str(caught.value).endswith(f"this is of the {sentence}.")
    assert not book.exists()


def test_a_range_as_a_pair_is_refused_before_any_spend(tmp_path: Path) -> None:
    book = tmp_path / "ledger.db"
    with pytest.raises(DomainError) as caught:
        synth.release(FRAME, {"age": (18, 90)}, ledger=book, dataset="people", budget=3)
    assert str(caught.value) == (
        "Column 'age' is declared as the pair (18, 90), which may be a range or two values: "
        "write synth.Integer(18, 90, ...) for a range, or [18, 90] for the two values."
    )
    assert not book.exists()


def test_truth_values_of_a_frame_come_out_as_such() -> None:
    frame = pd.DataFrame({"a": [True, False] * 150, "b": [True, None, False] * 100})
    made = synth.release(frame, synth.draft(frame), epsilon=5)
    assert made.table.dtypes.map(str).to_dict() == {"a": "bool", "b": "boolean"}
