"""What may be published: by the certificate's facts, and after a review of what the rows
gave.
"""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from pages.ui.release.details import write_missing
from pages.ui.release.publishing import LOOKED, VOUCH, say_values, verdict_on
from synth.domain import Categorical, Domain, Integer
from tests.app.steward import (
    choose,
    choose_example,
    draft_of,
    go_to,
    press,
    release_by_plan,
    text_of,
    use_file,
    visit,
)


def test_a_range_is_reviewed_in_words_and_a_list_in_full() -> None:
    """Equal bins follow from their range and number; other edges and lists are all shown."""
    domain = Domain(
        (
            Integer(name="age", minimum=0, maximum=99, bins=20, spikes=(7,)),
            Integer(name="score", minimum=0, maximum=9, edges=(0, 2, 9)),
            Categorical(name="sex", categories=("F", "M")),
        )
    )
    assert [say_values(column) for column in domain.columns] == [
        "0 to 99, 20 bins; a cell of their own for 7",
        "0 to 1, 2 to 9",
        "F, M",
    ]


@pytest.mark.slow
def test_what_was_declared_beforehand_may_be_published() -> None:
    """If the declaration was written without looking at the rows, the whole release may be
    published. No button asks the steward to vouch for values.
    """
    app = go_to(release_by_plan(visit("data", choose_example())), "download")
    release = draft_of(app).release
    assert release is not None
    assert verdict_on(release).advice == "Publishable"
    assert "Publishable: the guarantee covers these files." in text_of(app).replace("*", "")
    assert VOUCH not in [button.label for button in app.button]

    # Exact numbers that the steward saw are named, as in the certificate.
    certificate = release.result.certificate
    looked = replace(certificate.declaration, looked=True)
    result = replace(release.result, certificate=replace(certificate, declaration=looked))
    assert verdict_on(replace(release, result=result)).why.endswith(LOOKED)


def test_values_from_the_rows_are_reviewed_and_vouched_for_at_no_cost(tmp_path: Path) -> None:
    """Values that were read from the rows must be reviewed before publication.

    When the steward vouches that they are public, the stored release is made anew with
    another certificate, and nothing is spent.
    """
    table = tmp_path / "people.csv"
    table.write_text("sex,hours\n" + "F,40\nM,38\n" * 200)
    app = go_to(use_file(visit(), table), "domain")
    press(app, next(b.label for b in app.button if b.label.startswith("Look at the data")))
    go_to(release_by_plan(app), "download")

    first = draft_of(app).release
    assert first is not None
    assert verdict_on(first).advice == "Not yet public"
    assert "- **sex:** F, M" in text_of(app)

    press(app, VOUCH)
    assert not app.error
    second = draft_of(app).release
    assert second is not None
    assert draft_of(app).releases == (second,)
    said = text_of(app).replace("*", "")
    assert "Publishable: you vouch for the lists, the guarantee covers the rest." in said
    assert second.result.certificate.declaration.taken_is_public
    assert len(app.session_state["ledger"].entries()) == 1, "nothing more was spent"
    assert "Not publishable yet" not in text_of(app)
    go_to(app, "release")
    assert "Not publishable yet" not in text_of(app)


@pytest.mark.slow
def test_each_release_asks_anew_whether_its_values_are_public(tmp_path: Path) -> None:
    """Who vouched for the values of one release is asked again at the next one.

    It has another epsilon and the same values.
    """
    table = tmp_path / "people.csv"
    table.write_text("sex,hours\n" + "F,40\nM,38\n" * 200)
    app = go_to(use_file(visit(), table), "domain")
    press(app, next(b.label for b in app.button if b.label.startswith("Look at the data")))
    press(go_to(release_by_plan(app), "download"), VOUCH)
    first = draft_of(app).release
    assert first is not None
    assert verdict_on(first).advice == "Publishable"

    go_to(choose(app, epsilon="0.5"), "plan")
    assert "Not publishable yet: values of 2 columns to review" in text_of(app)
    go_to(release_by_plan(app, "0.5"), "download")
    second = draft_of(app).release
    assert second is not None
    assert verdict_on(second).advice == "Not yet public"
    assert not second.result.certificate.declaration.taken_is_public
    assert VOUCH in [button.label for button in app.button]
    assert verdict_on(first).advice == "Publishable"


def test_a_missing_value_is_a_word_among_the_synthetic_rows() -> None:
    """Only columns with a missing value become texts; the others keep their numbers."""
    towns = pa.array(["Bonn", None]).dictionary_encode()
    shown = write_missing(pa.table({"age": [30, None], "town": towns, "rooms": [2, 3]}))
    assert list(shown["age"]) == ["30", "(missing)"]
    assert list(shown["town"]) == ["Bonn", "(missing)"]
    assert list(shown["rooms"]) == [2, 3]
