"""Released rows are read back into the cells they were drawn from."""

import numpy as np
import pyarrow as pa
import pytest

from synth.domain.domain import Boolean, Categorical, Date, Domain, Integer, Number, Outside
from synth.errors import ReleaseError
from synth.rows.encode import encode_columns
from synth.rows.values import decode_columns

DOMAIN = Domain(
    (
        Categorical(name="sex", categories=("F", "M"), missing=True, outside=Outside.CELL),
        Boolean(name="smoker", missing=True),
        Integer(name="hours", minimum=0, maximum=99, bins=7, spikes=(40, 999), missing=True),
        Integer(name="age", minimum=0, maximum=9, outside=Outside.CELL),
        Number(name="wage", minimum=0, maximum=3, edges=(0, 0.5, 1, 3), spikes=(1,), missing=True),
        Number(name="rate", minimum=-1, maximum=1, bins=3, outside=Outside.CELL, missing=True),
        Date(name="day", minimum="2024-02-10", maximum="2024-12-31", period="quarter"),
        Date(
            name="hour", minimum="1969-12-30T10:00:00", maximum="1970-01-02T00:00:00",
            time=True, bins=5, missing=True, format="%d.%m.%Y %H:%M:%S",
        ),
    )
)  # fmt: skip


def test_every_cell_comes_back() -> None:
    rng = np.random.default_rng(5)
    codes = [rng.integers(c.size, size=4_000).astype(np.int32) for c in DOMAIN.columns]
    table = decode_columns(DOMAIN, codes, rng)
    for column, drawn, read in zip(
        DOMAIN.columns, codes, encode_columns(DOMAIN, table), strict=True
    ):
        assert np.array_equal(drawn, read), column.name


@pytest.mark.parametrize(
    ("name", "value"),
    [("sex", "X"), ("hours", 100), ("hours", -1), ("wage", 3.5), ("wage", float("nan")),
     ("day", "2024-02-09"), ("day", "today"), ("day", None), ("smoker", "maybe"),
     ("hours", "many"), ("age", 4), ("sex", 1), ("rate", True)],
)  # fmt: skip
def test_what_is_in_no_cell_is_refused(name: str, value: object) -> None:
    domain = DOMAIN.project([name])
    message = f"^Column '{name}' holds a value that is in none of its cells.$"
    with pytest.raises(ReleaseError, match=message):
        encode_columns(domain, pa.table({name: pa.array([value], from_pandas=False)}))
