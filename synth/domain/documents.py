"""Table Schemas and code books, read as the fields of a domain. PUBLIC."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from synth import limits
from synth.domain.building import Declared, column_of
from synth.domain.codebooks.contents import (
    TABLE_SCHEMA,
    check_size,
    has_labels,
    is_json,
    load_bytes,
    parse_json,
    recognize,
    without_mark,
)
from synth.domain.column import Column, refuse, refuse_absent, write_field
from synth.domain.decisions import LEFT_OUT_KEY, NOT_CHOSEN, Decisions, read_decisions
from synth.domain.derived import KEY, Derived, read_derived
from synth.domain.field_values import read_spellings
from synth.domain.fields import check_keys, list_unused_keys, read_field, refuse_unknown
from synth.domain.identifiers import ID_KEY, Identifier, read_identifier
from synth.domain.origin import read_provenance
from synth.errors import DomainError, LimitError, clean_message
from synth.util import Document, Json, check_path

KEYS = set(
    "$schema fields missingValues primaryKey uniqueKeys foreignKeys fieldsMatch name title "
    "description synth:origin synth:draft synth:looked synth:taken_is_public "
    "synth:left_out synth:agreed synth:note synth:universe_cells".split()
)


class DomainFields(NamedTuple):
    """The fields of a `Domain`, as a declaration gives them; `Domain` describes them."""

    columns: tuple[Column, ...]
    missing_values: tuple[str, ...]
    origin: str
    drafts: tuple[Mapping[str, Json], ...]
    looked: bool
    vouched: bool
    derived: tuple[Derived, ...]
    identifiers: tuple[Identifier, ...]
    decisions: Decisions


# Endings of files that hold rows and never a declaration; and of those that may hold either.
TABLE_ENDINGS = (".parquet", ".jsonl", ".ndjson", ".arrow", ".feather", ".duckdb", ".db")
SHEET_ENDINGS = (".csv", ".tsv", ".txt", ".xlsx", ".xls", ".xlsb", ".ods")


def load_declaration(
    source: str | Path | bytes | Mapping[str, Json],
    columns_by_name: Mapping[str, Declared | Derived | Identifier],
    kind: str = "",
    *,
    columns: Sequence[str] | None = None,
) -> DomainFields:
    """Read a declaration of any kind, or of one, with additional columns.

    Each remark on what it lacks, or on what is not used, is a warning. Remarks on columns
    that are given by name are left out.

    Args:
        source: The path of the declaration, its bytes, or the parsed JSON object.
        columns_by_name: Columns that are declared otherwise, or in addition.
        kind: The expected kind, as in `synth.domain.codebooks.formats`; empty for any.
        columns: The columns that are needed; the others may be incomplete. By default all.

    Raises:
        DomainError: It is of another kind, or wrong or incomplete.
    """
    if isinstance(source, str | Path):
        check_path(source, "the declaration")
    if kind:
        source = _parse_kind(source, kind)
    document, notes = load_description(source)
    document = _with_columns(document, columns_by_name)
    declared = read_document(select_fields(document, columns))
    # A remark begins with the column that it is about.
    settled_columns = tuple(f"Column '{name}'" for name in columns_by_name)
    for note in notes:
        if not note.startswith(settled_columns):
            # The warning points at the caller of `Domain.from_schema` and its kin.
            warnings.warn(clean_message(note), UserWarning, stacklevel=3)
    return declared


def _parse_kind(
    source: str | Path | bytes | Mapping[str, Json], kind: str
) -> Mapping[str, Json]:
    """Return a declaration of an expected kind as a JSON object.

    Args:
        source: The path of the file, its bytes, or the parsed JSON object.
        kind: The expected format, as `recognize` names it, such as "sdv".

    Raises:
        DomainError: It is of another kind.
    """
    content = load_bytes(source) if isinstance(source, str | Path) else source
    document = parse_json(content) if isinstance(content, bytes) else content
    format_name = recognize(document)
    if format_name != kind or not isinstance(document, Mapping):
        refuse(f"Expected the format {kind}, but this is of the format {format_name}.")
    return document


def _with_columns(
    document: Document, columns_by_name: Mapping[str, Declared | Derived | Identifier]
) -> Document:
    """Return a Table Schema in which some columns are declared otherwise, or in addition.

    A column by name replaces the field of this name; without one it comes at the end. A
    document without a list of fields is returned unchanged, and refused later.
    """
    fields = document.get("fields")
    if not columns_by_name or not isinstance(fields, list):
        return document
    new_fields = {name: _field_of(name, column) for name, column in columns_by_name.items()}
    names = [field.get("name") for field in fields if isinstance(field, Mapping)]
    all_fields = [new_fields.get(str(field.get("name")), field) for field in fields]
    all_fields += [field for name, field in new_fields.items() if name not in names]
    return {**document, "fields": all_fields}


def _field_of(name: str, declared: Declared | Derived | Identifier) -> dict[str, Json]:
    if isinstance(declared, Derived | Identifier):
        return replace(declared, name=name).write_field()
    return write_field(column_of(name, declared))


def load_schema(
    source: str | Path | bytes | Mapping[str, Json], part: str = ""
) -> tuple[Document, list[str]]:
    """Read a declaration or code book of any kind as a Table Schema.

    Args:
        source: The path of the file, its bytes, or the parsed JSON object.
        part: Name of one of several resources or tables; empty if there is only one.

    Returns:
        The Table Schema, and remarks in sentences on what it lacks or does not use.

    Raises:
        DomainError: It is of no known kind.
        LimitError: The file is larger than a declaration can be.
    """
    if isinstance(source, Mapping):
        return _add_remarks(*_convert_document(source, part))
    if not isinstance(source, str | bytes | Path):
        refuse(
            "A declaration is the path of a file, its bytes, or a JSON object; this is of "
            f"the type {type(source).__name__}."
        )
    # Bytes have no name, and so no ending that says of which kind they are.
    path = Path() if isinstance(source, bytes) else Path(source)
    # Files of statistics programs hold labels; they may be large, and are read by their path.
    if has_labels(path) and path.is_file():
        from synth.domain.codebooks.apart import read_codebooks

        return _add_remarks(*read_codebooks([(path.name, path)]))
    content = source if isinstance(source, bytes) else load_bytes(source)
    check_size(content)
    if is_json(content) and recognize(document := parse_json(content)) == TABLE_SCHEMA:
        return _add_remarks(*_convert_document(document, part))
    from synth.domain.codebooks.apart import read_codebooks

    # Other files are read by a child process, as they may unfold to more than memory holds.
    return _add_remarks(*read_codebooks([(path.name, content)], part))


def load_description(
    source: str | Path | bytes | Mapping[str, Json],
) -> tuple[Document, list[str]]:
    """Read a declaration as `load_schema` does, and recognise a table in its place.

    Raises:
        DomainError: It is of no known kind. If the file may be a table of rows, the sentence
            says so, and quotes nothing of it.
        LimitError: The file is larger than a declaration can be.
    """
    try:
        return load_schema(source)
    except (DomainError, LimitError):
        if not isinstance(source, str | Path) or not _may_be_table(Path(source)):
            raise
    refuse(
        f"'{Path(source).name}' is no description of columns, and may be a table: draft a "
        "description of it (synth domain draft, synth.draft), or if it is a code book, say "
        "what its columns are (synth domain convert --map)."
    )


def _may_be_table(path: Path) -> bool:
    """Return whether a file that is no declaration may be a table of rows."""
    # Imported here, because they load readers of code books.
    from synth.domain.codebooks.apart import sheet_in
    from synth.domain.codebooks.redcap import is_redcap

    if has_labels(path) or not path.is_file():
        return False
    if path.suffix.lower() in TABLE_ENDINGS:
        return True
    try:
        content = load_bytes(path)
        if is_json(content):
            return isinstance(parse_json(content), list)
        if without_mark(content).startswith(b"<"):
            return False
        sheet = sheet_in(path.name, content)
    except (DomainError, LimitError):  # no text, or not of cells
        return path.suffix.lower() in SHEET_ENDINGS
    return not sheet.is_sure and not is_redcap(sheet.header)


def _convert_document(source: Json, part: str) -> tuple[Document, list[str]]:
    """Return a parsed declaration as a Table Schema, with remarks on what it lacks.

    `part` names one of several tables that it describes; empty if there is only one.
    """
    if recognize(source) == TABLE_SCHEMA and isinstance(source, Mapping):
        return dict(source), []
    from synth.domain.codebooks.formats import from_other

    return from_other(source, part)


def _add_remarks(document: Document, notes: list[str]) -> tuple[Document, list[str]]:
    """Return a Table Schema with its notes, and further remarks on keys that are not used.

    Raises:
        DomainError: It has too many keys or columns.
    """
    fields = document.get("fields")
    remarks = list(notes)
    if len(document) > limits.MAX_KEYS:
        refuse(f"The schema has {len(document):,} keys; the limit is {limits.MAX_KEYS}.")
    if isinstance(fields, list) and len(fields) > limits.FIELDS:
        refuse(
            f"The schema declares {len(fields):,} columns; the limit is {limits.FIELDS:,}."
        )
    for field in fields if isinstance(fields, list) else ():
        # Fields of a wrong form have no remarks here; they are refused when they are read.
        constraints = field.get("constraints", {}) if isinstance(field, Mapping) else None
        keys = list_unused_keys(field) if isinstance(constraints, Mapping) else []
        if keys:
            key_list = ", ".join(f"'{key}'" for key in keys[: limits.MAX_KEYS])
            remarks.append(f"Column '{field.get('name')}': {key_list} is not used.")
    for key in document:
        # The last two are known keys of Table Schema, which a single table does not use.
        if key not in KEYS or key in ("uniqueKeys", "foreignKeys"):
            remarks.append(f"The key '{key}' is not used.")
    return document, remarks


def select_fields(
    document: Mapping[str, Json], names: Sequence[str] | None
) -> Mapping[str, Json]:
    """Return a Table Schema with the named fields only, so that others may be incomplete.

    The others are named as left out.

    Args:
        document: The parsed Table Schema.
        names: The columns that are needed; None for all.

    Raises:
        DomainError: The document has no field of one of these names.
    """
    fields = document.get("fields")
    if names is None or not isinstance(fields, list):
        return document
    declared = [field for field in fields if isinstance(field, Mapping)]
    names_in_document = [_name_of(field) for field in declared]
    lacking = next((name for name in names if name not in names_in_document), None)
    if lacking is not None:
        refuse_absent("The domain", lacking, names_in_document)
    not_chosen = {
        name: NOT_CHOSEN for name in names_in_document if name and name not in names
    }
    decisions = read_decisions(document).leave_out(not_chosen)
    chosen_fields = [field for field in declared if _name_of(field) in names]
    return {**document, "fields": chosen_fields, LEFT_OUT_KEY: dict(decisions.left_out)}


def _name_of(field: Mapping[str, Json]) -> str:
    return str(field.get("name", "")).strip()


def read_document(document: Mapping[str, Json]) -> DomainFields:
    """Return what a parsed Table Schema declares, as the fields of a `Domain`.

    Each field is an ordinary column, a derived column or a column of IDs, by its keys.

    Raises:
        DomainError: It is no Table Schema, or a field is wrong or incomplete; this is named.
    """
    fields = document.get("fields")
    if not isinstance(fields, list):
        refuse("This is no Table Schema: expected a JSON object with a list under 'fields'.")
    check_keys("The schema", document, KEYS)
    if len(fields) > limits.MAX_COLUMNS:
        refuse(
            f"The domain declares {len(fields):,} columns; the limit is "
            f"{limits.MAX_COLUMNS:,}."
        )
    columns = []
    derived = []
    identifiers = []
    for position, field in enumerate(fields, 1):
        is_derived = _has_key(field, KEY)
        is_identifier = _has_key(field, ID_KEY)
        # A field with both keys gives two columns of one name, which `Domain` refuses.
        if is_derived:
            derived.append(read_derived(field, position))
        if is_identifier:
            identifiers.append(read_identifier(field, position))
        if not is_derived and not is_identifier:
            columns.append(read_field(field, position))
        else:
            refuse_unknown(_name_of(field), field)
    origin, drafts = read_provenance(document)
    return DomainFields(
        columns=tuple(columns),
        missing_values=missing_values(document),
        origin=origin,
        drafts=drafts,
        looked=_read_truth(document, "synth:looked"),
        vouched=_read_truth(document, "synth:taken_is_public"),
        derived=tuple(derived),
        identifiers=tuple(identifiers),
        decisions=read_decisions(document),
    )


def _has_key(field: Json, key: str) -> bool:
    return isinstance(field, Mapping) and key in field


def _read_truth(document: Mapping[str, Json], key: str) -> bool:
    """Return the truth under a key, False if it is absent; DomainError if it is none."""
    answer = document.get(key, False)
    if not isinstance(answer, bool):
        refuse(f"'{key}' must be true or false, or left out.")
    return answer


def missing_values(document: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the spellings of a missing value, each once; by default the empty text.

    Raises:
        DomainError: They are no list of texts, or of objects with a value.
    """
    return read_spellings(document.get("missingValues", [""]))[0]
