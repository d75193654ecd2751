"""A column of texts: a list of the common ones, or left out with a reason. PRIVATE."""

from collections import Counter
from collections.abc import Collection, Sequence

from synth import limits
from synth.domain import NAME_WORDS, TEXT_WORDS, sounds_like
from synth.drafting import DraftColumn, draft_field, identifying_column, truth_field
from synth.private.counting.ordering import ordered_texts, place_of
from synth.private.counting.profiles import MAX_TEXT_LENGTH, Profile
from synth.private.counting.shapes import (
    OTHER_MARKS,
    SURE,
    are_periods,
    contact,
    is_file_number,
    is_free_text,
    is_nearly_distinct,
    name_marks,
    odd_numbers,
    odd_spelling,
    seem_keys_or_names,
)
from synth.private.counting.spelled_values import find_spelled_values
from synth.util import Document

# Up to this many different numbers count as codes, and are listed in order.
FEW_NUMBERS = 10
# Share of the rows that the most common texts must cover to be listed for all.
LISTED_SHARE = 0.5
# Up to this many different texts are listed, however few rows the common ones cover.
SURELY_LISTED = 250
# Why a column of many weeks, quarters or halves of years takes no part.
PERIODS = (
    "holds weeks, quarters or halves of years, too many for a list: write each as the date "
    "of its first day"
)
# Numbers in an odd spelling are listed if the list describes this share of the rows.
NEARLY_ALL = 0.99


def settle_texts(profile: Profile, missing_elsewhere: Collection[str] = ()) -> DraftColumn:
    """Draft a column of texts: a list of the common ones, or left out or open with a reason.

    Contacts and keys are left out, as they identify persons, and free text, as a list of it
    says little. A column of numbers in an odd spelling stays open.

    Args:
        profile: The statistics of the column.
        missing_elsewhere: Texts that mean a missing value in other columns.
    """
    spelled_values = find_spelled_values(dict(profile.common), missing_elsewhere)
    missing = tuple(
        text
        for text, _ in profile.common
        if text.casefold() in SURE and text not in spelled_values
    )
    missing_rows = sum(rows for text, rows in profile.common if text in missing)
    rows = profile.filled_rows - missing_rows
    different = profile.different - len(missing)
    if not different:
        return DraftColumn(
            field={"name": profile.name}, reason="is empty", left_out=True, missing=missing
        )
    text = _list_field(profile, missing, [], keys={})  # a column of texts without a list
    if kind_of_contact := contact(profile):
        return identifying_column(text, f"holds {kind_of_contact}", missing)
    spelling = odd_spelling(profile)
    # A list that describes nearly all rows is a good description of such numbers, too.
    listed_rows = sum(n for _, n in profile.common if n >= limits.LISTED_ROWS)
    if not spelling and listed_rows < NEARLY_ALL * rows:
        spelling = odd_numbers(profile)
    if spelling and different > 1:
        if spelling == OTHER_MARKS:
            return _ask_for_marks(profile, text, missing)
        return DraftColumn(field=text, reason=f"holds {spelling}", missing=missing)
    if identifying := _why_identifying(profile, rows, different):
        return identifying_column(text, identifying, missing)
    if unfit := _why_unfit(profile, rows, different):
        return DraftColumn(field=text, reason=unfit, left_out=True, missing=missing)
    return list_texts(profile, missing)


def _ask_for_marks(profile: Profile, text: Document, missing: tuple[str, ...]) -> DraftColumn:
    """Return the question whether a column's texts are numbers with other marks.

    Args:
        profile: The statistics of the column.
        text: Its field, without a list.
        missing: Its spellings of a missing value.
    """
    if not profile.has_marks:
        advice = "write them with a decimal point and without marks between thousands"
        return DraftColumn(
            field=text, reason=f"holds {OTHER_MARKS} as texts: {advice}", missing=missing
        )
    options = name_marks(profile)
    advice = f"read the file by {' '.join(options)}" if options else "name these marks"
    return DraftColumn(
        field=text,
        reason=f"holds {OTHER_MARKS}: {advice}",
        missing=missing,
        reading=options,
    )


def _why_identifying(profile: Profile, rows: int, different: int) -> str:
    """Return why texts may identify persons, in words; empty if they do not seem to.

    Args:
        profile: The statistics of the column.
        rows: The number of rows whose text is not missing.
        different: The number of different texts among them.
    """
    if are_periods(profile):
        return ""
    nearly_distinct = different > FEW_NUMBERS and is_nearly_distinct(rows, different)
    if nearly_distinct and profile.longest <= MAX_TEXT_LENGTH and not is_free_text(profile):
        if not seem_keys_or_names(profile):
            return "holds a text of its own in nearly every row"
        return "holds keys or names: nearly every row has a text of its own"
    if is_file_number(profile, different):
        return "holds numbers of files or persons"
    if different > limits.LISTED_UNASKED and sounds_like(profile.name, TEXT_WORDS):
        if profile.longest > MAX_TEXT_LENGTH:
            return "holds long texts"
        if sounds_like(profile.name, NAME_WORDS):
            return "holds many names or addresses"
        return "holds many different remarks"
    return ""


def _why_unfit(profile: Profile, rows: int, different: int) -> str:
    """Return why texts can't be listed, in words; empty if they can.

    Args:
        profile: The statistics of the column.
        rows: The number of rows whose text is not missing.
        different: The number of different texts among them.
    """
    if profile.longest > MAX_TEXT_LENGTH:
        return "holds free text"
    is_free = is_free_text(profile)
    if different > FEW_NUMBERS and is_free and is_nearly_distinct(rows, different):
        return "holds free text"
    if different <= SURELY_LISTED:
        return ""
    # Long texts that few rows share: less than five on average.
    if is_free and 5 * different > rows:
        return "holds free text"
    listed_rows = sum(n for _, n in profile.common if n >= limits.LISTED_ROWS)
    if listed_rows < LISTED_SHARE * rows and are_periods(profile):
        return PERIODS
    if listed_rows < LISTED_SHARE * rows:
        return "holds so many different texts that a list of the common ones says little"
    return ""


def list_texts(
    profile: Profile, missing: tuple[str, ...], *, numbers: bool = False
) -> DraftColumn:
    """Draft a list of the common texts, or a column of true and false.

    It is left out if no text has enough rows. Rarer texts come into one cell.

    Args:
        profile: The statistics of the column.
        missing: Texts that mean missing values.
        numbers: Whether the texts are numbers, which are sorted as such.
    """
    rows_by_text = Counter[str]()
    for text, rows in profile.common:
        if text not in missing and text.strip():
            rows_by_text[text.strip()] += rows
    common = [text for text, rows in rows_by_text.most_common() if rows >= limits.LISTED_ROWS]
    enough_rows = f"at least {limits.LISTED_ROWS} rows"
    if not common:
        return DraftColumn(
            field=_list_field(profile, missing, [], keys={}),
            reason=f"has no value of {enough_rows}: it would come out all empty",
            left_out=True,
            missing=missing,
        )
    texts, has_order = ordered_texts(common[: limits.LOOKED_UP_VALUES])
    if numbers:
        texts = sorted(texts, key=place_of)
        has_order = len(texts) > 2
    # Different texts that come into the cell of the others: those that the profile does not
    # list, and those that it lists with too few rows.
    unprofiled = max(0, profile.different - len(profile.common))
    others = len(rows_by_text) + unprofiled - len(texts)
    keys: Document = {
        "synth:outside": "cell" if others > 0 else "",
        "categoriesOrdered": has_order or None,
    }
    field = _list_field(profile, missing, texts, keys=keys)
    if (truth := truth_field(field)) is not None:
        return DraftColumn(
            field=truth, reason="holds true and false", left_out=False, missing=missing
        )
    reason = _say_listed(len(texts), len(rows_by_text))
    if others:
        rare = "one rarer value comes" if others == 1 else f"{others:,} rarer values come"
        reason += f" of {enough_rows}; {rare} out as (other)"
    return DraftColumn(field=field, reason=reason, missing=missing)


def _say_listed(listed: int, profiled: int) -> str:
    """Return how many values a draft lists, in words.

    Args:
        listed: The number of listed values.
        profiled: The number of different values that the statistics of the column have.
    """
    if profiled == 1:
        return "holds one value only"
    return "lists one value" if listed == 1 else f"lists {listed:,} values"


def _list_field(
    profile: Profile, missing: Sequence[str], texts: Sequence[str], *, keys: Document
) -> Document:
    """Return the field of a column of texts, as JSON in the form of a table schema.

    It is required if no cell is blank or missing.

    Args:
        profile: The statistics of the column.
        missing: Texts that mean a missing value.
        texts: The listed texts, in order; none for a field without a list.
        keys: Further keys of the field; empty ones are left out.
    """
    values: Document = {"enum": list(texts)} if texts else {}
    required = not (profile.blank or missing)
    return draft_field(profile.name, "string", {"required": required, **values}, keys=keys)
