"""REDCap data dictionaries, as its designer and its API export them.

>>> rows = [
...     ["field_name", "field_type", "field_label", "select_choices_or_calculations"],
...     ["sex", "radio", "Sex", "1, Male | 2, Female"],
... ]
>>> is_redcap(rows[0]), from_redcap(rows)[0]["fields"][0]["categories"][0]
(True, {'value': '1', 'label': 'Male'})
"""

from collections.abc import Mapping, Sequence

from synth.domain.codebooks.packed import split_codes
from synth.domain.codebooks.variables import Converted, Variable, as_schema

REDCAP_KEYS = {
    "variable / field name": "name",
    "field_name": "name",
    "field type": "type",
    "field_type": "type",
    "field label": "label",
    "field_label": "label",
    "choices, calculations, or slider labels": "choices",
    "choices or calculations": "choices",
    "select_choices_or_calculations": "choices",
    "text validation type or show slider number": "check",
    "text_validation_type_or_show_slider_number": "check",
    "text validation min": "low",
    "text_validation_min": "low",
    "text validation max": "high",
    "text_validation_max": "high",
    "identifier?": "identifier",
    "identifier": "identifier",
    "required field?": "required",
    "required_field": "required",
}
CHOICE_TYPES = ("radio", "dropdown", "select")
YES_NO_CODES = {"yesno": {"1": "Yes", "0": "No"}, "truefalse": {"1": "True", "0": "False"}}
# Types of fields that hold no values to declare.
NO_DATA = ("descriptive", "file", "signature", "notes", "sql")


def is_redcap(header: Sequence[str]) -> bool:
    """Return whether a header belongs to a data dictionary of REDCap."""
    return {"name", "type", "choices"} <= {
        REDCAP_KEYS.get(_normalise_cell(cell)) for cell in header
    }


def from_redcap(rows: Sequence[Sequence[str]]) -> Converted:
    """Return a Table Schema of a data dictionary: choices, checkboxes, dates and bounds.

    Identifiers and fields of free content are left out, with a note each.

    Args:
        rows: The rows of the dictionary, the header first.

    Returns:
        The Table Schema, and notes in sentences on what it lacks.

    Raises:
        DomainError: A field is listed twice.
    """
    # The short name of each column of the dictionary; empty for columns that are not used.
    keys = [REDCAP_KEYS.get(_normalise_cell(cell), "") for cell in rows[0]]
    variables: list[Variable] = []
    notes = []
    for row in rows[1:]:
        cells = {key: cell.strip() for key, cell in zip(keys, row, strict=False) if key}
        if not any(cells.values()):
            continue
        if cells.get("type", "").lower() in NO_DATA:
            notes.append(
                f"Column '{cells['name']}' is left out: it is a field of free content."
            )
            continue
        if cells.get("identifier", "").lower() in ("y", "1", "yes"):
            notes.append(
                f"Column '{cells['name']}' is left out: REDCap marks it as an identifier."
            )
            continue
        variables += _describe_field(cells)
    document, schema_notes = as_schema(variables)
    return document, notes + schema_notes


def _normalise_cell(cell: str) -> str:
    return " ".join(cell.split()).lower()


def _describe_field(cells: Mapping[str, str]) -> list[Variable]:
    """Return the table's columns for one field of REDCap.

    It is one column, or one for each box of a field with boxes to check.

    Args:
        cells: The field's row in the dictionary, by the short names in `REDCAP_KEYS`.
    """
    kind = cells.get("type", "").lower()
    name = cells.get("name", "")
    label = cells.get("label", "")
    if kind == "checkbox":
        choices = split_codes(cells.get("choices", ""))
        # REDCap exports a column "name___code" for each box.
        return [
            Variable(
                name=f"{name}___{code.lower().replace('-', '_')}",
                description=meaning or label,
                codes={"0": "Unchecked", "1": "Checked"},
                required=True,
            )
            for code, meaning in choices.items()
        ]
    variable = Variable(name=name, description=label)
    variable.required = cells.get("required", "").lower() == "y"
    if kind in CHOICE_TYPES:
        variable.codes = split_codes(cells.get("choices", ""))
    elif kind in YES_NO_CODES:
        variable.codes = dict(YES_NO_CODES[kind])
    elif kind == "slider":  # from 0 to 100 by default in REDCap
        variable.kind = "integer"
        variable.low = cells.get("low") or "0"
        variable.high = cells.get("high") or "100"
    else:  # a calculation, or typed text, whose check tells its kind
        variable.kind = "number" if kind == "calc" else _kind(cells.get("check", "").lower())
        variable.low = cells.get("low", "")
        variable.high = cells.get("high", "")
    return [variable]


def _kind(check: str) -> str:
    """Return the kind of a column, by the check that REDCap makes when text is typed.

    Checks have names such as "date_dmy" or "number_2dp". The order of the date's parts does
    not matter, as REDCap always exports dates in ISO 8601.
    """
    if check.startswith("datetime"):
        return "datetime"
    if check.startswith("date"):
        return "date"
    if check.startswith("number"):
        return "number"
    return "integer" if check.startswith("int") else "string"
