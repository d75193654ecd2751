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
    """Labelled codes of a code book that are no scale become the list of categories."""
    document, notes = as_schema([Variable(name="answer", codes=labels)])
    (field,) = document["fields"]
    assert field["constraints"]["enum"] == list(labels)
    assert notes == []


def test_an_ordered_list_is_closed_as_its_code_book_says() -> None:
    codes = {"1": "low", "5": "middle", "9": "high"}
    document, _ = as_schema([Variable(name="level", codes=codes, ordered=True)])
    assert document["fields"][0]["constraints"]["enum"] == ["1", "5", "9"]


def test_labels_of_a_data_file_are_a_list_that_may_lack_values() -> None:
    """Labels annotate some values, so that others get a cell until somebody decides."""
    answer = Variable(name="answer", codes={"1": "yes", "2": "no"}, is_closed=False)
    document, notes = as_schema([answer])
    (field,) = document["fields"]
    assert field["constraints"]["enum"] == ["1", "2"]
    assert (field["synth:open_list"], field["synth:outside"]) == (True, "cell")
    assert "Whether there are others is to decide" in notes[0]


@pytest.mark.parametrize("codes", [{"-80": "not visited"}, {"1": "never", "10": "always"}])
def test_few_labels_of_a_data_file_are_no_list(codes: dict[str, str]) -> None:
    """One label, or those of a scale's ends, would leave out nearly all values."""
    answer = Variable(name="answer", codes=codes, is_closed=False, ordered=True)
    (field,) = as_schema([answer])[0]["fields"]
    assert "constraints" not in field
    assert [entry["value"] for entry in field["synth:labels"]] == list(codes)


@pytest.mark.parametrize("code", ["8", "-8", "refused"])
def test_a_missing_code_stays_in_its_own_column(code: str) -> None:
    """Were 8 missing in every column, all answers of eight hours would vanish."""
    education = Variable(
        name="edu", codes={"1": "low", "2": "high"}, missing={code: "refused", "9": ""}
    )
    hours = Variable(name="hours", kind="number", low="0", high="12")
    document, notes = as_schema([education, hours, Variable(name="income", kind="number")])
    assert document["missingValues"] == [""]
    first = document["fields"][0]
    assert first["missingValues"] == ["", {"value": code, "label": "refused"}, "9"]
    # A code with a label says why a value is missing, and keeps a cell of its own.
    assert first["constraints"]["enum"] == ["1", "2", code]
    assert all("missingValues" not in field for field in document["fields"][1:])
    assert notes == ["Column 'income' needs bounds; the code book does not say them."]


def test_missing_codes_of_an_open_column_stay_with_it() -> None:
    """A column without a range has its codes for missing values already."""
    income = Variable(name="income", kind="number", missing={"99": "refused"})
    document, _ = as_schema([income, Variable(name="hours", kind="number")])
    assert document["fields"][0] == {
        "name": "income",
        "type": "number",
        "missingValues": ["", {"value": "99", "label": "refused"}],
    }
