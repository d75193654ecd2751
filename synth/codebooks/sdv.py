"""SDV metadata, one table (V1) or several (V2): kinds of columns, and no more."""

from collections.abc import Mapping

from synth.codebooks.lost import lost
from synth.codebooks.pieces import Converted, ForeignDocument, refuse_codebook

SDV_TYPES = {
    "categorical": "string",
    "boolean": "boolean",
    "numerical": "number",
    "datetime": "datetime",
}


def from_sdv(document: ForeignDocument) -> Converted:
    columns, notes = _sdv_columns(document), []
    fields = []
    for name, column in columns.items():
        said = column if isinstance(column, Mapping) else {}
        kind, form, stored = (
            str(said.get(key, ""))
            for key in ("sdtype", "datetime_format", "computer_representation")
        )
        if kind not in SDV_TYPES:
            notes.append(f"Column '{name}' ({kind or 'no sdtype'}) is left out: it is no category.")
            continue
        field: ForeignDocument = {"name": name, "type": SDV_TYPES[kind]}
        if kind == "numerical" and stored.startswith(("Int", "UInt")):
            field["type"] = "integer"
        if kind == "datetime" and form:
            timed = any(mark in form for mark in ("%H", "%I", "%c", "%X"))
            field |= {"type": "datetime" if timed else "date", "format": form}
        lacking = {"string": "categories", "boolean": ""}.get(field["type"], "bounds")
        if lacking:
            notes.append(f"Column '{name}' needs {lacking}; SDV metadata does not say them.")
        fields.append(field)
    return {"fields": fields}, notes


def _sdv_columns(document: ForeignDocument) -> ForeignDocument:
    if "tables" in document:
        tables = document["tables"]
        if not isinstance(tables, Mapping) or len(tables) != 1:
            refuse_codebook("SDV metadata of several tables: expected exactly one under 'tables'.")
        document = next(iter(tables.values()))
    columns = document.get("columns") if isinstance(document, Mapping) else None
    if not isinstance(columns, Mapping):
        refuse_codebook("SDV metadata: expected an object under 'columns'.")
    return dict(columns)


def to_sdv(document: ForeignDocument) -> Converted:
    columns: ForeignDocument = {}
    for field in document["fields"]:
        kind = field["type"]
        if "enum" in field.get("constraints", {}):
            kind = "string"
        match kind:
            case "integer":
                column = {"sdtype": "numerical", "computer_representation": "Int64"}
            case "number":
                column = {"sdtype": "numerical"}
            case "date" | "datetime":
                given = field.get("format", "default")
                iso = "%Y-%m-%d" if kind == "date" else "%Y-%m-%dT%H:%M:%S"
                column = {"sdtype": "datetime"} | (
                    {"datetime_format": iso if given == "default" else given}
                )
            case "boolean":
                column = {"sdtype": "boolean"}
            case _:
                column = {"sdtype": "categorical"}
        columns[field["name"]] = column
    metadata = {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": columns}
    return metadata, lost(document, "sdv")
