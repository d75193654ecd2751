"""Synthetic rows have the types of the frame that was released."""

import datetime
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest

import synth

ROWS = 300
PLACES = np.arange(ROWS)
DAYS = pd.Series(pd.to_datetime("2024-01-01") + pd.to_timedelta(PLACES % 200, "D"))
BANDS = pd.cut(PLACES % 99, [0, 18, 65, 99], right=False)
SIZES = pd.CategoricalDtype(["S", "M", "L"], ordered=True)

PANDAS = {
    "bool": pd.Series(PLACES % 3 > 0),
    "boolean": pd.array([None, True, False] * 100, dtype="boolean"),
    "nullable whole": pd.array([None, *range(29)] * 10, dtype="Int64"),
    "byte": pd.Series(PLACES % 50, dtype="int8"),
    "short real": pd.Series(PLACES % 50 / 4, dtype="float32"),
    "nullable real": pd.array(PLACES % 50 / 4, dtype="Float64"),
    "string": pd.array(["x", "y"] * 150, dtype="string"),
    "text[pyarrow]": pd.array(["x", "y"] * 150, dtype=pd.ArrowDtype(pa.string())),
    "ordered": pd.Categorical(["S", "L"] * 150, dtype=SIZES),
    "codes": pd.Categorical([1, 2, 3] * 100),
    "bands": BANDS,
    "intervals": pd.Series(pd.arrays.IntervalArray(BANDS)),
    "month": DAYS.dt.to_period("M"),
    "day": DAYS.astype("datetime64[ns]"),
    "zone": DAYS.dt.tz_localize("Europe/Berlin"),
    "duration": pd.to_timedelta(PLACES % 60, "s"),
}
POLARS = polars.DataFrame(
    {
        "category": polars.Series(["a", "b"] * 150, dtype=polars.Categorical),
        "enum": polars.Series(["lo", "hi"] * 150, dtype=polars.Enum(["lo", "mid", "hi"])),
        "decimal": polars.Series(
            [Decimal(int(place) % 90) / 100 for place in PLACES], dtype=polars.Decimal(10, 2)
        ),
        "date": polars.Series(DAYS.dt.date.tolist()),
        "moment": polars.from_pandas(DAYS.dt.tz_localize("Europe/Berlin")),
        "duration": [datetime.timedelta(seconds=int(place) % 60) for place in PLACES],
        "byte": polars.Series(PLACES % 90, dtype=polars.UInt8),
        "truth": [True, None] * 150,
        "text": ["x", "y"] * 150,
    }
)


def release_of(frame: Any) -> synth.Release:
    """Release a frame by its own quick draft; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return synth.release(
            frame, synth.draft(frame), epsilon=50, method="independent", ledger=False
        )


def test_pandas_types_come_out_as_they_went_in() -> None:
    """Each type of pandas that somebody chose comes out of a release, with its categories.

    The size M, which no row has, stays a step of the scale.
    """
    frame = pd.DataFrame(PANDAS)
    table = release_of(frame).table
    assert table.dtypes.to_dict() == frame.dtypes.to_dict()
    assert table["bands"].iloc[0] in set(BANDS)
    assert table["zone"].dt.tz_localize(None).between("2023-12-01", "2024-08-31").all()


def test_polars_and_arrow_types_come_out_as_they_went_in() -> None:
    """Frames of Polars and tables of Arrow come out in their library, with their types."""
    made = release_of(POLARS)
    assert made.frame.schema == POLARS.schema
    assert isinstance(made.table, pd.DataFrame)
    table = POLARS.to_arrow()
    released = release_of(table).frame
    assert released.schema.names == table.schema.names
    assert released.schema.types == table.schema.types


def test_a_file_has_no_types_of_a_frame(tmp_path: Any) -> None:
    """The frame of a released file is its table, with the declared types."""
    (tmp_path / "t.csv").write_text("sex\n" + "f\nm\n" * 150)
    made = synth.release(tmp_path / "t.csv", {"sex": ["f", "m"]}, epsilon=5, budget=5)
    assert made.frame.equals(made.table)


def test_types_that_cannot_hold_the_values_are_named() -> None:
    """A warning names the columns that keep the type of their declaration.

    A range of numbers makes no categories, and plain truth values hold no missing one.
    """
    frame = pd.DataFrame(
        {
            "truth": pd.Series(PLACES % 3 > 0),
            "scale": pd.Categorical([1, 2, 3] * 100, ordered=True),
        }
    )
    domain = synth.Domain(truth=synth.Boolean(missing=True), scale=synth.Integer(1, 3))
    made = synth.release(frame, domain, epsilon=5, method="independent")
    with pytest.warns(
        UserWarning, match="in the type of their declaration.*'truth', 'scale'"
    ):
        table = made.table
    assert table.dtypes.map(str).to_dict() == {"truth": "boolean", "scale": "int64"}


def test_categories_of_a_frame_stay_private() -> None:
    """A category that the domain does not declare is in no type of the result."""
    frame = pd.DataFrame({"sex": pd.Categorical(["f", "m", "secret"] * 100, ordered=True)})
    domain = {"sex": synth.Categorical(["f", "m"], ordered=True)}
    made = synth.release(frame, domain, epsilon=5)
    assert made.table["sex"].dtype == pd.CategoricalDtype(["f", "m"], ordered=True)
    assert "secret" not in repr(made.types)


def test_samples_have_the_types_of_the_frame() -> None:
    """Rows that a synthesizer draws have the types of the frame that it was fitted to."""
    frame = pd.DataFrame({"age": pd.Series(PLACES % 50, dtype="int8")})
    model = synth.Synthesizer({"age": synth.Integer(0, 49)}, epsilon=5).fit(frame)
    assert model.sample(7)["age"].dtype == "int8"


def test_an_empty_frame_is_said_to_be_empty() -> None:
    """A frame without rows is said to be empty, and one without columns is refused."""
    domain = {"a": ["x", "y"]}
    for frame in (pd.DataFrame({"a": []}), polars.DataFrame({"a": []})):
        with pytest.warns(UserWarning, match="The table has no rows"):
            synth.check(frame, domain)
    for frame in (pd.DataFrame(), polars.DataFrame(), pa.table({})):
        for call in (synth.check, synth.release):
            with pytest.raises(synth.SynthError, match="The table has no columns"):
                call(frame, domain, epsilon=1)


def test_nested_columns_are_left_out_and_named() -> None:
    """A column of lists does not keep the other columns of a frame from a release."""
    frame = pa.table({"tags": [["x"], []] * 150, "sex": ["f", "m"] * 150})
    with pytest.warns(UserWarning, match="Left out, as they hold lists .*: 'tags'"):
        made = synth.release(frame, {"sex": ["f", "m"]}, epsilon=5)
    assert made.frame.schema.names == ["sex"]


@pytest.mark.parametrize("kind", ["frame", "parquet", "duckdb"])
def test_truths_of_a_typed_column_are_read_whatever_a_declaration_calls_them(
    tmp_path: Path, kind: str
) -> None:
    """A survey writes yes and no; where its column has the type of truths, all rows fit."""
    frame = pd.DataFrame({"smoker": PLACES % 3 > 0})
    table: Any = frame
    if kind == "parquet":
        table = tmp_path / "t.parquet"
        frame.to_parquet(table)
    if kind == "duckdb":
        table = tmp_path / "t.duckdb"
        with duckdb.connect(str(table)) as connection:
            connection.execute("CREATE TABLE t AS SELECT * FROM frame")
    domain = synth.Domain(smoker=synth.Boolean(true_values=["yes"], false_values=["no"]))
    made = synth.release(table, domain, epsilon="100", ledger=False)
    assert 180 < (made.table["smoker"].astype(str).isin(["yes", "True"])).sum() < 220
