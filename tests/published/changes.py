"""Documents that differ from a right one in one place, and whether schema and reader take
them. No test is in here.
"""

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from synth.bundle.certificate import SCHEMAS
from synth.errors import SynthError

GONE = object()
"""In the place of a value: the field is dropped."""

Reader = Callable[[Any], object]


@cache
def validator(name: str) -> Draft202012Validator:
    """The published schema of a file, which is itself a right schema."""
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def faults(name: str, document: Any) -> list[str]:
    """What is wrong with a document by the schema of this name."""
    # As a file has it: tuples are lists, and numbers are JSON's.
    content = json.loads(json.dumps(document))
    return [error.message for error in validator(name).iter_errors(content)]


def change(document: Any, place: str, value: Any) -> Any:
    """A copy with another value in one place, such as ``fields/0/name``."""
    changed = copy.deepcopy(document)
    *path, last = place.split("/")
    part = changed
    for step in path:
        part = part[int(step) if isinstance(part, list) else step]
    key: Any = int(last) if isinstance(part, list) else last
    if value is GONE:
        del part[key]
    else:
        part[key] = value
    return changed


def is_read(reader: Reader, document: Any) -> bool:
    """Whether a reader takes a document; it refuses by a sentence and by nothing else."""
    try:
        reader(copy.deepcopy(document))
    except SynthError:
        return False
    return True
