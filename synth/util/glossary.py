"""The words of the field, each explained in one or two plain sentences. PUBLIC.

They appear in help icons and on the page Learn.

>>> explain_word("unit")
'**Unit**: Whose data the guarantee protects: one row, or all rows of one person.'
>>> explain_word("no such word")
Traceback (most recent call last):
KeyError: 'no such word'
"""

import tomllib
from pathlib import Path

GLOSSARY: dict[str, str] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)


def explain_word(word: str) -> str:
    """Return a word in bold Markdown, followed by its explanation from the glossary.

    Raises:
        KeyError: The glossary does not have it.
    """
    return f"**{word.capitalize()}**: {GLOSSARY[word]}"
