"""The declaration in the editor: fields of a Table Schema."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from synth.domain import (
    COLUMN_KINDS,
    CUTS,
    DECLARED,
    HEADERS,
    ID_KEY,
    KEY,
    Column,
    Derived,
    Domain,
    finish,
    first_repeat,
    kind_of,
    load_schema,
    missing_values,
    name_kind,
    read_derived,
    read_field,
    read_identifier,
    read_provenance,
    write_field,
)
from synth.errors import DomainError

Field = Mapping[str, Any]


# The default rule for undeclared values.
USUAL = "usual"


# Types of Table Schema of which no kind of column can be made.
UNUSABLE = "any object array list geopoint geojson time yearmonth duration".split()


@dataclass(frozen=True, kw_only=True)
class Imported:
    """The declaration of a file.

    Attributes:
        fields: By name; an incomplete column has the properties in the file.
        notes: Gaps of the file, as sentences.
        looked: Whether its steward looked at exact numbers of rows that fit.
        vouched: Whether its steward vouches that values from the rows are public.
        derived: Derived columns, and columns of IDs.
    """

    fields: Mapping[str, Field]
    missing_values: tuple[str, ...] = ("",)
    origin: str = DECLARED
    drafts: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    looked: bool = False
    vouched: bool = False
    derived: tuple[Field, ...] = ()


def read_declaration(document: Mapping[str, Any] | bytes) -> Imported:
    """Read a declaration in any format, complete or not; SynthError if it is none, or
    wrong.
    """
    content, notes = load_schema(document)
    given = content.get("fields")
    every = given if isinstance(given, list) else []
    derived = tuple(_derived_fields(every))
    fields = [new for new in every if not _follows(new)]
    wanting = [_find_gap(f) for f in fields]
    if not any(wanting):
        domain = finish({**content, "fields": fields} if derived else content)
        whole = {column.name: write_field(column) for column in domain.columns}
        return Imported(
            fields=whole,
            missing_values=domain.missing_values,
            origin=domain.origin,
            drafts=domain.drafts,
            notes=tuple(notes),
            looked=domain.looked,
            vouched=domain.vouched,
            derived=derived,
        )
    read, gaps = _read_fields(fields, wanting)
    reported = {note.partition(";")[0].rstrip(".") for note in notes}
    notes += [f"{gap}." for gap in gaps if gap not in reported]
    looked, vouched = (
        content.get(f"synth:{mark}") is True for mark in ("looked", "taken_is_public")
    )
    origin, drafts = read_provenance(content)
    return Imported(
        fields=read,
        missing_values=missing_values(content),
        origin=origin,
        drafts=drafts,
        notes=tuple(notes),
        looked=looked,
        vouched=vouched,
        derived=derived,
    )


def _read_fields(
    fields: Sequence[Any], wanting: Sequence[str]
) -> tuple[dict[str, Field], list[str]]:
    """Return the columns by name, and a sentence for each that is not complete."""
    read: dict[str, Field] = {}
    gaps: list[str] = []
    columns: list[Column] = []
    for place, (field, lacks) in enumerate(zip(fields, wanting, strict=True), 1):
        if lacks:
            name = str(field["name"]).strip()
            read[name] = _incomplete_field(name, field, lacks)
            gaps.append(f"Column '{name}' needs {lacks}")
        else:
            column = read_field(field, place)
            columns.append(column)
            read[column.name] = write_field(column)
    if columns:
        Domain(tuple(columns))
    return read, gaps


def _incomplete_field(name: str, field: Field, lacks: str) -> Field:
    """Return what can be taken of a column whose kind or values are not known."""
    if lacks not in ("categories", "bounds"):
        return {"name": name}
    taken = {key: field[key] for key in ("type", "format", "description") if key in field}
    return {**taken, "name": name, "constraints": {"required": False}}


def _follows(new: Any) -> bool:
    return isinstance(new, Mapping) and (KEY in new or ID_KEY in new)


def _derived_fields(fields: Iterable[Any]) -> Iterator[Field]:
    for place, new in enumerate(fields):
        if _follows(new):
            (read_derived if KEY in new else read_identifier)(new, place + 1)
            kept = {
                key: new[key] for key in ("name", "description", KEY, ID_KEY) if key in new
            }
            yield {**kept, "place": place}


def derive_columns(
    columns: tuple[Column, ...], fields: Iterable[Field]
) -> tuple[tuple[Derived, ...], dict[str, str]]:
    waiting = [read_derived(new, int(new["place"]) + 1) for new in fields if KEY in new]
    found: tuple[Derived, ...] = ()
    wrong: dict[str, str] = {}
    grown = True
    while waiting and grown:
        grown = False
        for one in list(waiting):
            try:
                found = Domain(columns, derived=(*found, one)).derived
            except DomainError as error:
                wrong[one.name] = str(error)
                continue
            waiting.remove(one)
            wrong.pop(one.name, None)
            grown = True
    return found, wrong


def _find_gap(new: Any) -> str:
    if not isinstance(new, Mapping) or not isinstance(new.get("name"), str):
        return ""
    kind, constraints = new.get("type", "string"), new.get("constraints", {})
    if (
        not new["name"].strip()
        or not isinstance(kind, str)
        or not isinstance(constraints, Mapping)
    ):
        return ""
    if "enum" in constraints or "categories" in new:
        return ""
    declares = kind_of(new)
    if declares is not None:
        known = "synth:edges" in new or {"minimum", "maximum"} <= set(constraints)
        return "bounds" if "bounds" in declares.asks and not known else ""
    if kind in UNUSABLE:
        return f"another kind, as nothing can be made of the type {kind}"
    return "categories" if kind == "string" else ""


def read_column(new: Field) -> Column | DomainError:
    if "type" not in new:
        return DomainError(f"Column '{new['name']}' is not declared yet.")
    try:
        return read_field(new, 1)
    except DomainError as error:
        return error


def is_text(new: Field) -> bool:
    return new.get("type") == "string" and not new.get("constraints", {}).get("enum")


def with_kind(new: Field, kind: str | None) -> Field:
    known = name_kind(new)
    if kind is not None and kind == known:
        return new
    base = {key: new[key] for key in ("name", "description") if key in new}
    if kind is None:
        return base
    old, asks = new.get("constraints", {}), COLUMN_KINDS[kind].asks
    constraints = {"required": old.get("required", False)}
    if known is not None and COLUMN_KINDS[known].asks == asks:
        constraints |= {k: old[k] for k in ("minimum", "maximum") if k in old}
    if "categories" in asks:
        constraints["enum"] = []
    return {**base, "type": COLUMN_KINDS[kind].types[kind], "constraints": constraints}


def with_key(new: Field, key: str, value: Any) -> Field:
    rest = {k: v for k, v in new.items() if k != key}
    return rest if value in ("", None, [], (), False) else {**rest, key: value}


def with_cut(new: Field, key: str, value: Any) -> Field:
    """Cut the field in one of three ways, replacing the others; edges set the bounds."""
    if value in ("", None, []):
        return with_key(new, key, None)
    for other in CUTS:
        new = with_key(new, other, None)
    if key == "synth:edges":
        for end, bound in (("minimum", value[0]), ("maximum", value[-1])):
            new = with_constraint(new, end, bound)
    return with_key(new, key, value)


def with_constraint(new: Field, key: str, value: Any) -> Field:
    rest = {k: v for k, v in new.get("constraints", {}).items() if k != key}
    if value not in ("", None):
        rest[key] = value
    return {**new, "constraints": rest}


def with_book(new: Field, book: Mapping[str, str]) -> Field:
    items = [{"value": code, "label": label} for code, label in book.items() if label]
    return with_key(with_constraint(new, "enum", list(book)), "categories", items)


def with_values(new: Field, values: list[str]) -> Field:
    kept = [item for item in new.get("categories", []) if _code(item) in values]
    return with_key(with_constraint(new, "enum", values), "categories", kept)


def _code(category: Any) -> str:
    return str(category["value"] if isinstance(category, Mapping) else category)


def with_spikes(new: Field, values: Iterable[str]) -> Field:
    old = {spike_value(spike): spike for spike in new.get("synth:spikes", [])}
    return with_key(new, "synth:spikes", [old.get(value, value) for value in values])


def spike_value(spike: Any) -> str:
    return str(spike["value"] if isinstance(spike, Mapping) else spike)


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of several columns; None and empty leave a property unchanged."""

    kind: str | None = None
    minimum: str = ""
    maximum: str = ""
    bins: int | None = None
    period: str | None = None
    codes: str = ""
    missing: bool | None = None
    outside: str | None = None

    def apply(self, new: Field) -> Field:
        """Change the field, without properties that its kind does not have.

        A list of categories sets the kind of a column without one.
        """
        kind = self.kind or name_kind(new) or ("categorical" if self.codes.strip() else None)
        if kind is None:
            return new
        new, declares = with_kind(new, kind), COLUMN_KINDS[kind]
        if "categories" in declares.asks and self.codes.strip():
            new = with_book(new, code_book(self.codes))
        if "bounds" in declares.asks:
            new = self._cut(new, declares)
        if self.missing is not None:
            new = with_constraint(new, "required", not self.missing)
        if self.outside in (USUAL, *declares.rules):
            new = with_key(
                new, "synth:outside", None if self.outside == USUAL else self.outside
            )
        return new

    def _cut(self, new: Field, declares: type[Column]) -> Field:
        for end, bound in (("minimum", self.minimum), ("maximum", self.maximum)):
            if bound.strip():
                new = with_constraint(with_key(new, "synth:edges", None), end, bound.strip())
        if self.period and "synth:period" in declares.keys:
            return with_cut(new, "synth:period", self.period)
        return with_cut(new, "synth:bins", self.bins) if self.bins else new


def split_list(text: str) -> list[str]:
    """Return the items of a list: one per line, or separated by commas or semicolons.

    >>> split_list("a\\n b, c\\n\\na")
    ['a', 'b, c', 'a']
    >>> split_list("a; b; c")
    ['a', 'b', 'c']
    """
    lines = text.splitlines()
    if len(lines) == 1:
        lines = text.replace(";", ",").split(",")
    return [line.strip() for line in lines if line.strip()]


def code_book(text: str) -> dict[str, str]:
    """Return codes and labels, one pair per line; or a list of categories.

    It is a code book if a line has a tab, or all have a semicolon, equals sign or comma.

    >>> code_book("code,label\\n1,male\\n2,female, or so")
    {'1': 'male', '2': 'female, or so'}
    >>> code_book("Bonn\\nKiel"), code_book("Bonn; Kiel")
    ({'Bonn': '', 'Kiel': ''}, {'Bonn': '', 'Kiel': ''})

    Raises:
        DomainError: It lists a code twice.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    pairs = [[item, ""] for item in split_list(text)]
    for mark in ("\t", ";", "=", ","):
        cut = [line.split(mark, maxsplit=1) for line in lines]
        if len(lines) > 1 and (all if mark != "\t" else any)(len(pair) == 2 for pair in cut):
            pairs = [[*pair, ""][:2] for pair in cut]
            break
    pairs = [[cell.strip().strip('"') for cell in pair] for pair in pairs]
    if pairs and pairs[0][0].lower() in HEADERS[1] and pairs[0][1].lower() in HEADERS[2]:
        pairs = pairs[1:]
    book = dict(pairs)
    if len(book) < len(pairs):
        twice = first_repeat(code for code, _ in pairs)
        raise DomainError(f"The code book lists '{twice}' twice.")
    return book
