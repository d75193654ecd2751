"""Reports drawn on another kind of processor are the same; other reports are not."""

import base64
import json

import numpy as np
import pytest

from synth.verification.pages import same_page


def page_text(values: list[float], words: str = "as drawn", width: str = "12.5") -> str:
    """A report of two lines: some words, then an array of a chart and a decimal."""
    data = json.dumps(base64.b64encode(np.array(values, "<f8").tobytes()).decode())
    return f'<p>{words}</p>\n{{"y":{{"dtype":"f8","bdata":{data}}},"w":{width}}}\n'


DRAWN = [0.25, 1 / 3, 0.0]


@pytest.mark.parametrize(
    "changed_page",
    [
        page_text([0.25, np.nextafter(1 / 3, 1), 0.0]),
        page_text([0.25, 1 / 3, 1e-17]),
        page_text(DRAWN, width="12.500000000000002"),
    ],
    ids=["an array", "nothing at all", "a number"],
)
def test_last_bits_make_no_other_page(changed_page: str) -> None:
    """Two machines may differ in the last bits of a number in a report, which is no
    forgery.
    """
    assert page_text(DRAWN) != changed_page
    assert same_page(page_text(DRAWN), changed_page)


@pytest.mark.parametrize(
    "changed_page",
    [
        page_text([0.25, 0.3334, 0.0]),
        page_text([0.25, np.nan, 0.0]),
        page_text([0.25, 1 / 3]),
        page_text(DRAWN, words="as told"),
        page_text(DRAWN, width="12.6"),
        page_text(DRAWN) + "<p>more</p>\n",
        page_text(DRAWN).replace('"bdata":"', '"bdata":"!'),
    ],
    ids=["value", "no number", "length", "words", "number", "line", "no base64"],
)
def test_what_says_something_else_is_another_page(changed_page: str) -> None:
    """A report with another word, line or number, or with damaged chart data, is another
    report.

    A number counts as another if it differs by more than its last bits.
    """
    assert not same_page(page_text(DRAWN), changed_page)
