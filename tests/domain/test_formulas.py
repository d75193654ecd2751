"""The language of formulas: what is read how, and what is refused with which sentence."""

import copy

import pyarrow as pa
import pytest

from synth.domain import Derived, Domain, read_schema, write_schema
from synth.domain.building import Integer
from synth.domain.formulas import parse_formula
from synth.errors import DomainError
from synth.rows import with_derived


@pytest.mark.parametrize(
    ("text", "operation", "names"),
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
def test_operators_bind_as_usual_and_names_are_found(
    text: str, operation: str, names: tuple[str, ...]
) -> None:
    """Operators bind as in arithmetic, and the columns of a formula are found.

    ``operation`` is the outermost one, which is done last.
    """
    formula = parse_formula(text)
    assert (formula.does, formula.names) == (operation, names)


def test_the_same_operators_go_from_left_to_right() -> None:
    """a - b - c means (a - b) - c: the outer difference takes c from a difference."""
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
        (
            "+".join(["a"] * 101),
            "joins more than 100 parts one after the other; put parentheses",
        ),
        ("+".join(["a"] * 9_000), "joins more than 100 parts one after the other"),
        ("or".join([" a = 1 "] * 500), "joins more than 100 parts one after the other"),
        ("a" * 30_000, "30,000 characters; the limit is 20000"),
        ("a; b", "cannot be read at '; b'"),
        ("a = `id`", "cannot be read at '`id`'"),
    ],
)
def test_a_formula_that_cannot_be_read_is_refused(text: str, sentence: str) -> None:
    """A formula that cannot be read is refused with the place and what is expected there.

    Python code is no formula. Limits keep a long or deep formula from exhausting the reader.
    """
    with pytest.raises(DomainError) as refused:
        parse_formula(text)
    assert sentence in str(refused.value)


def test_a_long_sum_is_used_in_all_ways() -> None:
    """The longest allowed sum can be compared, hashed, copied, computed and written.

    It has 100 terms in a row, or 4 x 90 in parentheses. A row with age 2 gives twice the
    number of terms.
    """
    in_parentheses = " + ".join(["age"] * 90)
    for formula in (" + ".join(["age"] * 100), " + ".join([f"({in_parentheses})"] * 4)):
        domain = Domain(age=Integer(0, 9), total=Derived(formula=formula))
        assert domain == Domain(age=Integer(0, 9), total=Derived(formula=formula))
        assert hash(domain.derived[0].tree)
        assert copy.deepcopy(domain.derived[0].tree) == domain.derived[0].tree
        assert with_derived(domain, pa.table({"age": [2]}))["total"].to_pylist() == [
            2 * formula.count("age")
        ]
        assert read_schema(write_schema(domain)) == domain
