"""The page Use a release without a browser: a bundle is opened and asked, and what is
refused.
"""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.ask.answers import effects
from pages.ui.ask.words import as_table
from pages.ui.use.opening import NOT_ALL_CHECKED
from synth.api.analysing import analyse
from synth.foreign.text import JOINER
from synth.questions import parse
from synth.verification import verify
from tests.analysis.releases import nearly
from tests.app.steward import go_to, press, text_of, visit
from tests.bundle.bundles import make_bundle, read_bundle, rezip
from tests.tables import MIXED

SHARE = re.compile(r"\*\*[0-9.-]+ % \(([0-9.-]+) to ([0-9.-]+) %\)\*\*")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of a release of 4,000 rows, half of them female."""
    rows = [
        ["FM"[n % 2], str(n % 100), str(n % 25 / 10), "2024-02-03", "yes"]
        for n in range(4000)
    ]
    return make_bundle(tmp_path_factory.mktemp("used"), rows=rows)


@pytest.fixture
def page() -> AppTest:
    """The page Use a release."""
    return visit("use")


def hand_in(page: AppTest, content: bytes, name: str = "b.zip") -> AppTest:
    """Upload a bundle on the page."""
    return page.file_uploader[0].upload(name, content, "application/zip").run()


def interval_ends(page: AppTest) -> tuple[float, float]:
    """The interval of the share that was asked for last, in per cent."""
    texts = [element.value.replace("\\", "") for element in page.markdown]
    (share,) = filter(None, map(SHARE.fullmatch, texts))
    return float(share[1]), float(share[2])


def test_a_bundle_is_opened_asked_and_exported(page: AppTest, bundle: Path) -> None:
    """Somebody who got a bundle can check it, ask it, and export its rows to SPSS.

    The page names what was not checked, refuses a question about an unknown column, and keeps
    an answer while another page is open.
    """
    assert not page.header
    hand_in(page, bundle.read_bytes())
    assert not page.exception
    assert page.success[0].value.replace("\\", "") == "Verified. Epsilon 1."
    assert NOT_ALL_CHECKED in [caption.value for caption in page.caption]
    page_text = " ".join(text.value for text in page.markdown)
    plain_text = page_text.replace("\\", "").replace(JOINER, "")

    assert (
        "4,000 synthetic rows of 5 columns. The confidential table has 4,000 rows (public)."
        in (plain_text)
    )

    # Everything that `verify` left open is named on the page.
    for part in verify(bundle).open_parts:
        assert f"'{part.name}'" in plain_text
        assert part.reason in plain_text

    assert [header.value for header in page.header] == ["Questions", "Answers"]
    assert [expander.label for expander in page.expander][-3:] == [
        "Draw rows",
        "Several tables, for multiple imputation",
        "Rows for other programs",
    ]
    lights = page.dataframe[0].value
    assert set(lights["columns"]) == set(MIXED.names)
    assert set(lights["kept"]) <= {"● good", "◐ fair", "○ poor"}

    # Every second row is female, so the share is near 50 %.
    page.text_input(key="used_question").input("share where sex = F").run()
    assert not page.error
    answer = interval_ends(page)
    assert nearly(answer[0], 50, answer[1])
    assert "The 95 % interval counts the noise of the release." in " ".join(
        caption.value for caption in page.caption
    )

    page.text_input(key="used_question").input("share where height > 3").run()
    assert "height" in page.error[0].value

    go_to(go_to(page, "learn"), "use")
    assert interval_ends(page) == answer

    page.button_group(key="used_format").set_value("sav").run()
    assert "'(other)' is the missing code -98" in text_of(page)
    page.button(key="used_make").click().run()
    assert not page.exception
    assert any(
        "Download synthetic.sav" in button.label for button in page.get("download_button")
    )


def test_replicates_are_made_and_taken(page: AppTest, bundle: Path) -> None:
    """Tables for multiple imputation are made by a click and downloaded.

    The page says how to combine them (Rubin's rules). Once they are made, the button works
    again, and there is nothing to stop.
    """
    hand_in(page, bundle.read_bytes())
    page.number_input(key="used_several").set_value(2).run()
    page.button_group(key="used_several_as").set_value("sav").run()

    make_button = next(button for button in page.button if button.label == "Make the tables")
    make_button.click().run()
    assert not page.exception
    assert not page.error

    assert any(
        button.label == "Download replicates.zip" for button in page.get("download_button")
    )
    assert any("Rubin" in caption.value for caption in page.caption)
    assert not next(
        button for button in page.button if button.label == "Make the tables"
    ).disabled
    assert not [button for button in page.button if button.label.startswith("Stop")]


def test_two_groups_are_compared(page: AppTest, bundle: Path) -> None:
    """Two questions give the difference of their answers with an interval.

    Half of the 4,000 rows are female and half male, so the difference is near 0. The table of
    columns is the only one on the page, until both questions are there.
    """
    hand_in(page, bundle.read_bytes())
    page.button_group(key="used_contrast").set_value("less").run()
    page.text_input(key="used_question").input("share where sex = F").run()
    assert len(page.dataframe) == 1  # it waits for the second question

    page.text_input(key="used_other").input("share where sex = M").run()
    assert not page.error
    assert not page.exception

    low, high = interval_ends(page)
    assert nearly(low, 0, high)
    assert page.subheader[-1].value == "`share where sex = F less share where sex = M`"


def test_each_example_has_an_answer_from_this_release(page: AppTest, bundle: Path) -> None:
    """The examples are questions that this release answers with an estimate.

    A click on a column shows questions about it, and a click on one of these is answered.
    About people there are no counts, so no example asks for one.
    """
    analysis = analyse(bundle)
    hand_in(page, bundle.read_bytes())
    examples = page.button_group(key="names_used_example_0")
    assert len(examples.options) >= 3
    for option in examples.options:
        (conclusion,) = analysis.ask(plain_text(option))
        assert not conclusion.bound

    page.button_group(key="names_used_column").set_value("age").run()
    about_age = page.button_group(key="names_used_about_0")
    assert about_age.label == "Questions about `age`"
    assert {"mean age", "median age"} <= {*map(plain_text, about_age.options)}
    about_age.set_value("mean age").run()
    assert not page.error
    assert page.subheader[-1].value == "`mean age`"

    page.radio(key="used_about").set_value("people").run()
    people_examples = page.button_group(key="names_used_example_0").options
    assert people_examples
    for option in people_examples:
        analysis.ask(plain_text(option), about="people")


def test_a_bare_number_goes_to_no_column_of_a_release(page: AppTest, bundle: Path) -> None:
    """A number without a column is answered for none, and one click says which is meant.

    Only age of the columns of numbers reaches 50.
    """
    hand_in(page, bundle.read_bytes())
    page.text_input(key="used_question").input("how many over 50").run()
    assert "'over 50' names no column. If you mean age, name it." in text_of(page)
    assert not page.error
    assert not page.subheader

    press(page, "Answer: `count where age > 50`")
    assert page.subheader[-1].value == "`count where age > 50`"
    assert "names no column" not in text_of(page)


def test_a_delta_is_named_beside_the_epsilon(page: AppTest, tmp_path: Path) -> None:
    """The verdict on a release with a delta names it beside the epsilon."""
    rows = [["FM"[n % 2], str(n % 100), "1.5", "2024-02-03", "yes"] for n in range(400)]
    path = make_bundle(tmp_path, rows=rows, method="tree", delta=Fraction(1, 10**9))
    hand_in(page, path.read_bytes())
    assert page.success[0].value.replace("\\", "") == "Verified. Epsilon 1 and delta 1e-09."


def plain_text(option: str) -> str:
    """An option of the page without what keeps it from being read as Markdown."""
    return option.replace("\\", "").replace(JOINER, "")


def test_the_guarantee_is_never_cut(page: AppTest, bundle: Path) -> None:
    """The whole guarantee is shown, folded below its epsilon and delta.

    Once a long sentence lost its middle.
    """
    statement = analyse(bundle).result.certificate.guarantee.statement
    hand_in(page, bundle.read_bytes(), f"{'b' * 200}.zip")
    (promise,) = (e for e in page.expander if e.label == "Promise, checks and limits")
    text = promise.markdown[0].value.replace("\\", "").replace("\N{WORD JOINER}", "")
    assert len(text) > 400  # characters, of which a shortened text would have 120
    assert text == statement


def test_what_is_no_bundle_is_refused_with_one_sentence(page: AppTest, bundle: Path) -> None:
    """A file that is no bundle is refused.

    A changed bundle can be used all the same, but each result is stamped as unverified, and
    nothing is exported.
    """
    hand_in(page, b"sex\nF\n", "rows.csv")
    assert "the noisy counts and the certificate are missing" in page.error[0].value

    files = read_bundle(bundle)
    files["synthetic.csv"] += b"F,1,1,,yes\n"
    hand_in(page, rezip(bundle.with_name("bad.zip"), files).read_bytes(), "bad.zip")
    assert "does not match the certificate" in page.error[0].value
    assert not page.header

    press(page, "Open it anyway: every result is stamped")
    assert not page.exception
    text = page.error[0].value.replace("\\", "")
    assert text.startswith("UNVERIFIED: a claim of bad.zip is wrong. 'synthetic.csv' does")

    page.text_input(key="used_question").input("share where sex = F").run()
    assert [error.value[:10] for error in page.error] == ["UNVERIFIED"] * 2
    assert "Rows for other programs" not in [expander.label for expander in page.expander]


def test_what_is_no_bundle_cannot_be_opened_anyway(page: AppTest, bundle: Path) -> None:
    """A zip file without a release, or a broken one, is refused with one sentence.

    Nothing offers to open it all the same.
    """
    photos = rezip(bundle.with_name("photos.zip"), {"a.jpg": b"a"}).read_bytes()
    hand_in(page, photos, "my photos.zip")
    assert "'my photos.zip' is not a bundle of Synth: the zip file has no" in text_of(page)

    hand_in(page, photos[:-5], "cut.zip")
    assert "is not a whole zip file." in text_of(page)
    assert not [button for button in page.button if button.label.startswith("Open it anyway")]
    assert not page.header


def test_several_numbers_become_a_table_of_texts(page: AppTest, bundle: Path) -> None:
    """An answer of several numbers is a table; each number has its interval in brackets.

    The table of columns comes first on the page.
    """
    hand_in(page, bundle.read_bytes())
    page.text_input(key="used_question").input("table sex").run()
    table = page.dataframe[1].value
    assert list(table["what"])[:2] == ["F", "M"]
    assert re.fullmatch(r"[0-9,]+ \([0-9,]+ to [0-9,]+\)", table["answer"][0])


def test_two_columns_become_a_cross_table(bundle: Path) -> None:
    """An answer about two columns is a cross table, with the first column in the rows.

    The texts come row by row, so the second row begins after as many texts as there are
    columns. Without a question, the answer is a plain list.
    """
    analysis = analyse(bundle)
    (answer,) = analysis.ask("table sex by smoker")
    table = as_table(parse("table sex by smoker"), answer, analysis.domain)
    titles = [analysis.domain[name].titles for name in ("sex", "smoker")]
    assert (tuple(table.index.get_level_values(0)), tuple(table.columns)) == tuple(titles)
    assert table.iloc[1, 0] == answer.texts[len(titles[1])]

    assert list(as_table(None, answer, analysis.domain).columns) == ["what", "answer"]


def test_a_regression_is_drawn_over_the_range_of_each_column(bundle: Path) -> None:
    """The chart of a regression shows each effect over the declared range of its column.

    So the slope of age, the second coefficient, is multiplied by the width of its range.
    """
    analysis = analyse(bundle)
    question = parse("regression weight on age")
    (answer,) = analysis.ask(question)
    picture = effects(question, answer, analysis.domain)
    (ends,) = [c for c in analysis.domain.columns if c.name == "age"]
    width = float(ends.maximum) - float(ends.minimum)

    assert picture.table["what"].tolist() == [f"age: {ends.minimum} to {ends.maximum}"]
    assert picture.table["answer"].tolist() == [answer.estimate[1] * width]
