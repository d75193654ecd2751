"""Arguments of public functions: a table in the place of a number is refused by its type.

A table that lands in the wrong argument would else be compared, turned into text, or quoted
by some error deep inside. Here each argument is looked at once, before anything is done with
it. A sentence describes it by its type, so it holds no row. Single texts, numbers and the
like pass: what they have to be is said by the function itself. PUBLIC.

>>> @check_types
... def limit(rows: int = 1, *, names: Sequence[str] = ()) -> int:
...     return rows
>>> limit(5, names=["age"])
5
>>> limit({"age": [41, 42]})
Traceback (most recent call last):
synth.errors.ArgumentError: rows must be a number, but it is of the type dict.
>>> limit(names=[["a", 1]])
Traceback (most recent call last):
synth.errors.ArgumentError: names must be a list of texts, but it holds a value of the type list.
"""  # noqa: E501

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache, wraps
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from synth.errors import ArgumentError, LimitError, SynthError, describe_value
from synth.util.paths import check_path

Checked = TypeVar("Checked", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)

# Values that hold no table, whatever a function makes of them.
_SINGLE = (str, Real, Decimal, bool, date, time, timedelta, Enum, PathLike, type(None))
# Types that are used for single values, and what a sentence calls them.
_WORDS: Mapping[Any, str] = {
    str: "a text",
    int: "a number",
    float: "a number",
    Fraction: "a number",
    Path: "a path",
    bool: "True or False",
    bytes: "bytes",
}
_LISTS = (
    collections.abc.Sequence,
    collections.abc.Collection,
    collections.abc.Iterable,
    list,
    tuple,
)
# Packages whose tables and columns are no lists of names.
_TABLE_PACKAGES = ("pandas", "polars", "pyarrow")
# The other spellings of arguments, which the functions and the command line take, too.
SPELLINGS: Mapping[str, str] = {"neighbours": "neighbors", "favor": "favour"}
# The fields of each dataclass that was looked at, with their types.
_FIELDS: dict[Any, dict[str, tuple[Any, ...]]] = {}


def check_types(function: Checked) -> Checked:
    """Decorate a public function so that it refuses arguments of the wrong type.

    The allowed types are read from the function's annotations. An annotation that cannot be
    checked at run time, such as `Any`, allows everything. An argument in another spelling
    (`SPELLINGS`) that the function declares reaches it in its one spelling. If memory runs
    out in the function, the decorated function raises one plain sentence in place of that
    error.

    Raises:
        ArgumentError: The decorated function was called with an argument of another type, or
            with both spellings of one.
        LimitError: Memory ran out during the call.
    """

    @wraps(function)
    def checked(*positional: Any, **by_name: Any) -> Any:
        """Call the function if all arguments have declared types; lack of memory becomes a
        sentence.
        """
        signature, kinds_by_name = _read_signature(function)
        by_name = respell(by_name, signature.parameters)
        try:
            bound = signature.bind(*positional, **by_name).arguments
        except TypeError:  # arguments that do not bind: the call itself explains them better
            return function(*positional, **by_name)
        for name, kinds in kinds_by_name.items():
            if name in bound:
                refuse_type(name, bound[name], kinds)
        try:
            return function(*positional, **by_name)
        except Exception as error:
            if isinstance(error, SynthError):
                raise
            from synth.util.memory import describe_lack, lacks_memory

            if not lacks_memory(error):
                raise
            raise LimitError(describe_lack(error)) from None

    return typing.cast(Checked, checked)


def respell(given: dict[str, Any], declared: Iterable[str]) -> dict[str, Any]:
    """Return arguments in their one spelling.

    Args:
        given: The arguments of a call by name.
        declared: The names that the function takes, with the other spellings among them.

    Raises:
        ArgumentError: An argument is given in both spellings.

    >>> respell({"neighbours": "add-remove", "rows": 5}, ["neighbors", "neighbours", "rows"])
    {'rows': 5, 'neighbors': 'add-remove'}
    """
    arguments = dict(given)
    for other, name in SPELLINGS.items():
        if other not in declared or arguments.get(other) is None:
            continue
        if name in arguments:
            raise ArgumentError(
                f"{name} and {other} are one argument in two spellings; leave one out."
            )
        arguments[name] = arguments.pop(other)
    return arguments


def take_spellings(kind: Kind) -> Kind:
    """Let a dataclass take the other spellings of its fields (`SPELLINGS`), and return it.

    Type checkers know the names that the class itself declares for them.

    >>> from dataclasses import dataclass
    >>> @take_spellings
    ... @dataclass
    ... class Choice:
    ...     favour: str = "errors"
    >>> Choice(favor="associations")
    Choice(favour='associations')
    """
    initialize = vars(kind)["__init__"]
    names = {field.name for field in fields(kind)}
    spellings = [other for other, name in SPELLINGS.items() if name in names]

    @wraps(initialize)
    def initialize_respelled(self: Any, *positional: Any, **by_name: Any) -> None:
        """Set the fields from arguments in either spelling."""
        initialize(self, *positional, **respell(by_name, spellings))

    setattr(kind, "__init__", initialize_respelled)  # noqa: B010 - mypy refuses the assignment
    return kind


def check_fields(instance: Any) -> None:
    """Refuse a dataclass instance with a field whose value does not fit its annotation.

    Raises:
        ArgumentError: A field is of another type.
    """
    for name, kinds in _read_fields(type(instance)).items():
        refuse_type(name, getattr(instance, name), kinds)


def refuse_type(name: str, value: object, kinds: tuple[Any, ...]) -> None:
    """Refuse a value of none of these types, and a path that no file can have.

    Args:
        name: The argument's name, for the error's sentence.
        value: The argument. It may be private, so the sentence says its type only.
        kinds: The types that the annotation allows, such as `(Sequence[str], NoneType)`.

    Raises:
        ArgumentError: The value has none of these types. The message has the name of its
            type, and nothing that it holds.
    """
    if Path in kinds and isinstance(value, str | PathLike):
        check_path(value, name)
    if not _is_checked(kinds):
        return
    # Texts, numbers and other single values hold no row: the function itself checks them.
    if not _is_single(value, kinds) and not any(_fits(value, kind) for kind in kinds):
        description = "a text" if isinstance(value, str) else describe_value(value)
        raise ArgumentError(f"{name} must be {_name_kinds(kinds)}, but it is {description}.")
    mapping_kinds = _inner_kinds(kinds, collections.abc.Mapping)
    if isinstance(value, Mapping) and mapping_kinds == (str, str):
        _refuse_items(name, [*value.keys(), *value.values()], kinds)
    elif isinstance(value, list | tuple | set | frozenset):
        _refuse_items(name, value, kinds)


def _is_single(value: object, kinds: tuple[Any, ...]) -> bool:
    """Return whether a value is a single one (text, number, date, None), which passes.

    Such a value holds no table, so it may be quoted by the function that is called. A text
    passes only where ``kinds``, the allowed types, name a text, a path, a number or a list.
    """
    if isinstance(value, str) and not isinstance(value, Enum):
        # A text in place of a number is read by some functions, and explained by all others.
        return any(_base(kind) in (str, Path, int, float, *_LISTS) for kind in kinds)
    return isinstance(value, _SINGLE)


def _refuse_items(name: str, items: Iterable[object], kinds: tuple[Any, ...]) -> None:
    """Refuse a list that holds a value of a type that the annotation does not allow.

    Args:
        name: The argument's name, for the error's sentence.
        items: The values in the list; None always passes.
        kinds: The types that the whole argument may have, such as `Sequence[str]`. A list
            type that does not say what it holds may hold texts.

    Raises:
        ArgumentError: A value does not fit; the message has the type of the first such value.
    """
    inner_kinds: list[Any] = []
    for kind in _inner_kinds(kinds):
        inner_kinds += _alternatives(kind, {})
    inner_kinds = inner_kinds or [str]
    # Only texts and types of this package can be told from a table by their class.
    if not all(kind is str or _is_own(kind) for kind in inner_kinds):
        return
    for item in items:
        if item is not None and not any(_fits(item, kind) for kind in inner_kinds):
            raise ArgumentError(
                f"{name} must be {_name_kinds(kinds)}, but it holds a value of the type "
                f"{type(item).__name__}."
            )


@lru_cache(maxsize=256)
def _read_signature(
    function: Callable[..., Any],
) -> tuple[inspect.Signature, dict[str, tuple[Any, ...]]]:
    """Return a function's signature, and the types that each argument may have, by its name.

    Arguments that may be of any type, and `*args` and `**kwargs`, are left out.
    """
    signature = inspect.signature(function)
    namespace = getattr(function, "__globals__", {})
    kinds_by_name = {
        name: tuple(_alternatives(parameter.annotation, namespace))
        for name, parameter in signature.parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }
    return signature, {
        name: kinds for name, kinds in kinds_by_name.items() if kinds != (Any,)
    }


def _read_fields(kind: Any) -> dict[str, tuple[Any, ...]]:
    """Return the types that each field of a dataclass may have, by the field's name.

    Fields that may be of any type are left out. ``kind`` is the dataclass itself. The answer
    is cached, as annotations do not change.
    """
    if kind not in _FIELDS:
        namespace = vars(inspect.getmodule(kind))
        kinds_by_name = {
            field.name: tuple(_alternatives(field.type, namespace)) for field in fields(kind)
        }
        _FIELDS[kind] = {
            name: kinds for name, kinds in kinds_by_name.items() if kinds != (Any,)
        }
    return _FIELDS[kind]


def _alternatives(annotation: Any, namespace: Mapping[str, Any]) -> Iterator[Any]:
    """Yield each type that an annotation allows: the members of a union one by one.

    Args:
        annotation: A type, or its source text.
        namespace: The global names of the module that holds the annotation. A text whose
            names are not among them, because only a type checker imports them, gives `Any`.
    """
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, dict(namespace))  # the text of our own source
        except NameError:  # a type that only a checker imports
            annotation = Any
    if (
        isinstance(annotation, types.UnionType)
        or typing.get_origin(annotation) is typing.Union
    ):
        for alternative in typing.get_args(annotation):
            yield from _alternatives(alternative, namespace)
    elif typing.get_origin(annotation) is typing.Literal:
        # The function itself says which words it knows.
        yield from dict.fromkeys(type(word) for word in typing.get_args(annotation))
    else:
        yield annotation


def _is_checked(kinds: tuple[Any, ...]) -> bool:
    """Return whether every one of these types is one that can be checked at run time."""
    checked_kinds = (*_WORDS, type(None), *_LISTS)
    return all(_base(kind) in checked_kinds or _is_own(kind) for kind in kinds)


def _is_own(kind: Any) -> bool:
    """Return whether a type is a class of this package, `Callable` or `Mapping`.

    An argument of such a type is checked by `isinstance`. A protocol is not, as a class can
    satisfy it without deriving from it.
    """
    base = _base(kind)
    if base in (collections.abc.Callable, collections.abc.Mapping):
        return True
    is_protocol = getattr(base, "_is_protocol", False)
    is_class = isinstance(base, type) and not is_protocol
    return is_class and base.__module__.partition(".")[0] == "synth"


def _base(kind: Any) -> Any:
    return typing.get_origin(kind) or kind


def _fits(value: object, kind: Any) -> bool:
    """Return whether a value is of a type, such as `str`, `Callable` or `Sequence[str]`.

    For a list type, any one-dimensional iterable fits, also an array or an index of pandas.
    Bytes, mappings, and tables or columns of pandas, Polars and Arrow do not.
    """
    base = _base(kind)
    if base is collections.abc.Callable:
        return callable(value)
    if base in _LISTS:
        is_table = type(value).__module__.partition(".")[0] in _TABLE_PACKAGES
        is_index = type(value).__name__.endswith("Index")
        is_list = isinstance(value, Iterable) and not isinstance(value, bytes | Mapping)
        return is_list and not (is_table and not is_index) and _dimensions(value) == 1
    return isinstance(base, type) and isinstance(value, base)


def _dimensions(value: object) -> int:
    dimensions = getattr(value, "ndim", 1)
    return dimensions if isinstance(dimensions, int) else 1


def _inner_kinds(kinds: Sequence[Any], *bases: Any) -> tuple[Any, ...]:
    """Return the type arguments of those kinds whose generic type is one of the bases.

    The bases are the list types by default: `(Sequence[str], int)` gives `(str,)`.
    """
    inner_kinds: list[Any] = []
    for kind in kinds:
        if _base(kind) in (bases or _LISTS):
            inner_kinds += typing.get_args(kind)
    return tuple(kind for kind in inner_kinds if kind is not Ellipsis)


def _name_kinds(kinds: Sequence[Any]) -> str:
    """Return types in words for an error, such as "a list of texts or a function"."""
    words = []
    for kind in kinds:
        base = _base(kind)
        if base in _LISTS:
            words.append("a list of texts" if _inner_kinds((kind,)) == (str,) else "a list")
        elif base is collections.abc.Callable:
            words.append("a function")
        elif base is collections.abc.Mapping:
            is_of_texts = _inner_kinds((kind,), collections.abc.Mapping) == (str, str)
            words.append("a mapping of texts to texts" if is_of_texts else "a mapping")
        elif base is not type(None):
            words.append(_WORDS.get(base, f"a {getattr(base, '__name__', 'value')}"))
    return " or ".join(dict.fromkeys(words))
