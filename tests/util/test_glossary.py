"""The glossary: whole sentences, in order, and every word that the screens need."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from synth.util import GLOSSARY, explain_word

PAGES = Path(__file__).parents[2] / "pages"
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

    The pages' source is searched for such calls; at least 7 words show that the search works.
    """
    texts = [path.read_text(encoding="utf-8") for path in PAGES.rglob("*.py")]
    explained_words = {
        word for text in texts for word in re.findall(r'explain_word\("([^"]+)"\)', text)
    }
    assert len(explained_words) >= 7
    assert explained_words <= set(GLOSSARY)
