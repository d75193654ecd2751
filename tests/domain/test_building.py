"""Domains declared in code are those that a file declares."""

from datetime import date
from typing import Any

import pytest

import synth
from synth.domain import Domain, Outside, listed, numbers, read_schema, write_schema
from synth.errors import DomainError


def test_columns_by_name_are_those_by_class() -> None:
    """A domain declared by keywords, in a mapping, or of column objects is the same domain.

    It also survives being written as a schema and read.
    """
    age = numbers.Integer(name="age", minimum=18, maximum=97, bins=16, missing=True)
    sex = listed.Categorical(name="sex", categories=("f", "m"))
    built = synth.Domain(age=synth.Integer(18, 97, bins=16, missing=True), sex=["f", "m"])
    assert built == Domain((age, sex)) == synth.Domain({"age": age, "sex": ("f", "m")})
    assert read_schema(write_schema(built)) == built


def test_every_kind_can_be_said() -> None:
    """Every kind of column can be declared in code, and survives a schema.

    Cells are 2 bins, 12 months of 2024, 2 labelled codes, no and yes, and 3 listed numbers.
    """
    domain = synth.Domain(
        share=synth.Number(0, 0.1, bins=2, decimals=3, outside="drop"),
        visit=synth.Date(date(2024, 1, 1), "2024-12-31", period="month"),
        school=synth.Categorical({"1": "none", "2": "some"}, ordered=True),
        smoker=bool,
        wave=[1, 2, 3],
    )
    assert domain.shape == (2, 12, 2, 2, 3)
    assert domain["share"].outside is Outside.DROP
    assert domain["share"].labels == ("0 to 0.05", "0.05 to 0.1")
    assert domain["school"].meanings["2"] == "some"
    assert read_schema(write_schema(domain)) == domain


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (7, "Column 'a' is declared as a int; expected Integer, Number, Date, TimeOfDay"),
        ("f", "Column 'a' is declared as a str; expected Integer"),
        ([1.5], "Column 'a' is declared as a list; expected Integer"),
        ([], "Column 'a' lists no categories."),
        (synth.Integer(9, 1), "Column 'a': minimum 9 is above maximum 1."),
        (
            listed.Categorical(name="b", categories=("x",)),
            "Column 'a' is declared as the column 'b'.",
        ),
    ],
)
def test_what_declares_no_column_is_refused(column: object, sentence: str) -> None:
    """A value that declares no column is refused by a sentence that names what it is."""
    with pytest.raises(DomainError) as error:
        Domain({"a": column})  # type: ignore[dict-item]
    assert str(error.value).startswith(sentence)


def test_words_that_are_none_are_refused() -> None:
    """A wrong rule or period is refused with the right ones, and a taken name with the way
    out.

    A column called "origin" would be an option of `Domain`, so that it has to be given in a
    mapping.
    """
    with pytest.raises(
        DomainError, match=r"^There is no rule 'away' for values outside; choose"
    ):
        synth.Integer(0, 9, outside="away")
    with pytest.raises(DomainError, match=r"^There is no period 'moon'; choose one of day"):
        synth.Date("2024-01-01", "2024-12-31", period="moon")

    with pytest.raises(DomainError, match=r"^A column called 'origin' is given in a mapping"):
        Domain(origin=["a", "b"])  # type: ignore[arg-type]
    assert Domain({"origin": ["a", "b"]}).names == ("origin",)


def test_files_are_read_with_what_they_do_not_say() -> None:
    """What another program's declaration lacks, such as bounds, can be given by keywords.

    Without them the column is refused, and so is a declaration of another format than the one
    asked for.
    """
    columns = {"age": {"sdtype": "numerical", "computer_representation": "Int64"}}
    with pytest.raises(DomainError, match=r"^Column 'age'"):
        synth.Domain.from_sdv({"columns": columns})
    domain = synth.Domain.from_sdv({"columns": columns}, age=synth.Integer(0, 9, bins=2))
    assert domain == synth.Domain(age=synth.Integer(0, 9, bins=2))
    with pytest.raises(
        DomainError, match=r"^Expected the format nist, but this is of the format"
    ):
        synth.Domain.from_nist({"columns": columns})


@pytest.mark.parametrize(
    ("pair", "ways"),
    [
        ((18, 90), ("Integer(18, 90, ...)", "[18, 90]")),
        (("18", "90"), ("Integer('18', '90', ...)", "['18', '90']")),
        ((0, 1), ("Integer(0, 1, ...)", "[0, 1]")),
        ((0.5, 2), ("Number(0.5, 2, ...)", "['0.5', '2']")),
        (
            ("2024-01", "2024-12"),
            ("Date('2024-01', '2024-12', ...)", "['2024-01', '2024-12']"),
        ),
        (
            (date(2024, 1, 1), date(2024, 12, 31)),
            ("Date('2024-01-01', '2024-12-31', ...)", "['2024-01-01', '2024-12-31']"),
        ),
    ],
)
def test_a_pair_that_may_be_a_range_is_refused_with_both_spellings(
    pair: tuple[Any, ...], ways: tuple[str, str]
) -> None:
    """A pair of numbers or dates may mean a range or two categories, so that it is refused.

    The message spells out both ways to write it (``ways``), for a new domain and for columns
    that are added to a schema.
    """
    for declare in (
        synth.Domain,
        lambda columns: Domain.from_schema({"fields": []}, **columns),
    ):
        with pytest.raises(DomainError, match="Column 'a' is declared as the pair") as caught:
            declare({"a": pair})
        assert all(f"{way} for" in str(caught.value) for way in ways)


def test_both_spellings_of_a_pair_are_taken() -> None:
    """A range by its class, and two categories as a list or by class, are clear and taken.

    Pairs of texts that are no numbers, and tuples of other lengths, are clear too. From 18 to
    90 there are 73 values.
    """
    assert synth.Domain(a=synth.Integer("18", "90", bins=73)).shape == (73,)
    lists = synth.Domain(a=[18, 90], b=["18", "90"], c=("f", "m"), d=(1, 2, 3))
    assert lists.shape == (2, 2, 2, 3)
    assert synth.Domain(a=synth.Categorical((0, 1))).shape == (2,)


@pytest.mark.parametrize(
    "options",
    [{"min": 18, "max": 90}, {"type": "integer"}, {"minimum": "18", "maximum": "90"}],
)
def test_options_of_a_range_are_no_codes(options: dict[str, Any]) -> None:
    """A mapping with the words of a range, such as min and max, is not taken for labelled
    codes.
    """
    with pytest.raises(DomainError, match=r"for a range write synth\.Integer"):
        synth.Domain({"a": options})


@pytest.mark.parametrize("declaration", [5, ["age", "sex"], "age", object()])
def test_a_domain_of_something_else_is_one_sentence(declaration: Any) -> None:
    """A domain of a number, a list or the like is refused by a sentence with an example.

    `from_schema` takes texts as paths, so that only the others are refused there.
    """
    with pytest.raises(DomainError, match="columns by name, such as Domain"):
        synth.Domain(declaration)
    if not isinstance(declaration, str):
        with pytest.raises(DomainError, match="A declaration is the path of a file"):
            synth.Domain.from_schema(declaration)
