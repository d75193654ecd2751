"""SDV metadata of a table, version 1 and 2.

================== ============================ =====================================
version 1 and 2    ``sdtype``                   the type of a field
                   ``datetime_format``          its format
version 1          ``computer_representation``  whether numbers are whole
version 2          ``decimal_places``           the same, and the digits after the point
                   ``range_min, range_max``     the bounds
                   ``range_values``             the categories, in order where ``ordinal``
                   ``range_is_nullable``        whether values may be missing
================== ============================ =====================================
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from synth.domain.codebooks.variables import Converted, ForeignDocument


SDV_TYPES = {
    "categorical": "string",
    "ordinal": "string",
    "boolean": "boolean",
    "numerical": "number",
    "datetime": "datetime",
}
RANGES = ("range_min", "range_max", "range_values")
_KEYS_OF_ENDS = {"minimum": "range_min", "maximum": "range_max"}
# A remark about metadata with ranges.
DETECTED = (
    "SDV may have taken ranges and lists of values from the rows. Check that they are public."
)


def from_sdv(document: ForeignDocument) -> Converted:
    """Return a Table Schema of SDV metadata of either version, and notes on its gaps.

    Columns of other kinds, such as IDs, are left out.

    Raises:
        DomainError: It describes several tables, or no columns.
    """
    columns = _sdv_columns(document)
    fields = []
    notes = []
    for name, column in columns.items():
        entries = dict(column) if isinstance(column, Mapping) else {}
        kind = str(entries.get("sdtype", ""))
        if kind not in SDV_TYPES:
            notes.append(
                f"Column '{name}' ({kind or 'no sdtype'}) is left out: it is no category."
            )
            continue
        field = _field(name, kind, entries)
        lacking = _find_gap(field)
        if lacking:
            notes.append(f"Column '{name}' needs {lacking}; SDV metadata does not say them.")
        fields.append(field)
    if any(_has_range(column) for column in columns.values()):
        notes.append(DETECTED)
    return {"fields": fields}, notes


def _has_range(column: object) -> bool:
    return isinstance(column, Mapping) and any(key in column for key in RANGES)


def _field(name: str, kind: str, entries: ForeignDocument) -> ForeignDocument:
    """Return the Table Schema field of a column of SDV metadata.

    Args:
        name: The column's name.
        kind: The column's "sdtype", a key of `SDV_TYPES`.
        entries: The column's other entries in the metadata.
    """
    form = str(entries.get("datetime_format", ""))
    storage = str(entries.get("computer_representation", ""))
    decimals = str(entries.get("decimal_places", ""))
    field: ForeignDocument = {"name": name, "type": SDV_TYPES[kind]}
    if kind == "numerical" and (storage.startswith(("Int", "UInt")) or decimals == "0"):
        field["type"] = "integer"
    elif kind == "numerical" and decimals.isdecimal():
        field["synth:decimals"] = int(decimals)
    if kind == "datetime" and form:
        from synth.domain.date_formats import has_time

        field |= {"type": "datetime" if has_time(form) else "date", "format": form}
    if kind in ("categorical", "ordinal"):
        field["type"] = _listed_type(entries.get("range_values"))
    if kind == "ordinal":
        field["categoriesOrdered"] = True
    constraints = _constraints(entries)
    if field["type"] == "boolean":  # its two values need no list
        constraints.pop("enum", None)
    if constraints:
        field["constraints"] = constraints
    return field


def _constraints(entries: ForeignDocument) -> ForeignDocument:
    """Return the Table Schema constraints of a column: bounds, values, whether required.

    `entries` are its entries in SDV metadata. What these do not say is left out.
    """
    constraints: ForeignDocument = {}
    for constraint, key in _KEYS_OF_ENDS.items():
        if entries.get(key) is not None:
            constraints[constraint] = entries[key]
    values = entries.get("range_values")
    if isinstance(values, list) and values:
        constraints["enum"] = [str(value) for value in values if value is not None]
    if isinstance(entries.get("range_is_nullable"), bool):
        constraints["required"] = not entries["range_is_nullable"]
    return constraints


def _listed_type(values: object) -> str:
    """Return the Table Schema type that all listed values have; "string" if they differ.

    SDV detects yes-or-no columns as categories, so the list may hold truths.

    >>> _listed_type([True, False]), _listed_type([1, 2, None]), _listed_type(["a", 1])
    ('boolean', 'integer', 'string')
    """
    if not isinstance(values, list):
        return "string"
    types = {type(value) for value in values if value is not None}
    names = {bool: "boolean", int: "integer", float: "number"}
    return names.get(types.pop(), "string") if len(types) == 1 else "string"


def _find_gap(field: ForeignDocument) -> str:
    """Return what a field lacks to be a column: "categories", "bounds", or nothing ("")."""
    constraints = set(field.get("constraints", {}))
    if "enum" in constraints or field["type"] == "boolean":
        return ""
    if field["type"] == "string":
        return "categories"
    return "" if {"minimum", "maximum"} <= constraints else "bounds"


def _sdv_columns(document: ForeignDocument) -> ForeignDocument:
    """Return the columns of SDV metadata by name; DomainError unless it has one table."""
    from synth.domain.codebooks.variables import refuse_codebook

    if "tables" in document:
        tables = document["tables"]
        if not isinstance(tables, Mapping) or len(tables) != 1:
            refuse_codebook(
                "SDV metadata of several tables: expected exactly one under 'tables'."
            )
        document = next(iter(tables.values()))
    columns = document.get("columns") if isinstance(document, Mapping) else None
    if not isinstance(columns, Mapping):
        refuse_codebook("SDV metadata: expected an object under 'columns'.")
    return dict(columns)


def to_sdv2(document: ForeignDocument) -> Converted:
    """Return a Table Schema as SDV metadata of version 2, and sentences on losses."""
    from synth.domain.codebooks.lost import list_losses

    columns = {field["name"]: _column_with_ranges(field) for field in document["fields"]}
    tables = {"table": {"columns": columns}}
    metadata = {"METADATA_SPEC_VERSION": "V2", "tables": tables, "relationships": []}
    return metadata, list_losses(document, "sdv2")


def _column_with_ranges(field: ForeignDocument) -> ForeignDocument:
    """Return a column of SDV metadata of version 2, with its decimals, bounds and values.

    `field` is the column's Table Schema field.
    """
    column = _sdv_column(field)
    constraints = field.get("constraints", {})
    # Version 2 says by the decimals whether numbers are whole.
    storage = column.pop("computer_representation", "")
    if storage == "Int64" or field.get("synth:decimals") is not None:
        column["decimal_places"] = field.get("synth:decimals", 0)
    if column["sdtype"] == "categorical" and field.get("categoriesOrdered"):
        column["sdtype"] = "ordinal"
    if "enum" in constraints:
        values = constraints["enum"]
        if field["type"] in ("integer", "number"):
            values = map(_number, values)
        column["range_values"] = [*values]
    elif column["sdtype"] in ("numerical", "datetime"):
        for constraint, key in _KEYS_OF_ENDS.items():
            if constraint in constraints:
                bound = constraints[constraint]
                column[key] = _number(bound) if column["sdtype"] == "numerical" else bound
    if "required" in constraints:
        column["range_is_nullable"] = not constraints["required"]
    return column


def _number(bound: object) -> object:
    """Return a bound as a JSON number, as SDV compares them; unchanged if it is none."""
    # First as a whole number, which may have more digits than a float holds.
    try:
        return int(str(bound))
    except ValueError:
        pass
    try:
        return float(str(bound))
    except ValueError:
        return bound


def to_sdv(document: ForeignDocument) -> Converted:
    """Return a Table Schema as SDV metadata of version 1, and sentences on losses."""
    from synth.domain.codebooks.lost import list_losses

    columns = {field["name"]: _sdv_column(field) for field in document["fields"]}
    metadata = {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": columns}
    return metadata, list_losses(document, "sdv")


def _sdv_column(field: ForeignDocument) -> ForeignDocument:
    """Return the entries of a column in SDV metadata of version 1.

    `field` is the column's Table Schema field. A listed column is categorical, whatever its
    type.
    """
    if "synth:identifier" in field:
        return {"sdtype": "id"}
    kind = "string" if "enum" in field.get("constraints", {}) else field["type"]
    match kind:
        case "integer":
            return {"sdtype": "numerical", "computer_representation": "Int64"}
        case "number":
            return {"sdtype": "numerical", "computer_representation": "Float"}
        case "date" | "datetime":
            declared = field.get("format", "default")
            if declared == "default":
                from synth.domain.date_formats import iso_format

                declared = iso_format(timed=kind == "datetime")
            return {"sdtype": "datetime", "datetime_format": declared}
        case "boolean":
            return {"sdtype": "boolean"}
    return {"sdtype": "categorical"}
