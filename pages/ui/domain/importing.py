"""Declarations from a file, or, on the steward's request, from the private rows.

A draft with a guarantee: its forecast, its cost, and the button that spends.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ui.data.population import population
from pages.ui.domain.column import renew
from pages.ui.domain.mapping import ask_roles, declare, mapping
from pages.ui.release.spending import budget
from pages.ui.shell import budgets, state
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from pages.ui.shell.reading import add_options
from pages.ui.shell.release import Source
from pages.ui.shell.rows_at_work import CHANGED, run_on_rows
from pages.ui.shell.widgets import (
    ask_rows,
    download,
    show_earlier_spend,
    spend_button,
    upload,
)
from synth import limits
from synth.bundle import guard_cell
from synth.domain import (
    DECLARED,
    HOW_TO,
    Column,
    FrozenMap,
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
    Review,
    list_offers,
    offer_draft,
)
from synth.errors import SynthError
from synth.estimate import digest_of
from synth.foreign import in_markdown, line
from synth.privacy import Guarantee, parse_epsilon, parse_rational, spell
from synth.private.counting import (
    Look,
    count_bars,
    fit_shares,
    profile_table,
    read_labels_of,
)
from synth.spending import draft_domain as make_draft

# The default number of rows.
USUAL_ROWS = 10_000


def ask_for_draft(draft: Draft) -> None:
    """Show the cost and the result of a differentially private draft, and its button.

    The draft describes columns from noisy counts of the rows. It is for all columns that are
    not declared; the user may change the columns and the cost.
    """
    # The column that identifies persons need not be in the synthetic table.
    blank = [name for name in draft.undeclared_names() if name != draft.person]
    if draft.source is None or not blank:
        st.caption("All columns are described." if draft.source else "Choose a table first.")
        return
    rows = draft.table_rows or USUAL_ROWS
    # A draft that is likely to succeed, as the default of the fields; None if none is.
    offered = offer_draft(blank, rows, draft.neighbors, unit=draft.unit)
    # The first line is about this draft, the second one about a look at the rows.
    sentence = list_offers(offered, draft.budget, len(blank))[0]
    st.markdown(f"**{in_markdown(sentence)}**")
    names = offered.request.columns if offered else tuple(blank[: limits.MAX_COLUMNS])
    cost = offered.request.guarantee.epsilon if offered else None
    with st.expander("Change what it costs", icon=":material/tune:"):
        epsilon_column, delta_column, rows_column = st.columns(3)
        epsilon = epsilon_column.text_input(
            "Epsilon of the draft", f"{float(cost or 1):g}", key="draft epsilon"
        )
        delta = delta_column.text_input(
            "Delta of the draft",
            f"{float(OFFERED_DELTA):g}",
            key="draft delta",
            help="With a delta, Synth names values that enough rows have. Without one it "
            "finds only values of declared lists, such as yes and no.",
        )
        ask_rows(rows_column)
        columns = st.multiselect("Columns", blank, list(names), format_func=line)
    try:
        assert draft.source is not None
        guarantee = Guarantee.pure(parse_epsilon(epsilon))
        if delta.strip():
            guarantee = Guarantee.approximate(
                parse_epsilon(epsilon), parse_rational(delta, name="The delta of the draft")
            )
        dataset = draft.source.dataset
        request = DraftRequest(
            columns=tuple(columns),
            guarantee=guarantee,
            neighbors=draft.neighbors,
            unit=draft.unit,
            dataset=dataset,
        )
    except SynthError as error:
        st.warning(in_markdown(str(error)), icon=":material/error:")
        return
    with st.expander("What you can expect", icon=":material/query_stats:"):
        for sentence in Hopes(request, rows).lines:
            st.markdown(f"- {in_markdown(sentence)}")
    _offer(draft, request)


def _offer(draft: Draft, request: DraftRequest) -> None:
    """Show what a differentially private draft costs, and a button that spends it.

    A draft that the ledger has as paid for costs nothing again. Otherwise the population and
    the budget are asked for, and a tick.
    """
    assert draft.source is not None  # the step is locked without a table
    entry = budgets.find_spend(request)
    if entry is not None:
        show_earlier_spend(entry, "This very draft was made", "it")
        spend_button(
            "Get the stored draft", _start, request, agreed=True, icon=":material/edit:"
        )
        return
    if not population(draft.source):
        return
    budget(budgets.balance(), request.guarantee, request, thing="draft")
    cost = in_markdown(spell(request.guarantee))
    st.markdown(
        f"This spends **{cost}** of **{in_markdown(request.dataset)}** and cannot be taken "
        "back."
    )
    agreed = st.checkbox(f"Spend {cost} on a draft", key="draft agreed")
    count = say_count(len(request.columns), "column")
    spend_button(f"Draft {count}", _start, request, agreed=agreed)


def _start(request: DraftRequest) -> None:
    """Spend on a draft of the declaration, and put its columns into the session's draft.

    Raises:
        SynthError: The budget does not allow it, or the table cannot be read.
    """
    current = state.draft()
    if current.source is None:
        return
    budgets.set_first_budget(request.guarantee)
    with st.spinner("Counting, then drawing noise …"):
        drafted = make_draft(request, current.source.table, ledger=budgets.ledger())
    state.put(state.draft().with_guaranteed(drafted))
    renew()


# Endings that may be uploaded.
KINDS = "json csv tsv txt xlsx xlsm xls ods xml sav zsav por dta".split()


def _take(uploaded: list[Any]) -> None:
    """Read uploaded data dictionaries, and take their declaration.

    A single file may leave something open. Then the user is asked what its columns mean, or
    which of its tables is this one.

    Raises:
        SynthError: A file cannot be read.
    """
    files = [(file.name, file.getvalue()) for file in uploaded]
    state.write("parts_waiting", None)  # an earlier file waits no more
    with state.while_open():
        codebook = read_codebooks(files) if len(files) > 1 else ask_codebook(*files[0])
    if isinstance(codebook, Sheet):  # cells whose columns have no known meaning
        ask_roles(*files[0], codebook)
    elif isinstance(codebook[0], str):  # the names of several tables
        state.write("parts_waiting", Parts(*files[0], codebook))
    else:
        declare(*codebook)


@dataclass(frozen=True)
class Parts:
    """A file that describes several tables; the user has to choose one.

    Attributes:
        name: Its name.
        content: The bytes of the file.
        parts: The names of the tables.
    """

    name: str
    content: bytes
    parts: tuple[str, ...]


def _choose_part() -> None:
    """Ask which of the tables of an uploaded data dictionary this one is, if a file waits."""
    waiting: Parts | None = state.read_value("parts_waiting")
    if waiting is None:
        return
    with st.container(border=True):
        label = f"{in_markdown(waiting.name)} describes several tables; which is this one?"
        chosen = st.selectbox(label, waiting.parts, format_func=line)
        st.button("Take it", on_click=_take_part, args=(waiting, chosen), type="primary")


@state.guard
def _take_part(waiting: Parts, part: str) -> None:
    """Take the declaration of one table from a data dictionary of several.

    ``part`` is the table's name in it.
    """
    state.write("parts_waiting", None)  # the question is answered, even if reading fails
    with state.while_open():
        codebook = read_codebooks([(waiting.name, waiting.content)], part)
    declare(*codebook)


@state.guard
def _take_labels() -> None:
    """Take the declaration that the table's own file has, such as the labels of SPSS."""
    source = state.draft().source
    if source is not None:
        with state.while_open():
            codebook = read_codebooks([(source.table.path.name, source.table.path)])
        declare(*codebook)


def _codebook_tools(draft: Draft) -> None:
    """Show a button that takes the labels of the table's file, and an empty data dictionary.

    The button is there only if the file has labels.
    """
    source = draft.source
    if source is None:
        return
    if has_labels(source.table.path):
        st.button(
            "Take the labels of the table's own file",
            on_click=_take_labels,
            icon=":material/label:",
            help="Names, values with their labels, and codes for missing values, as the file "
            "describes them. No row is read. As they may come from the rows, the certificate "
            "says so until you say that they are public. Look at the data for what stays "
            "open.",
        )
    download(
        "Data dictionary to fill in",
        template(source.table.header, guard_cell),  # no name can run as a formula
        "codebook.csv",
        mime="text/csv",
        help=HOW_TO,
        icon=":material/edit_document:",
    )


@state.guard
def _look() -> None:
    """Declare the columns that are not declared yet by what is in the confidential rows.

    No guarantee covers that, and the draft says so. Other columns stay as they are.
    """
    look_at_columns(state.draft().undeclared_names())


@state.guard
def read_with_marks(name: str) -> None:
    """Read the file with the marks of a column's numbers, and draft such columns anew.

    SynthError if the file cannot be read so; nothing changes then.
    """
    current = state.draft()
    options = current.find_reading(name)
    if not options:
        return
    names = [other for other in current.look if current.find_reading(other) == options]
    add_options(options)
    look_at_columns(names)


def look_at_columns(names: Collection[str]) -> None:
    """Start to declare columns by what is in the confidential rows.

    What a look said before stays.
    """
    current = state.draft()
    source = current.source
    if source is None:
        return

    def look() -> tuple[Look, Draft]:
        """Return what the rows say of these columns, and the draft with it.

        What is known of them comes from a code book, or else from the labels of the file.
        """
        profile = profile_table(
            source.table,
            names,
            current.missing_values,
            book=read_labels_of(source.table) | current.annotated_fields(),
            declared=[dict(current.field_of(name)) for name in current.chosen_names],
        )
        return profile, _count(_take_profile(current, profile), source)

    def take(found_look: tuple[Look, Draft]) -> None:
        """Put what was found into the session's draft, whose fields are still the same."""
        profile, looked = found_look
        latest = state.draft()
        if latest.fields != current.fields:
            state.complain(CHANGED)
            return
        # The first column that needs a decision is then the open one.
        state.put(
            _take_profile(latest, profile).change(
                drafted_fits=looked.drafted_fits, bars=looked.bars, open_column=""
            )
        )
        renew()

    run_on_rows(look, take, title="Looking at the rows")


def _take_profile(current: Draft, profile: Look) -> Draft:
    """Return a draft with what a look found, beside what an earlier one said."""
    known_proposals = {proposal.name for proposal in current.proposals}
    return current.with_look(
        profile.columns,
        profile.missing_values,
        tuple(dict.fromkeys((*current.look_remarks, *profile.remarks))),
        proposals=(
            *current.proposals,
            *(found for found in profile.proposals if found.name not in known_proposals),
        ),
    )


def _count(draft: Draft, source: Source) -> Draft:
    """Return a draft after a look, with exact rows that fit, and the bars of all columns.

    Both belong to the look, of which the origin of the description tells.
    """
    table = source.table
    domain = draft.domain
    shares = None if domain is None else (digest_of(domain), fit_shares(table, domain))
    without_bars = {column.name for column in draft.list_reviews(Review.IDENTIFIERS)}
    without_bars |= {*draft.absent()}
    columns = [
        column
        for name, column in draft.columns.items()
        if isinstance(column, Column) and name not in without_bars
    ]
    bars = count_bars(table, columns)
    return draft.change(drafted_fits=shares, bars=FrozenMap({**draft.bars, **bars}))


@state.guard
def _start_afresh() -> None:
    """Drop the declaration; only the names of the columns stay."""
    current = state.draft()
    names: Iterable[str] = [field["name"] for field in current.fields]
    if current.source:
        names = current.source.table.header
    fields = [{"name": name} for name in dict.fromkeys(names) if name]
    state.put(current.with_declaration({"fields": fields}))
    state.write("codebook_waiting", None)
    state.write("parts_waiting", None)
    state.advance("declaration")  # empties the uploader of declarations
    renew()


def import_files(draft: Draft) -> None:
    """Show the ways to get a description from files, and the file of the present one."""
    with st.expander("Import or save a description", icon=":material/upload_file:"):
        upload(
            "declaration",
            "A description or data dictionaries: CSV or Excel in any shape, DDI, REDCap, "
            "Table Schema, data package, SPSS or Stata labels. It replaces the description "
            "of all columns",
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


def draft_from_table(draft: Draft, *, expanded: bool) -> None:
    """Show two ways to a draft from the rows: a paid one, and a look.

    They are equal cards, unless the rows are too few to describe half of the columns by the
    paid one: then it is folded away, below the look.

    Args:
        draft: All choices of the session.
        expanded: Whether the section is open at first.
    """
    if draft.source is not None and draft.source.is_empty:
        st.info(
            "The table has no rows, so there is nothing to draft from. Describe the columns "
            "by hand or from a file, or choose another table in the step Data.",
            icon=":material/table_rows:",
        )
        return
    with st.expander("Draft from the table", icon=":material/visibility:", expanded=expanded):
        if not _describes_half(draft):
            with st.container(border=True):
                _offer_look(draft, is_best=True)
            with st.expander("Private draft, with a guarantee", icon=":material/lock:"):
                ask_for_draft(draft)
            return
        draft_column, look_column = st.columns(2, gap="medium")
        with draft_column, st.container(border=True):
            ask_for_draft(draft)
        with look_column, st.container(border=True):
            _offer_look(draft, is_best=False)


def _describes_half(draft: Draft) -> bool:
    """Return whether a paid draft can be expected to describe half of the open columns."""
    blank = [name for name in draft.undeclared_names() if name != draft.person]
    rows = draft.table_rows or USUAL_ROWS
    offered = offer_draft(blank, rows, draft.neighbors, unit=draft.unit)
    return offered is not None and 2 * len(offered.request.columns) >= len(blank)


def _offer_look(draft: Draft, *, is_best: bool) -> None:
    """Show a button that declares columns from the rows, and one that starts afresh.

    Args:
        draft: All choices of the session.
        is_best: Whether it is the way to recommend.
    """
    blank = draft.undeclared_names()
    st.markdown(
        f"**{QUICK_DRAFT}**  \nSynth fills in the columns that are not described, from the "
        f"confidential rows: kinds, values of at least {limits.LISTED_ROWS} rows, round "
        "bounds, spellings of missing values. It leaves out identifiers, contacts and free "
        "text. **No guarantee covers what is taken from the rows**; the plan and the "
        "certificate say so."
    )
    st.button(
        f"Look at the data for {say_count(len(blank), 'column')}",
        on_click=_look,
        disabled=not blank,
        help=None if blank else "All columns are declared.",
        icon=":material/visibility:",
        type="primary" if is_best and blank else "secondary",
    )
    if draft.domain is not None or draft.origin != DECLARED:
        st.button(
            "Start afresh with the names only",
            on_click=_start_afresh,
            icon=":material/restart_alt:",
        )
