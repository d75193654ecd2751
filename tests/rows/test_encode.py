"""Released rows are read back into the cells they were drawn from."""

import numpy as np
import pyarrow as pa
import pytest

from synth.domain import Domain
from synth.domain.building import Boolean, Categorical, Date, Integer, Number
from synth.errors import ReleaseError
from synth.rows import encode_columns
from synth.rows.values import decode_columns

DOMAIN = Domain(
    sex=Categorical(["F", "M"], missing=True, outside="cell"),
    smoker=Boolean(missing=True),
    hours=Integer(0, 99, bins=7, spikes=(40, 999), missing=True),
    age=Integer(0, 9, outside="cell"),
    wage=Number(0, 3, edges=(0, 0.5, 1, 3), spikes=(1,), missing=True),
    rate=Number(-1, 1, bins=3, outside="cell", missing=True),
    day=Date("2024-02-10", "2024-12-31", period="quarter"),
    hour=Date(
        "1969-12-30T10:00:00",
        "1970-01-02T00:00:00",
        time=True,
        bins=5,
        missing=True,
        format="%d.%m.%Y %H:%M:%S",
    ),
)


def test_every_cell_comes_back() -> None:
    """Values that are drawn within random cells are read back into exactly these cells.

    `DOMAIN` has a column of each kind, with spikes, edges, missing and outside cells.
    """
    rng = np.random.default_rng(5)
    codes = [rng.integers(c.size, size=4_000).astype(np.int32) for c in DOMAIN.columns]
    table = decode_columns(DOMAIN, codes, rng)
    for column, drawn_codes, read_codes in zip(
        DOMAIN.columns, codes, encode_columns(DOMAIN, table), strict=True
    ):
        assert np.array_equal(drawn_codes, read_codes), column.name


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sex", "X"),
        ("hours", 100),
        ("hours", -1),
        ("wage", 3.5),
        ("wage", float("nan")),
        ("day", "2024-02-09"),
        ("day", "today"),
        ("day", None),
        ("smoker", "maybe"),
        ("hours", "many"),
        ("age", 4),
        ("sex", 1),
        ("rate", True),
    ],
)
def test_what_is_in_no_cell_is_refused(name: str, value: object) -> None:
    """A value that no cell of its column holds is refused, and it is not quoted.

    The values are outside the bounds, of another type, or missing where that is not declared.
    """
    domain = DOMAIN.project([name])
    message = f"^Column '{name}' holds a value that is in none of its cells.$"
    with pytest.raises(ReleaseError, match=message):
        encode_columns(domain, pa.table({name: pa.array([value], from_pandas=False)}))
