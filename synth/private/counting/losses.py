"""The rows whose value a drafted column does not describe. PRIVATE."""

from synth.domain import constraints
from synth.drafting import DraftColumn
from synth.private.counting.missing_texts import count_other_rows
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
        described_rows = sum(
            rows for text, rows in profile.common if text.strip() in described
        )
        lost_rows = max(0, profile.filled_rows - described_rows)
    elif "minimum" in constraining:
        is_number = column.field["type"] in ("integer", "number")
        times = [*profile.dates.values(), *profile.clocks.values()]
        readings = [profile.numbers] if is_number else times
        # Dates are described by the format that reads the most rows.
        best = max(readings, key=lambda reading: reading.rows)
        lost_rows = count_other_rows(profile, best, column.missing)
    else:
        lost_rows = 0
    return lost_rows / max(1, profile.rows)
