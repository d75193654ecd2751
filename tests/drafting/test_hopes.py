"""What is said before anything is spent, by public numbers."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from synth.drafting import Candidates, DraftRequest, Hopes, offer_draft, read_candidates
from synth.errors import ArgumentError
from synth.privacy import Guarantee, Neighbors, Unit

COLUMNS = tuple(f"c{i}" for i in range(20))


def read_hopes(epsilon: str, rows: int, *, delta: str = "", columns: int = 20) -> str:
    """Return what the page says before a draft of so many columns, at this epsilon and number
    of rows.
    """
    guarantee = Guarantee.pure(Fraction(epsilon))
    if delta:
        guarantee = Guarantee.approximate(Fraction(epsilon), Fraction(delta))
    return " ".join(
        Hopes(DraftRequest(columns=COLUMNS[:columns], guarantee=guarantee), rows).lines
    )


def test_what_cannot_be_hoped_for_is_said() -> None:
    """Before a draft is paid for, the page says what cannot be expected from so many rows at
    this epsilon. With 1,000 rows all columns stay open, with 8,000 bounds are rough, and with
    a million they are not. Free text stays open in any case.
    """
    assert "Expect all columns to stay open" in read_hopes("0.1", 1_000)
    assert "Without a delta" in read_hopes("1", 100_000)
    assert "needs about" in read_hopes("1", 10**6, delta="1e-9")
    assert "expect columns of text to stay open" in read_hopes("1", 2_000, delta="1e-9")

    rough = read_hopes("1", 8_000, delta="1e-9")
    assert "will be rough" in rough
    assert "rough" not in read_hopes("1", 10**6)
    assert "free text" in rough


def test_shares_and_costs_add_up_exactly() -> None:
    """The shares of 20 columns add up to the guarantee, and the costs of a column to its
    share, as exact fractions.
    """
    guarantee = Guarantee.approximate(Fraction(1, 3), Fraction(1, 7))
    request = DraftRequest(
        columns=COLUMNS,
        guarantee=guarantee,
        neighbors=Neighbors.ADD_REMOVE,
        unit=Unit("pid", 3),
    )
    assert sum(request.shares[1:], request.shares[0]) == guarantee

    costs = request.costs
    assert costs.values is not None
    assert costs.shapes + costs.values + costs.number == request.shares[0]

    # A person moves 3 rows; shapes have half of one twentieth of epsilon 1/3.
    assert request.scale(costs.shapes) == 3 * 2 * 20 * 3
    assert request.selection is not None
    assert request.selection.price(request.moves) == costs.values


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[1", "not valid JSON"),
        ('{"a": ["x"], "a": ["y"]}', "says 'a' twice"),
        ("[]", "a JSON object"),
        ('{"a": "x"}', "a JSON object"),
        ('{"a": [" x"]}', "padded with blanks"),
        (json.dumps({"a": ["x" * 101]}), "100 characters"),
        (json.dumps({"a": [str(i) for i in range(1_001)]}), "more than 1,000"),
    ],
)
def test_a_file_of_candidates_that_is_none_is_refused(
    content: str, sentence: str, tmp_path: Path
) -> None:
    """An invalid file of candidates, or a missing one, is refused with one sentence.

    The same file is read once its content is valid.
    """
    path = tmp_path / "c.json"
    path.write_text(content)
    with pytest.raises(ArgumentError, match=sentence):
        read_candidates(str(path))

    with pytest.raises(ArgumentError, match="cannot be read"):
        read_candidates(str(tmp_path / "none"))

    path.write_text('{"a": ["x", "NA"]}')
    candidates = read_candidates(str(path))
    assert candidates.list_values("a")[0] == "x"
    assert candidates != Candidates()


@pytest.mark.timeout(20)
def test_a_draft_of_very_many_columns_is_offered_at_once() -> None:
    """More columns than a draft may have are no fault, and are not tried one by one.

    20,000 rows are enough for 12 columns, however many others there are.
    """
    offered = offer_draft([f"c{number}" for number in range(5_000)], 20_000)
    assert offered is not None
    assert len(offered.request.columns) == 12
    assert offer_draft([f"c{number}" for number in range(5_000)], 3) is None
