"""Variable labels in the header of a statistics file, read in the child, never a row."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synth.foreign.cells import cell_text
from synth.foreign.packed import READERS

# Endings of statistics files with readable headers.
LABEL_ENDINGS = (".sav", ".zsav", ".por", ".dta")


def read_labels(source: Path) -> Iterator[dict[str, Any]]:
    """Yield the variables of the file, each with its label, codes, missing ranges and format.

    Any error of the library about a damaged file passes through.
    """
    read = getattr(importlib.import_module("pyreadstat"), READERS[source.suffix.lower()])
    options = {} if source.suffix.lower() == ".por" else {"user_missing": True}
    said = read(str(source), metadataonly=True, output_format="dict", **options)[1]
    texts = said.column_labels or []
    for place, name in enumerate(said.column_names):
        form = str(said.original_variable_types.get(name) or "")
        stored = str(said.readstat_variable_types.get(name) or "")
        codes = said.variable_value_labels.get(name) or {}
        ranges = (said.missing_ranges or {}).get(name) or []
        single = (said.missing_user_values or {}).get(name) or []
        yield {
            "name": str(name),
            "label": str((texts[place] if place < len(texts) else "") or ""),
            "form": form,
            "text": stored == "string",
            "whole": stored.startswith("int") or form.endswith(".0"),
            "measure": str((said.variable_measure or {}).get(name) or ""),
            "codes": {cell_text(code): str(label) for code, label in codes.items()},
            "missing": [(cell_text(r["lo"]), cell_text(r["hi"])) for r in ranges]
            + [(cell_text(one), cell_text(one)) for one in single],
        }
