"""A draft as a project stores it, and back: every choice by its name, nothing of the rows.

What is read back may have been edited by hand, so each choice is checked for its form; whether it
makes sense is found where it is used, as if it had been typed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from pages.ui.shell.ask_choices import Choices, Measure
from pages.ui.shell.draft import Draft
from synth.domain.derived import read_derived
from synth.domain.domain import LOOKED_UP
from synth.domain.frozen import freeze, thaw
from synth.errors import ProjectError, SynthError
from synth.estimate.models.names import Favour, Method
from synth.estimate.noisy.preparations import Preparation
from synth.estimate.repair.histogram import Repair
from synth.plans.project import KnownTable, Project
from synth.privacy.guarantee import Neighbors
from synth.questions.language import parse
from synth.questions.question import Question, parse_weight
from synth.questions.way_names import WayName
from synth.util.check import Document


def _same(value: Any) -> Any:
    return value


def _of(*kinds: type) -> Callable[[Any], Any]:
    """Reads a value of these very types."""

    def read(value: Any) -> Any:
        if type(value) not in kinds:
            raise TypeError
        return value

    return read


_text, _whole = _of(str), _of(int)


def _count(value: Any) -> int:
    if _whole(value) < 0:
        raise ValueError
    return int(value)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, _of(list)(value)))


def _read_fields(value: Any) -> tuple[Mapping[str, Any], ...]:
    fields = tuple(map(_read_field, _of(list)(value)))
    if len({field["name"] for field in fields}) < len(fields):
        raise ValueError
    return fields


def _read_rules(value: Any) -> tuple[Mapping[str, Any], ...]:
    """Fields of derived columns; each is read, to see that it is one."""
    fields = _read_fields(value)
    for field in fields:
        read_derived(field, _count(field["place"]) + 1)
    return fields


def _read_field(value: Any) -> Mapping[str, Any]:
    """A field of the editor's; its members have the types that the editor relies on."""
    field = _of(dict)(value)
    _text(field["name"])
    _text(field.get("type", ""))
    constraints = _of(dict)(field.get("constraints", {}))
    for listed in (constraints.get("enum", []), field.get("synth:spikes", [])):
        _of(list)(listed)
    _of(list)(field.get("categories", []))
    return dict(field)


def _read_drafts(value: Any) -> tuple[Mapping[str, Any], ...]:
    for one in _of(list)(value):
        Preparation.from_json(one)
    return tuple(map(freeze, value))


def _write_checks(checks: tuple[Preparation, ...]) -> list[Document]:
    return [one.to_json() for one in checks]


def _read_checks(value: Any) -> tuple[Preparation, ...]:
    return tuple(map(Preparation.from_json, _of(list)(value)))


def _write_asking(choices: Choices) -> Document:
    asked = [{"ask": str(q), "weight": str(q.weight)} for q in choices.questions]
    return {
        "line": choices.line,
        "questions": asked,
        "measure": choices.measure.value,
        "amount": choices.amount,
        "delta": choices.delta,
        "way": choices.way,
        "wanted": choices.wanted,
        "free": choices.free,
    }


def _read_asking(value: Any) -> Choices:
    told = _of(dict)(value)
    return Choices(
        _text(told["line"]),
        tuple(map(_read_question, _of(list)(told["questions"]))),
        Measure(told["measure"]),
        _text(told["amount"]),
        _text(told["delta"]),
        None if told["way"] is None else WayName(told["way"]),
        _text(told["wanted"]),
        _of(bool)(told["free"]),
    )


def _read_question(value: Any) -> Question:
    told = _of(dict)(value)
    return replace(parse(_text(told["ask"])), weight=parse_weight(_text(told["weight"])))


@dataclass(frozen=True)
class Codec:
    """How one choice is written as JSON, and read."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def _value(choice: Any) -> Any:
    return choice.value


CODECS = {
    "fields": Codec(thaw, _read_fields),
    "derived": Codec(thaw, _read_rules),
    "missing_values": Codec(list, _texts),
    "origin": Codec(_same, _text),
    "drafts": Codec(thaw, _read_drafts),
    "looked": Codec(_same, _of(bool)),
    "vouched": Codec(_same, _of(bool)),
    "checks": Codec(_write_checks, _read_checks),
    "notes": Codec(list, _texts),
    "left_out": Codec(sorted, lambda value: frozenset(_texts(value))),
    "open_column": Codec(_same, _text),
    "about_rows": Codec(_same, _count),
    "epsilon": Codec(_same, _text),
    "neighbors": Codec(_value, Neighbors),
    "repair": Codec(_value, Repair),
    "method": Codec(_value, Method),
    "delta": Codec(_same, _text),
    "groups": Codec(thaw, lambda value: tuple(map(_texts, _of(list)(value)))),
    "rules": Codec(thaw, _same),
    "person": Codec(_same, _text),
    "max_rows": Codec(_same, _count),
    "max_model_mb": Codec(_same, _count),
    "favour": Codec(_value, Favour),
    "predict": Codec(_same, _text),
    "rows": Codec(_same, _count),
    "budget": Codec(_same, _text),
    "asking": Codec(_write_asking, _read_asking),
}
"""Every choice that a project keeps."""

NOT_KEPT = {
    "source",
    "releases",
    "answers",
    "known",
    "project",
    "expected",
    "fit_shares",
    "reasons",
    "public",
}
"""What of a draft is no choice: the table, what was paid for (the ledger keeps that), what was
seen of the rows, a public table, and what is worked out anew."""


def choices_of(draft: Draft) -> Document:
    """The choices of a draft as JSON."""
    written = {name: codec.encode(getattr(draft, name)) for name, codec in CODECS.items()}
    if is_private(draft):
        written["notes"] = []  # they may tell what was found in the rows
    return written


def drafted(project: Project) -> Draft:
    """The draft of a project, which waits for its table.

    Raises:
        ProjectError: A choice is missing, or none that can be.
    """
    read = {}
    for name, codec in CODECS.items():
        try:
            read[name] = codec.decode(project.choices[name])
        except (SynthError, TypeError, ValueError, LookupError, AttributeError):
            _refuse(name)
    draft = Draft(**read, project=project.identifier, expected=project.table)
    try:
        _ = (draft.columns, draft.remarks, draft.domain)
    except Exception:  # noqa: BLE001 - whatever was put into the file by hand
        _refuse("fields")
    return draft


def _refuse(name: str) -> NoReturn:
    raise ProjectError(
        f"The project file has no valid '{name}': it is of another version of Synth, or was edited "
        "by hand, and stays as it is."
    ) from None


def is_private(draft: Draft) -> bool:
    """Whether the declaration holds bounds that were read from the table."""
    return draft.origin == LOOKED_UP


def known_table(draft: Draft, uploads: Path | None) -> KnownTable:
    """What is stored of the table at hand.

    Args:
        draft: With a table.
        uploads: The session's folder: a file in it is gone when the session is.
    """
    source = draft.source
    if source is None:
        assert draft.expected is not None
        return draft.expected
    path = source.table.path
    is_upload = source.simulated or (uploads is not None and path.is_relative_to(uploads))
    return KnownTable(
        source.title,
        source.mark,
        tuple(source.table.header),
        "" if is_upload else str(path),
        tuple(source.table.asked),
        source.simulated,
        source.people,
    )
