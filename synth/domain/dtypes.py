"""Columns from the types of a DataFrame. PUBLIC: no row is read.

Categories usually come from the rows, so you either vouch for them or they are marked.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

from synth.domain.building import Boolean, Categorical, Declared, Unnamed
from synth.domain.column import refuse, refuse_absent

# What you must add for a column, by the beginning of its type.
NEEDS = {
    "int": "Integer(minimum, maximum)",
    "uint": "Integer(minimum, maximum)",
    "float": "Number(minimum, maximum)",
    "double": "Number(minimum, maximum)",
    "decimal": "Number(minimum, maximum)",
    "date": "Date(minimum, maximum)",
    "timestamp": "Date(minimum, maximum, time=True)",
}


class TypedColumn(NamedTuple):
    """The declaration in a column's type.

    Attributes:
        name: The column's name.
        kind: The type as text, in lower case.
        column: The declared column; None if the type is not enough.
        may_show_rows: Whether its categories may come from the rows.
    """

    name: str
    kind: str
    column: Unnamed | None
    may_show_rows: bool = False


def columns_by_types(frame: Any) -> list[TypedColumn]:
    """Return what the types of a frame's columns declare, in order of the columns.

    No row is read. pandas, Polars and Arrow are recognised by the module of the frame's
    class, so that none of them has to be imported.

    Raises:
        DomainError: It is no DataFrame of pandas or Polars, and no Arrow table.
    """
    module = type(frame).__module__.partition(".")[0]
    if module == "pandas" and hasattr(frame, "dtypes"):
        return [_of_pandas(str(name), kind) for name, kind in frame.dtypes.items()]
    if module == "polars" and hasattr(frame, "schema"):
        return [_of_polars(frame, name, kind) for name, kind in frame.schema.items()]
    if module == "pyarrow" and hasattr(frame, "schema"):
        return list(_of_arrow(frame))
    refuse(
        "Types are those of a DataFrame of pandas or Polars, or of an Arrow table; this is a "
        f"{type(frame).__name__}."
    )


def refuse_undeclared(column: TypedColumn) -> NoReturn:
    """Raise DomainError for a column whose type is not enough; it says what to add.

    Types of numbers and dates lack bounds; any other type lacks a list of categories.
    """
    addition = "[...]"
    lack = "a list of categories"
    for type_start, declaration in NEEDS.items():
        if column.kind.startswith(type_start):
            addition = declaration
            lack = "bounds"
            break
    refuse(
        f"Column '{column.name}' needs {lack}, which its type {column.kind} does not say; "
        f"add {column.name}={addition} after the DataFrame, or leave the column out."
    )


def _listing(values: Any, *, ordered: bool) -> Unnamed | None:
    """Return a column of categories with a cell for missing values.

    Args:
        values: The categories of a DataFrame's column, in any sequence.
        ordered: Whether they go from the least to the greatest.

    Returns:
        None if there are none, or unless all are texts or whole numbers.
    """
    # NumPy's numbers become Python's.
    categories = [value.item() if hasattr(value, "item") else value for value in values]
    # `type` and not `isinstance`, as True and False are no categories.
    are_codes = all(isinstance(value, str) or type(value) is int for value in categories)
    if not categories or not are_codes:
        return None
    return Categorical(categories, ordered=ordered, missing=True)


def _of_pandas(name: str, dtype: Any) -> TypedColumn:
    """Return a pandas column's name and type, and its declaration if the type has one.

    The declaration is None if the type is not enough, as for numbers without bounds.
    """
    kind = str(dtype).lower()
    if kind == "category":
        column = _listing(dtype.categories, ordered=bool(dtype.ordered))
        return TypedColumn(name, kind, column, may_show_rows=True)
    if kind.startswith("bool"):
        # "bool" has no missing values; "boolean" may have some.
        return TypedColumn(name, kind, Boolean(missing=kind != "bool"))
    # Moments are named as in `NEEDS`, which says what to add for them.
    return TypedColumn(name, kind.replace("datetime64", "timestamp"), None)


def _of_polars(frame: Any, name: str, dtype: Any) -> TypedColumn:
    """Return a Polars column's name and type, and its declaration if the type has one.

    Of `frame` only the categories of this column are read.
    """
    kind = str(dtype).lower().replace("datetime", "timestamp")
    if kind.startswith("enum"):  # declared with the type, whatever the rows hold
        return TypedColumn(name, kind, _listing(dtype.categories, ordered=False))
    if kind.startswith("categorical"):
        column = _listing(frame[name].cat.get_categories(), ordered=False)
        return TypedColumn(name, kind, column, may_show_rows=True)
    return TypedColumn(name, kind, Boolean(missing=True) if kind == "boolean" else None)


def _of_arrow(table: Any) -> Iterator[TypedColumn]:
    """Yield the columns of an Arrow table, with their declaration if the type has one."""
    for field in table.schema:
        kind = str(field.type).lower()
        if kind.startswith("dictionary"):
            # After this all chunks of rows have the same dictionary of categories.
            chunks = table.column(field.name).unify_dictionaries().chunks
            values = chunks[0].dictionary.to_pylist() if chunks else []
            column = _listing(values, ordered=bool(field.type.ordered))
            yield TypedColumn(field.name, kind, column, may_show_rows=True)
        else:
            yield TypedColumn(
                field.name, kind, Boolean(missing=True) if kind == "bool" else None
            )


def declared_by_types(
    frame: Any, columns_by_name: Mapping[str, Declared]
) -> tuple[dict[str, Declared], bool]:
    """Return the declared columns of a frame by name, and whether any may show rows.

    A column's list of categories may show rows if it comes from its type.

    Args:
        frame: A DataFrame of pandas or Polars, or an Arrow table; its rows are not read.
        columns_by_name: Declarations that count instead of a column's type.

    Raises:
        DomainError: A column is neither named nor declared by its type, or a name is unknown.
    """
    typed_columns = typed_columns_by_name(frame)
    unknown = sorted(set(columns_by_name) - set(typed_columns))
    if unknown:
        refuse_absent("The table", unknown[0], [*typed_columns])
    columns: dict[str, Declared] = {}
    may_show_rows = False
    for name, typed_column in typed_columns.items():
        column = columns_by_name.get(name, typed_column.column)
        if column is None:
            refuse_undeclared(typed_column)
        columns[name] = column
        if name not in columns_by_name and typed_column.may_show_rows:
            may_show_rows = True
    return columns, may_show_rows


def typed_columns_by_name(frame: Any) -> Mapping[str, TypedColumn]:
    """Return what types declare, by the column's name.

    DomainError is raised if it is no DataFrame, or if two columns have one name.
    """
    columns: dict[str, TypedColumn] = {}
    for column in columns_by_types(frame):
        if column.name in columns:
            refuse(f"The table has two columns called '{column.name}'; rename one.")
        columns[column.name] = column
    return columns
