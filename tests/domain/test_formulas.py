"""The language of formulas: what is read how, and what is refused with which sentence."""

import pytest

from synth.domain.formulas import parse_formula
from synth.errors import DomainError


@pytest.mark.parametrize(
    ("text", "does", "names"),
    [
        ("a + b * c", "+", ("a", "b", "c")),
        ("(a + b) * c", "*", ("a", "b", "c")),
        ("-a ^ 2", "negative", ("a",)),
        ("a - b - c", "-", ("a", "b", "c")),
        ("not a = 1 or b < 2", "or", ("a", "b")),
        ("if(\"marital status\" in ('x', 'y'), 1, 0)", "if", ("marital status",)),
        ("Größe / 100", "/", ("Größe",)),
    ],
)
def test_what_is_read(text: str, does: str, names: tuple[str, ...]) -> None:
    found = parse_formula(text)
    assert (found.does, found.names) == (does, names)


def test_the_same_operators_go_from_left_to_right() -> None:
    outer = parse_formula("a - b - c")
    assert (outer.parts[0].does, outer.parts[1].value) == ("-", "c")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (" ", "The formula is empty."),
        ("a b", "cannot be read at 'b' (character 3)"),
        ("__import__('os')", "there is no such function, but there are floor"),
        ("eval(a)", "there is no such function"),
        ("a.b", "cannot be read at '.b'"),
        ("a < b < c", "comparisons are joined by and"),
        ("(a", "at its end: ')' is expected here"),
        ("a +", "at its end: a value or a column is expected here"),
        ("'open", "cannot be read at ''open'"),
        ("round(a, 1, 2)", "The function round takes 1 to 2 values, not 3."),
        ("(" * 50 + "a" + ")" * 50, "nested more than 40 deep"),
        ("a" * 30_000, "30,000 characters; the limit is 20000"),
        ("a; b", "cannot be read at '; b'"),
        ("a = `id`", "cannot be read at '`id`'"),
    ],
)
def test_what_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(DomainError) as refused:
        parse_formula(text)
    assert sentence in str(refused.value)
