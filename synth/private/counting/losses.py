"""The rows whose value a drafted column does not describe. PRIVATE."""

from synth.domain import constraints
from synth.drafting import DraftColumn
from synth.private.counting.profiles import Profile


def lost_share(column: DraftColumn, profile: Profile) -> float:
    """Return the share of rows with a value that a drafted field does not describe.

    Blank cells and texts for missing values are not lost. Numbers and dates beyond the bounds
    are not counted.

    Args:
        column: The draft of the column.
        profile: Its statistics.
    """
    constraining = constraints(column.field)
    if isinstance(values := constraining.get("enum"), list):
        described = {*map(str, values), *column.missing}
        rows = sum(rows for text, rows in profile.common if text.strip() in described)
    elif "minimum" in constraining:
        is_number = column.field["type"] in ("integer", "number")
        readings = [profile.numbers] if is_number else [*profile.dates.values()]
        # Dates are described by the format that reads the most rows.
        best = max(readings, key=lambda reading: reading.rows)
        missing_rows = sum(rows for text, rows in best.others if text in column.missing)
        rows = best.rows + missing_rows
    else:
        return 0.0
    return max(0, profile.filled_rows - rows) / max(1, profile.rows)
