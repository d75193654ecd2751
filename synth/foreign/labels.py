"""Variable labels in the header of a statistics file, read in the child, never a row."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synth.foreign.cells import cell_text
from synth.foreign.files import READERS


def read_labels(source: Path) -> Iterator[dict[str, Any]]:
    """Yield, for each variable of a statistics file, a dictionary of what its header says.

    The keys are the "name", "label" and format ("form"), whether the file has "rows",
    whether it is "text" or "whole" numbers, its level of measurement ("measure"), its "codes"
    with their labels, the ranges of "missing" codes as pairs of ends, and the labels of
    Stata's missing values ("letters"), such as ``.a``. Any error of the library about a
    damaged file passes through.
    """
    read_file = getattr(importlib.import_module("pyreadstat"), READERS[source.suffix.lower()])
    # The reader of .por files has no such option.
    options = {} if source.suffix.lower() == ".por" else {"user_missing": True}
    header = read_file(str(source), metadataonly=True, output_format="dict", **options)[1]
    texts = header.column_labels or []
    for number, name in enumerate(header.column_names):
        form = str(header.original_variable_types.get(name) or "")
        storage = str(header.readstat_variable_types.get(name) or "")
        all_codes = header.variable_value_labels.get(name) or {}
        # In Stata a letter among numbers is a missing value, ``.a`` to ``.z``.
        letters = {
            code: label
            for code, label in all_codes.items()
            if isinstance(code, str) and storage != "string"
        }
        codes = {code: label for code, label in all_codes.items() if code not in letters}
        missing = [
            (cell_text(ends["lo"]), cell_text(ends["hi"]))
            for ends in (header.missing_ranges or {}).get(name) or []
        ]
        # A format such as "F8.0" has no digits after the point.
        yield {
            "name": str(name),
            "label": str((texts[number] if number < len(texts) else "") or ""),
            "form": form,
            # Some files do not say how many rows they have.
            "rows": header.number_rows != 0,
            "text": storage == "string",
            "whole": storage.startswith("int") or form.endswith(".0"),
            "measure": str((header.variable_measure or {}).get(name) or ""),
            "codes": {cell_text(code): str(label) for code, label in codes.items()},
            "missing": missing,
            "letters": {f".{letter}": str(label) for letter, label in letters.items()},
        }
