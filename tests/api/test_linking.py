"""``synth.release_linked``: frames in, frames out."""

from copy import deepcopy
from pathlib import Path
from random import Random

import pandas as pd
import polars
import pytest

import synth
from synth.errors import SynthError
from tests.bundle.bundles import read_bundle
from tests.linked.households import DOCUMENT, files_at_random


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    """Eight homes."""
    tables = files_at_random(Random(3), "ABCDEFGH").tables()
    return {name: table.to_pandas() for name, table in tables.items()}


def test_frames_come_out_as_they_were_declared(
    frames: dict[str, pd.DataFrame], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Linked tables come out as frames with their keys, and each home with its rows is
    protected.

    The key of a person's home is one of the released homes.
    """
    linked_release = synth.release_linked(
        frames, DOCUMENT, epsilon="3", neighbors="add-remove"
    )

    assert {*linked_release.tables} == {"homes", "persons", "cars", "events"}
    persons = linked_release.tables["persons"]
    assert [*persons.columns] == ["h", "p", "b"]
    assert str(persons.dtypes["b"]) == "category"
    assert persons["h"].isin(linked_release.tables["homes"]["h"]).all()
    assert "epsilon 3" in repr(linked_release)

    path = linked_release.save(tmp_path_factory.mktemp("saved") / "b.zip")
    assert "All keys of the tables resolve" in synth.verify(path).in_words
    assert linked_release.certificate.privacy_unit.startswith("one root of 'homes'")
    assert not linked_release.repeated


def test_a_value_of_a_table_is_in_no_refusal(frames: dict[str, pd.DataFrame]) -> None:
    """A wrong declaration of linked tables is refused by the name of the wrong entry."""
    document = deepcopy(DOCUMENT)
    document["resources"][1]["synth:maxRows"] = 0
    with pytest.raises(SynthError, match="synth:maxRows"):
        synth.release_linked(frames, document, epsilon=1)


def test_the_statement_says_that_a_key_may_equal_a_real_one(tmp_path: Path) -> None:
    """The statement does not promise that no synthetic key is a real one, as most of them
    are.

    Real keys count up from 1, as synthetic keys do, so more than 200 of 300 are the same.
    """
    people = pd.DataFrame({"id": range(1, 301), "sex": ["f", "m", "m"] * 100})
    fields = [
        {"name": "id", "type": "integer"},
        {"name": "sex", "constraints": {"enum": ["f", "m"]}},
    ]
    schema = {"primaryKey": "id", "fields": fields}
    package = {"resources": [{"name": "people", "path": "people.csv", "schema": schema}]}

    linked_release = synth.release_linked({"people": people}, package, epsilon=8)
    assert linked_release.tables["people"]["id"].isin(people["id"]).sum() > 200
    statement = read_bundle(linked_release.save(tmp_path / "b.zip"))["statement.txt"].decode()
    assert "no key is a real one" not in statement
    assert "A key may equal a real one by chance" in statement


def test_frames_of_polars_come_out_as_such(frames: dict[str, pd.DataFrame]) -> None:
    """Each linked table comes out in the library of its frame, and with its types."""
    mixed = {**frames, "persons": polars.from_pandas(frames["persons"])}
    made = synth.release_linked(mixed, DOCUMENT, 3, neighbors="add-remove")
    assert made.frames["persons"].schema == mixed["persons"].schema
    assert made.frames["persons"].height == len(made.tables["persons"])
    assert made.frames["homes"].equals(made.tables["homes"])
