"""Step 2: the description of the columns. It starts empty and takes nothing from the rows."""

from collections.abc import Mapping

import streamlit as st

from pages.ui.domain.card import show_card
from pages.ui.domain.columns import show_columns
from pages.ui.domain.foot import ask_if_waiting, foot, go_on, waits
from pages.ui.domain.importing import draft_from_table, import_files
from pages.ui.domain.more import more
from pages.ui.domain.overview import choose_view, shown_names, troubles
from pages.ui.domain.relating import relations
from pages.ui.domain.remarks import questions_of, remarks
from pages.ui.domain.standing import Standing, list_standings, sort_names, sum_up
from pages.ui.frame import frame
from pages.ui.release.checking import look_now
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import Draft
from pages.ui.shell.history import session_history
from pages.ui.shell.rows_at_work import watch_rows
from synth.foreign import in_markdown


def say_fit(draft: Draft) -> None:
    """Show how many rows fit, exactly, after a draft from the rows. PRIVATE."""
    if not draft.look or draft.domain is None:
        return
    shares = draft.seen_fits
    if shares is not None:
        st.markdown(
            f"The description fits {shares.together:,} of {shares.rows:,} rows in all "
            "columns that go on."
        )
        return
    text_place, button_place = st.columns([3, 1], vertical_alignment="center")
    text_place.markdown("The description has changed since the rows were counted.")
    button_place.button(
        "Count rows again",
        on_click=look_now,
        icon=":material/visibility:",
        help="It shows exact numbers, for you alone. The certificate says that you looked.",
        width="stretch",
    )


def columns(draft: Draft, standings: Mapping[str, Standing]) -> None:
    """Show the table of columns, with the card of the open one."""
    names = sort_names(shown_names(draft), standings)
    known_names = names or sort_names([*standings], standings)
    open_column = draft.open_column if draft.open_column in standings else known_names[0]
    table_place, card_place = st.columns([5, 3], gap="medium")
    with table_place:
        choose_view()
        if names:
            show_columns(draft, names, standings, open_column=open_column)
        else:
            st.info("No column matches.")
    with card_place:
        show_card(draft, open_column, standings)


with frame.step("domain", waits) as draft:
    watch_rows()
    go_on()
    history = session_history()
    history.see(draft)
    is_begun = any("type" in new for new in draft.fields)
    with st.container():
        if not is_begun:
            draft_from_table(draft, expanded=True)
            import_files(draft)
    standings = list_standings(draft, questions_of(draft, troubles()))
    with st.container():  # so that the number of sentences in it moves nothing below
        if draft.look:
            badge(Lane.PRIVATE)
        st.markdown(f"**{in_markdown(sum_up(standings))}**")
        say_fit(draft)
    columns(draft, standings)
    with st.container():
        relations(draft)
        remarks(draft, history.noted_fields)
    more(draft, is_begun=is_begun)
    foot(standings)
    ask_if_waiting(standings)
