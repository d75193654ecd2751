"""Metadata that SDV 2.0.0 wrote (`newest_sdv.py`) are read whole, and written back the same.

Where `SYNTH_SDV` names a Python that has SDV, it writes them anew and takes ours.
"""

import json
import os
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest

from synth.domain import Domain, to_other
from synth.domain.codebooks.formats import from_other
from synth.domain.codebooks.sdv import DETECTED

HERE = Path(__file__).parent
WRITTEN = json.loads((HERE / "sdv-2.0.0.json").read_text(encoding="utf-8"))


def list_described_columns(metadata: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What is said of each column, less the key and what is said by leaving it out."""
    (table,) = metadata["tables"].values() if "tables" in metadata else (metadata,)
    described = {}
    for name, properties in table["columns"].items():
        compared = {
            key: property_value
            for key, property_value in properties.items()
            if (key, property_value) != ("high_cardinality", False)
        }
        if compared.get("range_values") == [True, False]:  # so it detects yes and no
            compared = {
                "sdtype": "boolean",
                "range_is_nullable": compared["range_is_nullable"],
            }
        if properties["sdtype"] != "id":
            described[name] = compared
    return described


def test_it_is_read_and_written_without_a_loss() -> None:
    """Metadata that SDV 2.0.0 wrote are read and written back without a loss, less the key.

    A note says that the key is left out, another that SDV may have taken ranges from the
    rows.
    """
    document, notes = from_other(WRITTEN)
    assert notes == ["Column 'key' (id) is left out: it is no category.", DETECTED]
    written, lost = to_other(document, "sdv2")
    assert not lost
    assert list_described_columns(written) == list_described_columns(WRITTEN)


def test_it_declares_a_domain() -> None:
    """Metadata that SDV 2.0.0 wrote declare a domain, with notes as warnings.

    True and False that SDV took for categories are a boolean column. Values may be missing in
    three columns, as their metadata say.
    """
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        domain = Domain.from_sdv(json.dumps(WRITTEN).encode())
    assert [str(warning.message) for warning in warned] == from_other(WRITTEN)[1]

    assert domain.names == ("sex", "age", "pay", "smoker", "day", "seen", "grade", "score")
    assert domain["smoker"].kind == "boolean"
    assert domain["score"].labels == ("1.0", "2.0", "3.0", "4.0", "0.0")
    assert domain["grade"].in_words == "in this order: low | mid | high"
    assert [column.name for column in domain.columns if column.missing] == [
        "sex",
        "seen",
        "score",
    ]


@pytest.mark.slow
@pytest.mark.skipif(
    "SYNTH_SDV" not in os.environ, reason="SYNTH_SDV names no Python with SDV"
)
def test_the_newest_takes_what_is_written(tmp_path: Path) -> None:
    """The installed SDV accepts the metadata that Synth writes, and finds the same columns in
    them.

    It first writes files of both versions itself (`newest_sdv.py`). Synth reads and writes
    each without a loss, and SDV reads and validates the result.
    """

    def run_newest_sdv(*words: str) -> str:
        command = [os.environ["SYNTH_SDV"], str(HERE / "newest_sdv.py"), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run_newest_sdv("write", str(tmp_path))
    for name, kind in (("first", "sdv"), ("second", "sdv2")):
        metadata = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
        written, lost = to_other(from_other(metadata)[0], kind)
        assert not lost
        assert list_described_columns(written) == list_described_columns(metadata)
        (tmp_path / "ours.json").write_text(json.dumps(written), encoding="utf-8")
        metadata_as_read = json.loads(
            run_newest_sdv("take", str(tmp_path / "ours.json")).splitlines()[-1]
        )
        assert set(list_described_columns(metadata_as_read)) == set(
            list_described_columns(metadata)
        )
