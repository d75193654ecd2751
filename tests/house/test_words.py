"""Plain words stay: stiff phrases are rare in documents, messages, screens and docstrings.

The list samples a way of writing; a sentence without these words may still be stiff.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.house.rules import PAGES, ROOT, SYNTH, text_of, tree_of

STIFF = re.compile(
    r"\b(whoever|whatever|whom|told|to be had|is "
    r"had|besides?|apart|mend(?:s|ed|ing)?|settled?"
    r"|give or take|alike|of wh(?:ich|om)|for itself|as it is|what "
    r"(?:is|was|it|they|the|came)"
    r"|where (?:it|they|that|this|there)|stands|stood|those (?:that|who)|that of)\b",
    re.I,
)
DOCUMENTS = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]

LIMITS = {
    "stiff words in 10,000 of documents": 8,
    "stiff words in 10,000 of messages": 5,
    "stiff words in 10,000 of screens": 26,
    "stiff words in 10,000 of docstrings": 33,
}
"""One and a half times what was counted when the limits were set."""


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def docstrings_in(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and is_text(node.value):
            yield node.value  # type: ignore[misc]


def texts_of(paths: list[Path], *, docstrings: bool) -> list[str]:
    """Return docstrings without their examples, or all other texts of three words or more."""
    found: list[str] = []
    for path in paths:
        tree = tree_of(path)
        own = list(docstrings_in(tree))
        if docstrings:
            found += [re.split(r"\n\s*>>>", str(one.value))[0] for one in own]
            continue
        others = (
            n for n in ast.walk(tree) if is_text(n) and not any(n is one for one in own)
        )
        found += [str(one.value) for one in others if len(str(one.value).split()) >= 3]  # type: ignore[attr-defined]
    return found


def texts_in_data(folder: str) -> list[str]:
    """Return the texts of three words or more in files of data, such as the glossary."""

    def inside(value: object) -> Iterator[str]:
        if isinstance(value, dict | list):
            for one in value.values() if isinstance(value, dict) else value:
                yield from inside(one)
        elif isinstance(value, str) and len(value.split()) >= 3:
            yield value

    paths = sorted((ROOT / folder).rglob("*.toml"))
    return [text for path in paths for text in inside(tomllib.loads(text_of(path)))]


def prose_of(text: str) -> str:
    """Return a document without code and tables."""
    return re.sub(r"^\|.*$", "", re.sub(r"```.*?```", "", text, flags=re.S), flags=re.M)


def words_in(texts: list[str]) -> int:
    return sum(len(re.findall(r"[A-Za-z']+", text)) for text in texts)


def stiff_in(texts: list[str]) -> int:
    """Return stiff words in 10,000."""
    return round(10_000 * sum(len(STIFF.findall(text)) for text in texts) / words_in(texts))


def measures() -> dict[str, int]:
    documents = [prose_of(text_of(path)) for path in DOCUMENTS]
    written = texts_of([*SYNTH, *PAGES], docstrings=True)
    return {
        "stiff words in 10,000 of documents": stiff_in(documents),
        "stiff words in 10,000 of messages": stiff_in(
            texts_of(SYNTH, docstrings=False) + texts_in_data("synth")
        ),
        "stiff words in 10,000 of screens": stiff_in(
            texts_of(PAGES, docstrings=False) + texts_in_data("pages")
        ),
        "stiff words in 10,000 of docstrings": stiff_in(written),
    }


def test_words_stay_plain() -> None:
    found = measures()
    assert found.keys() == LIMITS.keys()
    assert {what: number for what, number in found.items() if number > LIMITS[what]} == {}


def test_what_is_measured_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(
        '"""What is\n\n>>> 1\n"""\n\nSAID = "Whoever is told"\n"""Of two words."""\n'
    )
    written, said = (texts_of([path], docstrings=one) for one in (True, False))
    assert (written, said) == (["What is", "Of two words."], ["Whoever is told"])
    assert (words_in(written), stiff_in(said)) == (5, 6667)
    assert {"glossary", "lessons"} <= {path.stem for path in ROOT.glob("*/**/*.toml")}
    assert min(len(texts_in_data(folder)) for folder in ("synth", "pages")) > 20
    assert prose_of("a\n```sh\ntold\n```\n| told |\n").split() == ["a"]
