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

from collections.abc import Mapping

from synth.domain.codebooks.lost import list_losses
from synth.domain.codebooks.variables import Converted, ForeignDocument, refuse_codebook
from synth.domain.date_formats import has_time, iso_format

SDV_TYPES = {
    "categorical": "string",
    "ordinal": "string",
    "boolean": "boolean",
    "numerical": "number",
    "datetime": "datetime",
}
RANGES = ("range_min", "range_max", "range_values")
# A remark about metadata with ranges.
DETECTED = (
    "SDV may have taken ranges and lists of values from the rows. Check that they are public."
)


def from_sdv(document: ForeignDocument) -> Converted:
    columns, notes = _sdv_columns(document), []
    fields = []
    for name, column in columns.items():
        said = dict(column) if isinstance(column, Mapping) else {}
        kind = str(said.get("sdtype", ""))
        if kind not in SDV_TYPES:
            notes.append(
                f"Column '{name}' ({kind or 'no sdtype'}) is left out: it is no category."
            )
            continue
        field = _field(name, kind, said)
        if lacking := _find_gap(field):
            notes.append(f"Column '{name}' needs {lacking}; SDV metadata does not say them.")
        fields.append(field)
    if any(
        key in said
        for said in columns.values()
        if isinstance(said, Mapping)
        for key in RANGES
    ):
        notes.append(DETECTED)
    return {"fields": fields}, notes


def _field(name: str, kind: str, said: ForeignDocument) -> ForeignDocument:
    form, stored, places = (
        str(said.get(key, ""))
        for key in ("datetime_format", "computer_representation", "decimal_places")
    )
    field: ForeignDocument = {"name": name, "type": SDV_TYPES[kind]}
    if kind == "numerical" and (stored.startswith(("Int", "UInt")) or places == "0"):
        field["type"] = "integer"
    elif kind == "numerical" and places.isdecimal():
        field["synth:decimals"] = int(places)
    if kind == "datetime" and form:
        field |= {"type": "datetime" if has_time(form) else "date", "format": form}
    if kind in ("categorical", "ordinal"):
        field["type"] = _listed_type(said.get("range_values"))
    if kind == "ordinal":
        field["categoriesOrdered"] = True
    constraints: ForeignDocument = {}
    for ours, theirs in (("minimum", "range_min"), ("maximum", "range_max")):
        if said.get(theirs) is not None:
            constraints[ours] = said[theirs]
    values = said.get("range_values")
    if isinstance(values, list) and values:
        constraints["enum"] = [str(value) for value in values if value is not None]
    if isinstance(said.get("range_is_nullable"), bool):
        constraints["required"] = not said["range_is_nullable"]
    if field["type"] == "boolean":
        constraints.pop("enum", None)
    return {**field, "constraints": constraints} if constraints else field


def _listed_type(values: object) -> str:
    """Return the type of a column by its list; SDV detects yes-or-no columns as categories.

    >>> _listed_type([True, False]), _listed_type([1, 2, None]), _listed_type(["a", 1])
    ('boolean', 'integer', 'string')
    """
    listed = values if isinstance(values, list) else []
    kinds = {type(value) for value in listed if value is not None}
    names = {bool: "boolean", int: "integer", float: "number"}
    return names.get(kinds.pop(), "string") if len(kinds) == 1 else "string"


def _find_gap(field: ForeignDocument) -> str:
    said = set(field.get("constraints", {}))
    if "enum" in said or field["type"] == "boolean":
        return ""
    if field["type"] == "string":
        return "categories"
    return "" if {"minimum", "maximum"} <= said else "bounds"


def _sdv_columns(document: ForeignDocument) -> ForeignDocument:
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
    columns = {field["name"]: _second(field) for field in document["fields"]}
    tables = {"table": {"columns": columns}}
    metadata = {"METADATA_SPEC_VERSION": "V2", "tables": tables, "relationships": []}
    return metadata, list_losses(document, "sdv2")


def _second(field: ForeignDocument) -> ForeignDocument:
    column, said = sdv_column(field), field.get("constraints", {})
    stored = column.pop("computer_representation", "")
    if stored == "Int64" or field.get("synth:decimals") is not None:
        column["decimal_places"] = field.get("synth:decimals", 0)
    if column["sdtype"] == "categorical" and field.get("categoriesOrdered"):
        column["sdtype"] = "ordinal"
    if "enum" in said:
        is_number = field["type"] in ("integer", "number")
        column["range_values"] = [_number(v) if is_number else v for v in said["enum"]]
    elif column["sdtype"] in ("numerical", "datetime"):
        is_number = column["sdtype"] == "numerical"
        for ours, theirs in (("minimum", "range_min"), ("maximum", "range_max")):
            if ours in said:
                column[theirs] = _number(said[ours]) if is_number else said[ours]
    if "required" in said:
        column["range_is_nullable"] = not said["required"]
    return column


def _number(bound: object) -> object:
    # Return a bound as a JSON number, as SDV compares them; unchanged if it is none.
    try:
        return int(str(bound))
    except ValueError:
        pass
    try:
        return float(str(bound))
    except ValueError:
        return bound


def to_sdv(document: ForeignDocument) -> Converted:
    columns = {field["name"]: sdv_column(field) for field in document["fields"]}
    metadata = {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": columns}
    return metadata, list_losses(document, "sdv")


def sdv_column(field: ForeignDocument) -> ForeignDocument:
    if "synth:identifier" in field:
        return {"sdtype": "id"}
    kind = "string" if "enum" in field.get("constraints", {}) else field["type"]
    match kind:
        case "integer":
            return {"sdtype": "numerical", "computer_representation": "Int64"}
        case "number":
            return {"sdtype": "numerical", "computer_representation": "Float"}
        case "date" | "datetime":
            given = field.get("format", "default")
            pattern = iso_format(timed=kind == "datetime") if given == "default" else given
            return {"sdtype": "datetime", "datetime_format": pattern}
        case "boolean":
            return {"sdtype": "boolean"}
    return {"sdtype": "categorical"}
