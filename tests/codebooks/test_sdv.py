"""SDV metadata of both versions: what is lost, and what the newest one writes."""

import json
import warnings

import synth
from synth.domain import Domain, read_schema, to_other, write_schema
from synth.domain.codebooks.formats import from_other
from synth.domain.codebooks.sdv import DETECTED

DOMAIN = Domain(
    age=synth.Integer(18, 97, bins=16, missing=True, spikes=[999]),
    pay=synth.Number(0, "1.5", bins=3, decimals=2),
    sex=["f", "m"],
    school=synth.Categorical(["none", "some", "all"], ordered=True, missing=True),
    smoker=bool,
    born=synth.Date("1930-01-01", "2007-12-31", bins=4),
)


def test_what_is_lost_is_listed() -> None:
    """Each loss of a conversion to SDV metadata is listed: three in version 2, eight in
    version 1.

    Version 1 also loses bounds, categories, decimals, the order of categories and the missing
    cell. `DOMAIN` has columns with all of these.
    """
    document = write_schema(DOMAIN)
    assert [note.partition(" of ")[0] for note in to_other(document, "sdv2")[1]] == [
        "Lost: bins",
        "Lost: spellings",
        "Lost: spikes",
    ]
    assert len(to_other(document, "sdv")[1]) == 8


def test_what_the_newest_sdv_writes_is_read_whole() -> None:
    """Metadata of version 2 declare a domain by themselves, less the ID column.

    They say bounds, categories, their order, date formats, and where values may be missing.
    SDV may have taken these from the rows, so that a note asks to check them.
    """
    columns = {
        "age": {
            "sdtype": "numerical",
            "decimal_places": 0,
            "range_min": 18,
            "range_max": 97,
            "range_is_nullable": False,
        },
        "pay": {
            "sdtype": "numerical",
            "range_min": 0.5,
            "range_max": 9.25,
            "range_is_nullable": True,
        },
        "sex": {
            "sdtype": "categorical",
            "range_values": ["f", "m"],
            "range_is_nullable": False,
        },
        "grade": {"sdtype": "ordinal", "range_values": [1, 2, 3], "range_is_nullable": False},
        "born": {
            "sdtype": "datetime",
            "datetime_format": "%d/%m/%Y",
            "range_min": "01/02/1930",
            "range_max": "31/12/2007",
            "range_is_nullable": False,
        },
        "pid": {"sdtype": "id", "regex_format": "[0-9]{5}"},
    }
    table = {"columns": columns, "primary_key": "pid"}
    document = {
        "tables": {"people": table},
        "relationships": [],
        "METADATA_SPEC_VERSION": "V2",
    }

    notes = from_other(document)[1]
    assert notes == ["Column 'pid' (id) is left out: it is no category.", DETECTED]

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        domain = Domain.from_sdv(json.dumps(document).encode())
    assert [str(warning.message) for warning in warned] == notes

    assert domain.names == ("age", "pay", "sex", "grade", "born")
    assert domain["grade"].in_words == "in this order: 1 | 2 | 3"
    assert (domain["age"].missing, domain["pay"].missing) == (False, True)
    assert domain["born"].write_field()["format"] == "%d/%m/%Y"
    assert read_schema(write_schema(domain)) == domain
