"""Columns from the types of a DataFrame. PUBLIC: no row is read.

Categories usually come from the rows, so you either vouch for them or they are marked.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

from synth.domain.building import Boolean, Categorical, Declared, Unnamed
from synth.domain.column import refuse

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


class Said(NamedTuple):
    """The declaration in a column's type.

    Attributes:
        kind: The type as text, in lower case.
        column: The declared column; None if the type is not enough.
        listed: Whether its categories may come from the rows.
    """

    name: str
    kind: str
    column: Unnamed | None
    listed: bool = False


def said_by_types(frame: Any) -> list[Said]:
    """Return the declarations in a frame's types, in order of the columns.

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


def refuse_unsaid(said: Said) -> NoReturn:
    """Refuse a column whose type is not enough; DomainError says what to add."""
    need = next(
        (need for start, need in NEEDS.items() if said.kind.startswith(start)), "[...]"
    )
    what = "a list of categories" if need == "[...]" else "bounds"
    refuse(
        f"Column '{said.name}' needs {what}, which its type {said.kind} does not say; add "
        f"{said.name}={need} after the DataFrame, or leave the column out."
    )


def _listing(values: Any, *, ordered: bool) -> Unnamed | None:
    listed = [one.item() if hasattr(one, "item") else one for one in values]
    if not listed or not all(isinstance(one, str) or type(one) is int for one in listed):
        return None
    return Categorical(listed, ordered=ordered, missing=True)


def _of_pandas(name: str, dtype: Any) -> Said:
    kind = str(dtype).lower()
    if kind == "category":
        return Said(name, kind, _listing(dtype.categories, ordered=bool(dtype.ordered)), True)
    if kind.startswith("bool"):
        return Said(name, kind, Boolean(missing=kind != "bool"))
    return Said(name, kind.replace("datetime64", "timestamp"), None)


def _of_polars(frame: Any, name: str, dtype: Any) -> Said:
    kind = str(dtype).lower().replace("datetime", "timestamp")
    if kind.startswith("enum"):  # declared with the type, whatever the rows hold
        return Said(name, kind, _listing(dtype.categories, ordered=False))
    if kind.startswith("categorical"):
        return Said(
            name, kind, _listing(frame[name].cat.get_categories(), ordered=False), True
        )
    return Said(name, kind, Boolean(missing=True) if kind == "boolean" else None)


def _of_arrow(table: Any) -> Iterator[Said]:
    for field in table.schema:
        kind = str(field.type).lower()
        if kind.startswith("dictionary"):
            chunks = table.column(field.name).unify_dictionaries().chunks
            values = chunks[0].dictionary.to_pylist() if chunks else []
            yield Said(
                field.name, kind, _listing(values, ordered=bool(field.type.ordered)), True
            )
        else:
            yield Said(field.name, kind, Boolean(missing=True) if kind == "bool" else None)


def declared_by_types(
    frame: Any, named: Mapping[str, Declared]
) -> tuple[dict[str, Declared], bool]:
    """Return the columns that types and names declare, and whether any may come from the
    rows.

    Raises:
        DomainError: A column is neither named nor declared by its type, or a name is unknown.
    """
    told = told_by_name(frame)
    if unknown := sorted(set(named) - set(told)):
        refuse(f"The table has no column '{unknown[0]}'; it has {', '.join(told)}.")
    columns: dict[str, Declared] = {}
    for name, said in told.items():
        column = named.get(name, said.column)
        if column is None:
            refuse_unsaid(said)
        columns[name] = column
    return columns, any(said.listed for name, said in told.items() if name not in named)


def told_by_name(frame: Any) -> Mapping[str, Said]:
    """Return what types declare, by column; DomainError also if two columns have one name."""
    found: dict[str, Said] = {}
    for said in said_by_types(frame):
        if said.name in found:
            refuse(f"The table has two columns called '{said.name}'; rename one.")
        found[said.name] = said
    return found
