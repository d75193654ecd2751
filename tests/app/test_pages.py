"""The pages, run without a browser: guards, locks, one spend a plan, errors in words."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell import job as jobs
from pages.ui.shell import release_job as release_jobs
from pages.ui.shell import state
from pages.ui.shell.release import Release
from pages.ui.shell.saved import choices_of
from synth.bundle import CONDITIONS
from synth.cli.main import main
from synth.door.ledger.standing import note_spend
from synth.errors import ReleaseError, TableError
from synth.estimate import Repair
from synth.foreign import in_markdown
from synth.plans import Method
from synth.privacy import Neighbors, RowReading, Unit
from synth.util import NOTHING_SPENT, OUT_OF_MEMORY
from synth.verification import verify
from tests.app.conftest import ROWS
from tests.app.steward import (
    choose,
    choose_example,
    draft_of,
    error_texts,
    go_to,
    plain_text,
    press,
    release_by_plan,
    text_of,
    use_file,
    visit,
)
from tests.tables import ROOT

# The files that the step Download offers: three to hand on, and the others.
FILES = 10
STEPS = ("data", "domain", "plan", "release", "compare", "download", "ask")


@pytest.fixture
def app() -> AppTest:
    """The app at its first step."""
    return visit()


@pytest.fixture
def survey() -> AppTest:
    """The app with the simulated survey chosen."""
    return visit("data", choose_example())


def with_table(app: AppTest, folder: Path, text: str) -> AppTest:
    """Write a table and choose it in the app."""
    table = folder / "people.csv"
    table.write_text(text)
    return use_file(app, table)


@pytest.fixture
def released(survey: AppTest) -> AppTest:
    """The app after a release of the survey by the usual plan."""
    return release_by_plan(survey)


@pytest.mark.parametrize("step", STEPS)
def test_a_cold_start_on_any_step_is_a_lock_with_a_reason(step: str) -> None:
    """Any step can be opened first; each but Data then says what has to be done first."""
    app = visit(step)
    assert not app.exception
    assert not app.error
    if step != "data":
        assert "first" in text_of(app)


@pytest.mark.parametrize("step", [*STEPS, "collect"])
def test_each_script_runs_alone(step: str) -> None:
    """The script of each page runs without an error if it is started on its own, without the
    app.
    """
    page = AppTest.from_file(
        str(ROOT / "pages" / "steps" / f"{step}.py"), default_timeout=240
    )
    assert not page.run().exception


def test_the_survey_comes_with_a_domain(app: AppTest) -> None:
    """The simulated survey comes with its declaration and number of rows.

    Six of its eleven columns take part, and 16 x 2 x 6 x 6 x 7 x 3 cells are 24,192. The last
    line shows that other tests start from the same choices.
    """
    press(app, "Use the simulated survey")
    assert "has 11 columns" in text_of(app)
    assert draft_of(app).domain.size == 24_192
    assert draft_of(app).about_rows == 20_000
    assert choices_of(draft_of(app)) == choices_of(choose_example()), "as other tests begin"


def test_a_bad_table_leaves_the_old_one(survey: AppTest, tmp_path: Path) -> None:
    """A table that is missing or empty is one sentence, and the survey stays the table in
    use.
    """
    path = tmp_path / "no such table.csv"
    use_file(survey, path)
    assert error_texts(survey) == [plain_text(in_markdown(f"There is no file '{path}'."))]

    empty = tmp_path / "empty.csv"
    empty.write_text("")
    use_file(survey, empty)
    assert error_texts(survey) == ["The file 'empty.csv' is empty."]

    assert draft_of(survey).source.simulated


def test_an_upload_is_copied_and_let_go(app: AppTest) -> None:
    """An upload is copied and then removed from Streamlit's memory.

    The copy is deleted once another table is chosen.
    """
    app.file_uploader[0].upload("people.csv", b"age,sex\n41,F\n", "text/csv").run()
    path = draft_of(app).source.table.path
    assert path.read_bytes() == b"age,sex\n41,F\n"
    assert app.file_uploader[0].value is None

    press(app, "Use the simulated survey")
    assert not path.exists()


def test_a_column_is_declared_by_hand(app: AppTest, tmp_path: Path) -> None:
    """The user declares two columns with the boxes of the page.

    Ages 0 to 99 in bins of ten are 10 cells; F, M and missing are 3.
    """
    with_table(app, tmp_path, "age,sex\n41,F\n")
    go_to(app, "domain")
    assert draft_of(app).domain is None

    app.selectbox(key="column age kind").select("integer").run()
    assert "declares no minimum" in text_of(app)
    # Two boxes are changed before the page runs, and both changes count.
    app.text_input(key="column age minimum").input("0")
    app.text_input(key="column age maximum").input("99").run()

    app.number_input(key="column age bins").set_value(10).run()
    app.checkbox(key="column age missing").uncheck().run()
    assert draft_of(app).domain.shape == (10,)

    app.selectbox(key="open_column").select("sex").run()
    app.selectbox(key="column sex kind").select("categorical").run()
    app.text_area(key="column sex enum").input("F\nM").run()
    assert draft_of(app).domain.shape == (10, 3)


def test_importing_nonsense_is_one_sentence(survey: AppTest) -> None:
    """A declaration that is no valid JSON is one sentence, and the declaration of the survey
    stays, with its 24,192 cells.
    """
    go_to(survey, "domain")
    survey.file_uploader[0].upload("x.json", b"[1, 2", "application/json").run()
    assert error_texts(survey) == ["The domain file is not valid JSON at line 1."]
    assert draft_of(survey).domain.size == 24_192


def test_a_bad_plan_is_one_sentence_and_locks_the_release(survey: AppTest) -> None:
    """An epsilon that is no number, as in an old project, is one sentence on the Plan page.

    The step Release then says the same and offers only the way back.
    """
    choose(survey, epsilon="much")
    go_to(survey, "plan")
    assert len(survey.error) == 1
    assert survey.error[0].value.startswith("Epsilon must be ")

    go_to(survey, "release")
    assert "psilon must be " in survey.info[0].value
    of_header = ("start_over", "undo")
    assert [b.label for b in survey.button if b.key not in of_header] == ["Go to Plan"]


def test_every_choice_can_be_made_and_survives_a_change_of_page(survey: AppTest) -> None:
    """The Plan page offers each repair and each relation of neighbours, and keeps a choice
    while another page is open.
    """
    go_to(survey, "plan")
    survey.selectbox(key="choice_method").select("dense").run()
    assert len(survey.selectbox(key="choice_repair").options) == len(Repair)
    assert len(survey.radio[0].options) == len(Neighbors)
    survey.radio[0].set_value("add-remove").run()

    go_to(survey, "data")
    go_to(survey, "plan")
    assert survey.radio[0].value == "add-remove"


def test_a_release_is_made_once(released: AppTest) -> None:
    """After a release the same plan cannot be released again, and the ledger has
    one spend.
    """
    assert f"{ROWS:,} synthetic rows" in text_of(released)
    assert len(draft_of(released).releases) == 1

    go_to(released, "data")
    go_to(released, "release")
    assert not [b for b in released.button if b.label.startswith("Release with")]
    assert len(released.session_state["rehearsal"].entries()) == 1


def test_another_plan_is_another_spend_and_says_so(released: AppTest) -> None:
    """A second plan needs a new confirmation, which names the sum of 1 and 0.5.

    It then makes a second release.
    """
    go_to(released, "plan")
    released.text_input(key="choice_epsilon").input("1/2").run()
    go_to(released, "release")
    assert "it is 1.5 in all" in text_of(released)
    assert not released.checkbox(key="agreed").value

    released.checkbox(key="agreed").check().run()
    press(released, "Release with epsilon 0.5")
    assert len(draft_of(released).releases) == 2


def test_a_release_is_compared_on_request_and_seen_when_the_plan_is_wrong(
    released: AppTest,
) -> None:
    """The errors of a release are computed only when the user asks for it.

    They are still shown after the plan has become invalid, with a note that it is another
    plan. The error of pairs is in percent, and below 25 for the survey at epsilon 1.
    """
    go_to(released, "compare")
    assert "Single columns: " not in text_of(released)

    press(released, "Compare with the confidential table")
    assert "Single columns: " in text_of(released)
    error = re.search(r"Pairs of columns\*\* are off by \*\*([0-9.]+) %", text_of(released))
    assert error is not None
    assert 0 < float(error[1]) < 25

    choose(released, epsilon="much")
    go_to(released, "compare")
    assert not released.error
    assert "not the present plan" in text_of(released)


def test_the_promise_comes_with_its_caveats_and_the_files_with_the_release(
    survey: AppTest,
) -> None:
    """The conditions of the guarantee stand with every promise, before and after the release.

    `verify` returns 3 if no claim of a bundle is refuted and some cannot be checked. The file
    of rows has a header and one line for each person.
    """

    def lists_conditions() -> bool:
        caveats = [
            in_markdown(caveat, 4_000) for caveat in (*CONDITIONS, RowReading.LINES.caveat)
        ]
        return any(
            all(caveat in caption.value for caveat in caveats) for caption in survey.caption
        )

    go_to(survey, "release")
    assert lists_conditions()
    button = next(b for b in survey.button if b.label.startswith("Release with"))
    assert button.disabled, "it waits for the confirmation"
    assert "Spend **epsilon 1** on **6 columns**." in text_of(survey)

    release_by_plan(survey)
    assert lists_conditions()

    go_to(survey, "download")
    assert lists_conditions()
    assert len(survey.get("download_button")) == FILES
    assert main(["verify", str(draft_of(survey).release.files["bundle.zip"])]) == 0

    synthetic = draft_of(survey).release.files["synthetic.csv"].read_text().splitlines()
    assert synthetic[0] == "age,sex,education,employment,income,smoker"
    assert len(synthetic) == 1 + ROWS


def test_a_failing_table_spends_nothing(app: AppTest, tmp_path: Path) -> None:
    """If the file of the table disappears before the release, one sentence says so and
    nothing is spent.
    """
    with_table(app, tmp_path, "sex\nF\nM\n")
    go_to(app, "domain")
    app.selectbox(key="column sex kind").select("categorical").run()
    app.text_area(key="column sex enum").input("F\nM").run()
    (tmp_path / "people.csv").unlink()  # while its steward decides

    release_by_plan(app)
    assert len(app.error) == 1
    assert "'people.csv' is no longer there" in app.error[0].value
    assert app.session_state["ledger"].entries() == []


@pytest.mark.parametrize("failure", [RuntimeError("cell 4711"), MemoryError("cell 4711")])
def test_an_unexpected_failure_is_one_plain_sentence(
    survey: AppTest,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    failure: Exception,
) -> None:
    """An unexpected error is one general sentence, and its text is neither on the page nor in
    the log. The text might quote private values, here `cell 4711`. Lack of memory has a
    sentence of its own.
    """

    def fail(*_: Any, **__: Any) -> Release:
        raise failure

    monkeypatch.setattr(release_jobs, "synthesize", fail)
    release_by_plan(survey)
    assert not survey.exception

    lack_of_memory = f"{OUT_OF_MEMORY} {NOTHING_SPENT}"
    expected = lack_of_memory if isinstance(failure, MemoryError) else jobs.SORRY
    assert error_texts(survey) == [expected]
    assert "4711" not in text_of(survey) + caplog.text


def test_files_that_cannot_be_written_do_not_lose_the_release(
    survey: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the files of a release cannot be written, the release is kept, and the files can be
    written later.
    """

    def full(*_: Any, **__: Any) -> None:
        message = "The file 'synthetic.csv' cannot be written."
        raise TableError(message)

    with monkeypatch.context() as patched:
        patched.setattr("synth.spending.pipeline.Result.write_archive", full)
        release_by_plan(survey)
        assert "cannot be written" in survey.error[0].value

    assert len(draft_of(survey).releases) == 1
    go_to(survey, "download")
    press(survey, "Write the files")
    assert len(survey.get("download_button")) == FILES


@pytest.mark.parametrize("error", [MemoryError(), ReleaseError("No."), ZeroDivisionError()])
def test_a_callback_that_fails_after_a_spend_says_so(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a purchase fails after its spend, the message says that asking again costs nothing
    more. Scores, checks and drafts are bought by callbacks, which `state.guard` wraps.
    `note_spend` is what the ledger does at a spend.
    """
    alerts: list[str] = []
    monkeypatch.setattr(state, "complain", alerts.append)

    def buy() -> None:
        note_spend(is_stored=True)
        raise error

    state.guard(buy)()
    assert len(alerts) == 1
    assert alerts[0].endswith(": asking for the same returns it at no further cost.")


def test_a_failure_after_the_spend_says_so(
    survey: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a release fails after its spend, the message says that the spend counts.

    This ledger of rehearsals stores no results, so asking again would spend again.
    """

    def fail(*_: Any) -> None:
        raise MemoryError

    # The repair comes after the noise of a histogram, the certificate after any noise.
    monkeypatch.setattr("synth.estimate.repair_counts", fail)
    monkeypatch.setattr("synth.spending.pipeline.make_certificate", fail)

    release_by_plan(survey)
    text = survey.error[0].value.replace("\\", "")
    assert text.endswith(
        "The spend counts, but no ledger stores the result: asking for the same spends again."
    )

    assert len(survey.session_state["rehearsal"].entries()) == 1


def test_missing_spellings_are_declared(survey: AppTest) -> None:
    """The user lists the texts that mean a missing value; the empty cell always is one."""
    go_to(survey, "domain")
    survey.text_input(key="missing_values").input("?, NA").run()
    assert draft_of(survey).domain.missing_values == ("", "?", "NA")

    survey.text_input(key="missing_values").input("").run()
    assert draft_of(survey).domain.missing_values == ("",)


def test_a_suggested_format_is_shown_and_applied_on_request(
    app: AppTest, tmp_path: Path
) -> None:
    """A decimal comma is suggested and taken only on request; the columns stay the same.

    The semicolon between the cells was taken at once.
    """
    with_table(app, tmp_path, "age;income\n41;1,5\n42;2,5\n43;3,5\n44;4,5\n45;5,5\n")
    assert draft_of(app).source.table.header == ("age", "income")
    assert "shape suggests a decimal comma" in text_of(app)

    press(app, "Read it that way")
    assert "decimal=," in draft_of(app).source.table.asked
    assert [f["name"] for f in draft_of(app).fields] == ["age", "income"]
    assert "shape suggests" not in text_of(app)


def test_an_impossible_format_leaves_the_table_as_it_was(
    app: AppTest, tmp_path: Path
) -> None:
    """An encoding in which the file cannot be read is one error, and the table is read as
    before.
    """
    with_table(app, tmp_path, "age,sex\n41,F\n")
    app.selectbox(key="format encoding").select("utf-16").run()
    assert len(app.error) == 1
    assert draft_of(app).source.table.header == ("age", "sex")
    assert app.selectbox(key="format encoding").value == "utf-8"


def test_all_rows_of_a_person_can_be_protected_together(app: AppTest, tmp_path: Path) -> None:
    """The user can protect all rows of a person together, of which at most two count.

    Replacing a person then removes up to two rows and adds up to two, so counts move by 4 in
    all. At epsilon 1 the noise has scale 4.
    """
    with_table(app, tmp_path, "who,sex\n" + "".join(f"p{i // 3},F\n" for i in range(900)))
    assert "protects one row" in " ".join(c.value for c in app.caption)

    app.selectbox(key="person").select("who").run()
    app.number_input(key="choice_max_rows").set_value(2).run()
    assert not app.error

    field = {"name": "sex", "type": "string", "constraints": {"enum": ["F", "M"]}}
    app.session_state["draft"] = draft_of(app).with_declaration({"fields": [field]})
    assert draft_of(app).plan().unit == Unit("who", 2)

    release_by_plan(app)
    assert not app.error
    released = draft_of(app).release.result.certificate
    assert released.privacy_unit == "one person by the column 'who', with at most 2 rows"
    assert released.mechanism.scale == 4

    go_to(app, "data")
    app.selectbox(key="person").select("").run()
    assert draft_of(app).max_rows == 1


@pytest.fixture
def visits(app: AppTest, tmp_path: Path) -> AppTest:
    """Several visits of each person, in columns that are too many for one histogram."""
    draws = np.random.default_rng(5).integers(0, 6, (3_000, 8))
    draws[:, 1:4] = draws[:, :1]
    names = [f"c{i}" for i in range(8)]
    lines = [",".join(map(str, (f"p{i // 3}", *row))) for i, row in enumerate(draws)]
    with_table(app, tmp_path, "\n".join([",".join(["who", *names]), *lines]))
    app.selectbox(key="person").select("who").run()
    app.number_input(key="choice_max_rows").set_value(2).run()
    constraints = {"enum": [str(i) for i in range(6)], "required": True}
    fields = [{"name": n, "type": "string", "constraints": constraints} for n in names]
    ready = draft_of(app).with_declaration({"fields": fields})
    app.session_state["draft"] = replace(ready, epsilon="10", budget="10", about_rows=3_000)
    return app


@pytest.mark.slow
@pytest.mark.parametrize("method", [Method.AUTO, Method.TREE])
def test_a_model_of_persons_goes_from_plan_to_download(
    visits: AppTest, method: Method
) -> None:
    """Persons with two rows each are protected together, in the plan, the certificate and the
    bundle. The scale is 4/epsilon, because replacing a person moves counts by 4. The number
    of rows is not public then.
    """
    go_to(visits, "plan")
    visits.selectbox(key="choice_method").select(method).run()
    assert not visits.error
    if method == Method.AUTO:
        assert (
            visits.selectbox(key="choice_method").options[0] == "Automatic: pairs of columns"
        )

    relation = next(r for r in visits.radio if r.label == "What the guarantee compares")
    assert relation.options[0].startswith("**Replace one person,** with all rows.")
    assert "noise of scale 4/epsilon" in relation.options[0]

    go_to(visits, "release")
    visits.checkbox(key="agreed").check().run()
    press(visits, "Release with epsilon 10")
    assert not visits.error
    assert "All rows of a person are protected together" in text_of(visits)

    result = draft_of(visits).release.result
    assert result.certificate.privacy_unit == (
        "one person by the column 'who', with at most 2 rows"
    )
    assert result.certificate.released.rows is None

    go_to(visits, "download")
    assert not visits.error
    checked = verify(draft_of(visits).release.files["bundle.zip"])
    assert checked.plan == draft_of(visits).plan()
