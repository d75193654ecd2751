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

# With a column whose day and month may change places, so that a draft leaves it open.
OPEN = FRAME.assign(day=["03/04/2014", "05/06/2014"] * 500)


@pytest.fixture(scope="module")
def drafted() -> synth.Draft:
    """A free draft of the declaration of 1,000 people, taken from their rows."""
    return synth.draft(FRAME)


def test_a_release_takes_a_draft_and_its_certificate_says_so(
    drafted: synth.Draft, tmp_path: Path
) -> None:
    """A free draft can be given as the domain; the certificate says that it came from the
    rows.

    That stays so in the opened bundle. The release itself is near the table.
    """
    release = synth.release(FRAME, drafted, epsilon=1)
    assert release.domain == drafted.domain
    assert release.certificate.domain_origin == LOOKED_UP
    opened = synth.open_bundle(release.save(tmp_path / "r.zip"))
    assert opened.domain.origin == LOOKED_UP
    assert synth.verify(tmp_path / "r.zip").checks
    assert synth.compare(FRAME, release).columns < 0.2


def test_a_release_with_a_draft_under_a_guarantee_counts_its_cost() -> None:
    """A draft with a guarantee can be given as the domain, and the release keeps its paid
    cost.
    """
    drafted = synth.draft(FRAME, epsilon=90)
    assert drafted.domain.names == ("age", "sex")
    release = synth.release(FRAME, drafted, epsilon=1)
    assert release.certificate.domain_origin == DRAFTED
    assert len(release.domain.drafts) == 1
    assert release.domain.drafts == drafted.domain.drafts


def test_every_function_that_takes_a_domain_takes_a_draft(drafted: synth.Draft) -> None:
    """Each function with a domain accepts a draft, and records that it came from the rows."""
    domain = drafted.domain
    answers = synth.ask(FRAME, drafted, "count where sex = f", epsilon=1)
    assert answers.certificate.domain_origin == LOOKED_UP
    assert synth.dummy(drafted, rows=10).certificate.domain_origin == LOOKED_UP
    assert synth.forecast(drafted, epsilon=1, rows=1000).plan.domain == domain
    checked = synth.check(FRAME, drafted)
    assert (checked.domain, checked.domain.origin) == (domain, LOOKED_UP)
    model = synth.Synthesizer(drafted, epsilon=1).fit(FRAME)
    assert model.release.certificate.domain_origin == LOOKED_UP


def test_open_columns_of_a_draft_take_no_part_and_are_named() -> None:
    """Columns that a draft left open are not released, and a warning at the caller's line
    names them.

    If columns= names others, nothing is warned of; if it names an open one, that is an error.
    """
    drafted = synth.draft(OPEN)
    assert drafted.open == ("day",)
    with pytest.warns(
        UserWarning, match=r"columns open, and they take no part: 'day'\.$"
    ) as warned:
        release = synth.release(OPEN, drafted, epsilon=1, ledger=False)
    assert warned[0].filename == __file__
    assert release.domain.names == ("age", "sex")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert synth.release(
            OPEN, drafted, epsilon=1, columns=["sex"], ledger=False
        ).domain.names == ("sex",)
    with pytest.raises(DomainError, match="leaves the column 'day' open, as its notes say"):
        synth.release(OPEN, drafted, epsilon=1, columns=["day"])


def test_a_declaration_may_be_incomplete_beside_the_chosen_columns() -> None:
    """A declaration with an open column serves a release of the other columns only.

    Without columns= the open column is an error, and so is a name that is not declared.
    """
    document = synth.draft(OPEN).document
    release = synth.release(OPEN, document, epsilon=1, columns=["sex", "age"])
    assert release.domain.names == ("sex", "age")
    with pytest.raises(DomainError, match="Column 'day'"):
        synth.release(OPEN, document, epsilon=1)
    with pytest.raises(DomainError, match="no column 'sax'; did you mean 'sex'"):
        synth.release(OPEN, document, epsilon=1, columns=["sax"])


def test_columns_by_name_may_be_wrong_beside_the_chosen_columns() -> None:
    """A wrong declaration in code matters only where its column takes part."""
    declared = {"sex": ["f", "m"], "age": (18, 90)}
    release = synth.release(OPEN, declared, epsilon=1, columns=["sex"])
    assert release.domain.names == ("sex",)
    with pytest.raises(DomainError, match="which may be a range or two values"):
        synth.release(OPEN, declared, epsilon=1, columns=["age"])
    with pytest.raises(DomainError, match="which may be a range or two values"):
        synth.release(OPEN, declared, epsilon=1)


def test_a_draft_that_describes_nothing_is_refused_in_one_sentence() -> None:
    """Three rows are too few to describe any column, and such a draft declares no domain."""
    few = FRAME.head(3)
    drafted = synth.draft(few)
    assert repr(drafted).startswith("Draft(0 of 2 columns, PRIVATE")
    with pytest.raises(DomainError, match="describes no column to the end, as its notes say"):
        synth.release(few, drafted, epsilon=1)


@pytest.mark.parametrize(
    ("declare", "sentence"),
    [
        (lambda: FRAME, "type DataFrame; synth.draft drafts one from a table"),
        (lambda: synth.check(FRAME, DOMAIN), "type Check; give its .domain"),
        (
            lambda: synth.forecast(DOMAIN, epsilon=1, rows=10).plan,
            "type Plan; give its .domain",
        ),
        (lambda: 5, "type int"),
        (lambda: None, "type NoneType"),
        (lambda: ["age", "sex"], "type list"),
    ],
)
def test_what_declares_no_domain_is_refused_before_any_spend(
    declare: Callable[[], Any], sentence: str, tmp_path: Path
) -> None:
    """Every function that takes a domain names the type it got instead; no ledger is made."""
    declared = declare()
    book = tmp_path / "ledger.db"
    calls: list[Callable[[], Any]] = [
        lambda: synth.ask(FRAME, declared, "count", epsilon=1, ledger=book, budget=3),
        lambda: synth.check(FRAME, declared, 1, ledger=book, budget=3),
        lambda: synth.forecast(declared, epsilon=1, rows=10),
        lambda: synth.dummy(declared, rows=10),
        lambda: synth.Synthesizer(declared, epsilon=1),
    ]
    # Without a domain, a release says how to draft one (`test_describing`).
    if declared is not None:
        calls.append(lambda: synth.release(FRAME, declared, epsilon=1, ledger=book, budget=3))
    for call in calls:
        with pytest.raises(DomainError) as caught:
            call()
        assert str(caught.value).endswith(f"this is of the {sentence}.")
    assert not book.exists()


def test_a_range_as_a_pair_is_refused_before_any_spend(tmp_path: Path) -> None:
    """(18, 90) may be a range or two values, so the user has to say which."""
    book = tmp_path / "ledger.db"
    with pytest.raises(DomainError) as caught:
        synth.release(
            FRAME, {"age": (18, 90)}, epsilon=1, ledger=book, dataset="people", budget=3
        )
    assert str(caught.value) == (
        "Column 'age' is declared as the pair (18, 90), which may be a range or two values: "
        "write synth.Integer(18, 90, ...) for a range, or [18, 90] for the two values."
    )
    assert not book.exists()


def test_truth_values_of_a_frame_come_out_as_such() -> None:
    """A column of booleans stays one, and with missing values it is pandas's nullable
    boolean.
    """
    frame = pd.DataFrame({"a": [True, False] * 150, "b": [True, None, False] * 100})
    release = synth.release(frame, synth.draft(frame), epsilon=5)
    assert release.table.dtypes.map(str).to_dict() == {"a": "bool", "b": "boolean"}
