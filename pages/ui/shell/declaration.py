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
    NO_DECISIONS,
    Column,
    Decisions,
    Derived,
    Domain,
    finish,
    first_repeat,
    kind_of,
    load_schema,
    missing_values,
    name_kind,
    read_decisions,
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


# The entries of a code book about a column, other than its kind and values.
ANNOTATIONS = ("description", "missingValues", "synth:labels")

# Types of Table Schema of which no kind of column can be made.
UNUSABLE = "any object array list geopoint geojson time yearmonth duration".split()


@dataclass(frozen=True, kw_only=True)
class Imported:
    """The declaration of a file.

    Attributes:
        fields: By name; an incomplete column has the properties in the file.
        missing_values: Spellings of a missing value.
        origin: Where the declaration comes from.
        drafts: Paid drafts that it was taken from.
        notes: Gaps of the file, as sentences.
        looked: Whether its steward looked at exact numbers of rows that fit.
        vouched: Whether its steward vouches that values from the rows are public.
        derived: Derived columns, and columns of IDs.
        decisions: Why it leaves columns out, and what it lets columns lose.
    """

    fields: Mapping[str, Field]
    missing_values: tuple[str, ...] = ("",)
    origin: str = DECLARED
    drafts: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    looked: bool = False
    vouched: bool = False
    derived: tuple[Field, ...] = ()
    decisions: Decisions = NO_DECISIONS


def read_declaration(document: Mapping[str, Any] | bytes) -> Imported:
    """Read a declaration, complete or not, from a file in any known format.

    ``document`` is a Table Schema, or the bytes of a file. A gap of the file becomes a note.

    Raises:
        SynthError: It is no declaration, or wrong.
    """
    content, notes = load_schema(document)
    declared_fields = content.get("fields")
    all_fields = declared_fields if isinstance(declared_fields, list) else []
    derived = tuple(_derived_fields(all_fields))
    fields = [new for new in all_fields if not _follows(new)]
    gaps = [find_gap(f) for f in fields]
    # A complete declaration is read as a whole.
    if not any(gaps):
        # Derived columns are read by themselves, as the editor keeps them apart.
        domain = finish({**content, "fields": fields} if derived else content)
        complete_fields = {column.name: write_field(column) for column in domain.columns}
        return Imported(
            fields=complete_fields,
            missing_values=domain.missing_values,
            origin=domain.origin,
            drafts=domain.drafts,
            notes=tuple(notes),
            looked=domain.looked,
            vouched=domain.vouched,
            derived=derived,
            decisions=domain.decisions,
        )
    incomplete_fields, gap_sentences = _read_fields(fields, gaps)
    # A note may say the same as a gap, with advice behind a semicolon.
    reported = {note.partition(";")[0].rstrip(".") for note in notes}
    notes += [f"{gap}." for gap in gap_sentences if gap not in reported]
    origin, drafts = read_provenance(content)
    return Imported(
        fields=incomplete_fields,
        missing_values=missing_values(content),
        origin=origin,
        drafts=drafts,
        notes=tuple(notes),
        looked=content.get("synth:looked") is True,
        vouched=content.get("synth:taken_is_public") is True,
        derived=derived,
        decisions=read_decisions(content),
    )


def _read_fields(
    fields: Sequence[Any], gaps: Sequence[str]
) -> tuple[dict[str, Field], list[str]]:
    """Return the fields of all columns by name, and a sentence for each incomplete column.

    Args:
        fields: The fields in the file.
        gaps: What each field lacks, in words; empty for a complete one.

    Raises:
        DomainError: A complete field is wrong.
    """
    columns_by_name: dict[str, Field] = {}
    gap_sentences: list[str] = []
    columns: list[Column] = []
    for place, (field, gap) in enumerate(zip(fields, gaps, strict=True), 1):
        if gap:
            name = str(field["name"]).strip()
            columns_by_name[name] = _incomplete_field(name, field, gap)
            gap_sentences.append(f"Column '{name}' needs {gap}")
        else:
            column = read_field(field, place)
            columns.append(column)
            columns_by_name[column.name] = write_field(column)
    if columns:
        Domain(tuple(columns))  # raises if they do not fit together
    return columns_by_name, gap_sentences


def _incomplete_field(name: str, field: Field, gap: str) -> Field:
    """Return the properties that can be taken from an incomplete column's field.

    Args:
        name: The column.
        field: The column's field in the file.
        gap: What it lacks, in words. Only if that is categories or bounds, its type is taken.
    """
    if gap not in ("categories", "bounds"):
        return {**annotations(field), "name": name}
    kind = {key: field[key] for key in ("type", "format") if key in field}
    return {**annotations(field), **kind, "name": name, "constraints": {"required": False}}


def annotations(field: Field) -> dict[str, Any]:
    """Return the entries of a field other than its kind and values, such as missing codes."""
    return {key: field[key] for key in ANNOTATIONS if key in field}


def _follows(new: Any) -> bool:
    return isinstance(new, Mapping) and (KEY in new or ID_KEY in new)


def _derived_fields(fields: Iterable[Any]) -> Iterator[Field]:
    """Yield the fields of derived columns and of IDs, each with its position as ``place``.

    DomainError if a rule is wrong. All other fields are skipped.
    """
    for place, new in enumerate(fields):
        if _follows(new):
            check_rule = read_derived if KEY in new else read_identifier
            check_rule(new, place + 1)
            properties = {
                key: new[key] for key in ("name", "description", KEY, ID_KEY) if key in new
            }
            yield {**properties, "place": place}


def derive_columns(
    columns: tuple[Column, ...], fields: Iterable[Field]
) -> tuple[tuple[Derived, ...], dict[str, str]]:
    """Return the derived columns that can be computed, and the faults of all others by name.

    A derived column may need another one, in any order. So columns are added as long as one
    more can be.

    Args:
        columns: The declared columns.
        fields: Fields of derived columns, with their ``place``; others are skipped.
    """
    waiting = [read_derived(new, int(new["place"]) + 1) for new in fields if KEY in new]
    derived_columns: tuple[Derived, ...] = ()
    faults: dict[str, str] = {}
    has_grown = True
    while waiting and has_grown:
        has_grown = False
        for rule in list(waiting):
            try:
                # The domain raises if the rule needs a column that it does not have yet.
                derived_columns = Domain(columns, derived=(*derived_columns, rule)).derived
            except DomainError as error:
                faults[rule.name] = str(error)
                continue
            waiting.remove(rule)
            faults.pop(rule.name, None)
            has_grown = True
    return derived_columns, faults


def find_gap(new: Any) -> str:
    """Return what a field lacks to declare a column, in words; empty if it lacks nothing.

    A field of a wrong form lacks nothing either: reading it raises the error about it.
    """
    if not isinstance(new, Mapping) or not isinstance(new.get("name"), str):
        return ""
    kind = new.get("type", "string")  # the default of Table Schema
    constraints = new.get("constraints", {})
    if not isinstance(kind, str) or not isinstance(constraints, Mapping):
        return ""
    if not new["name"].strip():
        return ""
    if "enum" in constraints or "categories" in new:
        return ""
    declares = kind_of(new)  # the class of the column's kind; None if no kind fits
    if declares is not None:
        has_bounds = "synth:edges" in new or {"minimum", "maximum"} <= set(constraints)
        needs_bounds = "bounds" in declares.asks and not has_bounds
        return "bounds" if needs_bounds else ""
    if kind in UNUSABLE:
        return f"another kind, as nothing can be made of the type {kind}"
    return "categories" if kind == "string" else ""


def read_column(new: Field) -> Column | DomainError:
    """Return the column that a field of the Table Schema declares, or the error why not."""
    if "type" not in new:
        return DomainError(f"Column '{new['name']}' is not declared yet.")
    try:
        return read_field(new, 1)
    except DomainError as error:
        return error


def is_text(new: Field) -> bool:
    """Return whether the field is a text without a list of values."""
    return new.get("type") == "string" and not new.get("constraints", {}).get("enum")


def with_kind(new: Field, kind: str | None) -> Field:
    """Return the field as another kind of column; None for no kind.

    The name and description stay. So do bounds if both kinds have the same ones.
    """
    old_kind = name_kind(new)
    if kind is not None and kind == old_kind:
        return new
    base = {"name": new["name"], **annotations(new)}
    if kind is None:
        return base
    old_constraints = new.get("constraints", {})
    constraints = {"required": old_constraints.get("required", False)}
    asks = COLUMN_KINDS[kind].asks
    old_asks = COLUMN_KINDS[old_kind].asks if old_kind is not None else {}
    # Times of day and durations may be spelled alike.
    are_clocks = "clock" in asks and "clock" in old_asks
    if are_clocks and new.get("format", "default") != "default":
        base["format"] = new["format"]
    if old_asks == asks or are_clocks:
        for bound in ("minimum", "maximum"):
            if bound in old_constraints:
                constraints[bound] = old_constraints[bound]
    if "categories" in asks:
        constraints["enum"] = []  # to be filled in
    return {**base, "type": COLUMN_KINDS[kind].types[kind], "constraints": constraints}


def with_key(new: Field, key: str, value: Any) -> Field:
    """Return the field with a property, or without it if the value is empty or False."""
    other_properties = {k: v for k, v in new.items() if k != key}
    if value in ("", None, [], (), False):
        return other_properties
    return {**other_properties, key: value}


def with_cut(new: Field, key: str, value: Any) -> Field:
    """Return the field with its bins given in one of three ways, and without the other two.

    ``key`` is the property for the number, the edges or the period of the bins, ``value`` its
    value; an empty one removes the property. Edges also set the bounds.
    """
    if value in ("", None, []):
        return with_key(new, key, None)
    for cut_key in CUTS:
        new = with_key(new, cut_key, None)
    if key == "synth:edges":
        for end, bound in (("minimum", value[0]), ("maximum", value[-1])):
            new = with_constraint(new, end, bound)
    return with_key(new, key, value)


def with_constraint(new: Field, key: str, value: Any) -> Field:
    """Return the field with a constraint, such as ``minimum``.

    An empty value removes it.
    """
    constraints = {k: v for k, v in new.get("constraints", {}).items() if k != key}
    if value not in ("", None):
        constraints[key] = value
    return {**new, "constraints": constraints}


def with_book(new: Field, book: Mapping[str, str]) -> Field:
    """Return the field with the codes of a code book as its categories.

    It gets their labels too. ``book`` maps codes to labels; an empty label is left out.
    """
    items = [{"value": code, "label": label} for code, label in book.items() if label]
    return with_key(with_constraint(new, "enum", list(book)), "categories", items)


def with_values(new: Field, values: list[str]) -> Field:
    """Return the field with these categories, and the labels that it has for them already."""
    labelled = [item for item in new.get("categories", []) if code_of(item) in values]
    return with_key(with_constraint(new, "enum", values), "categories", labelled)


def with_spikes(new: Field, values: Iterable[str]) -> Field:
    """Return the field with these values that are counted by themselves, outside of bins.

    Labels that it has for them stay.
    """
    return _with_codes(new, "synth:spikes", values)


def with_signs(new: Field, texts: Iterable[str]) -> Field:
    """Return the field with these signs: texts that are no values, with cells of their own.

    Labels that it has for them stay.

    >>> with_signs({"synth:signs": [{"value": "<5", "label": "low"}]}, ["<5", ">9"])
    {'synth:signs': [{'value': '<5', 'label': 'low'}, '>9']}
    """
    return _with_codes(new, "synth:signs", texts)


def _with_codes(new: Field, key: str, values: Iterable[str]) -> Field:
    """Return the field with a list of codes under a key; the labels of old codes stay."""
    old_codes = {code_of(code): code for code in new.get(key, [])}
    return with_key(new, key, [old_codes.get(value, value) for value in values])


def with_missing(new: Field, spellings: Iterable[str]) -> Field:
    """Return the field with these spellings of a missing value, and the empty cell.

    Labels that it has for them stay. Without any spelling, those of all columns count.
    """
    old_entries = {code_of(entry): entry for entry in new.get("missingValues", [])}
    entries = [old_entries.get(text, text) for text in dict.fromkeys(spellings)]
    return with_key(new, "missingValues", ["", *entries] if entries else None)


def code_of(entry: Any) -> str:
    """Return a category, a frequent value, a sign or a missing value without its label."""
    return str(entry["value"] if isinstance(entry, Mapping) else entry)


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of several columns; None and empty leave a property unchanged.

    Attributes:
        kind: The kind of column.
        minimum: The lowest value, as typed.
        maximum: The highest value, as typed.
        bins: The number of bins.
        period: Bins by the calendar, such as month.
        codes: A list of categories, or a code book, as typed.
        missing: Whether missing values have a cell.
        outside: The rule for values outside.
    """

    kind: str | None = None
    minimum: str = ""
    maximum: str = ""
    bins: int | None = None
    period: str | None = None
    codes: str = ""
    missing: bool | None = None
    outside: str | None = None

    def apply(self, new: Field) -> Field:
        """Return a column's field with this change, as far as its kind has the properties.

        A list of categories sets the kind of a column without one. Without any kind the field
        stays as it is.
        """
        kind = self.kind or name_kind(new) or ("categorical" if self.codes.strip() else None)
        if kind is None:
            return new
        new = with_kind(new, kind)
        declares = COLUMN_KINDS[kind]
        if "categories" in declares.asks and self.codes.strip():
            new = with_book(new, code_book(self.codes))
        if "bounds" in declares.asks:
            new = self._cut(new, declares)
        if self.missing is not None:
            new = with_constraint(new, "required", not self.missing)
        if self.outside in (USUAL, *declares.rules):
            rule = None if self.outside == USUAL else self.outside
            new = with_key(new, "synth:outside", rule)
        return new

    def _cut(self, new: Field, declares: type[Column]) -> Field:
        """Return a field with the typed bounds and bins.

        ``declares`` is the class of its kind, which may have no bins by the calendar.
        """
        for end, bound in (("minimum", self.minimum), ("maximum", self.maximum)):
            if bound.strip():
                # Edges would set the bounds again.
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
    """Return labels by their codes, from a pair on each line; or a list without labels.

    It is a code book if a line has a tab, or all have a semicolon, equals sign or comma. A
    first line of titles is skipped.

    Raises:
        DomainError: It lists a code twice.

    >>> code_book("code,label\\n1,male\\n2,female, or so")
    {'1': 'male', '2': 'female, or so'}
    >>> code_book("Bonn\\nKiel"), code_book("Bonn; Kiel")
    ({'Bonn': '', 'Kiel': ''}, {'Bonn': '', 'Kiel': ''})
    """
    lines = [line for line in text.splitlines() if line.strip()]
    pairs = _split_pairs(lines) or [(category, "") for category in split_list(text)]
    pairs = [(_unquote(code), _unquote(label)) for code, label in pairs]
    if pairs and _is_header(*pairs[0]):
        pairs = pairs[1:]
    book = dict(pairs)
    if len(book) < len(pairs):
        twice = first_repeat(code for code, _ in pairs)
        raise DomainError(f"The code book lists '{twice}' twice.")
    return book


def _split_pairs(lines: list[str]) -> list[tuple[str, str]]:
    """Return the code and the label on each line; an empty list if it is no code book."""
    if len(lines) < 2:
        return []
    for mark in ("\t", ";", "=", ","):
        has_mark = [mark in line for line in lines]
        # A tab in a list of categories is hardly meant as anything but a separator.
        is_book = any(has_mark) if mark == "\t" else all(has_mark)
        if is_book:
            return [
                (code, label) for code, _, label in (line.partition(mark) for line in lines)
            ]
    return []


def _unquote(cell: str) -> str:
    return cell.strip().strip('"')


def _is_header(first_cell: str, second_cell: str) -> bool:
    return first_cell.lower() in HEADERS[1] and second_cell.lower() in HEADERS[2]
