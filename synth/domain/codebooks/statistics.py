"""Variable descriptions in SPSS and Stata files: labels, codes and missing codes.

Only the file's header is read, none of its rows.
"""

import math
import re
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from synth.domain.codebooks.variables import (
    Converted,
    Variable,
    as_schema,
    is_number,
    refuse_codebook,
)
from synth.foreign import read_labels

# Most whole numbers in a range of missing codes.
SPAN = 1_000
DATE_FORMAT = re.compile(r"[AESJ]?DATE|%-?t?d|%-?td", re.IGNORECASE)
DATETIME_FORMAT = re.compile(r"DATETIME|YMDHMS|%-?tc", re.IGNORECASE)


def from_statistics(path: Path, name: str) -> Converted:
    """Return a Table Schema of the labels and missing codes of an SPSS or Stata file, in the child.

    Raises:
        DomainError: The library is not installed, or the file is damaged.
        LimitError: It lists more than a declaration can have.
    """
    if find_spec("pyreadstat") is None:
        refuse_codebook(
            f"Reading '{name}' needs the package pyreadstat: "
            "pip install -r requirements-statistics.txt."
        )
    return as_schema(map(_variable, _labels(path, name)))


def _labels(path: Path, name: str) -> Iterator[Mapping[str, Any]]:
    try:
        yield from read_labels(path)
    except (MemoryError, ImportError):
        raise
    except Exception:  # noqa: BLE001 - the library's messages may quote the file
        refuse_codebook(f"'{name}' cannot be read as an SPSS or Stata file; it is damaged.")


def _variable(said: Mapping[str, Any]) -> Variable:
    one = Variable(said["name"], description=said["label"], ordered=said["measure"] == "ordinal")
    one.kind = _kind(said)
    one.codes = dict(said["codes"])
    one.set_missing(said["missing"])
    for low, high in said["missing"]:
        for code in [low] if low == high else _whole_numbers(low, high):
            one.missing.setdefault(code, one.codes.pop(code, ""))
    if said["measure"] == "scale" and one.kind in ("integer", "number") and one.codes:
        one.spikes, one.codes = one.codes, {}
    return one


def _kind(said: Mapping[str, Any]) -> str:
    if DATETIME_FORMAT.match(said["form"]):
        return "datetime"
    if DATE_FORMAT.match(said["form"]):
        return "date"
    return "string" if said["text"] else "integer" if said["whole"] else "number"


def _whole_numbers(low: str, high: str) -> list[str]:
    if not (is_number(low) and is_number(high)) or float(high) - float(low) >= SPAN:
        return []
    return [str(i) for i in range(math.ceil(float(low)), math.floor(float(high)) + 1)]
