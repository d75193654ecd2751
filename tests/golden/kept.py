"""Bundles as earlier commits made them: asked for by commands, kept small, and made whole again.

The command line is all that is asked, so that a script of today runs at yesterday's commit; this
module is copied there beside it. plotly.js is left out of the reports, and put back from an older
bundle: five megabytes each that never change.
"""

import csv
import json
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PLACE = b"/* plotly.js */"

Arguments = Callable[[Path, str, Path, Path], list[str]]
"""The command for a folder, the name of a request, a ledger and a bundle."""


def asked(folder: Path, header: list[str], rows: list[Any], schema: object) -> list[str]:
    """The start of a command that releases a table, written into a folder with its declaration."""
    with (folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    (folder / "domain.json").write_text(json.dumps(schema), encoding="utf-8")
    return ["release", str(folder / "table.csv"), "--domain", str(folder / "domain.json")]


def recorded(ledger: Path, dataset: str, bundle: Path) -> list[str]:
    """The end of it: in a dataset of its own, and told as JSON."""
    return ["--ledger", str(ledger), "--dataset", dataset, "--new-dataset",
            "--bundle", str(bundle), "--json"]  # fmt: skip


def script() -> bytes:
    """The plotly.js of these bundles, as it stands in a bundle of the same version."""
    with zipfile.ZipFile(HERE / "histogram.zip") as archive:
        page = archive.read("report.html")
    start = page.index(b"<script>") + len(b"<script>")
    return page[start : page.index(b"</script></head>", start)]


def exchanged(bundle: Path, other: Path, old: bytes, new: bytes) -> None:
    """A copy of a bundle with another script in its report."""
    with zipfile.ZipFile(bundle) as source, zipfile.ZipFile(other, "w") as target:
        for info in source.infolist():
            content = source.read(info)
            if info.filename == "report.html":
                assert content.count(old) == 1
                content = content.replace(old, new)
            target.writestr(info, content)


def whole(kept: str, name: str, folder: Path) -> Path:
    """A bundle as it was made, of those in a folder beside this module."""
    exchanged(HERE / kept / f"{name}.zip", folder / f"{name}.zip", PLACE, script())
    return folder / f"{name}.zip"


def make(out: str, requests: Iterable[str], arguments: Arguments) -> None:
    """All bundles and their ledger, in a folder."""
    from synth.__main__ import main

    with tempfile.TemporaryDirectory() as folder:
        for name in requests:
            made = Path(folder) / f"{name}.zip"
            assert main(arguments(Path(folder), name, Path(out) / "ledger.db", made)) == 0
            exchanged(made, Path(out) / f"{name}.zip", script(), PLACE)
