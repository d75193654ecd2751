"""The types of a frame's columns, and the scales that they declare. PRIVATE.

A type is public, as a column's name is. The categories that it lists are not: they may come
from the rows. So `FrameTypes` holds none of them, and only the draft uses `read_scales`.

>>> import pandas as pd
>>> size = pd.Categorical(["S", "L"], categories=["S", "M", "L"], ordered=True)
>>> frame = pd.DataFrame({"size": size})
>>> types = read_frame_types(frame, ["size"]).types
>>> types["size"].is_ordered, read_scales(frame, ["size"])
(True, {'size': ('S', 'M', 'L')})
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

PANDAS = "pandas"
POLARS = "polars"
ARROW = "pyarrow"
# Both truth values, in order, as a frame of each library shows them.
TRUTH_BY_LIBRARY = {
    PANDAS: ("False", "True"),
    POLARS: ("false", "true"),
    ARROW: ("false", "true"),
}


class CategoriesType(NamedTuple):
    """The type of a column of categories, without these.

    Attributes:
        is_ordered: Whether they go from the least to the greatest.
        value_type: The type of the categories, as the library has it.
    """

    is_ordered: bool
    value_type: Any


@dataclass(frozen=True, kw_only=True)
class FrameTypes:
    """The library of a frame and the types of its columns. PUBLIC.

    Attributes:
        library: The name of the library: pandas, polars or pyarrow.
        types: The type of each column by name, as the library has it; `CategoriesType` for
            categories of pandas, and the class of the type for an Enum of Polars.
    """

    library: str
    types: Mapping[str, Any]


def read_frame_types(frame: Any, names: Sequence[str]) -> FrameTypes | None:
    """Return the types of a frame's columns; None if it is no frame of a known library.

    Args:
        frame: A frame of pandas or Polars, or a table or record batch of Arrow.
        names: What Synth calls its columns, in their order.
    """
    library = _library_of(frame)
    if not library:
        return None
    types = map(_without_values, _dtypes_of(frame, library))
    return FrameTypes(library=library, types=dict(zip(names, types, strict=True)))


def read_scales(frame: Any, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the categories of ordered columns in their order, as texts, by column. PRIVATE.

    A column of truth values has both of them. Categories of a frame may come from its rows.

    Args:
        frame: A frame of pandas or Polars, or a table or record batch of Arrow.
        names: What Synth calls its columns, in their order.
    """
    from pyarrow import types

    library = _library_of(frame)
    if not library:
        return {}
    scales: dict[str, tuple[str, ...]] = {}
    for place, dtype in enumerate(_dtypes_of(frame, library)):
        if _is_truth(dtype):
            scales[names[place]] = TRUTH_BY_LIBRARY[library]
        elif library == ARROW and types.is_dictionary(dtype):
            scales[names[place]] = _scale_of_arrow(frame.column(place), dtype)
        elif _is_enum(dtype) or (_is_category(dtype) and dtype.ordered):
            scales[names[place]] = _texts_of(dtype.categories)
    return {name: scale for name, scale in scales.items() if scale}


def _library_of(frame: Any) -> str:
    """Return the library of a frame with columns and rows; empty if it is none."""
    library = type(frame).__module__.partition(".")[0]
    is_frame = type(frame).__name__ in ("DataFrame", "Table", "RecordBatch")
    return library if is_frame and library in TRUTH_BY_LIBRARY else ""


def _dtypes_of(frame: Any, library: str) -> list[Any]:
    """Return the types of all columns in their order, as the library has them."""
    return list(frame.schema.types if library == ARROW else frame.dtypes)


def _is_truth(dtype: Any) -> bool:
    """Return whether a type of any library is for truth values."""
    return str(dtype).lower() in ("bool", "boolean", "bool[pyarrow]")


def _is_enum(dtype: Any) -> bool:
    """Return whether a type of Polars lists its values in order."""
    return str(dtype).startswith("Enum(")


def _is_category(dtype: Any) -> bool:
    """Return whether a type of pandas lists its values."""
    return str(dtype) == "category"


def _without_values(dtype: Any) -> Any:
    """Return a type without the values that it lists; types of other kinds as they are."""
    if _is_enum(dtype):
        return dtype.base_type()
    if _is_category(dtype):
        return CategoriesType(bool(dtype.ordered), dtype.categories.dtype)
    return dtype


def _scale_of_arrow(column: Any, dtype: Any) -> tuple[str, ...]:
    """Return the texts of a dictionary in order; none if it has no order.

    Args:
        column: The column of a table or a record batch of Arrow.
        dtype: The type of the column.
    """
    import pyarrow as pa

    if not dtype.ordered:
        return ()
    chunks = [column]
    if isinstance(column, pa.ChunkedArray):
        # After this all chunks of rows have the same dictionary.
        chunks = column.unify_dictionaries().chunks
    return _texts_of(chunks[0].dictionary.to_pylist()) if chunks else ()


def _texts_of(categories: Iterable[Any]) -> tuple[str, ...]:
    """Return categories as texts, as cells of their column are read."""
    from synth.private.table.objects import is_objects, object_column

    texts = object_column(list(categories))
    if is_objects(texts.type):
        texts = texts.field("text")
    return tuple(text for text in texts.to_pylist() if text is not None)
