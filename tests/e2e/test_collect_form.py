"""The form of *Collect* in a real browser, from the disk and without a network.

What it draws is checked three times: its decisions next to every boundary, with words put in
the place of the browser's randomness; its law by samples; and the intervals of what it says.
"""

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from scipy import stats

from synth.collecting import Collected, FormDesign, debiased_shares, form_html, read_collected
from synth.collecting import form as forms
from synth.collecting.design import ClosedQuestion
from synth.errors import CollectError
from tests.collecting.forms import OFTEN, make_design
from tests.collecting.test_form import HOSTILE
from tests.conftest import Report
from tests.e2e import axe

pytestmark = pytest.mark.browser

ALPHA = 1e-6
"""Chance of a false alarm of each statistical test here."""
SURVEY = FormDesign(
    (ClosedQuestion("Do you smoke?"), ClosedQuestion("How often do you swim?", OFTEN)),
    Fraction(2),
)
"""A form of two questions, with 2 (yes, no) and 3 answers; epsilon 2 for one person."""

Open = Callable[[FormDesign], Page]


@pytest.fixture
def opened(context: BrowserContext, tmp_path: Path) -> Open:
    """Opens a form from the disk, in a browser that is cut off from every network."""
    context.set_offline(True)

    def open_form(of: FormDesign) -> Page:
        path = tmp_path / "form.html"
        path.write_text(form_html(of), encoding="utf-8")
        page = context.new_page()
        page.goto(path.as_uri())
        return page

    return open_form


# What a person does, and what is left of it.


def test_a_person_answers_by_keyboard_and_saves_a_file(opened: Open, tmp_path: Path) -> None:
    """A person answers a form by keys alone, and saves the randomised answers as a file.

    The page sends no request. The saved line is what the page shows, and Synth reads it as
    the answers of one person.
    """
    page = opened(SURVEY)
    requested_urls: list[str] = []
    page.on("request", lambda request: requested_urls.append(request.url))

    # "yes" to the first question, the second of the answers to the other one, and send.
    page.get_by_role("radio", name="yes").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="now and then")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your randomised answers")).to_be_focused()
    expect(page.get_by_role("radio")).to_have_count(0)

    line = page.get_by_role("textbox").input_value()
    with page.expect_download() as waiting:
        page.get_by_text("Save the file to send").press("Enter")
    saved = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(saved)

    assert saved.read_text(encoding="utf-8") == f"{line}\n"
    record = json.loads(line)
    assert saved.name == f"answers-{record['person'][:12]}.json"
    assert set(record) == {"form", "epsilon", "person", "answers"}
    collected = read_collected([(saved.name, saved.read_bytes())], SURVEY)
    assert collected.people == 1
    assert (
        page.locator("tbody").first.inner_text().split("\t")[-1].strip()
        == record["answers"][1]
    )
    # The saved file itself has an address within the page, which is no request to a network.
    assert not [url for url in requested_urls if not url.startswith("blob:")]


STORED = """async () => ({
  local: localStorage.length, session: sessionStorage.length, cookies: document.cookie,
  databases: (await indexedDB.databases()).length, address: location.search + location.hash,
  name: window.name, state: history.state, fields: document.querySelectorAll('input').length,
})"""
"""All places in which a page can leave something behind, and the number of its fields."""


def test_nothing_of_the_true_answers_is_kept(opened: Open) -> None:
    """Once the answers are randomised, the browser holds the true ones nowhere.

    A form with unanswered questions is not drawn. After the draw no storage, cookie, address
    or field has anything; a reload shows the 2 + 3 options anew, with none chosen.
    """
    page = opened(SURVEY)
    submit = page.get_by_role("button", name="Draw my randomised answers")
    submit.click()
    expect(page.get_by_role("heading", name="Your randomised answers")).to_be_hidden()

    page.get_by_role("radio", name="no", exact=True).check()
    page.get_by_role("radio", name="often", exact=True).check()
    submit.click()
    expect(page.get_by_role("heading", name="Your randomised answers")).to_be_visible()

    assert page.evaluate(STORED) == {
        **{"local": 0, "session": 0, "cookies": "", "databases": 0, "address": ""},
        **{"name": "", "state": None, "fields": 0},
    }

    page.reload()
    expect(page.get_by_role("radio")).to_have_count(5)
    assert page.locator("input:checked").count() == 0


def test_hostile_texts_are_texts(opened: Open) -> None:
    """Texts of a form that try to be HTML or scripts are shown letter by letter.

    `HOSTILE` holds four such texts, each a question here; one is the title too. None of them
    runs (a dialog would fail the test) or becomes an element.
    """
    page = opened(FormDesign(tuple(map(ClosedQuestion, HOSTILE)), Fraction(4), HOSTILE[1]))
    page.on("dialog", lambda _: pytest.fail("a text ran"))

    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE[1])
    groups = page.get_by_role("group")
    for number, text in enumerate(HOSTILE):
        shown_text = " ".join(text.split())
        assert (
            " ".join(groups.nth(number).locator("legend").inner_text().split()) == shown_text
        )
        groups.nth(number).get_by_role("radio").first.check()

    page.get_by_role("button", name="Draw my randomised answers").click()
    expect(page.locator("#drawn tbody tr")).to_have_count(len(HOSTILE))
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2  # the page's own: the design, and the code


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_form_is_accessible(opened: Open, theme: Any) -> None:
    """Before and after the draw, axe-core finds no fault on the form, in both themes.

    At 320 px, the narrowest width of the accessibility guidelines, nothing has to be scrolled
    sideways.
    """
    page = opened(SURVEY)
    page.emulate_media(color_scheme=theme)
    page.locator("summary").click()  # unfold what the form explains

    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 2_000})
        assert not axe.list_faults(page, again=0)
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    for radio in ("yes", "never"):
        page.get_by_role("radio", name=radio).check()
    page.get_by_role("button", name="Draw my randomised answers").click()
    page.locator("#drawn").wait_for()
    assert not axe.list_faults(page, again=0)


def test_without_scripts_nothing_can_be_sent(chromium: Browser, tmp_path: Path) -> None:
    """Without JavaScript the form says so, and no true answer leaves the page.

    Answers are randomised by the script. So the button is disabled, and Enter does not send
    the form: the address stays as it was.
    """
    (tmp_path / "form.html").write_text(form_html(SURVEY), encoding="utf-8")
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "form.html").as_uri())

    expect(page.get_by_role("button", name="Draw my randomised answers")).to_be_disabled()
    expect(page.get_by_text("This page needs JavaScript")).to_be_visible()

    page.get_by_role("radio", name="yes").check()
    page.get_by_role("radio", name="yes").press("Enter")
    assert page.url == (tmp_path / "form.html").as_uri()
    context.close()


# What the script draws.

DECISIONS = """([words, number, truth]) => words.map(tape => {
  const question = design.questions[number], rest = [...tape];
  crypto.getRandomValues = bytes => {
    let word = rest.length ? BigInt(rest.shift()) : 0n;
    for (let i = bytes.length - 1; i >= 0; i--) { bytes[i] = Number(word & 255n); word >>= 8n; }
    return bytes;
  };
  try { return [randomise(truth, question), rest.length]; }
  finally { delete crypto.getRandomValues; }
})"""  # noqa: E501
"""What becomes of words that stand for the browser's randomness, and how many are left
over.
"""


def decides_rightly(page: Page, of: FormDesign) -> bool:
    """Whether every decision next to a boundary is the exact law's, whatever the true answer.

    The chances of an answer are how many words lead to it; words at the total or above it are
    drawn again.
    """
    for number, weights in enumerate(of.weights):
        places = range(weights.options)
        ends = [0, weights.keep, *(weights.keep + i * weights.lie for i in places[1:])]
        assert ends[-1] == weights.total
        largest = (1 << (weights.total - 1).bit_length()) - 1
        for truth in places:
            others = [place for place in places if place != truth]
            expected = [
                truth,
                truth,
                *(place for place in others for _ in range(2)),
                truth,
                truth,
            ]
            words = [[edge] for a, b in pairwise(ends) for edge in (a, b - 1)]
            words += [[weights.total, 0], [largest, largest, 0]]
            tapes = [[str(word) for word in tape] for tape in words]
            decided = page.evaluate(DECISIONS, [tapes, number, truth])
            if decided != [[place, 0] for place in expected]:
                return False
    return True


def sample_answers(page: Page, truths: Sequence[Sequence[int]]) -> list[Any]:
    """What these people's pages draw, by the function that the button calls."""
    draw = "truths => JSON.stringify(JSON.parse(truths).map(randomised))"
    content: list[Any] = json.loads(page.evaluate(draw, json.dumps(truths)))
    return content


def has_law(page: Page, of: FormDesign, change: float = 1.0, people: int = 20_000) -> bool:
    """Whether samples are not against a law whose odds of the truth are changed so:
    chi-square.
    """
    records = sample_answers(page, [[0] * len(of.shape)] * people)
    for number, (question, weights) in enumerate(zip(of.questions, of.weights, strict=True)):
        answers_given = [record["answers"][number] for record in records]
        truth = float(weights.truth) * change
        law = [truth] + [(1 - truth) / (weights.options - 1)] * (weights.options - 1)
        counts = [answers_given.count(option) for option in question.options]
        if stats.chisquare(counts, np.array(law) * people).pvalue < ALPHA:
            return False
    return True


def saves_no_truth(page: Page, of: FormDesign) -> bool:
    """Whether the reader takes what is saved, which refuses everything but randomised
    answers.
    """
    records = sample_answers(page, [[0] * len(of.shape)] * 3)
    try:
        read_collected([("a.jsonl", "\n".join(map(json.dumps, records)).encode())], of)
    except CollectError:
        return False
    return True


EXACT = make_design(1, sizes=(2, 3, 7))


@pytest.mark.audit
def test_the_script_decides_by_the_exact_law(opened: Open) -> None:
    """Given chosen random words, the script gives exactly the answers of the declared law.

    Each answer belongs to a range of words, so that the first and the last word of each range
    show all its chances (`decides_rightly`). `EXACT` has questions of 2, 3 and 7 answers; the
    others have a tiny and a huge epsilon. The records hold randomised answers alone.
    """
    for of in (
        EXACT,
        make_design(Fraction(1, 1000), sizes=(2,)),
        make_design(100, sizes=(2,)),
    ):
        page = opened(of)
        assert decides_rightly(page, of)
        assert saves_no_truth(page, of)


@pytest.mark.slow
@pytest.mark.audit
def test_the_script_has_the_exact_law_and_no_other(opened: Open) -> None:
    """The script's own random answers pass a test of its law, and fail it for chances 10 %
    off.

    The chi-square test (`has_law`) has the level 1e-6, and with 20,000 people power enough to
    tell 10 %. No two of 2,000 people get the same identifier.
    """
    page = opened(EXACT)
    assert has_law(page, EXACT)
    for change in (0.9, 1.1):
        assert not has_law(page, EXACT, change)
    persons = [record["person"] for record in sample_answers(page, [[0, 0, 0]] * 2_000)]
    assert len(set(persons)) == 2_000


@pytest.fixture
def mutant(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Replaces a text of the script by another, in forms that are made from then on."""
    part = forms.read_part

    def mutate(old: str, new: str) -> None:
        assert part("page.js").count(old) == 1

        def changed(name: str) -> str:
            return part(name).replace(old, new) if name == "page.js" else part(name)

        monkeypatch.setattr(forms, "read_part", changed)

    return mutate


# Each of them breaks the law of the answers, or gives away the true ones.
MODULO = ("if (word < count) return word;", "return word % count;")
DOUBLED = ("BigInt(question.keep)", "BigInt(question.keep) * 2n")
LIES = ("other < truth ? other : other + 1", "other")
MUTANTS = [
    (MODULO, decides_rightly),
    (("if (drawn < keep)", "if (drawn <= keep)"), decides_rightly),
    (DOUBLED, decides_rightly),
    (LIES, decides_rightly),
    (("person, answers}", "person, answers, truths}"), saves_no_truth),
    (("person, answers}", "person, answers: truths}"), saves_no_truth),
    *(
        pytest.param(mutant_case, has_law, marks=pytest.mark.slow)
        for mutant_case in (MODULO, DOUBLED, LIES)
    ),
]


@pytest.mark.slow
@pytest.mark.audit
@pytest.mark.mutant
@pytest.mark.parametrize(("change", "layer"), MUTANTS)
def test_a_wrong_script_is_caught(
    opened: Open,
    mutant: Callable[[str, str], None],
    change: tuple[str, str],
    layer: Callable[[Page, FormDesign], bool],
) -> None:
    """Each known fault of the script is caught by the check that is meant for it.

    ``change`` is a text of the script and its faulty replacement; ``layer`` is the check that
    must fail then. Without it, the checks above might pass whatever the script does.
    """
    mutant(*change)
    assert not layer(opened(EXACT), EXACT)


PEOPLE = 20_000
GROUP = 100


@pytest.mark.slow
@pytest.mark.audit
def test_intervals_of_20_000_simulated_people_hold(opened: Open, report: Report) -> None:
    """The 95 % intervals of estimated shares hold as often as they promise.

    200 surveys of 100 people with five questions give 1,000 independent intervals. The number
    of those that hold is at least the 1e-6 quantile of the binomial law with .95. For all
    20,000 people together, each estimate is within three widths of its interval.
    """
    of = make_design(5, sizes=(2, 2, 2, 3, 5))
    # In every hundred, 3 to 97 people have the second answer (1), and all others the first.
    truths = np.stack(
        [np.arange(PEOPLE) % 100 < share for share in (3, 20, 50, 80, 97)], axis=1
    ).astype(int)
    records = sample_answers(opened(of), truths.tolist())
    lines = "\n".join(map(json.dumps, records)).encode()
    everybody = read_collected([("all.jsonl", lines)], of)
    assert everybody.people == PEOPLE

    held_count = tried = 0
    for start in range(0, PEOPLE, GROUP):
        shares = debiased_shares(Collected(of, everybody.codes[start : start + GROUP]))
        for number, share_pair in enumerate(shares):
            true = truths[start : start + GROUP, number].mean()
            held_count += share_pair[1].low <= true <= share_pair[1].high
            tried += 1
    fewest = int(stats.binom.ppf(ALPHA, tried, 0.95))
    assert held_count >= fewest

    for number, share_pair in enumerate(debiased_shares(everybody)):
        true = truths[:, number].mean()
        estimate = share_pair[1]
        assert abs(estimate.share - true) <= 3 * (estimate.high - estimate.low)
    report(
        f"collect: {held_count} of {tried} intervals held among {PEOPLE:,} people; at least "
        f"{fewest}"
    )
