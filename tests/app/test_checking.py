"""The promise on screen: checks before the spend, alarms with the files, what was looked
up.
"""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.release.checking import NOT_CHECKED
from pages.ui.release.spending import ANYWAY
from synth.domain import LOOKED_UP
from synth.door import Ledger
from synth.estimate import FitCheck
from synth.privacy import ROW, Neighbors, parse_budget
from synth.spending import check_fit, look_at
from synth.util import Document
from tests.app.steward import (
    choose,
    draft_of,
    go_to,
    plain_text,
    press,
    text_of,
    tick,
    use_file,
    visit,
)
from tests.fit_tables import DATE, NUMBER, SEX, write_dates

NOISE = "Few or no rows fit the description"
UNCHECKED = "You did not check before the release whether rows fit."


def visit_with_dates(
    folder: Path, day: Document, rows: int = 9_357, **stamps: object
) -> AppTest:
    """The app with the model case: dates that are declared as a number, or as dates."""
    app = use_file(visit(), write_dates(folder / "dates.csv", rows))
    content = {
        "fields": [day, SEX],
        **{f"synth:{key}": stamp for key, stamp in stamps.items()},
    }
    app.session_state["draft"] = replace(
        draft_of(app).with_declaration(json.dumps(content).encode()), about_rows=rows
    )
    return app


def is_release_disabled(app: AppTest) -> bool:
    """Return whether the button that releases cannot be pressed yet."""
    return next(b for b in app.button if b.label == "Release with epsilon 1").disabled


def test_a_check_that_says_few_asks_for_a_yes(tmp_path: Path) -> None:
    """A check says that few of 9,357 rows fit, so the release needs a second confirmation.

    Its epsilon of 0.0065 keeps the noise within 5 % of the rows in 95 of 100 cases. The
    promise counts both: 1.0065.
    """
    app = go_to(visit_with_dates(tmp_path, NUMBER), "release")
    assert NOT_CHECKED in text_of(app)
    assert app.text_input(key="check_epsilon").value == "0.0065"

    tick(app, "Spend epsilon 0.0065 on the check")
    press(app, "Check for epsilon 0.0065")
    assert not app.exception
    assert "By the check, about" in plain_text(app.error[0].value)
    assert "of 9,357 rows fit in all columns (± 461" in plain_text(app.error[0].value)
    assert "1.0065-differentially private" in text_of(app), "the promise counts it"
    assert "This counts the check of the declaration that was made before." in text_of(app)

    tick(app, "Spend epsilon 1")
    assert is_release_disabled(app), "it waits for the second box"
    tick(app, ANYWAY)
    assert not is_release_disabled(app)
    press(app, "Release with epsilon 1")
    assert draft_of(app).release is not None
    assert draft_of(app).release.files, "there was a yes"

    for step in ("compare", "download"):
        assert NOISE in go_to(app, step).error[0].value
    # The first entry is the check, the second the release.
    assert [entry.guarantee.epsilon for entry in app.session_state["ledger"].entries()][
        1
    ] == 1


def test_files_of_noise_are_written_and_say_so(tmp_path: Path) -> None:
    """A release to which no row fits is written, and each page begins with a warning that it
    is mostly noise. NUMBER declares the dates of the table as numbers from 0 to 100.
    """
    app = go_to(visit_with_dates(tmp_path, NUMBER), "release")
    tick(app, "Spend epsilon 1")
    press(app, "Release with epsilon 1")
    assert draft_of(app).release is not None
    assert {"synthetic.csv", "bundle.zip"} <= draft_of(app).release.files.keys()

    for step in ("release", "compare", "download"):
        first = plain_text(go_to(app, step).error[0].value)
        assert f"{NOISE}, so this release is mostly noise. {UNCHECKED}" in first, step


@pytest.mark.slow
def test_where_rows_fit_the_first_line_says_that_it_was_not_checked(tmp_path: Path) -> None:
    """If rows fit, but nobody checked that before the release, each page begins with a note
    that says so. DATE declares the dates of the table as they are.
    """
    app = go_to(visit_with_dates(tmp_path, DATE), "release")
    tick(app, "Spend epsilon 1")
    press(app, "Release with epsilon 1")
    for step in ("release", "compare", "download"):
        assert go_to(app, step).info[0].value.startswith(UNCHECKED), step


def test_a_single_column_has_no_relations_to_lose(tmp_path: Path) -> None:
    """A release of one column says that it was not checked, and nothing about lost relations.

    The column of dates is left out, so only sex remains.
    """
    app = visit_with_dates(tmp_path, DATE)
    go_to(choose(app, left_out=frozenset({DATE["name"]})), "release")
    tick(app, "Spend epsilon 1")
    press(app, "Release with epsilon 1")
    assert go_to(app, "download").info[0].value.startswith(UNCHECKED)
    assert "elations" not in app.info[0].value


def test_a_look_is_private_and_the_promise_says_so(tmp_path: Path) -> None:
    """Exact numbers are for the steward alone, cost no epsilon, and are named in the
    statement. NUMBER declares dates as numbers, so none of the 50 rows fits. The release then
    needs a second confirmation.
    """
    app = go_to(visit_with_dates(tmp_path, NUMBER, 50), "release")
    assert "may depend on the table:" not in text_of(app)

    press(app, "Look at exact numbers")
    assert not app.exception
    alarm = plain_text(app.error[0].value)
    assert alarm.startswith("Checked by you: 0 of 50 rows fit. Only 0 of 50 rows (0.0 %) fit")
    assert "column 'day'; Synth takes the nearest bound for the others" in alarm

    tick(app, "Spend epsilon 1")
    assert is_release_disabled(app), "it waits for the second box"
    assert "0 of 50 rows fit in all columns (0.0 %)." in text_of(app)
    assert "was not checked" not in text_of(app)
    assert "Private - do not share" in text_of(app)
    assert (
        "The declaration may depend on the table: before the release, the steward looked"
    ) in text_of(app)
    assert "The description may depend on the table" in text_of(go_to(app, "plan"))

    assert draft_of(app).looked
    assert app.session_state["ledger"].entries() == [], "it is free"


@pytest.mark.slow
def test_what_somebody_else_did_to_an_earlier_file_is_in_the_promise(tmp_path: Path) -> None:
    """A look and a check of an earlier table of the same people are in the promise.

    Somebody else made them with the same ledger; the check cost 1. So the promise is 2,
    before the button is pressed and in the certificate.
    """
    app = go_to(visit_with_dates(tmp_path, DATE, 500), "release")
    ledger = app.session_state["ledger"]
    people = draft_of(app).source.dataset
    ledger.set_budget(people, parse_budget("9", Neighbors.REPLACE_ONE))
    domain = draft_of(app).domain

    (tmp_path / "earlier").mkdir()
    earlier = write_dates(tmp_path / "earlier" / "dates.csv", 400)
    with Ledger(ledger.path) as other_ledger:
        look_at(domain, earlier, ledger=other_ledger, dataset=people)
        fit_check = FitCheck(
            domain=domain,
            epsilon=Fraction(1),
            neighbors=Neighbors.REPLACE_ONE,
            unit=ROW,
            dataset=people,
        )
        check_fit(fit_check, earlier, ledger=other_ledger)

    app.run()
    promised = text_of(app)
    assert "the steward looked at exact numbers of rows that fit" in promised
    assert "2-differentially private" in promised

    tick(app, "Spend epsilon 1")
    press(app, "Release with epsilon 1")
    certificate = draft_of(app).release.result.certificate
    assert certificate.guarantee.statement in text_of(app)
    assert (certificate.guarantee.epsilon, certificate.declaration.looked) == (2, True)


def test_a_column_that_is_nearly_empty_can_be_left_out_after_a_look(tmp_path: Path) -> None:
    """After a look at the rows, a column that is 98 % empty can be kept or left out.

    Of 500 rows 490 have no day. Keeping it removes the warning. Leaving it out makes the page
    look at the remaining columns again, which all rows fit.
    """
    day = {**NUMBER, "constraints": {"minimum": 0, "maximum": 100}}
    app = visit_with_dates(tmp_path, day)
    rows = ["day,sex", *[",F"] * 490, *["7,M"] * 10]
    (tmp_path / "few.csv").write_text("\n".join(rows))
    app = use_file(app, tmp_path / "few.csv")
    content = {"fields": [day, SEX]}
    app.session_state["draft"] = replace(
        draft_of(app).with_declaration(json.dumps(content).encode()),
        about_rows=500,
        epsilon=".1",
    )

    press(go_to(app, "release"), "Look at exact numbers")
    said_of_day = "'day' is about 98 % empty; its values will be mostly noise."
    assert any(said_of_day in plain_text(warning.value) for warning in app.warning)
    assert not app.error

    press(app, "Keep")
    assert not any(said_of_day in plain_text(warning.value) for warning in app.warning)

    # As if the user had not kept it.
    app.session_state["kept day"] = False
    press(app.run(), "Leave out")
    assert draft_of(app).plan().domain.names == ("sex",)
    assert "Checked by you: 500 of 500 rows fit." in text_of(app), (
        "the others are looked at again"
    )


def test_a_look_says_nothing_of_another_declaration(tmp_path: Path) -> None:
    """The result of a look is not shown once the declaration changes, here by leaving out a
    column.
    """
    app = go_to(visit_with_dates(tmp_path, NUMBER, 50), "release")
    press(app, "Look at exact numbers")
    go_to(choose(app, left_out=frozenset({"day"})), "release")
    assert "Checked by you" not in text_of(app)
    assert NOT_CHECKED in text_of(app)


def test_a_domain_from_the_rows_is_said_everywhere_until_it_is_vouched_for(
    tmp_path: Path,
) -> None:
    """Pages warn of values that were taken from the rows until the steward vouches that they
    are public. The declaration is marked as read from the rows (LOOKED_UP). Afterwards each
    page and the certificate name that promise of the steward.
    """
    app = visit_with_dates(tmp_path, DATE, 2_000, origin=LOOKED_UP)
    for step in ("domain", "plan", "release"):
        go_to(app, step)
        assert "Not publishable yet: values of 2 columns to review" in text_of(app), step
        if step != "release":
            assert "Private - do not share" in text_of(app), "no number of it is public"
            assert "public/ Public" not in text_of(app)
    assert "The declaration is not covered: it was taken from the confidential" in text_of(
        app
    )

    go_to(app, "domain")
    tick(app, "I vouch that the values from the rows are public")
    assert "Private - do not share" not in text_of(app)

    go_to(app, "release")
    assert "The steward vouches that it is public" in text_of(app)
    tick(app, "Spend epsilon 1")
    press(app, "Release with epsilon 1")

    go_to(app, "download")
    assert "The steward vouches that it is public" in text_of(app)
    assert draft_of(app).release is not None
    certificate = draft_of(app).release.result.certificate
    assert certificate.declaration is not None
    assert certificate.declaration.taken_is_public


@pytest.mark.parametrize("typed", ["much", "0"])
def test_an_epsilon_that_is_none_is_one_sentence(tmp_path: Path, typed: str) -> None:
    """An epsilon of the check that is no number, or 0, is one sentence on the page and no
    failure.
    """
    app = go_to(visit_with_dates(tmp_path, DATE, 50), "release")
    app.text_input(key="check_epsilon").input(typed).run()
    assert not app.exception
    assert "epsilon must be" in text_of(app)
