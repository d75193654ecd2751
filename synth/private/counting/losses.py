"""The rows whose value a drafted column does not describe. PRIVATE.

A column that loses many of them stays out until a person agrees.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from synth import limits
from synth.domain import Outside, constraints, read_field
from synth.drafting import DraftColumn, Loss, Review, listed_texts
from synth.errors import DomainError
from synth.private.counting.missing_texts import count_other_rows
from synth.private.counting.profiles import Profile, Readings
from synth.util import Document


def ask_about_loss(
    column: DraftColumn, profile: Profile, markers: Collection[str] = ()
) -> DraftColumn:
    """Return a column with its loss; it is to decide, and stays out, if the loss is large.

    Args:
        column: The draft of the column.
        profile: The statistics of the column.
        markers: The texts that mean a missing value in all columns.
    """
    loss = measure_loss(column, profile, markers)
    measured = replace(column, loss=loss)
    if column.left_out or not loss.in_words:
        return measured
    explained = replace(measured, reason=f"{column.reason}; {loss.in_words}")
    if not loss.is_large:
        return explained
    return replace(
        explained, left_out=True, review=Review.QUESTIONS, offer=column.offer or loss.offer
    )


def measure_loss(
    column: DraftColumn, profile: Profile, markers: Collection[str] = ()
) -> Loss:
    """Return which rows a drafted column changes; nothing for one without a declaration.

    Args:
        column: The draft of the column.
        profile: The statistics of the column.
        markers: The texts that mean a missing value in all columns. A listed one is lost.
    """
    try:
        declared = read_field(column.field, 1)
    except DomainError:
        return Loss()
    loss = _measure_readable(column, profile, declared.rule, markers=markers)
    unreadable = profile.unreadable / max(1, profile.rows)
    if declared.rule is Outside.CELL:
        return replace(loss, other=loss.other + unreadable)
    return replace(loss, missing=loss.missing + unreadable)


def _measure_readable(
    column: DraftColumn, profile: Profile, rule: Outside, *, markers: Collection[str]
) -> Loss:
    """Return what a column with a declaration loses of the texts that it holds.

    Args:
        column: The draft of the column.
        profile: The statistics of the column.
        rule: What becomes of values that are not declared.
        markers: The texts that mean a missing value in all columns. A listed one is lost.
    """
    if values := list_values(column.field):
        loss = _measure_list(column, profile, values, markers=markers)
        if rule is Outside.CELL:
            return loss
        # Without a cell of their own, values that are not listed become missing.
        return Loss(missing=loss.other + loss.missing, unlisted=loss.unlisted)
    if "minimum" not in constraints(column.field):
        return Loss()
    if column.field["type"] in ("integer", "number"):
        return _measure_numbers(column, profile, profile.numbers)
    # Dates are described by the format that reads the most rows.
    times = [*profile.dates.values(), *profile.clocks.values()]
    best = max(times, key=lambda reading: reading.rows)
    other_rows = count_other_rows(profile, best, column.missing)
    return Loss(missing=other_rows / max(1, profile.rows))


def _measure_list(
    column: DraftColumn,
    profile: Profile,
    values: Collection[str],
    *,
    markers: Collection[str],
) -> Loss:
    """Return what a column loses whose draft lists values, with unlisted values as others.

    Args:
        column: The draft of the column.
        profile: The statistics of the column.
        values: The listed values.
        markers: The texts that mean a missing value in all columns. A listed one is lost.
    """
    rows = max(1, profile.rows)
    rows_by_text = Counter[str]()
    for text, text_rows in profile.common:
        rows_by_text[text.strip()] += text_rows
    described = {*values, *column.missing}
    described_rows = sum(rows_by_text[text] for text in described)
    # A column with a list of its own has no other missing values.
    if "missingValues" in column.field:
        markers = ()
    marked = described.intersection(markers).difference(column.missing)
    marked_rows = sum(rows_by_text[text] for text in marked)
    unlisted_rows = max(0, profile.filled_rows - described_rows)
    occurring = len(described.intersection(rows_by_text))
    return Loss(
        other=unlisted_rows / rows,
        missing=marked_rows / rows,
        unlisted=max(0, profile.different - occurring) if unlisted_rows else 0,
    )


def list_values(field: Document) -> list[str]:
    """Return the values that a field lists, as texts; none without a list."""
    values = constraints(field).get("enum")
    return [*map(str, values)] if isinstance(values, list) else []


def _measure_numbers(column: DraftColumn, profile: Profile, values: Readings) -> Loss:
    """Return what a column of numbers loses: texts that are none, and what lies outside.

    Args:
        column: The draft of the column.
        profile: The statistics of the column.
        values: Those of its numbers.
    """
    constraining = constraints(column.field)
    least = float(str(constraining["minimum"]))
    greatest = float(str(constraining["maximum"]))
    rows = max(1, profile.rows)
    spikes = {*map(float, listed_texts(column.field, "synth:spikes"))}
    described_texts = [*column.missing, *signs_of(column)]
    is_whole = column.field["type"] == "integer"
    # Only if each number has enough rows on average, the unused ones are no accident.
    is_crowded = values.rows >= limits.LISTED_ROWS * values.distinct
    possible = int(greatest - least) + 1 if is_whole and is_crowded else 0
    return Loss(
        missing=count_other_rows(profile, values, described_texts) / rows,
        outside=_count_outside(values, least, greatest, spikes=spikes) / rows,
        values=possible,
        occurring=min(values.distinct, possible),
    )


def signs_of(column: DraftColumn) -> list[str]:
    """Return the signs that a drafted field declares: texts among numbers with cells."""
    return listed_texts(column.field, "synth:signs")


def _count_outside(
    values: Readings, least: float, greatest: float, *, spikes: Collection[float]
) -> int:
    """Return how many rows have a number beyond the bounds, without those of spikes.

    Args:
        values: The statistics of the numbers.
        least: The lower bound.
        greatest: The upper bound.
        spikes: Numbers that have cells of their own.
    """
    # Values at the ends are exact but few. Groups are of all rows, but may cross a bound.
    ends = [*values.lowest, *values.highest]
    by_value = {value: rows for value, rows in ends if value not in spikes}
    below = sum(rows for value, rows in by_value.items() if value < least)
    above = sum(rows for value, rows in by_value.items() if value > greatest)
    groups = [
        group._replace(rows=group.rows - (group.top_rows if group.top in spikes else 0))
        for group in values.ranks
    ]
    groups_below = sum(group.rows for group in groups if group.high < least)
    groups_above = sum(group.rows for group in groups if group.low > greatest)
    return max(below, groups_below) + max(above, groups_above)
