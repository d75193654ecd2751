"""Whether the package csvw-eo accepts declarations: `python accepted_csvw_eo.py FILE.json
...`.

It imports nothing of Synth, so that it runs where that package is installed. A file is
accepted if its model of metadata reads it, and dummy rows drawn from it hold the declared
values only."""

import json
import sys
from pathlib import Path
from typing import Any

ROWS = 50


def find_faults(metadata: dict[str, Any]) -> list[str]:
    """What the package has against a declaration."""
    from csvw_eo.csvw_to_smartnoise_sql import csvw_to_smartnoise_sql
    from csvw_eo.make_dummy_from_metadata import make_dummy_from_metadata
    from csvw_eo.validate_metadata import validate_metadata

    read_metadata = validate_metadata(metadata)
    faults_found = (
        []
        if read_metadata.max_contributions == metadata["maxContributions"]
        else ["maxContributions"]
    )
    columns = metadata["tableSchema"]["columns"]
    faults_found += [
        column.name
        for column, ours in zip(read_metadata.columns, columns, strict=False)
        if column.name != ours["name"]
    ]
    csvw_to_smartnoise_sql(metadata)
    dummy = make_dummy_from_metadata(metadata, nb_rows=ROWS)
    for column in columns:
        values = dummy[column["name"]].dropna()
        if "keyValues" in column and column.get("exhaustiveKeys"):
            faults_found += [
                f"{column['name']}: {value}"
                for value in set(values) - set(column["keyValues"])
            ]
        elif column["datatype"] in ("integer", "decimal") and "minimum" in column:
            low, high = float(column["minimum"]), float(column["maximum"])
            faults_found += [
                f"{column['name']}: {value}" for value in values if not low <= value <= high
            ]
    return faults_found


def main(paths: list[str]) -> int:
    """Say what is wrong with each, and how many are fine."""
    bad = 0
    for path in paths:
        try:
            faults_found = find_faults(json.loads(Path(path).read_text(encoding="utf-8")))
        except Exception as error:  # noqa: BLE001 - whatever it is, they did not take the file
            faults_found = [repr(error)]
        bad += bool(faults_found)
        for fault in faults_found[:3]:
            print(f"{path}: {fault[:400]}")
    print(f"{len(paths) - bad} of {len(paths)} declarations accepted")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
