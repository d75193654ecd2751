"""The glossary: whole sentences, in order, and every word that the screens need."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from synth.util import GLOSSARY, explain_word

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "pages"
PAGE_OF_ERRORS = ROOT / "docs" / "explanation" / "worth.md"
ANSWER_SOURCES = (ROOT / "synth" / "cli" / "ask.py", ROOT / "synth" / "cli" / "answers.py")
WORDS = (
    "cell universe epsilon delta one-shot k-marginal clique neighbours budget ledger domain "
    "rho"
).split()


@pytest.mark.parametrize("word", [*WORDS, "total variation", "off by"])
def test_the_words_of_the_field_are_there(word: str) -> None:
    assert explain_word(word).startswith(f"**{word.capitalize()}**: ")


def test_entries_are_whole_sentences_in_order() -> None:
    """The glossary is sorted, its words are in small letters, and it explains in whole
    sentences.
    """
    assert all(word < next_word for word, next_word in pairwise(GLOSSARY))
    for word, says in GLOSSARY.items():
        assert word == word.lower()
        assert says.endswith(".")
        assert says[0].isupper()


def test_every_word_behind_a_help_icon_is_in_the_glossary() -> None:
    """Every word that a page of the app asks the glossary for is in it.

    The pages' source is searched for such calls; at least 5 words show that the search works.
    """
    texts = [path.read_text(encoding="utf-8") for path in PAGES.rglob("*.py")]
    explained_words = {
        word for text in texts for word in re.findall(r'explain_word\("([^"]+)"\)', text)
    }
    assert len(explained_words) >= 5
    assert explained_words <= set(GLOSSARY)


def test_three_kinds_of_error_are_told_apart() -> None:
    """The glossary defines the three words for errors, and the page that explains them has
    each of them in its table.
    """
    kinds = ("expected error", "error bar", "average error")
    page = PAGE_OF_ERRORS.read_text(encoding="utf-8")
    for kind in kinds:
        assert f"| {kind} | how far" in page
        assert GLOSSARY[kind].startswith("How far")


def test_an_expected_error_is_one_of_columns_or_of_pairs() -> None:
    """The questions' words, on the page and on the command line, name no expected error."""
    sources = [*(PAGES / "ui" / "ask").glob("*.py"), *ANSWER_SOURCES]
    assert len(sources) > 5
    for path in sources:
        assert "expected error" not in path.read_text(encoding="utf-8").lower(), path
