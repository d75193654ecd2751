"""Fields filled in from the private rows, at the steward's request. PRIVATE.

Code that uses them must mark the domain: no guarantee covers it. Similar columns, with one
stem and nearly the same values, are declared in the same way.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice
from typing import Any

from synth import limits
from synth.domain import LOOKED_UP, constraints, format_of
from synth.drafting import (
    DraftColumn,
    Proposal,
    Review,
    decisions_of,
    list_losses,
    say_how_to_agree,
    say_losses,
    say_missing,
)
from synth.errors import ArgumentError, LimitError, name_some
from synth.private.counting.dependencies import propose_for_draft
from synth.private.counting.duckdb import DuckDB
from synth.private.counting.key_columns import leave_out_foreign_keys, propose_persons
from synth.private.counting.labelled import (
    add_missing_kinds,
    list_own_missing,
    note_unread_labels,
    read_labels_of,
    settle_labelled,
)
from synth.private.counting.losses import ask_about_loss, list_values, signs_of
from synth.private.counting.ordering import ordered_texts, take_scale
from synth.private.counting.profiler import Profiler
from synth.private.counting.profiles import Profile
from synth.private.counting.settling import settle_column
from synth.private.counting.shapes import SURE
from synth.private.table import PrivateTable
from synth.util import Document, write_share

# Keys of a field that similar columns must share.
COMMON_KEYS = ("type", "format", "synth:outside")
# The joint list of similar columns may be longer than the longest of theirs by this factor.
MAX_LONGER_LIST = 1.25


def alike(columns: Sequence[DraftColumn]) -> list[DraftColumn]:
    """Return the columns, in order; similar ones get the values that any of them has.

    Columns are similar if their names differ only by a number at the end, as in ``score_1``
    and ``score_2``, their kinds are the same, and their values nearly so.
    """
    groups = defaultdict(list)  # the places of columns, by stem and kind
    for place, column in enumerate(columns):
        if stem := _stem(column.name):
            groups[(stem, *(column.field.get(key) for key in COMMON_KEYS))].append(place)
    joined = list(columns)
    for places in groups.values():
        group = _join_group([columns[place] for place in places])
        for place, column in zip(places, group, strict=True):
            joined[place] = column
    return joined


def _stem(name: str) -> str:
    """Return a name in small letters without the number at its end.

    It is empty if the name has no such number, or if nothing of meaning remains.
    """
    # A mark and a letter next to the number go too, as in "q-12b". "column" and a number is
    # what Synth itself calls a column without a name.
    stem = re.sub(r"[ _.-]?\d+[A-Za-z]?$", "", name)
    if stem in (name, "column") or not stem.strip("_.-?# "):
        return ""
    return stem.casefold()


def _join_group(group: Sequence[DraftColumn]) -> Sequence[DraftColumn]:
    """Return columns of one stem, declared in the same way if they are similar enough.

    Otherwise they are returned unchanged, as is a group with a left-out column.
    """
    fields: list[Any] = [column.field for column in group]
    if len(group) < 2 or any(column.left_out for column in group):
        return group
    lists = [constraints(field).get("enum") for field in fields]
    if all(isinstance(texts, list) for texts in lists):
        return _join_lists(group, lists)
    # Columns whose bins follow their rows have edges of their own, and stay as they are.
    plain = all("minimum" in constraints(f) and "synth:edges" not in f for f in fields)
    if plain and all(f["type"] in ("integer", "number") for f in fields):
        return _join_numbers(group, fields)
    return group


def _join_lists(group: Sequence[DraftColumn], lists: Sequence[Any]) -> Sequence[DraftColumn]:
    """Return columns of lists with the values of all, if they hold nearly the same.

    Otherwise, return them unchanged.

    Args:
        group: The columns.
        lists: The listed values of each, in the same order.
    """
    union = list(dict.fromkeys(chain(*lists)))
    longest = max(map(len, lists))
    adds_many = len(union) > MAX_LONGER_LIST * longest
    # A list of less than half of the longest one's values is about something else.
    if adds_many or any(len(texts) * 2 < longest for texts in lists):
        return group
    texts, _ = ordered_texts(union)
    return _with_constraints(group, {"enum": texts}, {})


def _join_numbers(
    group: Sequence[DraftColumn], fields: Sequence[Any]
) -> Sequence[DraftColumn]:
    """Return columns of numbers with common bounds, which contain the bounds of each.

    If their ranges differ much, they are returned unchanged.

    Args:
        group: The columns.
        fields: The field of each, in the same order; all have bounds and no edges.
    """
    bounds = [field["constraints"] for field in fields]
    ends = [(float(ends["minimum"]), float(ends["maximum"])) for ends in bounds]
    low = min(minimum for minimum, _ in ends)
    high = max(maximum for _, maximum in ends)
    # A column of less than half of the joint range is another kind of number.
    if any((maximum - minimum) * 2 < high - low for minimum, maximum in ends):
        return group
    # The bounds keep their spelling. ``required`` is a constraint too, but not a text.
    texts = [text for text in chain(*(b.values() for b in bounds)) if isinstance(text, str)]
    spelled = {float(text): text for text in texts}
    limiting = {"minimum": spelled[low], "maximum": spelled[high]}
    keys: dict[str, Any] = {}
    spikes = {*chain(*(field.get("synth:spikes", []) for field in fields))}
    if spikes:
        keys["synth:spikes"] = sorted(spikes, key=float)
    signs = {*chain(*(field.get("synth:signs", []) for field in fields))}
    if signs:
        keys["synth:signs"] = sorted(signs)[: limits.MAX_SPIKES]
    # Each column has a bin for every whole number, so the joint range has one too.
    if all("synth:bins" in f for f in fields):
        keys["synth:bins"] = int(high - low) + 1
    return _with_constraints(group, limiting, keys)


def _with_constraints(
    group: Sequence[DraftColumn], limiting: dict[str, Any], keys: dict[str, Any]
) -> list[DraftColumn]:
    """Return columns with the same constraints, and with more keys of their fields.

    Args:
        group: The columns.
        limiting: The constraints of all, but for ``required``: it holds if it holds for all.
        keys: Keys and values that each field gets in addition to its own.
    """
    required = all(constraints(column.field).get("required") for column in group)
    limiting = {"required": required, **limiting}
    return [
        replace(column, field={**column.field, **keys, "constraints": limiting})
        for column in group
    ]


# Most spellings of missing values that are proposed.
MAX_MARKERS = 20
# Most pairs of columns that are compared row by row, among those with equal counts.
MAX_COMPARED_PAIRS = 50
# A column with fewer values than this is a question, if it is nearly empty.
SPARSE_VALUES = 200
# A column is nearly empty if more of its cells than this share are.
SPARSE_SHARE = 0.9
# Most columns that a sentence names.
NAMED_COLUMNS = 10
# Most signs of a column that a sentence names.
NAMED_SIGNS = 5


@dataclass(frozen=True, eq=False, repr=False)
class Look:
    """Proposals from a look at the rows.

    Attributes:
        columns: The columns; open ones are incomplete.
        missing_values: Spellings of missing values, the given ones first.
        remarks: Sentences about values that will come out differently than in the table.
        proposals: Relations that all rows obey, for the steward to take in.
    """

    columns: Sequence[DraftColumn]
    missing_values: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is taken from the rows."""
        return not any(column.left_out or "type" in column.field for column in self.columns)

    @property
    def left_out(self) -> dict[str, str]:
        """Why a column is left out, by the names of such columns."""
        return {column.name: column.reason for column in self.columns if column.left_out}

    @property
    def open(self) -> dict[str, str]:
        """Why the steward has to decide about a column, by the names of such columns."""
        return {
            column.name: column.reason
            for column in self.columns
            if column.is_open and not column.left_out
        }

    @property
    def open_proposals(self) -> tuple[Proposal, ...]:
        """The proposals whose columns all take part."""
        names = {column.name for column in self.columns if not column.stays_out}
        return tuple(proposal for proposal in self.proposals if {*proposal.columns} <= names)

    @property
    def losses(self) -> dict[str, float]:
        """The share of rows whose value is lost, by the names of columns with such rows.

        Of left-out columns only those to decide are among them. The largest loss comes first.
        """
        return list_losses(self.columns)

    @property
    def unused(self) -> dict[str, int]:
        """The number of possible values that no row has, by the names of such columns."""
        return {
            column.name: column.loss.unused
            for column in self.columns
            if column.loss.unused and not column.left_out
        }

    @property
    def undecided(self) -> tuple[str, ...]:
        """The names of columns that stay out until a person agrees to their losses."""
        return tuple(column.name for column in self.columns if column.is_undecided)

    @property
    def notes(self) -> list[str]:
        """Sentences about columns to review, left-out and open ones, losses, and all remarks.

        A sentence names all columns of one list for review. If nothing is proposed at all,
        no open column has a sentence of its own.
        """
        notes = []
        for review in Review:
            lines = [_line_of(column) for column in self.columns if column.review is review]
            if lines:
                notes.append(f"{review}: {'; '.join(lines)}.")
        if self.undecided:
            notes.append(say_how_to_agree(self.undecided))
        reviewed = {column.name for column in self.columns if column.review}
        notes += [
            f"Column '{name}' is left out: it {why}."
            for name, why in self.left_out.items()
            if name not in reviewed
        ]
        if not self.is_empty:
            notes += [
                f"Column '{name}' is open: it {why}." for name, why in self.open.items()
            ]
        if not self.is_empty:
            fields = [column.field for column in self.columns if not column.left_out]
            notes.append(say_missing(self.missing_values, fields))
        notes += say_losses(
            {column.name: column.loss for column in self.columns if not column.left_out}
        )
        return [*notes, *self.remarks]

    def agree(self, names: Collection[str]) -> "Look":
        """Return the same proposals, as a person agrees to what columns lose.

        Args:
            names: The columns, which are to decide.

        Raises:
            ArgumentError: A column is not to decide, or there is none of this name.
        """
        for name in names:
            if name not in self.undecided:
                raise ArgumentError(f"The draft has nothing to decide about '{name}'.")
        columns = [
            column.agree() if column.name in names else column for column in self.columns
        ]
        return replace(self, columns=columns)

    def agree_all(self) -> "Look":
        """Return the same proposals, as a person agrees to all that columns lose."""
        return self.agree(self.undecided)

    def take_in(self, names: Collection[str]) -> "Look":
        """Return the same proposals, with some left-out columns taken in.

        To take in a column that is to decide means to agree to its loss.

        Raises:
            ArgumentError: A column is not left out, or there is none of this name.
        """
        strangers = [name for name in names if name not in self.left_out]
        if strangers:
            raise ArgumentError(f"The draft does not leave out a column '{strangers[0]}'.")
        columns = []
        for column in self.columns:
            if column.name in names and column.is_undecided:
                column = column.agree()
            elif column.name in names:
                column = replace(column, left_out=False)
            columns.append(column)
        return replace(self, columns=columns)

    def schema(self) -> Document:
        """Return the proposed declaration, as JSON in the form of a table schema.

        It is marked as looked up in the rows unless nothing was taken from them. It names the
        left-out columns, so that a certificate names them; delete a name to keep it secret.
        """
        schema: Document = {
            "fields": [column.field for column in self.columns if not column.left_out],
            "missingValues": list(self.missing_values),
        }
        if not self.is_empty:
            schema["synth:origin"] = LOOKED_UP
        # Open columns are still among the fields, for the steward to complete.
        settled = [column for column in self.columns if column.left_out or not column.is_open]
        return schema | decisions_of(settled).write()


def _line_of(column: DraftColumn) -> str:
    line = f"'{column.name}' {column.reason}"
    return f"{line} [{column.offer}]" if column.offer else line


def profile_table(  # noqa: PLR0913 - each part of a look by name
    table: PrivateTable,
    names: Collection[str] | None = None,
    missing_values: Sequence[str] = ("",),
    *,
    dates: Mapping[str, str] | None = None,
    book: Mapping[str, Document] | None = None,
    declared: Sequence[Document] = (),
) -> Look:
    """Propose kind, values, bounds and missing values of each column, from the rows.

    PRIVATE, and only at the steward's request.

    Args:
        table: The confidential rows.
        names: The columns; by default all.
        missing_values: Spellings of a missing value, typed by the steward.
        dates: Examples of how columns write dates, by name.
        book: Descriptions of columns by a code book, as fields of a Table Schema by name; by
            default the labels of the table's own file.
        declared: Fields of other columns of the table, for relations with those.

    Raises:
        DomainError: An example is no date, or the labels of the table's file are damaged.
        LimitError: There are more columns than can be described.
        TableError: The table can't be read, or lacks a column.
    """
    chosen_names = [name for name in table.header if names is None or name in names]
    if len(chosen_names) > limits.MAX_COLUMNS:
        raise LimitError(
            f"'{table.path.name}' has {len(chosen_names):,} columns, and at most "
            f"{limits.MAX_COLUMNS:,} can be described. Leave the others out of the file."
        )
    formats = {name: format_of(example) for name, example in (dates or {}).items()}
    for name in formats:
        table.position(name)  # refuses a name that is no column
    typed = [text for text in missing_values if text]
    book = read_labels_of(table) if book is None else book
    labelled = add_missing_kinds(book, table, chosen_names)
    with Profiler() as engine:
        profiles = engine.profiles(
            table,
            chosen_names,
            typed,
            dates=formats,
            missing_by_column=list_own_missing(labelled, typed),
        )
        if profiles and all(profile.has_few_rows for profile in profiles):
            return _propose_nothing(profiles, missing_values, labelled)
        same = [*_name_same(engine, table, profiles)]
        persons, drafted = _settle_columns(
            engine, table, profiles, labelled=labelled, typed=typed
        )
        markers = _join_markers(missing_values, drafted)
        relations = propose_for_draft(
            engine,
            table,
            [*declared, *(column.field for column in drafted if _takes_part(column))],
            missing_values=markers,
            rows=max((profile.rows for profile in profiles), default=0),
        )
    columns = [
        _with_glance(column, profile, markers)
        for column, profile in zip(drafted, profiles, strict=True)
    ]
    remarks = (
        *persons,
        *note_unread_labels(table, book),
        *_list_remarks(profiles, columns, same),
        *relations.remarks,
    )
    return Look(columns, markers, remarks, relations.proposals)


def _takes_part(column: DraftColumn) -> bool:
    """Return whether a column is complete and not left out."""
    return not (column.left_out or column.is_open)


def _settle_columns(
    engine: DuckDB,
    table: PrivateTable,
    profiles: Sequence[Profile],
    *,
    labelled: Mapping[str, Document],
    typed: Sequence[str],
) -> tuple[tuple[str, ...], list[DraftColumn]]:
    """Return questions about persons with several rows, and the drafted columns in order.

    Args:
        engine: It counts the rows that have keys of other columns.
        table: The confidential rows.
        profiles: The statistics of each column.
        labelled: Fields of a code book by name.
        typed: Spellings of a missing value, typed by the steward.
    """
    # A text that means a missing value in two columns may mean one in others, too.
    # So columns are settled twice: first alone, and then with these texts.
    settled = [settle_column(profile) for profile in profiles]
    times = Counter(text for column in settled for text in column.missing)
    missing_texts = {text for text, times_found in times.items() if times_found > 1}
    # Spellings such as NA are missing in all columns if they are in one.
    missing_texts |= {text for text in times if text.casefold() in SURE}
    drafted = alike([settle_column(profile, missing_texts) for profile in profiles])
    # Before the keys of other columns are left out, which number the same persons.
    persons = propose_persons(profiles, drafted)
    drafted = leave_out_foreign_keys(engine, table, profiles, columns=drafted)
    scaled = [take_scale(column, table.scales.get(column.name, ())) for column in drafted]
    columns = [
        settle_labelled(column, profile, labelled.get(column.name), typed=typed)
        for column, profile in zip(scaled, profiles, strict=True)
    ]
    return persons, columns


def _join_markers(
    missing_values: Sequence[str], columns: Sequence[DraftColumn]
) -> tuple[str, ...]:
    """Return the spellings of a missing value in all columns: the given ones, then new ones.

    A column with a list of its own has its spellings there.
    """
    shared = [column for column in columns if "missingValues" not in column.field]
    proposed = dict.fromkeys(text for column in shared for text in column.missing)
    return tuple(dict.fromkeys([*missing_values, *[*proposed][:MAX_MARKERS]]))


def _propose_nothing(
    profiles: Sequence[Profile],
    missing_values: Sequence[str],
    labelled: Mapping[str, Document],
) -> Look:
    """Return a look with all columns open, and one remark that says why.

    Args:
        profiles: The statistics of each column, all of too few rows.
        missing_values: Spellings of a missing value, typed by the steward.
        labelled: Fields of a code book by name, which describe columns without the rows.
    """
    has_rows = any(profile.rows for profile in profiles)
    subject = "Too few rows" if has_rows else "No row"
    why = (
        f"{subject} of the table can be read: a draft needs at least "
        f"{limits.LISTED_ROWS:,}, as it would otherwise publish the values of single rows. "
        "So it proposes nothing, and all columns are to decide: describe them by public "
        "knowledge about them."
    )
    columns = [
        settle_labelled(settle_column(profile), profile, labelled.get(profile.name))
        for profile in profiles
    ]
    return Look(columns, tuple(missing_values), (why,))


def _list_remarks(
    profiles: Sequence[Profile],
    columns: Sequence[DraftColumn],
    same: Sequence[tuple[str, str]],
) -> tuple[str, ...]:
    """Return sentences about columns that follow from each other or come out changed.

    Left-out columns are not mentioned.

    Args:
        profiles: The statistics of each column.
        columns: The drafted columns, in the same order.
        same: Pairs of names of columns whose values determine each other.
    """
    taken = [
        profile
        for profile, column in zip(profiles, columns, strict=True)
        if not column.left_out
    ]
    names = {profile.name for profile in taken}
    taken_pairs = [pair for pair in same if {*pair} <= names]
    remarks = [
        f"{_name_columns(group)} follow from each other: keep one, or derive the others from "
        "it."
        for group in _group(taken_pairs)
    ]
    for column in columns:
        if not column.left_out or column.is_undecided:
            remarks += _say_spelled_values(column)
    remarks += _say_changed(taken, columns)
    signed = [column for column in columns if signs_of(column) and not column.left_out]
    if signed:
        remarks.append(_say_signs(signed))
    return tuple(remarks)


def _say_changed(profiles: Sequence[Profile], columns: Sequence[DraftColumn]) -> list[str]:
    """Return sentences about columns whose values come out in another form.

    Args:
        profiles: The statistics of the columns that take part.
        columns: The drafted columns, in any order.
    """
    remarks: list[str] = []
    kinds = {column.name: column.field.get("type") for column in columns}
    # Columns of texts in which some cell has blanks at an end.
    padded = [
        profile.name
        for profile in profiles
        if profile.padded and kinds[profile.name] == "string"
    ]
    if padded:
        remarks.append(
            f"Synth cuts the blanks at both ends of values: {_name_columns(padded)}."
        )
    # Columns of whole numbers in which some text has digits after a decimal mark.
    pointed = [
        profile.name
        for profile in profiles
        if profile.decimals
        and not profile.numbers.fractional_rows
        and kinds[profile.name] == "integer"
    ]
    if pointed:
        remarks.append(
            "Whole numbers written like 22.0 or 2.2e1 come out as 22: "
            f"{_name_columns(pointed)}."
        )
    fractional = [
        profile
        for profile in profiles
        if profile.numbers.fractional_rows and kinds[profile.name] == "integer"
    ]
    if fractional:
        remarks.append(_say_fractions(fractional))
    return remarks


def _say_spelled_values(column: DraftColumn) -> list[str]:
    """Return a sentence on each value of a column that means a missing one elsewhere."""
    return [
        f"'{text}' is a value of '{column.name}', as its other values show, and not missing."
        for text in list_values(column.field)
        if text.casefold() in SURE
    ]


def _say_fractions(profiles: Sequence[Profile]) -> str:
    """Return a sentence on columns of whole numbers in which a few are not whole."""
    shares = [
        f"'{profile.name}' in {write_share(profile.numbers.fractional_rows / profile.rows)}"
        for profile in profiles
    ]
    return (
        "The few numbers that are not whole come out as missing: "
        f"{name_some(shares, NAMED_COLUMNS)} of the rows."
    )


def _say_signs(columns: Sequence[DraftColumn]) -> str:
    """Return a sentence on the signs of columns: texts among numbers with a cell each."""
    names = [
        f"'{column.name}' ({name_some(signs_of(column), NAMED_SIGNS)})" for column in columns
    ]
    return f"Numbers with a cell for each sign: {name_some(names, NAMED_COLUMNS)}."


def _name_columns(names: Sequence[str]) -> str:
    return name_some([f"'{name}'" for name in names], NAMED_COLUMNS)


def _group(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return groups of names that pairs connect, each in the order of first mention.

    >>> _group([("a", "b"), ("c", "d"), ("b", "e")])
    [['a', 'b', 'e'], ['c', 'd']]
    """
    groups: list[list[str]] = []
    for first, second in pairs:
        home = next((group for group in groups if {first, second} & {*group}), None)
        if home is None:
            groups.append([first, second])
        else:
            home.extend(name for name in (first, second) if name not in home)
    return groups


def _with_glance(
    column: DraftColumn, profile: Profile, markers: Sequence[str]
) -> DraftColumn:
    """Return a column with its most common text as an example, and shares of its rows.

    These are the share of empty cells, and of values that the draft does not describe.

    A nearly empty column also becomes a question for the steward, with the offer to keep it.

    Args:
        column: The draft of the column.
        profile: The statistics of the column.
        markers: The texts that mean a missing value in all columns.
    """
    example = next((str(text) for text, _ in profile.common), "")
    glanced = replace(
        ask_about_loss(column, profile, markers),
        empty=profile.blank / max(profile.rows, 1),
        example=example,
    )
    # Only a column that takes part, is nearly empty and has few values is a question.
    if (
        column.left_out
        or glanced.empty <= SPARSE_SHARE
        or profile.filled_rows >= SPARSE_VALUES
    ):
        return glanced
    sparse = (
        f"is filled in {profile.filled_rows:,} of {profile.rows:,} rows; those values would "
        "be noise"
    )
    return replace(glanced, reason=sparse, review=Review.QUESTIONS, offer="Keep")


def _name_same(
    engine: DuckDB, table: PrivateTable, profiles: Sequence[Profile]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of names of columns whose values determine each other.

    That is so if the columns have as many pairs of values as each has values. Only columns
    with equal counts of values are compared, and only `MAX_COMPARED_PAIRS` pairs of them.

    Args:
        engine: Counts the pairs of values.
        table: The confidential rows.
        profiles: The statistics of the columns.
    """
    groups = defaultdict(list)
    for profile in profiles:
        # Values that are all different always correspond, and say nothing.
        if 1 < profile.different < profile.filled_rows:
            counts = tuple(sorted(rows for _, rows in profile.common))
            groups[(profile.different, profile.blank, counts)].append(profile)
    pairs = (pair for group in groups.values() for pair in combinations(group, 2))
    for first, second in islice(pairs, MAX_COMPARED_PAIRS):
        values = first.different + bool(first.blank)  # an empty cell is one more value
        if engine.count_pairs(table, first.name, second.name) == values:
            yield first.name, second.name
