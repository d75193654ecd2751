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
    __slots__ = ("_items",)

    def __init__(self, items: Mapping[Key, Item] | Iterable[tuple[Key, Item]] = ()) -> None:
        self._items = dict(items)

    def __getitem__(self, key: Key) -> Item:
        return self._items[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"FrozenMap({self._items!r})"


def freeze(value: Any) -> Any:
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return tuple(map(freeze, value))
    if isinstance(value, Mapping):
        return FrozenMap((key, freeze(item)) for key, item in value.items())
    return frozenset(value) if isinstance(value, set) else value


def thaw(value: Any) -> Any:
    if isinstance(value, tuple):
        return [thaw(item) for item in value]
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    return value


def freeze_fields(instance: object) -> None:
    """Only for the ``__post_init__`` of a frozen dataclass."""
    assert is_dataclass(instance)
    for one in fields(instance):
        set_field(instance, one.name, freeze(getattr(instance, one.name)))


def set_field(instance: object, name: str, value: object) -> None:
    object.__setattr__(instance, name, value)
