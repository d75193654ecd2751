"""Derived columns: declared in code and in a schema, in no cell, and refused by one
sentence.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synth.domain import Derived, Domain, read_lookup, read_schema, write_schema
from synth.domain.building import Integer
from synth.errors import DomainError, SynthError
from synth.plans import Plan

# Two columns with cells, and two that follow from them: by a formula, and by a lookup table.
DOMAIN = Domain(
    age=Integer(18, 97, bins=8),
    age_group=Derived(formula="bins(age, 30, 65)", description="by age"),
    code=["1010", "2010"],
    region=Derived(lookup="code", table={"1010": "Vienna"}, default="else"),
)


def test_it_takes_no_cell_and_stands_at_its_place() -> None:
    """A derived column has no cells in the domain, and is written at its declared place.

    Age has 8 bins and code 2 categories. Age_group follows from age and has 3 groups; region
    is looked up by code and is Vienna or else. For exports, both have one more for missing
    values: 4 and 3.
    """
    assert (DOMAIN.shape, DOMAIN.names) == ((8, 2), ("age", "code"))
    assert DOMAIN.written == ("age", "age_group", "code", "region")
    assert [column.size for column in DOMAIN.written_columns] == [8, 4, 2, 3]


def test_a_schema_gives_it_back() -> None:
    """Derived columns survive a schema: their rules, places and descriptions."""
    again = read_schema(write_schema(DOMAIN))
    assert again == DOMAIN
    assert again.written == DOMAIN.written
    assert again.derived[0].description == "by age"


def test_it_costs_nothing_and_changes_no_request() -> None:
    """A plan with derived columns asks the private data for the same as one without."""
    with_derived_columns = Plan(domain=DOMAIN, epsilon=Fraction(1))
    without = Plan(domain=Domain(DOMAIN.columns), epsilon=Fraction(1))

    assert with_derived_columns.request == without.request
    assert Plan.from_json(with_derived_columns.to_json()) == with_derived_columns


def test_a_part_of_the_columns_keeps_those_that_still_follow() -> None:
    """A part of a domain keeps a derived column only along with its source.

    Age_group follows from age. A part that names it without age is refused; one of age alone
    has no derived column.
    """
    assert DOMAIN.project(["age_group", "age"]).written == ("age_group", "age")
    assert DOMAIN.project(["age"]).derived == ()
    with pytest.raises(
        DomainError, match="'age_group' follows from 'age', which does not take"
    ):
        DOMAIN.project(["code", "age_group"])


def test_questions_and_groups_about_it_are_refused_by_a_sentence() -> None:
    """A derived column is refused where cells are asked for; the message names its source."""
    sentence = r"Column 'age_group' is derived and has no cells; name its sources: 'age'\."
    with pytest.raises(DomainError, match=sentence):
        DOMAIN["age_group"]


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (
            {"a": Derived(formula="b + 1"), "b": Derived(formula="a + 1")},
            "in a circle: 'a' and 'b'.",
        ),
        ({"a": Derived(formula="a + 1")}, "in a circle: 'a'."),
        (
            {"a": Derived(formula="wage")},
            "Column 'a' follows from 'wage', which does not take part.",
        ),
        ({"age": Derived(formula="1 + 1")}, "The domain declares the column 'age' twice."),
        ({" ": Derived(formula="age")}, "A column has no name."),
        (
            {"n" * 20_000: Derived(formula="age")},
            "The name of a column has 20,000 characters",
        ),
        (
            {"a": Derived(formula="age +")},
            "Column 'a': The formula cannot be read at its end",
        ),
        (
            {"a": Derived(lookup="age", table={"1": "x"})},
            "lacks 80 of the values that 'age' may",
        ),
        (
            {"a": Derived(formula="if(age > 20, ' x', 'y')")},
            "'a' lists a category that is empty or padded",
        ),
        ({"a": Derived(lookup="age", table={"1": "x"}, missing=True)}, "Column 'a' "),
    ],
)
def test_a_derived_column_that_cannot_be_is_refused(
    rules: dict[str, Derived], sentence: str
) -> None:
    """Circles, unknown sources, taken names and incomplete tables are refused by a sentence.

    ``rules`` are added to a column "age" of 80 values, 18 to 97.
    """
    derived_columns = [
        Derived(**{**vars(rule), "name": name}) for name, rule in rules.items()
    ]
    with pytest.raises(DomainError) as refused:
        Domain((Integer(18, 97).build("age"),), derived=derived_columns)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({}, "takes a formula, or the column of a lookup table"),
        (
            {"formula": "age", "lookup": "age"},
            "takes a formula, or the column of a lookup table",
        ),
        ({"lookup": "age"}, "has an empty lookup table"),
        ({"lookup": "age", "table": {"18": 1}}, "must be an object of texts"),
        ({"formula": 7}, "must be texts"),
        (
            {"formula": "age", "missing": "no"},
            "'missing' and 'taken' in 'synth:derived' must be true or false",
        ),
        ({"eval": "age"}, "must be an object with a 'formula', or a 'lookup' and a 'table'"),
        ("age", "must be an object"),
    ],
)
def test_schemas_that_are_refused(rule: Any, sentence: str) -> None:
    """A wrong rule under "synth:derived" in a schema is refused by a sentence on what is
    expected.
    """
    age = write_schema(DOMAIN)["fields"][0]  # type: ignore[index]
    with pytest.raises(DomainError) as refused:
        read_schema({"fields": [age, {"name": "new", "synth:derived": rule}]})
    assert sentence in str(refused.value)


def test_lookup_tables_are_read_from_files(tmp_path: Path) -> None:
    """A lookup table is read from a CSV file with a header, or from JSON; empty lines count
    for nothing.
    """
    path = tmp_path / "regions.csv"
    path.write_text('code,region\n1010,"Vienna, inner"\n\n2010,Lower\n', encoding="utf-8")
    derived = Derived(lookup="code", table=path)  # type: ignore[arg-type]
    assert dict(derived.table) == {"1010": "Vienna, inner", "2010": "Lower"}
    assert read_lookup("m.json", b'{"a": "b"}') == {"a": "b"}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a,b\n1,2,3\n", "has not two columns in line 2"),
        (b"a,b\n1,2\n1,3\n", "lists a value twice"),
        (b'{"a": 1}', "must have a text for each value"),
        (b"a,b\n", "must have a text for each value, and at least one"),
        (b"\xff\xfe", "is no CSV file of two columns and no JSON object"),
        (b"{", "is not valid JSON at line 1"),
    ],
)
def test_lookup_tables_that_are_refused(content: bytes, sentence: str) -> None:
    """A file that is no list of two columns, or lists a value twice, is refused by a
    sentence.
    """
    with pytest.raises(SynthError, match=sentence):
        read_lookup("list.csv", content)
