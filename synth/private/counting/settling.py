"""The kind of column that fits a profile, why, and whether it should take part. PRIVATE.

Several answers in a cell and dates come first, then numbers, then lists of texts. A column
that can be read in two ways stays open; one that no noise can hide is left out; both with a
reason."""

from collections.abc import Collection

from synth import limits
from synth.drafting import DraftColumn, open_column
from synth.private.counting.missing_texts import leave_out_sparse
from synth.private.counting.profiles import Profile
from synth.private.counting.settling_clocks import settle_clocks
from synth.private.counting.settling_dates import settle_dates
from synth.private.counting.settling_numbers import settle_numbers
from synth.private.counting.settling_texts import settle_texts
from synth.private.counting.several_answers import settle_several_answers

UNREAD = "holds only lists, objects, or texts of another encoding, which are not read"


def settle_column(profile: Profile, missing_elsewhere: Collection[str] = ()) -> DraftColumn:
    """Return the drafted column: its declaration, or why it is left out or still open.

    A column of a table with few rows is open, so that no value or bound of theirs is shown.

    Args:
        profile: The statistics of the column.
        missing_elsewhere: Texts that mean a missing value in other columns.
    """
    name = profile.name
    if not profile.rows:
        return open_column(name, "has no rows")
    if profile.has_few_rows:
        return open_column(name, "has too few rows to draft from")
    if not profile.filled_rows and profile.unreadable >= limits.LISTED_ROWS:
        return DraftColumn(field={"name": name}, reason=UNREAD, left_out=True)
    if not profile.filled_rows and not profile.unreadable:
        return DraftColumn(field={"name": name}, reason="is empty", left_out=True)
    if profile.filled_rows < limits.LISTED_ROWS:
        return leave_out_sparse(name, "values")
    # All but the last return None for a column that is not of their kind.
    return (
        settle_several_answers(profile)
        or settle_dates(profile, missing_elsewhere)
        or settle_clocks(profile, missing_elsewhere)
        or settle_numbers(profile, missing_elsewhere)
        or settle_texts(profile, missing_elsewhere)
    )
