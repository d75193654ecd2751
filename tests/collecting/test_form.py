"""The page as a text: whole, closed to everything but its own script, and read back."""

import base64
import hashlib
import html
import re
from fractions import Fraction
from html.parser import HTMLParser

import pytest

from synth.collecting import FormDesign, design_text, form_html, read_design
from synth.collecting.design import ClosedQuestion
from synth.errors import CollectError
from tests.collecting.forms import make_design

HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!-- {{script}} ' & &amp; ${1} --> ]]> \\u003c/script>",
    "${alert(1)} `x` \u2028 javascript:alert(1)",
)
FORM = FormDesign(
    tuple(ClosedQuestion(text, (text, f"{text}!")) for text in HOSTILE),
    Fraction(4),
    HOSTILE[0],
)


class Tags(HTMLParser):
    """Counts what a browser would make of the page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


def test_hostile_texts_add_no_tags() -> None:
    """Questions that hold HTML and scripts add no tag and no attribute to the page of a form.

    The page is compared with that of four harmless questions. No attribute begins with "on",
    which would run a script; the texts themselves are shown as texts.
    """
    plain = make_design(4, sizes=(2,) * len(HOSTILE))
    hostile_tags = Tags(form_html(FORM))
    plain_tags = Tags(form_html(plain))

    assert hostile_tags.tags == plain_tags.tags
    assert hostile_tags.attributes == plain_tags.attributes
    assert not {name for name in hostile_tags.attributes if name.startswith("on")}

    for question in FORM.questions:
        assert f"<legend>{html.escape(question.text)}</legend>" in form_html(FORM)


def test_only_its_own_script_and_style_may_run() -> None:
    """The policy of the page lets a browser run its own script and style only, and send
    nothing.

    The policy names both by their SHA-256 digests. The page itself has no address of a
    server, stores nothing and draws no numbers by `Math.random`.
    """
    page = form_html(FORM)
    policy = re.search('Content-Security-Policy" content="([^"]*)"', page)[1]  # type: ignore[index]

    for tag in ("script", "style"):
        inside = re.search(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[1]  # type: ignore[index]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}';" in policy

    assert policy.startswith("default-src 'none';")
    assert "form-action 'none'" in policy

    assert not re.search(
        "https?:|//[a-z]|url\\(|import|fetch|Storage|cookie|Math.random", page
    )


def test_the_design_is_read_back_from_both_files() -> None:
    """The page and the design file of a form give back its design, and the page states its
    loss.

    The same form always gives the same page.
    """
    for form in (FORM, make_design(Fraction(1, 3))):
        assert read_design(form_html(form).encode(), "form.html") == form
        assert read_design(design_text(form).encode(), "design.json") == form

    assert form_html(FORM) == form_html(FORM)
    assert str(FORM.loss) in form_html(FORM)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"<html>", "'a.html' is neither a form nor the design of one."),
        (b"\xff\x00", "'a.html' is neither a form nor the design of one."),
        (b"[]", "'a.html': The design of the form is not whole."),
        (
            form_html(make_design(1)).replace('"keep": "', '"keep": "1').encode(),
            "'a.html': The design of the form was changed since it was made",
        ),
        (
            form_html(make_design(1)).replace('"epsilon": "1"', '"epsilon": "1000"').encode(),
            "'a.html': epsilon must be between 0.0001 and 100, but it is 1000.",
        ),
    ],
)
def test_what_is_no_form(content: bytes, says: str) -> None:
    """A file that is no form, or a form that was changed, is refused in a sentence that names
    it.

    The changes are another weight of the true answer ("keep") and an epsilon of 1,000.
    """
    with pytest.raises(CollectError) as caught:
        read_design(content, "a.html")

    assert str(caught.value).startswith(says)


def test_a_file_that_is_too_large() -> None:
    with pytest.raises(CollectError, match="is larger than 8 MB, and no form"):
        read_design(b" " * (8 * 2**20 + 1), "a.html")
