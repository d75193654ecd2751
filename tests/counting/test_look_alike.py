"""Columns alike get the values of all of them; others keep theirs."""

from typing import Any

from synth.drafting import DraftColumn
from synth.private.counting.look import alike


def draft_scale(
    name: str, low: int, high: int, *spikes: str, required: bool = True
) -> DraftColumn:
    """A drafted column of whole numbers from `low` to `high`, with spikes as codes."""
    ends = {"required": required, "minimum": str(low), "maximum": str(high)}
    field: dict[str, Any] = {"name": name, "type": "integer", "constraints": ends}
    field |= {"synth:bins": high - low + 1} | (
        {"synth:spikes": list(spikes)} if spikes else {}
    )
    return DraftColumn(field=field, reason="")


def draft_list(name: str, *texts: str) -> DraftColumn:
    """A drafted column that lists these texts."""
    limiting = {"required": True, "enum": list(texts)}
    return DraftColumn(
        field={"name": name, "type": "string", "constraints": limiting}, reason=""
    )


def test_scales_share_bounds_and_codes() -> None:
    """Columns that differ by a number in their name get the bounds and codes of all of them.

    q1 to q3 together hold 1 to 5 and the code -8. Cells of q2 may be missing, so those of all
    may.
    """
    columns = alike(
        [
            draft_scale("q1", 1, 5, "-8"),
            draft_scale("q2", 1, 4, required=False),
            draft_scale("q3", 2, 5),
        ]
    )

    for column in columns:
        ends = {"required": False, "minimum": "1", "maximum": "5"}
        assert column.field["constraints"] == ends
        assert (column.field["synth:bins"], column.field["synth:spikes"]) == (5, ["-8"])


def test_lists_share_their_texts_where_most_are_the_same() -> None:
    """Lists of columns with the same stem are joined if most of their texts are the same.

    With three of four texts in common both get all five; with none they stay as they are.
    """
    columns = alike(
        [draft_list("use_1", "a", "b", "c", "d"), draft_list("use_2", "a", "b", "c", "e")]
    )
    assert [column.field["constraints"]["enum"] for column in columns] == [list("abcde")] * 2

    of_different_texts = [draft_list("use_1", "a", "b"), draft_list("use_2", "c", "d")]
    assert alike(of_different_texts) == of_different_texts


def test_other_stems_made_up_names_and_other_ranges_are_not_alike() -> None:
    """Columns stay as they are if their stems, kinds or ranges differ.

    "column_1" is a name that Synth makes up, so it does not say that columns are alike.
    """
    for pair in (
        [draft_scale("q1", 1, 5), draft_scale("r2", 1, 4)],
        [draft_scale("column_1", 1, 5), draft_scale("column_2", 1, 4)],
        [draft_scale("q1", 1, 5), draft_scale("q2", 1, 90)],
        [draft_scale("q1", 1, 5), draft_list("q2", "a")],
    ):
        assert alike(pair) == pair
