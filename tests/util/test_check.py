"""The one reader of JSON: what the standard does not have is refused in one sentence."""

from pathlib import Path

import pytest

import synth
from synth.errors import ArgumentError
from synth.util import read_json


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"a": {"b": 1, "c": 2, "b": 1}}', "says 'b' twice; leave one"),
        ("[NaN]", "holds NaN, which is no number of JSON"),
        ("[-Infinity]", "holds -Infinity, which is no number of JSON"),
        ("[1e999]", "holds a number beyond all bounds"),
        (b"\xff", "is not UTF-8 text"),
        ("[\n1,,]", "is not valid JSON at line 2"),
        ("9" * 5_000, "is not valid JSON"),
        ("[" * 40 + "]" * 40, "is nested too deeply"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_what_is_no_json_is_one_sentence(text: str | bytes, sentence: str) -> None:
    """Text that standard JSON does not allow, or that is nested too deeply, is one sentence.

    "It" is the name that the caller gives to the text.
    """
    with pytest.raises(ArgumentError, match=rf"^It {sentence}\.$"):
        read_json(text, "It")


def test_numbers_may_stay_text() -> None:
    """With exact=True numbers with a point stay text, so that 0.10 keeps its digits.

    The first three bytes are a byte order mark, which is skipped.
    """
    text = b'\xef\xbb\xbf{"a": [0.10, 7, null]}'
    assert read_json(text, "It", exact=True) == {"a": ["0.10", 7, None]}
    assert read_json(text, "It") == {"a": [0.1, 7, None]}


def test_nobody_else_reads_json() -> None:
    """No other module of the package or the app calls json.load or json.loads.

    Then every file goes through the checks of the one reader.
    """
    package = Path(synth.__file__).parent
    pages = package.parent / "pages"
    sources = [*package.rglob("*.py"), *pages.rglob("*.py")]
    readers = {
        path.relative_to(package.parent)
        for path in sources
        if "json.load" in path.read_text("utf-8")
    }
    assert readers == {Path("synth/util/check.py")}
