"""Values of plans and projects as JSON, and back: a codec for each type. PUBLIC.

Files may have been edited by hand, so types are checked.

>>> read_all({"rows": WHOLES, "columns": TEXTS}, {"rows": 5, "columns": ["age"]})
{'rows': 5, 'columns': ('age',)}
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, NoReturn, get_type_hints

from synth.domain import thaw
from synth.errors import ProjectError, SynthError
from synth.util import Document, may_lack


class UnknownPartError(ProjectError):
    """A file has a part that this version does not know."""

    def __init__(self) -> None:
        """Say so, without the name of the part, which may be anything."""
        super().__init__(
            "The file has a part that this version of Synth does not know: a newer version "
            "wrote it, or it was edited by hand."
        )


@dataclass(frozen=True)
class Codec:
    """Writes one value as JSON, and reads it or raises any error.

    Attributes:
        encode: Returns a value as JSON.
        decode: Returns the value that some JSON stands for.
        may_lack: Whether files leave the value out if it is the default.
        default: That value.
    """

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]
    may_lack: bool = False
    default: Any = None


def keep_value(value: Any) -> Any:
    """Return the value itself."""
    return value


def reader_of(*kinds: type) -> Callable[[Any], Any]:
    """Return a function that returns values of these very types, and refuses others.

    A subclass is another type, so that True is no integer. It refuses by a TypeError.
    """

    def read(value: Any) -> Any:
        """Return the value; raise TypeError if it has none of the types."""
        if type(value) not in kinds:
            raise TypeError
        return value

    return read


def read_count(value: Any) -> int:
    """Read a whole number from 0 up."""
    if reader_of(int)(value) < 0:
        raise ValueError
    return int(value)


def read_text_list(value: Any) -> tuple[str, ...]:
    """Read a list of texts, as a tuple."""
    return tuple(map(reader_of(str), reader_of(list)(value)))


TEXT = Codec(keep_value, reader_of(str))
TEXTS = Codec(list, read_text_list)
WHOLES = Codec(keep_value, read_count)
TRUTH = Codec(keep_value, reader_of(bool))
JSON = Codec(thaw, keep_value)
LISTS = Codec(thaw, lambda value: tuple(map(read_text_list, reader_of(list)(value))))


def list_codec(codec: Codec) -> Codec:
    """Return the codec of a tuple of values, each of which this codec reads and writes."""
    return Codec(
        lambda values: [codec.encode(value) for value in values],
        lambda values: tuple(map(codec.decode, reader_of(list)(values))),
    )


def find_word(words: Iterable[str], value: object) -> str:
    """Return the word that equals a value.

    ``words`` may be an enumeration of texts: then its member is returned, and not the text.

    Raises:
        ValueError: None of the words equals it.
    """
    for word in words:
        if word == value:
            return word
    raise ValueError


def word_codec(words: Iterable[str]) -> Codec:
    """Return the codec of a word of an enumeration or a registry."""
    return Codec(str, partial(find_word, words))


def optional_codec(codec: Codec) -> Codec:
    """Return the codec of a value that may be None, which JSON writes as null.

    ``codec`` is that of all other values.
    """
    return Codec(
        lambda value: None if value is None else codec.encode(value),
        lambda value: None if value is None else codec.decode(value),
    )


def write_all(codecs: Mapping[str, Codec], source: object) -> Document:
    """Return the attributes of an object that have a codec, as JSON by name."""
    content: Document = {}
    for name, codec in codecs.items():
        value = getattr(source, name)
        if not codec.may_lack or value != codec.default:
            content[name] = codec.encode(value)
    return content


def read_all(
    codecs: Mapping[str, Codec],
    content: Mapping[str, Any],
    refuse: Callable[[str], NoReturn] | None = None,
) -> dict[str, Any]:
    """Read the fields of an object from JSON, and return them by name.

    Args:
        codecs: The codec of each field, by its name.
        content: The JSON of the object.
        refuse: Called with the name of a field that can't be read; by default its error is
            raised.

    Raises:
        UnknownPartError: It has another field, which a newer version may have written.
    """
    if content.keys() - codecs.keys():
        raise UnknownPartError
    values = {}
    for name, codec in codecs.items():
        if codec.may_lack and name not in content:
            values[name] = codec.default
            continue
        try:
            values[name] = codec.decode(content[name])
        except ProjectError:  # a field inside this one was refused already
            raise
        except (SynthError, TypeError, ValueError, LookupError, AttributeError):
            if refuse is None:
                raise
            refuse(name)
    return values


def codecs_of(kind: type, without: Iterable[str] = (), **special: Codec) -> dict[str, Codec]:
    """Return the codecs of a dataclass, from its fields' types.

    Args:
        kind: The dataclass.
        without: Names of fields that are not written.
        special: Codecs of fields whose type is not enough.
    """
    hints = get_type_hints(kind)
    codecs: dict[str, Codec] = {}
    for part in fields(kind):
        if part.name in without:
            continue
        codec = special.get(part.name) or _codec_of(hints[part.name])
        if may_lack(part):
            codec = replace(codec, may_lack=True, default=part.default)
        codecs[part.name] = codec
    return codecs


def _codec_of(hint: Any) -> Codec:
    """Return the codec of a field with this type; any other is an enumeration of words."""
    plain = {str: TEXT, bool: TRUTH, int: WHOLES, tuple[str, ...]: TEXTS}
    return plain.get(hint) or word_codec(hint)


def part_codec(
    kind: type, refuse: Callable[[str], NoReturn] | None = None, **special: Codec
) -> Codec:
    """Return the codec of a dataclass that is itself a value in a JSON document.

    Args:
        kind: The dataclass.
        refuse: Called with the name of a field that can't be read; by default its error is
            raised.
        special: Codecs of fields whose type is not enough.
    """
    codecs = codecs_of(kind, (), **special)
    return Codec(
        lambda value: write_all(codecs, value),
        lambda value: kind(**read_all(codecs, reader_of(dict)(value), refuse)),
    )
