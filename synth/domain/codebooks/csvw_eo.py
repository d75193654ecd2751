"""CSVW-EO, CSV on the Web with public assumptions of a private release: read and written.

A vocabulary of the Swiss Federal Statistical Office
(https://github.com/dscc-admin-ch/csvw-eo). The file says whose rows are protected. A
declaration does not, so a note names the options to choose.

>>> field = {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}}
>>> written, lost = to_csvw_eo(
...     {"fields": [field], "privacyUnit": "id", "maxContributions": 3}
... )
>>> written["tableSchema"]["columns"][0]["keyValues"], written["privacyUnit"], lost
(['f', 'm'], 'id', [])
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

from synth.domain.codebooks.lost import list_losses
from synth.domain.codebooks.variables import Converted, ForeignDocument, is_number, is_whole
from synth.errors import name_some
from synth.util import Json

CONTEXT = ("http://www.w3.org/ns/csvw", "https://w3id.org/csvw-eo")
# By the type of Table Schema; all others are texts.
DATATYPES = {
    "integer": "integer",
    "number": "decimal",
    "boolean": "boolean",
    "date": "date",
    "datetime": "dateTime",
}
# What a declaration has no place for.
_OF_COLUMNS = (
    "nullableProportion rowDependencies partitions exhaustivePartitions maxNumPartitions "
    "maxLength maxGroupsPerUnit maxContributions invariantPublicKeys"
).split()
_OF_TABLES = ("maxLength", "additionalInformation")


def to_csvw_eo(document: ForeignDocument) -> Converted:
    """Return a Table Schema as CSVW-EO, and its losses.

    Beside the fields, ``privacyUnit`` names the column that identifies persons, and
    ``maxContributions`` the most rows of one.
    """
    person, most = document.get("privacyUnit"), document.get("maxContributions", 1)
    markers = document.get("missingValues", [""])
    made = [
        f["name"] for f in document["fields"] if {"synth:derived", "synth:identifier"} & {*f}
    ]
    declared = [field for field in document["fields"] if field["name"] not in made]
    columns = [_write_column(field, markers) for field in declared]
    if person:
        named = {"@type": "Column", "name": person, "datatype": "string"}
        columns = [one for one in columns if one["name"] != person]
        columns.append({**named, "privacyId": True})
    unit = {"privacyUnit": person} if person else {}
    head = {"@context": [*CONTEXT], "@type": "Table", **unit, "maxContributions": most}
    lost = list_losses({**document, "fields": declared}, "csvw-eo")
    lost += [f"Column '{name}' is left out: a rule or a pattern makes it." for name in made]
    return {**head, "tableSchema": {"columns": columns}}, lost


def _write_column(field: ForeignDocument, markers: Json) -> ForeignDocument:
    constraints, kind = field.get("constraints", {}), field.get("type", "string")
    listed = constraints.get("enum")
    column: ForeignDocument = {"@type": "Column", "name": field["name"]}
    if field.get("description"):
        column["dc:description"] = field["description"]
    column["datatype"] = "string" if listed else DATATYPES.get(kind, "string")
    column["required"] = bool(constraints.get("required"))
    column |= {} if column["required"] else {"null": markers}
    if kind == "boolean" and not listed:
        column |= {"keyValues": [False, True]}
    elif listed:
        column |= {"keyValues": [*map(str, listed)]}
    elif "minimum" in constraints and "maximum" in constraints:
        form = field.get("format", "") if kind in ("date", "datetime") else ""
        ends = {end: constraints[end] for end in ("minimum", "maximum")}
        column |= {end: _write_end(value, form) for end, value in ends.items()}
    if "keyValues" in column:
        is_open = field.get("synth:outside") in ("cell", "own cell")
        column["exhaustiveKeys"] = not is_open
        column |= {"maxNumPartitions": len(column["keyValues"]) + 1} if is_open else {}
    return column


def _write_end(value: Json, form: str) -> Json:
    # A bound as a JSON number if that is exact; of a date in ISO 8601.
    text = str(value)
    if form not in ("", "default", "any"):
        try:
            return datetime.strptime(text, form).isoformat().removesuffix("T00:00:00")
        except ValueError:
            return text
    if not is_number(text):
        return text
    exact, near = Fraction(text), float(text)
    if exact.denominator == 1 and is_whole(text):
        return int(text)
    return near if Fraction(str(near)) == exact else text


def key_values(column: Mapping[str, Any], kind: str) -> list[str]:
    listed = column.get("keyValues")
    if not isinstance(listed, list) or kind == "boolean":
        return []
    return [str(value) for value in listed if isinstance(value, str | int | float)]


def mark_open_lists(document: ForeignDocument, columns: Sequence[Mapping[str, Any]]) -> None:
    for field, column in zip(document["fields"], columns, strict=True):
        is_open = "keyValues" in column and column.get("exhaustiveKeys") is not True
        if is_open and "enum" in field.get("constraints", {}):
            field["synth:outside"] = "cell"


def list_assumptions(
    table: Mapping[str, Any], columns: Sequence[Mapping[str, Any]]
) -> list[str]:
    person, most = table.get("privacyUnit"), table.get("maxContributions")
    notes = []
    if isinstance(person, str) and person:
        rows = f" and --max-rows {most}" if type(most) is int or is_whole(str(most)) else ""
        notes.append(
            f"The file protects persons by the column '{person}': choose --person "
            f"'{person}'{rows}."
        )
    if "publicLength" in table and table["publicLength"] is not None:
        notes.append("The file says that the number of rows is public: choose replace-one.")
    for key in _OF_COLUMNS:
        held = [one for one in columns if one.get(key) not in (None, [], {})]
        if key == "maxNumPartitions":  # which follows from a list of values
            held = [one for one in held if "keyValues" not in one]
        names = [f"'{one.get('name')}'" for one in held]
        notes += [f"Not used: {key} of {name_some(names, 5)}."] if names else []
    return notes + [
        f"Not used: {key}." for key in _OF_TABLES if table.get(key) not in (None, [])
    ]
