"""ID columns: declared in code and in a schema, in no cell, and refused by one sentence."""

from fractions import Fraction
from typing import Any

import pytest

from synth.domain import Domain, Identifier, read_schema, write_schema
from synth.domain.building import Integer
from synth.errors import DomainError
from synth.plans import Plan

# One column with cells, between two columns of made-up IDs.
DOMAIN = Domain(
    patient=Identifier(pattern="P######", description="made up"),
    sex=["f", "m"],
    visit=Identifier(pattern="number", most=500),
)


def test_it_takes_no_cell_and_stands_at_its_place() -> None:
    """An ID column has no cells in the domain, and is written at its declared place.

    Patient is a pattern of letters and digits, so a text; sex has 2 categories; visit is a
    running number, which may be missing.
    """
    assert (DOMAIN.shape, DOMAIN.names) == ((2,), ("sex",))
    assert DOMAIN.written == ("patient", "sex", "visit")
    assert [column.dtype for column in DOMAIN.written_columns] == ["str", "category", "Int64"]
    assert DOMAIN.project(["visit", "sex"]).written == ("visit", "sex")


def test_a_schema_gives_it_back() -> None:
    """ID columns survive a schema: their patterns, places and descriptions."""
    again = read_schema(write_schema(DOMAIN))
    assert again == DOMAIN
    assert again.identifiers[0].description == "made up"
    assert again.written == DOMAIN.written


def test_it_costs_nothing_and_changes_no_request() -> None:
    """A plan with ID columns asks the private data for the same as one without."""
    with_ids = Plan(domain=DOMAIN, epsilon=Fraction(1))
    without_ids = Plan(domain=Domain(DOMAIN.columns), epsilon=Fraction(1))

    assert with_ids.request == without_ids.request
    assert Plan.from_json(with_ids.to_json()) == with_ids


def test_it_is_refused_where_cells_are_asked_for() -> None:
    with pytest.raises(DomainError, match="Column 'patient' is an ID"):
        DOMAIN["patient"]


@pytest.mark.parametrize(
    ("pattern", "max_rows", "sentence"),
    [
        ("", None, "a pattern is made of # for a digit"),
        ("=1+#", None, "a pattern is made of # for a digit"),
        ("P###\n", None, "a pattern is made of # for a digit"),
        ("P", None, "has no # and no @, so that all IDs would be the same."),
        ("#" * 101, None, "the pattern has 101 signs; the limit is 100."),
        ("P##", 101, "the pattern has 100 values, and 101 rows are declared as the most"),
        ("P##", 0, "the pattern has 100 values, and 0 rows are declared as the most"),
    ],
)
def test_a_bad_pattern_is_refused(pattern: str, max_rows: int | None, sentence: str) -> None:
    """A pattern without a free sign, with other signs, too long or too short is refused.

    "P##" has 100 values, so that it cannot be promised to 101 rows.
    """
    with pytest.raises(DomainError) as refused:
        Domain(key=Identifier(pattern=pattern, most=max_rows), sex=["f", "m"])
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "rule", [7, None, [], {}, {"pattern": "P#", "least": 1}, {"pattern": "P#", "most": True}]
)
def test_a_field_that_declares_none_is_refused(rule: Any) -> None:
    """A schema whose "synth:identifier" is no pattern, or has other keys, is refused."""
    field = {"name": "key", "synth:identifier": rule}
    with pytest.raises(DomainError, match="'synth:identifier' must be a pattern"):
        read_schema({"fields": [field]})


def test_names_and_missing_values_are_kept_apart() -> None:
    """An ID column may not have the name of another column, nor give an ID that means
    missing.

    The pattern "##" can give 99, a declared missing value.
    """
    with pytest.raises(DomainError, match="declares the column 'age' twice"):
        Domain(
            Domain(age=Integer(0, 9)).columns,
            identifiers=[Identifier(pattern="P#", name="age")],
        )
    with pytest.raises(
        DomainError, match="the pattern can produce '99', which means a missing"
    ):
        Domain({"age": Integer(0, 9), "key": Identifier(pattern="##")}, missing_values=["99"])


def test_a_plan_for_more_rows_than_ids_is_refused() -> None:
    """A plan that writes 101 rows with 100 possible IDs is refused; 100 rows are fine."""
    domain = Domain(key=Identifier(pattern="P##"), sex=["f", "m"])
    with pytest.raises(
        DomainError, match="'key' has IDs for 100 rows, and 101 are to be written"
    ):
        Plan(domain=domain, epsilon=Fraction(1), rows=101).check_size()
    Plan(domain=domain, epsilon=Fraction(1), rows=100).check_size()
