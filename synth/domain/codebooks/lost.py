"""Information in a Table Schema that another format can't express."""

from collections.abc import Mapping
from itertools import chain

from synth.domain.codebooks.variables import ForeignDocument, codes_of
from synth.errors import name_some

# What each format can express about a column, in addition to its name and kind.
SAYABLE = {
    "nist": {"categories", "labels", "bounds", "spikes", "descriptions"},
    "pgm": set[str](),
    "sdv": {"formats of dates"},
    "sdv2": {
        "categories",
        "the order of categories",
        "bounds",
        "decimals",
        "formats of dates",
        "the missing cell",
    },
    "csvw-eo": {
        "categories",
        "bounds",
        "the missing cell",
        "codes for missing values",
        "descriptions",
    },
    "codebook": {"categories", "labels"},
}


def list_losses(document: ForeignDocument, kind: str) -> list[str]:
    """List what another format can't express, a sentence each, with the columns concerned.

    Args:
        document: The Table Schema.
        kind: The other format, a key of `SAYABLE`.

    >>> field = {
    ...     "name": "age",
    ...     "type": "integer",
    ...     "synth:spikes": [0],
    ...     "constraints": {"minimum": 0, "maximum": 99, "required": True},
    ... }
    >>> list_losses({"fields": [field]}, "nist"), list_losses({"fields": [field]}, "sdv")
    ([], ["Lost: bounds of 'age'.", "Lost: spikes of 'age'."])
    """
    columns_by_loss: dict[str, list[str]] = {}
    for field in document["fields"]:
        for feature in _features(field) - SAYABLE[kind]:
            columns_by_loss.setdefault(feature, []).append(f"'{field['name']}'")
    return [
        f"Lost: {feature} of {name_some(names, 5)}."
        for feature, names in sorted(columns_by_loss.items())
    ]


def _features(field: ForeignDocument) -> set[str]:
    """Return what a Table Schema field declares next to its name and kind, in words.

    These are the words that `SAYABLE` has for each format. A field without constraints does
    not say whether values may be missing.
    """
    constraints = field.get("constraints", {})
    keys = ("categories", "synth:spikes", "synth:signs", "synth:labels", "missingValues")
    values = [*chain.from_iterable(field.get(key, ()) for key in keys)]
    is_declared = {
        "categories": "enum" in constraints,
        "labels": any(isinstance(value, Mapping) for value in values),
        "the order of categories": field.get("categoriesOrdered"),
        "spellings of yes and no": "trueValues" in field,
        "bounds": "minimum" in constraints,
        "bins": {"synth:bins", "synth:edges", "synth:period"} & set(field),
        "spikes": field.get("synth:spikes"),
        "signs": field.get("synth:signs"),
        "decimals": "synth:decimals" in field,
        "formats of dates": field.get("format", "default") != "default",
        "the missing cell": constraints and not constraints.get("required", False),
        "codes for missing values": any(codes_of(field.get("missingValues", ()))),
        "the rule for values outside": "synth:outside" in field,
        "the pattern of IDs": "synth:identifier" in field,
        "descriptions": field.get("description"),
    }
    return {feature for feature, declared in is_declared.items() if declared}
