"""A draft as a project stores it, and back: every choice by its name, nothing of the rows.

A user may have edited the file, so the form of each choice is checked here. Whether a choice
makes sense is checked on use."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from pages.ui.shell.ask_choices import Choices
from pages.ui.shell.draft import Draft
from synth import limits
from synth.domain import (
    ID_KEY,
    LOOKED_UP,
    ORIGINS,
    Decisions,
    FrozenMap,
    freeze,
    read_decisions,
    read_derived,
    read_identifier,
    thaw,
)
from synth.door import Preparation
from synth.dossier import QUESTIONS
from synth.errors import ProjectError
from synth.estimate import WayName
from synth.plans import (
    LISTS,
    OPTIONS,
    TEXT,
    Codec,
    KnownTable,
    Project,
    codecs_of,
    list_codec,
    optional_codec,
    part_codec,
    read_all,
    read_count,
    read_text_list,
    reader_of,
    word_codec,
    write_all,
)
from synth.questions import Question, parse, parse_weight
from synth.util import Document


def _read_fields(value: Any) -> tuple[Mapping[str, Any], ...]:
    """Read the fields of the columns in a project file; ValueError if a name occurs twice.

    ``reader_of(list)`` returns its value if that is a list; otherwise it raises TypeError.
    """
    fields = tuple(map(_read_field, reader_of(list)(value)))
    if len({field["name"] for field in fields}) < len(fields):
        raise ValueError
    return fields


def _read_rules(value: Any) -> tuple[Mapping[str, Any], ...]:
    """Read the fields of derived columns and of IDs in a project file.

    Any error means that the file is invalid.
    """
    fields = _read_fields(value)
    for field in fields:
        read_rule = read_identifier if ID_KEY in field else read_derived
        # ``place`` counts from 0, the position that the reader takes from 1.
        read_rule(field, read_count(field["place"]) + 1)  # raises if the rule is wrong
    return fields


def _read_field(value: Any) -> Mapping[str, Any]:
    """Return one field of a project file.

    TypeError or KeyError if a part has a wrong type or is missing. Results of the readers are
    not used, as they only check types; any other part is checked on use.
    """
    field = reader_of(dict)(value)
    TEXT.decode(field["name"])
    TEXT.decode(field.get("type", ""))
    constraints = reader_of(dict)(field.get("constraints", {}))
    for texts in (
        constraints.get("enum", []),
        field.get("synth:spikes", []),
        field.get("synth:signs", []),
    ):
        reader_of(list)(texts)
    reader_of(list)(field.get("categories", []))
    return dict(field)


def _read_drafts(value: Any) -> tuple[Mapping[str, Any], ...]:
    """Return the paid drafts in a project file, once each can be read as a payment."""
    for preparation in reader_of(list)(value):
        Preparation.from_json(preparation)  # raises if it is none
    return tuple(map(freeze, value))


def _read_question(value: Any) -> Question:
    """Return a question from its text and its weight in a project file."""
    fields = reader_of(dict)(value)
    question = parse(TEXT.decode(fields["ask"]))
    return replace(question, weight=parse_weight(TEXT.decode(fields["weight"])))


def _read_dossier(value: Any) -> Mapping[str, str]:
    """Return the typed answers of dossiers in a project file; any error means it is invalid.

    A day may be half typed.
    """
    answers = {key: TEXT.decode(answer) for key, answer in reader_of(dict)(value).items()}
    for key, answer in answers.items():
        choices = QUESTIONS[key].choices
        if len(answer) > limits.DOSSIER_ANSWER or (choices and answer not in choices):
            raise ValueError
    return FrozenMap(answers)


def _write_question(question: Question) -> dict[str, str]:
    return {"ask": str(question), "weight": str(question.weight)}


_QUESTION = Codec(_write_question, _read_question)
# Parts of a draft that are not choices: the table, purchases (the ledger has them), results
# of a look, a public table, and cached results.
_CACHED = "expected fit_shares accepted parsed"
_LOOKED = "look look_remarks proposals bars drafted_fits"
NOT_KEPT = set(f"source releases answers project {_CACHED} {_LOOKED} public".split())

CODECS = codecs_of(
    Draft,
    NOT_KEPT,
    fields=Codec(thaw, _read_fields),
    derived=Codec(thaw, _read_rules),
    dossier=Codec(dict, _read_dossier),
    drafts=Codec(thaw, _read_drafts),
    checks=list_codec(Codec(Preparation.to_json, Preparation.from_json)),
    left_out=Codec(sorted, lambda value: frozenset(read_text_list(value))),
    withheld=Codec(sorted, lambda value: frozenset(read_text_list(value))),
    decisions=Codec(Decisions.write, lambda value: read_decisions(reader_of(dict)(value))),
    groups=LISTS,
    rules=OPTIONS["rules"].codec,
    method=OPTIONS["method"].codec,
    repair=OPTIONS["repair"].codec,
    origin=word_codec(ORIGINS),
    asking=part_codec(
        Choices, questions=list_codec(_QUESTION), way=optional_codec(word_codec(WayName))
    ),
)


def choices_of(draft: Draft) -> Document:
    """Return the choices of a draft as the JSON object that a project stores."""
    choices = write_all(CODECS, draft)
    if is_private(draft):
        choices["notes"] = []  # they may name findings in the rows
    return choices


def read_draft(project: Project) -> Draft:
    """Return the draft of a project; ProjectError if a choice is missing or invalid."""
    choices = read_all(CODECS, project.choices, _refuse)
    draft = Draft(**choices, project=project.identifier, expected=project.table)
    # The draft computes these when they are needed: compute them now, to find any error.
    try:
        _ = (draft.columns, draft.remarks, draft.domain)
    except Exception:  # noqa: BLE001 - a user may have edited the file
        _refuse("fields")
    return draft


def _refuse(name: str) -> NoReturn:
    """Raise ProjectError, as the choice of this name is missing or invalid."""
    raise ProjectError(
        f"The project file has no valid '{name}': it is of another version of Synth, or was "
        "edited by hand, and stays as it is."
    ) from None


def is_private(draft: Draft) -> bool:
    """Return whether a draft holds values that were looked up in the rows."""
    return draft.origin == LOOKED_UP


def known_table(draft: Draft, uploads: Path | None) -> KnownTable:
    """Return how a project recognises its table.

    ``uploads`` is the folder of uploads, whose files have no lasting path to store; None to
    store any path.
    """
    source = draft.source
    if source is None:
        assert draft.expected is not None
        return draft.expected
    path = source.table.path
    is_upload = source.simulated or (uploads is not None and path.is_relative_to(uploads))
    return KnownTable(
        title=source.title,
        mark=source.mark,
        header=tuple(source.table.header),
        path=source.place or ("" if is_upload else str(path)),
        options=tuple(source.table.asked),  # how the user had the file read
        simulated=source.simulated,
        people=source.people,
    )
