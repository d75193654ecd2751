"""Rules for all rows: list, add by a form or a file, remove."""

from collections.abc import Iterator, Mapping
from typing import Any

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.widgets import upload
from synth import limits
from synth.domain import Domain
from synth.errors import DomainError
from synth.estimate import TAKEN, parse_rules, read_rules
from synth.foreign import in_markdown

Rules = Mapping[str, Any]

IMPOSSIBLE = "impossible"
FIXED = "fixed"
ORDER = "order"
FORMS = {
    IMPOSSIBLE: "When one column is this, another cannot be that",
    FIXED: "When one column is this, another must be that",
    ORDER: "One column is at most another",
}


def rules(draft: Draft) -> None:
    """Show the rules that no row may break, with buttons to remove them, and how to add one.

    They are public knowledge, such as combinations that cannot be.
    """
    numbered_rules = list(in_words(draft.rules or {}))
    count = f" ({len(numbered_rules)})" if numbered_rules else ""
    with st.expander(f"Rules that every row keeps{count}", icon=":material/rule:"):
        st.caption(
            "Things that cannot be in any such table, such as a widowed child. They are "
            "public: take them from the data dictionary or from common sense. A look on the "
            "page Domain proposes more, and these are marked as taken from the rows."
        )
        for kind, number, sentence in numbered_rules:
            text_place, button_place = st.columns([6, 1], vertical_alignment="center")
            mark = " (taken from the rows)" if kind.startswith(TAKEN) else ""
            text_place.markdown(in_markdown(f"{sentence}{mark}"))
            key = f"remove {kind} {number}"
            button_place.button(
                "Remove", key=key, on_click=state.guard(_remove), args=(kind, number)
            )
        if draft.domain is not None and len(draft.domain.columns) > 1:
            _form(draft.domain)
        upload(
            "rules",
            "Or a file of rules (JSON); it replaces those above",
            lambda uploaded: _take(parse_rules(uploaded.getvalue(), uploaded.name)),
            type=["json"],
            max_upload_size=limits.SCHEMA_MB,
        )


def in_words(rules: Rules) -> Iterator[tuple[str, int, str]]:
    """Yield the kind of each rule, its number within the kind, and its sentence.

    ``rules`` maps a kind to its rules, as in a file of rules. The kind of a rule that was
    taken from the rows begins with ``taken``, as in "taken order".

    >>> [text for *_, text in in_words({"order": [["start", "end"]]})]
    ["'start' is at most 'end'."]
    """
    for number, rule in enumerate(rules.get(IMPOSSIBLE, ())):
        parts = [f"'{name}' is {' or '.join(cells)}" for name, cells in dict(rule).items()]
        yield IMPOSSIBLE, number, f"Never together: {' and '.join(parts)}."
    for number, rule in enumerate(rules.get(FIXED, ())):
        parts = [
            f"when '{rule['given']}' is {cell}, '{rule['then']}' is {' or '.join(cells)}"
            for cell, cells in rule["values"].items()
        ]
        sentence = "; ".join(parts)
        yield FIXED, number, f"{sentence[:1].upper()}{sentence[1:]}."
    for number, (first, second) in enumerate(rules.get(ORDER, ())):
        yield ORDER, number, f"'{first}' is at most '{second}'."
    for kind, number, sentence in in_words(rules[TAKEN]) if TAKEN in rules else ():
        yield f"{TAKEN} {kind}", number, sentence


def with_rule(rules: Rules | None, kind: str, rule: Any) -> dict[str, Any]:
    """Return the rules by kind, with another one; None stands for no rules."""
    new_rules = dict(rules or {})
    return {**new_rules, kind: [*new_rules.get(kind, ()), rule]}


def without_rule(rules: Rules, kind: str, number: int) -> dict[str, Any] | None:
    """Return the rules by kind without one; None if none is left.

    ``kind`` and ``number`` are those of `in_words`.
    """
    if kind.startswith(TAKEN):
        taken_rules = without_rule(rules[TAKEN], kind.removeprefix(f"{TAKEN} "), number)
        new_rules = {**rules, TAKEN: taken_rules}
        return {name: entries for name, entries in new_rules.items() if entries} or None
    remaining = [rule for i, rule in enumerate(rules[kind]) if i != number]
    new_rules = {**rules, kind: remaining}
    return {name: entries for name, entries in new_rules.items() if entries} or None


def _remove(kind: str, number: int) -> None:
    state.change(rules=without_rule(state.draft().rules, kind, number))


def _form(domain: Domain) -> None:
    """Show the form of one more rule about two columns; a caption if no two columns fit.

    The cells that are chosen for the two columns reach `_add` by the keys of their widgets.
    """
    kind = st.selectbox(
        "One more rule", [*FORMS], format_func=FORMS.__getitem__, key="rule kind"
    )
    first_place, second_place = st.columns(2)
    names = domain.names
    if kind == ORDER:
        # Only numbers and dates, which are cut into bins, have an order.
        names = tuple(column.name for column in domain.columns if column.cutting is not None)
    if len(names) < 2:
        st.caption("No two columns have an order: numbers and dates have one.")
        return
    first = first_place.selectbox(
        "Column" if kind == ORDER else "When this column", names, key=f"rule first {kind}"
    )
    others = [name for name in names if name != first]
    label = "is at most" if kind == ORDER else "then this column"
    second = second_place.selectbox(label, others, key=f"rule second {kind}")
    if kind != ORDER:
        first_place.multiselect("is one of", domain[first].cells, key=f"rule cells {first}")
        label = "cannot be" if kind == IMPOSSIBLE else "must be one of"
        second_place.multiselect(label, domain[second].cells, key=f"rule values {second}")
    st.button("Add this rule", on_click=state.guard(_add), args=(kind, first, second))


def _add(kind: str, first: str, second: str) -> None:
    """Add the rule that was filled in, about the columns ``first`` and ``second``.

    ``kind`` is a key of ``FORMS``. DomainError if no cells are chosen, or the rule is wrong.
    """
    first_cells = state.read_value(f"rule cells {first}")
    second_cells = state.read_value(f"rule values {second}")
    if kind != ORDER and not (first_cells and second_cells):
        raise DomainError("Choose cells of both columns for the rule.")
    rule: Any
    if kind == IMPOSSIBLE:
        rule = {first: list(first_cells), second: list(second_cells)}
    elif kind == FIXED:
        values = {cell: list(second_cells) for cell in first_cells}
        rule = {"given": first, "then": second, "values": values}
    else:
        rule = [first, second]
    _take(with_rule(state.draft().rules, kind, rule))


def _take(content: dict[str, Any]) -> None:
    """Replace the rules, given by their kind; DomainError if they do not fit the domain."""
    domain = state.draft().domain
    if domain is not None:
        read_rules(content, domain)
    state.change(rules=content)
