"""Columns that are unfit by their declaration alone."""

import pytest

from synth.domain import Boolean, Categorical, Column, Date, Integer, find_misfit


def make_list(count: int) -> Categorical:
    """A column of so many categories."""
    return Categorical(name="c", categories=tuple(map(str, range(count))))


@pytest.mark.parametrize(
    "name",
    [
        "id",
        "person_id",
        "customerID",
        "EMAIL",
        "home phone",
        "uuid",
        "SERIALNO",
        "patient_nbr",
    ],
)
def test_keys_are_known_by_their_name(name: str) -> None:
    """A name with a word such as id or email warns of a key, as one of words or in capitals.

    Without a declaration the steward is told to look at the values. A declared number with a
    million values is to be left out.
    """
    assert find_misfit(name, None) == "sounds like a key or contact: look at its values"

    declared = Integer(name=name, minimum=1, maximum=10**6)
    assert find_misfit(name, declared) == "sounds like a key or contact: leave it out"


@pytest.mark.parametrize("name", ["last_name", "Comment", "free text", "homeAddress"])
def test_names_and_notes_are_known_by_their_name(name: str) -> None:
    """A name with a word such as name, address or comment warns of personal or free text."""
    assert find_misfit(name, None) == "sounds like names or free text: look at its values"


@pytest.mark.parametrize(
    "name", ["age", "paid", "identity", "width", "contextual", "ideal", "AGEP"]
)
def test_other_names_are_not(name: str) -> None:
    """A name that only contains such letters within a word, such as paid or width, warns of
    nothing.
    """
    assert find_misfit(name, None) == ""


@pytest.mark.parametrize(
    "column",
    [
        make_list(5),
        Integer(name="admission_type_id", minimum=1, maximum=8),
        Boolean(name="email"),
        Integer(name="id", minimum=0, maximum=9),
        Date(name="id", minimum="2024-01-01", maximum="2024-12-31"),
    ],
)
def test_a_column_of_few_values_is_no_key_whatever_its_name(column: Column) -> None:
    """A column that can have few values identifies nobody, even if it is called email."""
    assert find_misfit("email", column, rows=1000) == ""


@pytest.mark.parametrize(
    ("values", "rows", "words"),
    [
        (1000, 1000, "lists 1,000 values for 1,000 rows: nearly every row would be alone"),
        (501, 1000, "lists 501 values for 1,000 rows: nearly every row would be alone"),
        (500, 1000, "lists 500 values for 1,000 rows: about 2 rows each, which noise hides"),
        (201, 1000, "lists 201 values for 1,000 rows: about 4 rows each, which noise hides"),
        (200, 1000, ""),
        (999, 0, ""),
    ],
)
def test_more_values_than_rows_can_carry(values: int, rows: int, words: str) -> None:
    """A list of values is too long if fewer than 5 rows are left for each value.

    With fewer than 2 rows for each, nearly every row would be alone. 0 rows means that their
    number is unknown, so that nothing is said.
    """
    assert find_misfit("c", make_list(values), rows=rows) == words


def test_text_without_categories_is_unfit() -> None:
    assert find_misfit("c", None, text=True).startswith(
        "is text without a list of categories"
    )
