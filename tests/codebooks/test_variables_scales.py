"""Labels annotate: labelled points make no list, and missing codes stay in their column."""

import pytest

from synth.domain.codebooks.variables import Variable, as_schema


@pytest.mark.parametrize(
    "labels",
    [
        {"1": "not at all", "10": "very much"},
        {"0": "worst", "10": "best"},
        {"1": "never", "4": "sometimes", "7": "always"},
        {"1": "agree", "7": "disagree"},  # 7 may mean a missing answer, but not alone
    ],
)
def test_labelled_points_of_a_scale_are_no_list(labels: dict[str, str]) -> None:
    """Answers between the labelled ones would all be lost; so the column is to decide."""
    document, notes = as_schema([Variable(name="scale", codes=labels)])
    (field,) = document["fields"]
    assert "constraints" not in field
    assert all(f"{code} = {label}" in field["description"] for code, label in labels.items())
    assert "may have more values: give its bounds, or list its values" in notes[0]


@pytest.mark.parametrize(
    "labels",
    [
        {"1": "yes", "2": "no"},
        {"1": "yes", "2": "no", "9": "refused"},
        {"0": "no", "1": "yes", "98": "unknown", "99": "refused"},
        {"a": "north", "b": "south"},
        {"110": "farmer", "210": "nurse", "310": "clerk"},  # codes of a classification
        {str(number): f"region {number}" for number in range(1, 20, 3)},
    ],
)
def test_other_labelled_codes_are_a_list(labels: dict[str, str]) -> None:
    document, notes = as_schema([Variable(name="answer", codes=labels)])
    (field,) = document["fields"]
    assert field["constraints"]["enum"] == list(labels)
    assert notes == []


def test_an_ordered_list_is_closed_as_its_code_book_says() -> None:
    codes = {"1": "low", "5": "middle", "9": "high"}
    document, _ = as_schema([Variable(name="level", codes=codes, ordered=True)])
    assert document["fields"][0]["constraints"]["enum"] == ["1", "5", "9"]


def test_a_missing_code_that_an_open_column_may_have_stays_in_its_own() -> None:
    """Hours may be 8 or 9, as the code book does not say their range; -8 is no number of any.

    Were 8 and 9 missing in every column, all answers of eight or nine hours would vanish.
    """
    education = Variable(
        name="edu",
        codes={"1": "low", "2": "high"},
        missing={"8": "refused", "9": "unknown", "-8": "not asked"},
    )
    document, notes = as_schema([education, Variable(name="hours", kind="number")])
    assert document["missingValues"] == ["", "-8"]
    assert document["fields"][0]["constraints"]["enum"] == ["1", "2", "8", "9"]
    assert "in this column it gets its own cell" in notes[0]


def test_missing_codes_of_an_open_column_stand_in_its_description() -> None:
    """A column without a range has no cells yet that they could have."""
    income = Variable(name="income", kind="number", missing={"99": "refused"})
    document, _ = as_schema([income, Variable(name="hours", kind="number")])
    assert document["missingValues"] == [""]
    assert document["fields"][0] == {
        "name": "income",
        "type": "number",
        "description": "99 = refused",
    }
