"""Columns of keys: those of another column, and of persons with several rows. PRIVATE."""

from collections.abc import Sequence
from shlex import quote

from synth import limits
from synth.drafting import ON_COMMAND_LINE, DraftColumn, Review, identifying_column
from synth.forecasts import price_of_persons
from synth.private.counting.duckdb import DuckDB
from synth.private.counting.profiles import Profile
from synth.private.table import PrivateTable

# Most pairs of a column of keys and another column that are compared.
MAX_KEY_COMPARISONS = 100
# Keys with at least this many rows each, on average, may be those of persons.
MIN_ROWS_PER_KEY = 1.2
# From this share of rows on with another column's keys, a column holds such keys.
FOREIGN_SHARE = 0.9


def leave_out_foreign_keys(
    engine: DuckDB,
    table: PrivateTable,
    profiles: Sequence[Profile],
    *,
    columns: Sequence[DraftColumn],
) -> list[DraftColumn]:
    """Return the columns; those that hold another column's keys are left out as identifiers.

    An example is the number of the person by whom a patient was infected.

    Args:
        engine: Counts the rows.
        table: The confidential rows.
        profiles: The statistics of each column.
        columns: The drafted columns, in the same order.
    """
    pairs = [*zip(profiles, columns, strict=True)]
    keys = [profile for profile, column in pairs if column.review is Review.IDENTIFIERS]
    compared_pairs = 0
    result = []
    for profile, column in pairs:
        reason = ""
        # Of a column that is left out, only a list that is offered would show its values.
        is_shown = not column.left_out or column.review is Review.QUESTIONS
        for key in keys if is_shown else ():
            if compared_pairs == MAX_KEY_COMPARISONS or not _may_hold_keys(profile, key):
                continue
            compared_pairs += 1
            shared_rows = engine.count_shared(table, key.name, profile.name)
            if shared_rows >= FOREIGN_SHARE * profile.filled_rows:
                reason = f"holds keys of the column '{key.name}'"
        if reason:
            column = identifying_column(column.field, reason, column.missing)
        result.append(column)
    return result


def _may_hold_keys(profile: Profile, key: Profile) -> bool:
    """Return whether it would say something if a column's values were among some keys.

    It says nothing of few values, nor of numbers among keys that count up from about 1, as
    all whole numbers of their range are keys.

    Args:
        profile: The statistics of the column.
        key: Those of the column with the keys.
    """
    if min(profile.different, key.different) <= limits.LISTED_UNASKED:
        return False
    numbers = key.numbers
    if not numbers.lowest:  # texts
        return True
    return numbers.smallest > numbers.greatest - numbers.smallest


def propose_persons(
    profiles: Sequence[Profile], columns: Sequence[DraftColumn]
) -> tuple[str, ...]:
    """Return a question for each column that seems to number persons with several rows each.

    Args:
        profiles: The statistics of each column.
        columns: The drafted columns, in the same order.
    """
    questions = []
    for profile, column in zip(profiles, columns, strict=True):
        is_key = column.review is Review.IDENTIFIERS
        rows_per_value = profile.filled_rows / max(1, profile.different)
        if not is_key or rows_per_value < MIN_ROWS_PER_KEY or not profile.common:
            continue
        _, most_rows = profile.common[0]
        name = profile.name
        questions.append(
            f"'{name}' repeats: {profile.different:,} values have up to {most_rows:,} rows "
            f"each. If they are persons, protect each of them with all rows. "
            f"{price_of_persons(most_rows)}"
            f"{ON_COMMAND_LINE}--person {quote(name)} --max-rows {most_rows}; in Python: "
            f"person='{name}', max_rows={most_rows}."
        )
    return tuple(questions)
