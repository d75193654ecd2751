"""Pages drawn on another kind of processor are the same; other pages are not."""

import pytest

from synth.verification.pages import same_page


def page_text(share: str = "0.25", words: str = "as drawn", width: str = "12.5") -> str:
    """A page of two lines: some words and a share, then a whole number and a decimal."""
    return f'<p>{words}: {share}</p>\n{{"rows":3,"w":{width}}}\n'


@pytest.mark.parametrize(
    "changed_page",
    [
        page_text(share="0.25000000000000006"),
        page_text(share="2.5000000000000001e-1"),
        page_text(width="12.500000000000002"),
    ],
    ids=["last bit", "exponent", "number"],
)
def test_last_bits_make_no_other_page(changed_page: str) -> None:
    """Two machines may differ in the last bits of a number in a page, which is no forgery."""
    assert page_text() != changed_page
    assert same_page(page_text(), changed_page)


@pytest.mark.parametrize(
    "changed_page",
    [
        page_text(share="0.2501"),
        page_text(share="none"),
        page_text(share="\0"),
        page_text(share="0.25 0.25"),
        page_text(words="as told"),
        page_text(width="12.6"),
        page_text().replace("3", "4"),
        page_text() + "<p>more</p>\n",
    ],
    ids=[
        "value",
        "no number",
        "the mark",
        "two numbers",
        "words",
        "number",
        "whole number",
        "line",
    ],
)
def test_what_says_something_else_is_another_page(changed_page: str) -> None:
    """A page with another word, line, whole number or count of decimals is another page.

    A decimal counts as another if it differs by more than its last bits.
    """
    assert not same_page(page_text(), changed_page)
