"""Parts of a budget that are reserved for projects: shown, reserved and spent."""

import streamlit as st

from pages.ui.shell import budgets, state
from synth.door import Balance
from synth.foreign import in_markdown

NO_PROJECT = "No project"


def show_reservations(balance: Balance) -> None:
    """Show what is reserved of a dataset's budget, and offer to reserve a part of it."""
    if balance.budget is None:
        return
    for reservation in balance.reservations:
        st.markdown(in_markdown(f"{balance.describe_reservation(reservation)}."))
    with (
        st.expander("Reserve a part of the budget for a project", icon=":material/bookmark:"),
        st.form("reserve"),
    ):
        st.text_input("Project", key="reserved_project")
        st.text_input(
            f"Amount of {balance.budget.unit}",
            key="reserved_amount",
            help="It takes the place of an earlier amount; 0 ends the reservation.",
        )
        st.form_submit_button("Reserve", on_click=_reserve, args=(balance.dataset,))


@state.guard
def _reserve(dataset: str) -> None:
    """Reserve the typed amount for the typed project."""
    amount = str(state.read_value("reserved_amount") or "")
    project = str(state.read_value("reserved_project") or "")
    budgets.real_ledger().reserve(dataset, amount, project)


def ask_project(dataset: str) -> None:
    """Ask before a spend which project's reserved budget pays; only if there are projects."""
    ledger = budgets.ledger()
    projects = [kept.project for kept in ledger.balance(dataset).reservations]
    if not projects:
        return
    st.selectbox(
        "Project whose reserved budget pays",
        [NO_PROJECT, *projects],
        **state.tie("paying_project", ledger.project or NO_PROJECT, _choose_project),
    )


def _choose_project(name: str) -> None:
    """Let a project pay for the spends of this session from now on."""
    budgets.ledger().project = "" if name == NO_PROJECT else name
