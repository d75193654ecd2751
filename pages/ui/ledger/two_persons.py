"""Two persons: who they are, who acts, and the requests that wait for a decision."""

import streamlit as st

from pages.ui.shell import budgets, gate, state
from synth.door import (
    Ledger,
    PersonsSetting,
    Request,
    describe_persons,
    describe_request,
    dossier_lines,
)
from synth.foreign import in_markdown

ONE_PERSON = (
    "One person alone may spend. If you set two persons, one asks for each spend, and the "
    "other one approves it. To end this, both must agree."
)
ON_SERVER = (
    "One person alone may spend. The person who runs this server can set two persons by "
    "`synth ledger persons --signed-in`."
)
NO_PROTECTION = (
    "This cannot stop a person who holds the table: they need no Synth to read or copy it."
)


def show_two_persons() -> None:
    """Show what is set to two persons, who acts, and each request with its decision."""
    ledger = budgets.real_ledger()
    settings = ledger.persons.settings()
    st.header("Two persons")
    if not settings:
        _offer_setting()
        return
    for sentence in describe_persons(settings):
        st.markdown(in_markdown(sentence))
    st.caption(NO_PROTECTION)
    acting = acting_name(ledger, settings)
    if acting:
        st.markdown(f"You act as **{in_markdown(acting)}**.")
        if not gate.signed_in():
            st.button("Let somebody else act", on_click=_leave)
    elif gate.signed_in():
        st.caption("You are none of these persons, so you see no requests.")
    else:
        _ask_who_acts()
    _show_requests(ledger, settings)


def acting_name(ledger: Ledger, settings: list[PersonsSetting]) -> str:
    """Return who acts in this session, as far as a setting knows them; else an empty text."""
    names = (ledger.persons.acting(setting) for setting in settings)
    return next((name for name in names if name), "")


def _show_requests(ledger: Ledger, settings: list[PersonsSetting]) -> None:
    """Show the requests that wait, to the persons of their setting only."""
    known_settings = {
        setting.number: name
        for setting in settings
        if (name := ledger.persons.acting(setting))
    }
    requests = [
        request
        for request in ledger.persons.requests(undecided_only=True)
        if request.setting in known_settings
    ]
    for request in requests:
        _show_request(ledger, request, known_settings[request.setting])
    if not requests:
        st.caption("No request waits.")


def _offer_setting() -> None:
    """Offer to set two persons with passphrases; on a server, say who can."""
    if gate.signed_in():
        st.caption(ON_SERVER)
        return
    with st.expander("Set two persons", icon=":material/group:"), st.form("two_persons"):
        st.caption(ONE_PERSON)
        st.caption(NO_PROTECTION)
        for number in ("first", "second"):
            st.text_input(f"Name of the {number} person", key=f"{number}_name")
            st.text_input(
                f"Passphrase of the {number} person",
                type="password",
                key=f"{number}_passphrase",
            )
        st.form_submit_button("Set two persons for all datasets", on_click=_set_persons)


@state.guard
def _set_persons() -> None:
    """Set the whole ledger to the two persons of the form, and forget the passphrases."""
    passphrases = {
        _take(f"{number}_name"): _take(f"{number}_passphrase")
        for number in ("first", "second")
    }
    budgets.real_ledger().persons.require(passphrases)


def _ask_who_acts() -> None:
    """Ask who uses the session, by name and passphrase."""
    with st.form("who_acts"):
        st.text_input("Your name", key="acting_name")
        st.text_input("Your passphrase", type="password", key="acting_passphrase")
        st.form_submit_button("Say who I am", on_click=_identify)


@state.guard
def _identify() -> None:
    """Let the person of the form act in this session, and forget the passphrase."""
    budgets.real_ledger().persons.identify(_take("acting_name"), _take("acting_passphrase"))


@state.guard
def _leave() -> None:
    """Let nobody act in this session any more."""
    budgets.real_ledger().persons.leave()


def _take(key: str) -> str:
    """Return what was typed into a field, and empty the field."""
    typed = str(state.read_value(key) or "")
    state.forget(key)
    return typed


def _show_request(ledger: Ledger, request: Request, acting: str) -> None:
    """Show a request with the second person's view of it, and the buttons of a decision."""
    title, *lines = dossier_lines(request, ledger.persons.dossier(request.number))
    with st.expander(in_markdown(title.strip()), icon=":material/how_to_reg:"):
        for line in lines:
            st.markdown(in_markdown(line.strip()))
        if acting == request.by:
            st.caption(in_markdown(f"Another person than {request.by} decides about it."))
            return
        st.button(
            f"Approve request {request.number}",
            key=f"approve_{request.number}",
            on_click=_approve,
            args=(request.number,),
        )
        st.text_input("Reason to refuse it", key=f"reason_{request.number}")
        st.button(
            f"Refuse request {request.number}",
            key=f"refuse_{request.number}",
            on_click=_refuse,
            args=(request.number,),
        )


@state.guard
def _approve(number: int) -> None:
    """Approve a request as the one who acts."""
    budgets.real_ledger().persons.approve(number)


@state.guard
def _refuse(number: int) -> None:
    """Refuse a request as the one who acts, with the typed reason."""
    budgets.real_ledger().persons.refuse(number, _take(f"reason_{number}"))


def show_waiting(dataset: str) -> None:
    """Show before a spend that it needs two persons, and which requests wait for whom."""
    ledger = budgets.ledger()
    setting = ledger.guard_of(dataset)
    if setting is None:
        return
    acting = ledger.persons.acting(setting)
    if not acting:
        st.warning(
            in_markdown(
                f"{setting.in_words} needs two persons ({', '.join(setting.names)}). Say "
                "who you are on the page Ledger."
            ),
            icon=":material/group:",
        )
        return
    st.info(
        in_markdown(
            f"You ask as {acting}, and {setting.others(acting)} must approve it. Nothing is "
            "spent before that."
        ),
        icon=":material/group:",
    )
    for request in ledger.persons.requests(undecided_only=True):
        if request.by == acting:
            others = setting.others(acting)
            words = describe_request(request).strip()
            st.markdown(in_markdown(f"Waiting for {others}: {words}"))
