"""Declarations from a file, or, on the steward's request, from the private rows.

A draft with a guarantee: its forecast, its cost, and the button that spends.
"""

import json
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ui.data.population import population
from pages.ui.domain.column import renew
from pages.ui.domain.mapping import ask_roles, declare, mapping
from pages.ui.release.spending import budget
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from pages.ui.shell.widgets import ask_rows, download, show_known, spend_button, upload
from synth import limits
from synth.bundle import guard_cell
from synth.domain import (
    DECLARED,
    HOW_TO,
    Sheet,
    ask_codebook,
    has_labels,
    read_codebooks,
    template,
    write_schema,
)
from synth.drafting import (
    OFFERED_DELTA,
    QUICK_DRAFT,
    DraftRequest,
    Hopes,
    list_offers,
    offer_draft,
)
from synth.errors import SynthError
from synth.foreign import in_markdown, line
from synth.privacy import Guarantee, parse_epsilon, parse_rational, spell
from synth.private.counting import profile_table
from synth.spending import draft_domain as make_draft

# The default number of rows.
USUAL_ROWS = 10_000


def ask_for_draft(draft: Draft) -> None:
    blank = [name for name in draft.undeclared_names() if name != draft.person]
    if draft.source is None or not blank:
        st.caption("All columns are described." if draft.source else "Choose a table first.")
        return
    rows = draft.table_rows or USUAL_ROWS
    offered = offer_draft(blank, rows, draft.neighbors, unit=draft.unit)
    offer = list_offers(offered, draft.budget, len(blank))[0]
    st.markdown(f"**{in_markdown(offer)}**")
    names = offered.request.columns if offered else tuple(blank)
    cost = offered.request.guarantee.epsilon if offered else None
    with st.expander("Change what it costs", icon=":material/tune:"):
        left, middle, right = st.columns(3)
        epsilon = left.text_input(
            "Epsilon of the draft", f"{float(cost or 1):g}", key="draft epsilon"
        )
        delta = middle.text_input(
            "Delta of the draft",
            f"{float(OFFERED_DELTA):g}",
            key="draft delta",
            help="With a delta, Synth names values that enough rows have. Without one it "
            "finds only values of declared lists, such as yes and no.",
        )
        ask_rows(right)
        columns = st.multiselect("Columns", blank, list(names), format_func=line)
    try:
        assert draft.source is not None
        whole = Guarantee.pure(parse_epsilon(epsilon))
        if delta.strip():
            whole = Guarantee.approximate(
                parse_epsilon(epsilon), parse_rational(delta, name="The delta of the draft")
            )
        dataset = draft.source.dataset
        request = DraftRequest(
            columns=tuple(columns),
            guarantee=whole,
            neighbors=draft.neighbors,
            unit=draft.unit,
            dataset=dataset,
        )
    except SynthError as error:
        st.warning(in_markdown(str(error)), icon=":material/error:")
        return
    with st.expander("What you can expect", icon=":material/query_stats:"):
        for said in Hopes(request, rows).lines:
            st.markdown(f"- {in_markdown(said)}")
    _offer(draft, request)


def _offer(draft: Draft, request: DraftRequest) -> None:
    assert draft.source is not None
    entry = state.find_spend(request)
    if entry is not None:
        show_known(entry, "This very draft was made", "it")
        spend_button(
            "Get the stored draft", _start, request, agreed=True, icon=":material/edit:"
        )
        return
    if not population(draft.source):
        return
    budget(state.balance(), request.guarantee, request, thing="draft")
    cost = in_markdown(spell(request.guarantee))
    st.markdown(
        f"This spends **{cost}** of **{in_markdown(request.dataset)}** and cannot be taken "
        "back."
    )
    agreed = st.checkbox(f"Spend {cost} on a draft", key="draft agreed")
    many = say_count(len(request.columns), "column")
    spend_button(f"Draft {many}", _start, request, agreed=agreed)


def _start(request: DraftRequest) -> None:
    now = state.draft()
    if now.source is None:
        return
    state.set_first_budget(request.guarantee)
    with st.spinner("Counting, then drawing noise …"):
        made = make_draft(request, now.source.table, ledger=state.ledger())
    state.put(state.draft().with_guaranteed(made))
    renew()


# Endings that may be uploaded.
KINDS = "json csv tsv txt xlsx xlsm xls ods xml sav zsav por dta".split()


def _take(uploaded: list[Any]) -> None:
    files = [(one.name, one.getvalue()) for one in uploaded]
    state.write("parts_waiting", None)
    with state.while_open():
        found = read_codebooks(files) if len(files) > 1 else ask_codebook(*files[0])
    if isinstance(found, Sheet):
        ask_roles(*files[0], found)
    elif isinstance(found[0], str):
        state.write("parts_waiting", Parts(*files[0], found))
    else:
        declare(*found)


@dataclass(frozen=True)
class Parts:
    name: str
    content: bytes
    parts: tuple[str, ...]


def _choose_part() -> None:
    kept: Parts | None = state.said("parts_waiting")
    if kept is None:
        return
    with st.container(border=True):
        label = f"{in_markdown(kept.name)} describes several tables; which is this one?"
        chosen = st.selectbox(label, kept.parts, format_func=line)
        st.button("Take it", on_click=_take_part, args=(kept, chosen), type="primary")


@state.guard
def _take_part(kept: Parts, part: str) -> None:
    state.write("parts_waiting", None)
    with state.while_open():
        found = read_codebooks([(kept.name, kept.content)], part)
    declare(*found)


@state.guard
def _take_labels() -> None:
    source = state.draft().source
    if source is not None:
        with state.while_open():
            found = read_codebooks([(source.table.path.name, source.table.path)])
        declare(*found)


def _codebook_tools(draft: Draft) -> None:
    source = draft.source
    if source is None:
        return
    if has_labels(source.table.path):
        st.button(
            "Take the labels of the table's own file",
            on_click=_take_labels,
            icon=":material/label:",
            help="Names, categories with their labels, and codes for missing values, as the "
            "file describes them. No row is read. Taking them, you say that they are public.",
        )
    download(
        "Data dictionary to fill in",
        template(source.table.header, guard_cell),
        "codebook.csv",
        mime="text/csv",
        help=HOW_TO,
        icon=":material/edit_document:",
    )


@state.guard
def _look() -> None:
    now = state.draft()
    if now.source is not None:
        found = profile_table(now.source.table, now.undeclared_names(), now.missing_values)
        state.put(now.with_look(found.columns, found.missing_values, found.remarks))
        renew()


@state.guard
def _start_afresh() -> None:
    now = state.draft()
    names = now.source.table.header if now.source else [f["name"] for f in now.fields]
    fields = [{"name": name} for name in dict.fromkeys(names) if name]
    state.put(now.with_declaration({"fields": fields}))
    state.write("codebook_waiting", None)
    state.write("parts_waiting", None)
    state.advance("declaration")
    renew()


def importer(draft: Draft) -> None:
    with st.expander("Import or save a description", icon=":material/upload_file:"):
        upload(
            "declaration",
            "A description or data dictionaries: CSV or Excel in any shape, DDI, REDCap, "
            "Table Schema, data package, SPSS or Stata labels. It replaces the description "
            "below",
            _take,
            type=KINDS,
            accept_multiple_files=True,
            max_upload_size=limits.SCHEMA_MB,
        )
        _choose_part()
        mapping()
        _codebook_tools(draft)
        if draft.domain is not None:
            download(
                "Save the description",
                json.dumps(write_schema(draft.declared_domain), indent=1, ensure_ascii=False),
                "domain.json",
                mime="application/json",
                icon=":material/download:",
            )
    begun = any("type" in new for new in draft.fields)
    with st.expander(
        "Draft from the table", icon=":material/visibility:", expanded=not begun
    ):
        left, right = st.columns(2, gap="medium")
        with left:
            ask_for_draft(draft)
        with right:
            _offer_look(draft)


def _offer_look(draft: Draft) -> None:
    blank = draft.undeclared_names()
    st.markdown(
        f"**{QUICK_DRAFT}**  \nSynth fills in the columns that are not described, from the "
        f"confidential rows: kinds, values of at least {limits.LISTED_ROWS} rows, round "
        "bounds, "
        "spellings of missing values. It leaves out identifiers, contacts and free text. "
        "**No "
        "guarantee covers what is taken from the rows**; the plan and the certificate say so."
    )
    st.button(
        f"Look at the data for {say_count(len(blank), 'column')}",
        on_click=_look,
        disabled=not blank,
        help=None if blank else "All columns are declared.",
        icon=":material/visibility:",
    )
    st.button(
        "Start afresh with the names only",
        on_click=_start_afresh,
        disabled=draft.domain is None and draft.origin == DECLARED,
        icon=":material/restart_alt:",
    )
