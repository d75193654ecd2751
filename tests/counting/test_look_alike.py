"""Columns alike get the values of all of them; others keep theirs."""

from typing import Any

from synth.drafting import DraftColumn
from synth.private.counting.look import alike


def scale(name: str, low: int, high: int, *spikes: str, required: bool = True) -> DraftColumn:
    ends = {"required": required, "minimum": str(low), "maximum": str(high)}
    field: dict[str, Any] = {"name": name, "type": "integer", "constraints": ends}
    field |= {"synth:bins": high - low + 1} | (
        {"synth:spikes": list(spikes)} if spikes else {}
    )
    return DraftColumn(field=field, reason="")


def listed(name: str, *texts: str) -> DraftColumn:
    limiting = {"required": True, "enum": list(texts)}
    return DraftColumn(
        field={"name": name, "type": "string", "constraints": limiting}, reason=""
    )


def test_scales_share_bounds_and_codes() -> None:
    found = alike(
        [scale("q1", 1, 5, "-8"), scale("q2", 1, 4, required=False), scale("q3", 2, 5)]
    )
    for one in found:
        ends = {"required": False, "minimum": "1", "maximum": "5"}
        assert one.field["constraints"] == ends
        assert (one.field["synth:bins"], one.field["synth:spikes"]) == (5, ["-8"])


def test_lists_share_their_texts_where_most_are_the_same() -> None:
    found = alike([listed("use_1", "a", "b", "c", "d"), listed("use_2", "a", "b", "c", "e")])
    assert [f.field["constraints"]["enum"] for f in found] == [list("abcde")] * 2
    apart = [listed("use_1", "a", "b"), listed("use_2", "c", "d")]
    assert alike(apart) == apart


def test_other_stems_made_up_names_and_other_ranges_are_not_alike() -> None:
    for pair in (
        [scale("q1", 1, 5), scale("r2", 1, 4)],
        [scale("column_1", 1, 5), scale("column_2", 1, 4)],
        [scale("q1", 1, 5), scale("q2", 1, 90)],
        [scale("q1", 1, 5), listed("q2", "a")],
    ):
        assert alike(pair) == pair
