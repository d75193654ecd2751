"""Fields filled in from the private rows, at the steward's request. PRIVATE.

Code that uses them must mark the domain: no guarantee covers it.

Similar columns, declared in the same way: one stem, and nearly the same values.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any

from synth import limits
from synth.domain import LOOKED_UP, constraints, format_of
from synth.drafting import DraftColumn, Review
from synth.errors import ArgumentError, name_some
from synth.private.counting.duckdb import DuckDB
from synth.private.counting.ordering import ordered_texts
from synth.private.counting.profiles import Profile
from synth.private.counting.settling import settle_column
from synth.private.table import PrivateTable
from synth.util import Document

COMMON_KEYS = ("type", "format", "synth:outside")


def alike(found: Sequence[DraftColumn]) -> list[DraftColumn]:
    # Similar columns get the values that any of them has.
    groups = defaultdict(list)
    for place, one in enumerate(found):
        if stem := _stem(one.name):
            groups[(stem, *(one.field.get(key) for key in COMMON_KEYS))].append(place)
    joined = list(found)
    for places in groups.values():
        for place, one in zip(places, _join_group([found[i] for i in places]), strict=True):
            joined[place] = one
    return joined


def _stem(name: str) -> str:
    stem = re.sub(r"[ _.-]?\d+[A-Za-z]?$", "", name)
    return "" if stem in (name, "column") or not stem.strip("_.-?# ") else stem.casefold()


def _join_group(group: Sequence[DraftColumn]) -> Sequence[DraftColumn]:
    fields: list[Any] = [one.field for one in group]
    if len(group) < 2 or any(one.left_out for one in group):
        return group
    lists = [constraints(field).get("enum") for field in fields]
    if all(isinstance(listed, list) for listed in lists):
        return _of_lists(group, lists)
    plain = all("minimum" in constraints(f) and "synth:edges" not in f for f in fields)
    if plain and all(f["type"] in ("integer", "number") for f in fields):
        return _of_numbers(group, fields)
    return group


def _of_lists(group: Sequence[DraftColumn], lists: Sequence[Any]) -> Sequence[DraftColumn]:
    union = list(dict.fromkeys(text for listed in lists for text in listed))
    shared = max(map(len, lists))
    if len(union) > 1.25 * shared or any(len(listed) * 2 < shared for listed in lists):
        return group
    texts, _ = ordered_texts(union)
    return _with_constraints(group, {"enum": texts}, {})


def _of_numbers(group: Sequence[DraftColumn], fields: Sequence[Any]) -> Sequence[DraftColumn]:
    held = [field["constraints"] for field in fields]
    ends = [(float(one["minimum"]), float(one["maximum"])) for one in held]
    low, high = min(a for a, _ in ends), max(b for _, b in ends)
    if any((b - a) * 2 < high - low for a, b in ends):
        return group
    texts = [text for one in held for text in one.values() if isinstance(text, str)]
    spelled = {float(text): text for text in texts}
    limiting = {"minimum": spelled[low], "maximum": spelled[high]}
    keys: dict[str, Any] = {}
    if spikes := {text for f in fields for text in f.get("synth:spikes", [])}:
        keys["synth:spikes"] = sorted(spikes, key=float)
    if all("synth:bins" in f for f in fields):
        keys["synth:bins"] = int(high - low) + 1
    return _with_constraints(group, limiting, keys)


def _with_constraints(
    group: Sequence[DraftColumn], limiting: dict[str, Any], keys: dict[str, Any]
) -> list[DraftColumn]:
    required = all(constraints(one.field).get("required") for one in group)
    limiting = {"required": required, **limiting}
    return [
        replace(one, field={**one.field, **keys, "constraints": limiting}) for one in group
    ]


MOST_MARKERS = 20
# Most pairs of columns that are compared row by row, among those with equal counts.
MAX_COMPARED_PAIRS = 50
# A column with fewer values, where more of its cells than this share are empty, is a
# question.
SPARSE_VALUES, SPARSE_SHARE = 200, 0.9
# Most columns that a sentence names.
NAMED_COLUMNS = 10


@dataclass(frozen=True, eq=False, repr=False)
class Look:
    """Proposals from a look at the rows.

    Attributes:
        columns: The columns; open ones are incomplete.
        missing_values: Spellings of missing values, the given ones first.
        remarks: Sentences about values that will come out differently than in the table.
    """

    columns: Sequence[DraftColumn]
    missing_values: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is taken from the rows."""
        return not any(one.left_out or "type" in one.field for one in self.columns)

    @property
    def left_out(self) -> dict[str, str]:
        return {one.name: one.reason for one in self.columns if one.left_out}

    @property
    def open(self) -> dict[str, str]:
        return {c.name: c.reason for c in self.columns if c.is_open and not c.left_out}

    @property
    def notes(self) -> list[str]:
        found = [
            f"{review}: {'; '.join(map(_line_of, some))}."
            for review in Review
            if (some := [one for one in self.columns if one.review is review])
        ]
        reviewed = {one.name for one in self.columns if one.review}
        out = {name: why for name, why in self.left_out.items() if name not in reviewed}
        found += [f"Column '{name}' is left out: it {why}." for name, why in out.items()]
        if not self.is_empty:
            found += [
                f"Column '{name}' is open: it {why}." for name, why in self.open.items()
            ]
        return [*found, *self.remarks]

    def take_in(self, names: Collection[str]) -> "Look":
        """Take in some left-out columns; ArgumentError if one is not left out."""
        strangers = [name for name in names if name not in self.left_out]
        if strangers:
            raise ArgumentError(f"The draft does not leave out a column '{strangers[0]}'.")
        columns = [
            replace(c, left_out=c.left_out and c.name not in names) for c in self.columns
        ]
        return replace(self, columns=columns)

    def schema(self) -> Document:
        out: Document = dict(self.left_out)
        return {
            "fields": [one.field for one in self.columns if not one.left_out],
            "missingValues": list(self.missing_values),
            **({} if self.is_empty else {"synth:origin": LOOKED_UP}),
            **({"synth:left_out": out} if out else {}),
        }


def _line_of(one: DraftColumn) -> str:
    return f"'{one.name}' {one.reason}" + (f" [{one.offer}]" if one.offer else "")


def profile_table(
    table: PrivateTable,
    names: Collection[str] | None = None,
    missing_values: Sequence[str] = ("",),
    *,
    dates: Mapping[str, str] | None = None,
) -> Look:
    """Return kind, values, bounds and spellings of missing values of each column, from the
    rows.

    PRIVATE, and only at the steward's request.

    Args:
        missing_values: Spellings of a missing value, typed by the steward.
        dates: Examples of how columns write dates, by name.

    Raises:
        DomainError: An example is no date.
        TableError: The table can't be read, or lacks a column.
    """
    wanted = [n for n in table.header if names is None or n in names]
    formats = {name: format_of(example) for name, example in (dates or {}).items()}
    for name in formats:
        table.position(name)
    with DuckDB() as engine:
        profiles = engine.profiles(
            table, wanted, [m for m in missing_values if m], dates=formats
        )
        if profiles and all(profile.has_few_rows for profile in profiles):
            return _propose_nothing(profiles, missing_values)
        same = [*_name_same(engine, table, profiles)]
    times = Counter(text for profile in profiles for text in settle_column(profile).missing)
    known = {text for text, columns in times.items() if columns > 1}
    drafted = alike([settle_column(profile, known) for profile in profiles])
    found = [
        _with_glance(one, profile) for one, profile in zip(drafted, profiles, strict=True)
    ]
    proposed = dict.fromkeys(text for one in found for text in one.missing)
    remarks = _list_remarks(profiles, found, same)
    markers = tuple(dict.fromkeys([*missing_values, *[*proposed][:MOST_MARKERS]]))
    return Look(found, markers, remarks)


def _propose_nothing(profiles: Sequence[Profile], missing_values: Sequence[str]) -> Look:
    """Return all columns open, and say why once."""
    seen = "No row" if not any(one.rows for one in profiles) else "Too few rows"
    why = (
        f"{seen} of the table can be read: a draft needs at least {limits.LISTED_ROWS:,}, as "
        "it would otherwise publish the values of single rows. So it proposes nothing, and "
        "all columns are to decide: describe them by public knowledge about them."
    )
    columns = [settle_column(profile) for profile in profiles]
    return Look(columns, tuple(missing_values), (why,))


def _list_remarks(
    profiles: Sequence[Profile], found: Sequence[DraftColumn], same: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    taken = [p for p, one in zip(profiles, found, strict=True) if not one.left_out]
    names = {profile.name for profile in taken}
    remarks = [
        f"{_name_columns(group)} follow from each other: keep one, or derive the others from "
        "it."
        for group in _group(pair for pair in same if {*pair} <= names)
    ]
    kinds = {one.name: one.field.get("type") for one in found}
    padded = [p.name for p in taken if p.padded and kinds[p.name] == "string"]
    pointed = [p.name for p in taken if p.decimals and kinds[p.name] == "integer"]
    for says, named in (
        ("Synth cuts the blanks at both ends of values", padded),
        ("Whole numbers written like 22.0 come out as 22", pointed),
    ):
        remarks += [f"{says}: {_name_columns(named)}."] if named else []
    return tuple(remarks)


def _name_columns(names: Sequence[str]) -> str:
    return name_some([f"'{name}'" for name in names], NAMED_COLUMNS)


def _group(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return groups of names that pairs connect.

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


def _with_glance(one: DraftColumn, profile: Profile) -> DraftColumn:
    example = next((str(text) for text, _ in profile.common), "")
    seen = replace(one, empty=profile.blank / max(profile.rows, 1), example=example)
    if one.left_out or seen.empty <= SPARSE_SHARE or profile.filled_rows >= SPARSE_VALUES:
        return seen
    sparse = f"is about {seen.empty:.0%} empty; its values will be mostly noise"
    return replace(
        seen, reason=sparse.replace("%", " %"), review=Review.QUESTIONS, offer="Keep"
    )


def _name_same(
    engine: DuckDB, table: PrivateTable, profiles: Sequence[Profile]
) -> Iterator[tuple[str, str]]:
    groups = defaultdict(list)
    for one in profiles:
        if (
            1 < one.different < one.filled_rows
        ):  # values that are all different always correspond
            counts = tuple(sorted(rows for _, rows in one.common))
            groups[(one.different, one.blank, counts)].append(one)
    pairs = (pair for some in groups.values() for pair in combinations(some, 2))
    for first, second in islice(pairs, MAX_COMPARED_PAIRS):
        values = first.different + bool(first.blank)
        if engine.count_pairs(table, first.name, second.name) == values:
            yield first.name, second.name
