"""Spellings of a missing value that count in one column, read and written."""

import pandas as pd
import pytest

import synth
from synth.domain import Domain, read_schema, write_schema
from synth.errors import DomainError
from synth.util import Document, Json


def schema_of(missing: Json, kind: str = "integer") -> Document:
    """A table of hours, with its own spellings, and of ages."""
    bounds: Json = {"minimum": 0, "maximum": 99, "required": False}
    hours: Json = {
        "name": "hours",
        "type": kind,
        "constraints": bounds,
        "missingValues": missing,
    }
    age: Json = {"name": "age", "type": kind, "constraints": bounds}
    return {"fields": [hours, age], "missingValues": ["NA"]}


@pytest.mark.parametrize("kind", ["integer", "number"])
def test_a_field_has_its_own_missing_values(kind: str) -> None:
    """A field's own missing values replace those of the schema, and come back with their
    labels.
    """
    entries: Json = ["", {"value": "98", "label": "refused"}, "-9"]
    domain = read_schema(schema_of(entries, kind))
    hours, age = domain.columns
    assert domain.spellings_of_missing(hours) == ("", "98", "-9")
    assert domain.spellings_of_missing(age) == ("NA",)
    assert domain.markers == ("", "NA")
    assert hours.missing_meanings == {"98": "refused"}

    written = write_schema(domain)
    fields = written["fields"]
    assert isinstance(fields, list)
    assert isinstance(fields[0], dict)
    assert fields[0]["missingValues"] == entries
    assert read_schema(written) == domain


def test_a_field_may_have_no_missing_values_at_all() -> None:
    assert read_schema(schema_of([]))["hours"].missing_values == ()


@pytest.mark.parametrize("entries", ["98", [98], [None], {"value": "98"}])
def test_other_forms_are_refused_in_a_sentence(entries: Json) -> None:
    with pytest.raises(DomainError, match="'missingValues' must be a list of texts"):
        read_schema(schema_of(entries))


def test_python_declares_them_with_the_column() -> None:
    """A list of texts, or texts with their labels; the empty cell counts too."""
    domain = Domain(
        hours=synth.Integer(0, 99, missing=["98"]),
        sex=synth.Categorical(["f", "m"], missing={"9": "refused"}),
    )
    assert domain["hours"].missing_values == ("", "98")
    assert domain["sex"].missing_meanings == {"9": "refused"}
    assert domain["sex"].cells == ("f", "m", "(missing)")
    with pytest.raises(DomainError, match="as a list of texts"):
        Domain(hours=synth.Integer(0, 99, missing="98"))


def test_codes_with_a_cell_say_why_a_value_is_missing() -> None:
    """Within the bounds a spike is no reason: there the code is a missing value as others."""
    kinds = {"98": "refused", "none": "not asked", "40": "away"}
    hours = synth.Integer(0, 80, bins=8, spikes=[98, 40], signs=["none"], missing=kinds)
    domain = Domain(hours=hours)
    assert domain["hours"].reasons == ("98", "none")
    assert domain["hours"].titles[-3:] == ("98 · refused", "none · not asked", "(missing)")

    frame = pd.DataFrame({"hours": ["98", "none", "40", "", "7"] * 40})
    answers = synth.ask(
        frame,
        domain,
        [
            "count where hours is missing",
            "count where hours = 98",
            "count where hours = none",
        ],
        epsilon=90,
    )
    assert [round(float(answer.value.ravel()[0]), -1) for answer in answers] == [160, 40, 40]


def test_labels_alone_do_not_change_what_is_counted() -> None:
    """Ledger and stored parts compare domains without words."""
    labelled = Domain(sex=synth.Categorical(["f", "m"], missing={"9": "refused"}))
    plain = Domain(sex=synth.Categorical(["f", "m"], missing=["9"]))
    other = Domain(sex=synth.Categorical(["f", "m"], missing=["8"]))
    assert labelled.without_words() == plain.without_words()
    assert plain != other


def test_labels_beside_numbers_come_back() -> None:
    """A scale labelled at its ends stays a number, with its labels."""
    bounds: Json = {"minimum": 1, "maximum": 10, "required": True}
    labels: Json = [{"value": "1", "label": "never"}, {"value": "10", "label": "always"}]
    scale: Json = {
        "name": "scale",
        "type": "integer",
        "constraints": bounds,
        "synth:labels": labels,
    }
    domain = read_schema({"fields": [scale]})
    assert domain["scale"].meanings == {"1": "never", "10": "always"}
    fields = write_schema(domain)["fields"]
    assert isinstance(fields, list)
    assert isinstance(fields[0], dict)
    assert fields[0]["synth:labels"] == labels
