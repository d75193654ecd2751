"""Conditions for rows that are drawn once more."""

from typing import Any

import pytest

from synth.analysis import read_where
from synth.domain import Domain
from synth.errors import QuestionError

DOMAIN = Domain(sex=["f", "m"])


@pytest.mark.parametrize("text", [None, 7, 0, False, b"sex = f"])
def test_a_condition_that_is_no_text_is_refused_in_one_sentence(text: Any) -> None:
    """A condition that is a number, nothing or bytes is refused, and the message shows a
    right one.
    """
    with pytest.raises(QuestionError, match=r"^A condition must be a text, such as \"region"):
        read_where(text, DOMAIN)


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_condition_is_none(text: str) -> None:
    assert read_where(text, DOMAIN) is None
