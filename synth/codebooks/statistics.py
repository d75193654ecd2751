"""What an SPSS or Stata file says of its own variables: labels, codes and missing codes.

The file's header is read in a process of its own, and none of its rows.
"""

import json
import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from synth import limits
from synth.codebooks.pieces import Converted, is_number, refuse_codebook
from synth.codebooks.variables import Variable, as_schema
from synth.errors import LimitError
from synth.foreign.folders import Folder
from synth.foreign.labels import ENDINGS, LABELS
from synth.foreign.parent import read_apart

SPAN = 1_000
"""Most whole numbers of a range of missing codes."""
DATES = re.compile(r"[AESJ]?DATE|%-?t?d|%-?td", re.IGNORECASE)
MOMENTS = re.compile(r"DATETIME|YMDHMS|%-?tc", re.IGNORECASE)


def has_labels(path: str | Path) -> bool:
    """Whether a file is of a kind that describes its own variables."""
    return Path(path).suffix.lower() in ENDINGS


def from_statistics(path: Path, name: str) -> Converted:
    """A Table Schema of the labels and missing codes of an SPSS or Stata file.

    Args:
        path: The file.
        name: How sentences call it.

    Raises:
        DomainError: The library is not installed, or the file is damaged.
        LimitError: It takes more memory or time than there is.
    """
    if find_spec("pyreadstat") is None:
        refuse_codebook(
            f"Reading '{name}' needs the package pyreadstat: "
            "pip install -r requirements-statistics.txt."
        )
    folder = Folder()
    answer = read_apart("labels", path, folder.path, name)
    if answer.get("fault") == "size":
        message = f"What '{name}' says of its variables takes more than {limits.UNPACKED_MB:,} MB."
        raise LimitError(message)
    if answer.get("fault"):
        refuse_codebook(f"'{name}' cannot be read as an SPSS or Stata file; it is damaged.")
    said = json.loads((folder.path / LABELS).read_text(encoding="utf-8"))
    return as_schema([_variable(one) for one in said])


def _variable(said: Mapping[str, Any]) -> Variable:
    """One variable; a number whose codes are all labelled is a list of codes."""
    one = Variable(said["name"], description=said["label"], ordered=said["measure"] == "ordinal")
    one.kind = _kind(said)
    one.codes = dict(said["codes"])
    for low, high in said["missing"]:
        codes = [low] if low == high else _span(low, high, one.codes)
        one.missing |= {code: one.codes.pop(code, "") for code in codes}
    if said["measure"] == "scale" and one.kind in ("integer", "number") and one.codes:
        one.spikes, one.codes = one.codes, {}
    return one


def _kind(said: Mapping[str, Any]) -> str:
    if MOMENTS.match(said["form"]):
        return "datetime"
    if DATES.match(said["form"]):
        return "date"
    return "string" if said["text"] else "integer" if said["whole"] else "number"


def _span(low: str, high: str, codes: Mapping[str, str]) -> list[str]:
    """The missing codes of a range: its labelled ones, and its whole numbers if they are few."""
    if not (is_number(low) and is_number(high)):
        return []
    ends = float(low), float(high)
    listed = [c for c in codes if is_number(c) and ends[0] <= float(c) <= ends[1]]
    if ends[1] - ends[0] < SPAN:
        first, last = int(-(-ends[0] // 1)), int(ends[1] // 1)
        listed += [str(i) for i in range(first, last + 1) if str(i) not in listed]
    return listed
