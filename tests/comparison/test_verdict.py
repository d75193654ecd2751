"""The verdict in words, at its thresholds."""

import pytest

from synth.private.comparison import ByValue, Measure, ValueComparison, Verdict, judge
from synth.private.comparison.associations import Association


def column(
    error: float, chance: float = 0.0, new: float = 0.0, by_chance: float = 0.0
) -> ByValue:
    """A column with this error, and this share of rows with new values."""
    return ByValue(
        measure=Measure.EACH,
        error=error,
        chance=chance,
        new_rows=round(1000 * new),
        rows=1000,
        new_by_chance=by_chance,
    )


def judge_columns(columns: list[ByValue], pairs: list[tuple[float, float]] = ()) -> Verdict:  # type: ignore[assignment]
    """The verdict on columns a, b, ... and on pairs of real and synthetic strength."""
    by_column = dict(zip("abcdefghij", columns, strict=False))
    associations = [Association(real=real, synthetic=drawn) for real, drawn in pairs]
    return judge(ValueComparison(by_column=by_column, curves={}), associations)


CLOSE, FAR = column(0.05), column(0.051)


@pytest.mark.parametrize(
    ("columns", "word"),
    [
        ([CLOSE] * 9 + [FAR], "good"),
        ([CLOSE] * 8 + [FAR] * 2, "fair"),
        ([CLOSE] * 5 + [FAR] * 5, "fair"),
        ([CLOSE] * 4 + [FAR] * 6, "poor"),
        ([column(0.2, chance=0.1)], "good"),  # a second sample is as far off
        ([column(0.21, chance=0.1)], "poor"),
    ],
)
def test_single_columns_get_one_of_three_words(columns: list[ByValue], word: str) -> None:
    """Nine of ten close columns are good and half of them fair.

    A column is close if it is off by at most 5 %, or at most twice as far as by chance.
    """
    verdict = judge_columns(columns)
    assert verdict.columns_word == word
    assert verdict.sentence.startswith(f"Single columns: {word}.")


@pytest.mark.parametrize(
    ("pairs", "word"),
    [
        ([(0.4, 0.2)] * 9 + [(0.4, 0.1)], "kept"),
        ([(0.4, 0.2)] * 5 + [(0.4, 0.1)] * 5, "partly kept"),
        ([(0.4, 0.2)] * 4 + [(0.4, 0.1)] * 6, "lost"),
        ([(0.09, 0.0), (0.0, 0.0)], "none in the real table"),
    ],
)
def test_relations_are_kept_where_half_of_their_strength_is(
    pairs: list[tuple[float, float]], word: str
) -> None:
    """A relation is kept if at least half of its strength is left.

    Pairs whose real strength is below 0.1 are no relations.
    """
    verdict = judge_columns([CLOSE, CLOSE], pairs)
    assert verdict.sentence == f"Single columns: good. Relations: {word}."


def test_invented_relations_are_counted() -> None:
    """Pairs that look related and are hardly so in the real rows get a sentence."""
    verdict = judge_columns([CLOSE, CLOSE], [(0.04, 0.1), (0.06, 0.3), (0.0, 0.09)])
    assert verdict.invented_relations == 1
    assert "1 pair looks related and should not." in " ".join(verdict.reasons)


def test_new_values_beyond_chance_are_named() -> None:
    """A column is named if over 5 % of its rows, beyond chance, have a value of no real row.

    The worst comes first.
    """
    verdict = judge_columns(
        [
            column(0, new=0.05),
            column(0, new=0.06),
            column(0, new=0.9, by_chance=0.89),
            column(0, new=0.5),
        ],
        [(0.2, 0.2)],
    )
    assert verdict.new_value_columns == ("d", "b")
    assert verdict.sentence.endswith("New values: many, in 2 columns.")
    assert verdict.reasons[-1] == "Many rows have values that no real row has, in 'd', 'b'."
    assert not verdict.is_good
    assert judge_columns([CLOSE, CLOSE], [(0.2, 0.2)]).is_good


def test_one_column_has_no_relations() -> None:
    """The verdict on a table of one column says nothing about relations."""
    verdict = judge_columns([column(0.123, chance=0.01)])
    assert verdict.sentence == "Single columns: poor."
    assert verdict.reasons == ("'a' is off by 12.3 % (chance alone 1.0 %).",)
    assert verdict.document["relations"] is None
