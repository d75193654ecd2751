"""Immutable values.

>>> rules = freeze({"order": [["start", "end"]]})
>>> rules["order"], hash(rules) == hash(freeze({"order": [["start", "end"]]}))
((('start', 'end'),), True)
>>> thaw(rules)
{'order': [['start', 'end']]}
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

Key = TypeVar("Key")
Item = TypeVar("Item", covariant=True)


class FrozenMap(Mapping[Key, Item]):
    """A mapping that cannot be changed, and that has a hash."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[Key, Item] | Iterable[tuple[Key, Item]] = ()) -> None:
        """Copy a mapping, or pairs of keys and values."""
        self._items = dict(items)

    def __getitem__(self, key: Key) -> Item:
        """Return the value of a key."""
        return self._items[key]

    def __iter__(self) -> Iterator[Key]:
        """Return the keys in order."""
        return iter(self._items)

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._items)

    def __hash__(self) -> int:
        """Return a hash that does not depend on the order of the keys."""
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        """Return the text of the mapping in code."""
        return f"FrozenMap({self._items!r})"


def freeze(value: Any) -> Any:
    """Return a value with its lists, sets and mappings made immutable, at any depth.

    Lists become tuples, and mappings become `FrozenMap`. Named tuples keep their type.
    """
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return tuple(map(freeze, value))
    if isinstance(value, Mapping):
        return FrozenMap((key, freeze(item)) for key, item in value.items())
    return frozenset(value) if isinstance(value, set) else value


def thaw(value: Any) -> Any:
    """Return a frozen value as lists and dictionaries, as JSON has them."""
    if isinstance(value, tuple):
        return [thaw(item) for item in value]
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    return value


def freeze_fields(instance: object) -> None:
    """Freeze the values of a frozen dataclass; only for its ``__post_init__``."""
    assert is_dataclass(instance)
    for field in fields(instance):
        set_field(instance, field.name, freeze(getattr(instance, field.name)))


def set_field(instance: object, name: str, value: object) -> None:
    """Set a field of a frozen dataclass; only for its ``__post_init__``."""
    object.__setattr__(instance, name, value)
