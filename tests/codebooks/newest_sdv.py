"""Metadata as the newest SDV writes it, and whether it takes ours: `python newest_sdv.py`.

`write FOLDER` writes files of both versions; `take FILE` validates one. It imports nothing of
Synth, so that it runs where SDV is installed.
"""

import json
import sys
import warnings
from pathlib import Path
from typing import Any

N = 100


def write_metadata(folder: Path) -> None:
    """What it detects in a table, and what is then said of some columns."""
    import pandas as pd
    from sdv.metadata import Metadata

    hours = pd.date_range("2020-01-01", periods=N - 1, freq="h").strftime("%d/%m/%Y %H:%M")
    frame = pd.DataFrame(
        {
            "key": [f"p{number:05}" for number in range(N)],
            "sex": pd.Categorical(["f", "m"] * 50),
            "age": [20 + number % 60 for number in range(N)],
            "pay": [round(number / 8, 3) for number in range(N)],
            "smoker": [True, False] * 50,
            "day": pd.date_range("2020-01-01", periods=N).strftime("%Y-%m-%d"),
            "seen": [*hours, None],
            "grade": ["low", "mid", "high", "mid"] * 25,
            "score": [None if number % 9 == 0 else float(number % 5) for number in range(N)],
        }
    )
    metadata = Metadata.detect_from_dataframes({"people": frame})
    metadata.update_column("key", sdtype="id", regex_format="p[0-9]{5}")
    metadata.set_primary_key("key")
    ordinal_options: dict[str, Any] = {
        "range_values": ["low", "mid", "high"],
        "range_is_nullable": False,
    }
    metadata.update_column("grade", sdtype="ordinal", **ordinal_options)
    metadata.update_column("sex", sdtype="categorical", range_values=["f", "m"])
    bounds = {"range_min": "01/01/2020 00:00", "range_max": "31/01/2020 00:00"}
    metadata.update_column(
        "seen", sdtype="datetime", datetime_format="%d/%m/%Y %H:%M", **bounds
    )
    metadata.validate()
    metadata.save_to_json(str(folder / "second.json"), mode="overwrite")
    first = {
        "METADATA_SPEC_VERSION": "SINGLE_TABLE_V1",
        "columns": {
            "sex": {"sdtype": "categorical"},
            "age": {"sdtype": "numerical", "computer_representation": "Int64"},
            "day": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d"},
            "smoker": {"sdtype": "boolean"},
        },
    }
    (folder / "first.json").write_text(json.dumps(first), encoding="utf-8")


def read_metadata(path: Path) -> None:
    """Let it read and validate a file."""
    from sdv.metadata import Metadata

    document = json.loads(path.read_text(encoding="utf-8"))
    metadata = Metadata.load_from_dict(document)
    metadata.validate()
    print(json.dumps(metadata.to_dict()))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    {"write": write_metadata, "take": read_metadata}[sys.argv[1]](Path(sys.argv[2]))
