"""Whether Frictionless, mlcroissant and DDI's schema accept bundles: `accepted.py BUNDLE.zip
...`.

It imports nothing of Synth, so that it runs where the two and lxml are installed. The schema
is the file that `SYNTH_DDI_XSD` names; without it, codebooks are not looked at."""

import csv
import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path

MOST = 50
"""Records of each table that Croissant's reader is asked for."""


def list_faults(folder: Path) -> list[str]:
    """What they have against an unpacked bundle."""
    return [*frictionless_faults(folder), *croissant_faults(folder), *ddi_faults(folder)]


def frictionless_faults(folder: Path) -> list[str]:
    """What Frictionless finds wrong: the descriptor, digests, sizes and every cell."""
    from frictionless import Package

    report = Package.from_descriptor(str(folder / "datapackage.json")).validate()
    errors = [str(error) for error in report.errors]
    return errors + [str(row) for row in report.flatten(["name", "rowNumber", "note"])]


def croissant_faults(folder: Path) -> list[str]:
    """What mlcroissant finds wrong; it reads some records of each table."""
    import mlcroissant

    path = folder / "croissant.json"
    data = mlcroissant.Dataset(jsonld=path)
    issues = [str(issue) for issue in data.metadata.ctx.issues.errors]
    for record_set in json.loads(path.read_text(encoding="utf-8"))["recordSet"]:
        name = record_set["name"]
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = sum(1 for _ in csv.reader(file)) - 1
        records = data.records(name)
        records_read = sum(1 for _, _ in zip(range(MOST), records, strict=False))
        if records_read != min(MOST, rows):
            issues.append(f"{name}: {records_read} records of {rows}")
    return issues


def ddi_faults(folder: Path) -> list[str]:
    """What the schema of DDI Codebook 2.5 has against the codebook, where there is one."""
    schema = os.environ.get("SYNTH_DDI_XSD")
    path = folder / "ddi.xml"
    if not schema or not path.exists():
        return []
    from lxml import etree

    rules = etree.XMLSchema(etree.parse(schema))
    rules.validate(etree.parse(path))
    SCHEMED.append(path)
    return [str(error) for error in rules.error_log]


SCHEMED: list[Path] = []
"""Codebooks that the schema was asked about."""


def main(paths: list[str]) -> int:
    """Say what is wrong with each, and how many are fine."""
    bad = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
            found_faults = list_faults(Path(folder))
        bad += bool(found_faults)
        for fault in found_faults[:3]:
            print(f"{path}: {fault[:400]}")
    print(f"{len(paths) - bad} of {len(paths)} bundles accepted")
    print(f"{len(SCHEMED)} codebooks looked at by the schema of DDI Codebook 2.5")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
