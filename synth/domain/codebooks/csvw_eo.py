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
from synth.domain.codebooks.variables import (
    Converted,
    ForeignDocument,
    codes_of,
    is_number,
    is_whole,
)
from synth.errors import name_some
from synth.util import Json

CONTEXT = ("http://www.w3.org/ns/csvw", "https://w3id.org/csvw-eo")
# The datatype for each type of Table Schema; columns of other types are texts.
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
    """Return a Table Schema as metadata of CSVW-EO, and sentences on losses.

    In the document, ``privacyUnit`` names the column that identifies persons, and
    ``maxContributions`` the most rows of one. Columns that a rule or a pattern makes are left
    out.
    """
    person = document.get("privacyUnit")
    max_rows = document.get("maxContributions", 1)
    # The spellings of a missing value.
    markers = document.get("missingValues", [""])
    computed = [
        field["name"]
        for field in document["fields"]
        if "synth:derived" in field or "synth:identifier" in field
    ]
    declared = [field for field in document["fields"] if field["name"] not in computed]
    columns = [_write_column(field, markers) for field in declared]
    if person:
        # The column that identifies persons comes last, whether or not it is declared.
        person_column = {"@type": "Column", "name": person, "datatype": "string"}
        columns = [column for column in columns if column["name"] != person]
        columns.append({**person_column, "privacyId": True})
    unit = {"privacyUnit": person} if person else {}
    head = {"@context": [*CONTEXT], "@type": "Table", **unit, "maxContributions": max_rows}
    lost = list_losses({**document, "fields": declared}, "csvw-eo")
    lost += [
        f"Column '{name}' is left out: a rule or a pattern makes it." for name in computed
    ]
    return {**head, "tableSchema": {"columns": columns}}, lost


def _write_column(field: ForeignDocument, markers: Sequence[Json]) -> ForeignDocument:
    """Return a Table Schema field as a column of CSVW-EO.

    `markers` are the table's codes for missing values, which a column without its own
    repeats if it need not be filled.
    """
    constraints = field.get("constraints", {})
    kind = field.get("type", "string")
    categories = constraints.get("enum")
    column: ForeignDocument = {"@type": "Column", "name": field["name"]}
    if field.get("description"):
        column["dc:description"] = field["description"]
    column["datatype"] = "string" if categories else DATATYPES.get(kind, "string")
    column["required"] = bool(constraints.get("required"))
    if not column["required"]:
        column["null"] = codes_of(field.get("missingValues", markers))
    if kind == "boolean" and not categories:
        column["keyValues"] = [False, True]
    elif categories:
        column |= {"keyValues": [*map(str, categories)]}
    elif "minimum" in constraints and "maximum" in constraints:
        form = field.get("format", "") if kind in ("date", "datetime") else ""
        ends = {end: constraints[end] for end in ("minimum", "maximum")}
        column |= {end: _write_end(value, form) for end, value in ends.items()}
    if "keyValues" in column:
        # A cell for values outside the list is one partition more.
        is_open = field.get("synth:outside") in ("cell", "own cell")
        column["exhaustiveKeys"] = not is_open
        if is_open:
            column["maxNumPartitions"] = len(column["keyValues"]) + 1
    return column


def _write_end(value: Json, form: str) -> Json:
    """Return a bound as CSVW writes it: a JSON number if that is exact, else a text.

    Args:
        value: The bound in a Table Schema.
        form: The strptime pattern of a date, which is written in ISO 8601; empty, "default"
            or "any" if there is none.
    """
    text = str(value)
    if form not in ("", "default", "any"):
        try:
            return datetime.strptime(text, form).isoformat().removesuffix("T00:00:00")
        except ValueError:
            return text
    if not is_number(text):
        return text
    exact = Fraction(text)
    if exact.denominator == 1 and is_whole(text):
        return int(text)
    # A double is exact here if its shortest text is the bound.
    nearest = float(text)
    return nearest if Fraction(str(nearest)) == exact else text


def key_values(column: Mapping[str, Any], kind: str) -> list[str]:
    """Return the values that a CSVW-EO column lists as its keys, as texts.

    A column without a list, or of the kind "boolean", has none.
    """
    values = column.get("keyValues")
    if not isinstance(values, list) or kind == "boolean":
        return []
    return [str(value) for value in values if isinstance(value, str | int | float)]


def mark_open_lists(document: ForeignDocument, columns: Sequence[Mapping[str, Any]]) -> None:
    """Give a cell for other values to fields whose list of keys is not exhaustive.

    The fields of the Table Schema `document` are changed in place. `columns` are the columns
    of CSVW-EO that they come from, in the same order.
    """
    for field, column in zip(document["fields"], columns, strict=True):
        is_open = "keyValues" in column and column.get("exhaustiveKeys") is not True
        if is_open and "enum" in field.get("constraints", {}):
            field["synth:outside"] = "cell"


def list_assumptions(
    table: Mapping[str, Any], columns: Sequence[Mapping[str, Any]]
) -> list[str]:
    """List in sentences what a CSVW-EO file asks to choose, and which keys are not used.

    Args:
        table: The description of the table, which may say whose rows are protected.
        columns: The descriptions of its columns.
    """
    person = table.get("privacyUnit")
    max_rows = table.get("maxContributions")
    notes = []
    if isinstance(person, str) and person:
        is_count = type(max_rows) is int or is_whole(str(max_rows))
        rows = f" and --max-rows {max_rows}" if is_count else ""
        notes.append(
            f"The file protects persons by the column '{person}': choose --person "
            f"'{person}'{rows}."
        )
    if "publicLength" in table and table["publicLength"] is not None:
        notes.append("The file says that the number of rows is public: choose replace-one.")
    for key in _OF_COLUMNS:
        columns_with_key = [
            column for column in columns if column.get(key) not in (None, [], {})
        ]
        if key == "maxNumPartitions":  # which follows from a list of values
            columns_with_key = [
                column for column in columns_with_key if "keyValues" not in column
            ]
        if columns_with_key:
            names = [f"'{column.get('name')}'" for column in columns_with_key]
            notes.append(f"Not used: {key} of {name_some(names, 5)}.")
    for key in _OF_TABLES:
        if table.get(key) not in (None, []):
            notes.append(f"Not used: {key}.")
    return notes
