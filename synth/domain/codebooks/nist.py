"""NIST's ``data_dictionary.json``: codes with labels, smallest and largest values."""

from collections.abc import Mapping

from synth.domain.codebooks.lost import list_losses
from synth.domain.codebooks.pieces import (
    Converted,
    ForeignDocument,
    codes_of,
    exact_number,
    is_number,
    is_whole,
    label_map,
    listed_codes,
    refuse_codebook,
)
from synth.util import Json


def from_nist(document: ForeignDocument) -> Converted:
    fields, notes, missing = [], [], {"": None}
    for name, entry in document.items():
        values = entry.get("values", {})
        if not isinstance(values, Mapping) or any(
            isinstance(v, list | dict) for v in values.values()
        ):
            refuse_codebook(
                f"NIST data dictionary: expected an object of texts under 'values' of '{name}'."
            )
        book = dict(values)
        if not book:
            notes.append(f"Column '{name}' is left out: its values are not listed.")
            continue
        low, high = book.pop("min", None), book.pop("max", None)
        field: ForeignDocument = {"name": name, "description": str(entry.get("description", ""))}
        if low is None or high is None:
            field |= listed_codes({code: str(label) for code, label in book.items()})
        else:
            field |= _range_field(name, low, high, book, notes)
            missing |= dict.fromkeys(code for code in book if not is_number(code))
        fields.append(field)
    return {"fields": fields, "missingValues": [*missing]}, notes


def _range_field(
    name: str, low: Json, high: Json, codes: ForeignDocument, notes: list[str]
) -> ForeignDocument:
    # Numeric codes are spikes, words are missing values.
    if not is_number(low) or not is_number(high):
        refuse_codebook(f"NIST data dictionary: expected numbers as 'min' and 'max' of '{name}'.")
    ends = {"minimum": str(low), "maximum": str(high)}
    spikes = [{"value": code, "label": str(codes[code])} for code in codes if is_number(code)]
    if spikes:
        shown = ", ".join(spike["value"] for spike in spikes)
        notes.append(f"Column '{name}': the code {shown} gets a cell of its own.")
    words = [code for code in codes if not is_number(code)]
    if words:
        notes.append(f"Column '{name}': {', '.join(words)} means a missing value.")
    whole = all(map(is_whole, [*ends.values(), *(spike["value"] for spike in spikes)]))
    field: ForeignDocument = {"type": "integer" if whole else "number"}
    field |= {"constraints": {**ends, "required": not words}}
    return field | ({"synth:spikes": spikes} if spikes else {})


def to_nist(document: ForeignDocument) -> Converted:
    entries: ForeignDocument = {}
    notes, kept = [], []
    words = [word for word in codes_of(document.get("missingValues", [""])) if word]
    for field in document["fields"]:
        constraints = field.get("constraints", {})
        if "enum" in constraints:
            labels = label_map(field.get("categories", ()))
            codes = map(str, constraints["enum"])
            values: ForeignDocument = {code: labels.get(code, code) for code in codes}
        elif field.get("type") in ("integer", "number") and "minimum" in constraints:
            values = {end[:3]: exact_number(constraints[end]) for end in ("minimum", "maximum")}
            spikes = field.get("synth:spikes", ())
            values |= dict(zip(codes_of(spikes), codes_of(spikes), strict=True)) | label_map(spikes)
            if words and not constraints.get("required", False):
                values |= dict.fromkeys(words, "missing")
                constraints = {**constraints, "required": True}
        else:
            notes.append(f"Column '{field['name']}' ({field.get('type')}) is left out.")
            continue
        kept.append({**field, "constraints": constraints})
        entries[field["name"]] = {"description": field.get("description", ""), "values": values}
    return entries, [*list_losses({"fields": kept}, "nist"), *notes]
