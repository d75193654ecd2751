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


def read_texts(paths: list[Path], *, docstrings: bool) -> list[str]:
    """Return docstrings without their examples, or all other texts of three words or more."""
    texts: list[str] = []
    for path in paths:
        tree = tree_of(path)
        docstring_nodes = list(docstrings_in(tree))
        if docstrings:
            texts += [
                re.split(r"\n\s*>>>", str(constant.value))[0] for constant in docstring_nodes
            ]
            continue
        other_constants = (
            n
            for n in ast.walk(tree)
            if is_text(n) and not any(n is constant for constant in docstring_nodes)
        )
        texts += [
            str(constant.value)
            for constant in other_constants
            if len(str(constant.value).split()) >= 3
        ]  # type: ignore[attr-defined]
    return texts


def read_texts_in_data(folder: str) -> list[str]:
    """Return the texts of three words or more in files of data, such as the glossary."""

    def inside(value: object) -> Iterator[str]:
        if isinstance(value, dict | list):
            for part in value.values() if isinstance(value, dict) else value:
                yield from inside(part)
        elif isinstance(value, str) and len(value.split()) >= 3:
            yield value

    paths = sorted((ROOT / folder).rglob("*.toml"))
    return [text for path in paths for text in inside(tomllib.loads(text_of(path)))]


def prose_of(text: str) -> str:
    """Return a document without code and tables."""
    return re.sub(r"^\|.*$", "", re.sub(r"```.*?```", "", text, flags=re.S), flags=re.M)


def count_words(texts: list[str]) -> int:
    return sum(len(re.findall(r"[A-Za-z']+", text)) for text in texts)


def rate_stiff_words(texts: list[str]) -> int:
    """Return stiff words in 10,000."""
    return round(
        10_000 * sum(len(STIFF.findall(text)) for text in texts) / count_words(texts)
    )


def measure_words() -> dict[str, int]:
    documents = [prose_of(text_of(path)) for path in DOCUMENTS]
    docstrings = read_texts([*SYNTH, *PAGES], docstrings=True)
    return {
        "stiff words in 10,000 of documents": rate_stiff_words(documents),
        "stiff words in 10,000 of messages": rate_stiff_words(
            read_texts(SYNTH, docstrings=False) + read_texts_in_data("synth")
        ),
        "stiff words in 10,000 of screens": rate_stiff_words(
            read_texts(PAGES, docstrings=False) + read_texts_in_data("pages")
        ),
        "stiff words in 10,000 of docstrings": rate_stiff_words(docstrings),
    }


def test_words_stay_plain() -> None:
    """Stiff words are no more frequent than the limits allow, in documents, messages, screens
    and docstrings.
    """
    measures = measure_words()
    assert measures.keys() == LIMITS.keys()
    assert {
        measure_name: number
        for measure_name, number in measures.items()
        if number > LIMITS[measure_name]
    } == {}


def test_what_is_measured_is_seen(tmp_path: Path) -> None:
    """The measure tells docstrings from messages, counts words and stiff words, and reads
    texts in files of data, but no code or tables.

    The file has five words in docstrings and three in a message, of which two are stiff.
    """
    path = tmp_path / "one.py"
    path.write_text(
        '"""What is\n\n>>> 1\n"""\n\nSAID = "Whoever is told"\n"""Of two words."""\n'
    )

    docstrings, messages = (
        read_texts([path], docstrings=takes_docstrings) for takes_docstrings in (True, False)
    )

    assert (docstrings, messages) == (["What is", "Of two words."], ["Whoever is told"])
    assert count_words(docstrings) == 5
    assert rate_stiff_words(messages) == round(10_000 * 2 / 3), "whoever and told"
    assert {"glossary", "lessons"} <= {path.stem for path in ROOT.glob("*/**/*.toml")}
    assert min(len(read_texts_in_data(folder)) for folder in ("synth", "pages")) > 20
    assert prose_of("a\n```sh\ntold\n```\n| told |\n").split() == ["a"]
