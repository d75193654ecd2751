"""A check before the spend whether rows fit the declaration: paid, or a private look."""

from functools import partial

import streamlit as st

from pages.ui.plan.prediction import outlook_of
from pages.ui.shell import budgets, state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import percent
from pages.ui.shell.rows_at_work import run_on_rows
from pages.ui.shell.widgets import spend_button
from synth.bundle import last_check
from synth.domain import DECLARED
from synth.door import Preparation, tables_looked_at
from synth.errors import SynthError
from synth.estimate import FitCheck, digest_of, suggested_epsilon
from synth.foreign import in_markdown
from synth.plans import ALONE, Plan
from synth.privacy import parse_epsilon, plain
from synth.private.counting import FitShares
from synth.spending import check_fit, collect, look_at

NOT_CHECKED = (
    "You have not checked whether rows fit the description. If none fits, the release is "
    "noise and the budget is spent."
)
# The number of rows for a suggestion if the steward typed none.
UNKNOWN_ROWS = 1_000


def payments_before(draft: Draft, plan: Plan) -> tuple[Preparation, ...]:
    """Return what was paid before a release and adds to its cost: drafts and checks.

    They are those of the ledger on the same table or dataset, and those of the draft. `ALONE`
    is the name of a single table, where a plan of linked tables has several.
    """
    if draft.source is None:
        return ()
    return collect(plan, budgets.ledger(), {ALONE: draft.source.mark}, *draft.checks)


def with_looks(draft: Draft, plan: Plan) -> Plan:
    """Return the plan as its release will have it, with looks that the ledger has.

    Somebody else may have looked at exact numbers of this table.
    """
    if draft.source is None:
        return plan
    # `ALONE` is the name of a single table, without linked ones.
    looked_tables = tables_looked_at(
        budgets.ledger(), plan.dataset, {ALONE: draft.source.mark}
    )
    return plan.learn({ALONE: plan.reading}, looked_tables)


def ask_to_check(draft: Draft, plan: Plan) -> bool:
    """Show paid checks and private looks whether rows fit the declaration, and offer others.

    Return whether one of them says that too few rows fit.
    """
    # The paid check with noisy counts, and the exact numbers of a look; None without one.
    check = last_check(plan.domain, payments_before(draft, plan))
    shares = seen_fits(draft, plan)
    misfits = shares.misfits(plan.domain) if shares else []
    if check is not None:
        badge(Lane.DP)
        for count in check.counts:
            sentence = in_markdown(f"By the check, {check.said_of(count)}.")
            if count.says_few(check.max_rows, check.rows):
                st.error(sentence, icon=":material/error:")
            else:
                st.success(sentence, icon=":material/fact_check:")
    if shares is not None:
        _show_shares(shares, plan, misfits)
    title = "Check again whether rows fit" if check else "Check whether rows fit"
    with st.expander(title, icon=":material/fact_check:"):
        if check is None and shares is None and plan.domain.origin == DECLARED:
            st.markdown(NOT_CHECKED)
        _check(draft, plan)
        st.divider()
        st.markdown(
            "**A private look** shows exact numbers for each column, free and for you alone. "
            "From then on the promise says that **the description may depend on the table**."
        )
        st.button("Look at exact numbers", icon=":material/visibility:", on_click=look_now)
        if shares is not None:
            badge(Lane.PRIVATE)
            st.markdown(
                f"{shares.together:,} of {shares.rows:,} rows fit in all columns "
                f"({percent(shares.share(shares.together))})."
            )
            table = {
                "Column": list(shares.columns),
                "Rows that fit": list(shares.columns.values()),
                "Share": [percent(shares.share(rows)) for rows in shares.columns.values()],
            }
            st.dataframe(table, hide_index=True, alt="How many rows fit in each column.")
    return bool(misfits) or (check is not None and check.is_few)


def seen_fits(draft: Draft, plan: Plan) -> FitShares | None:
    """Return the exact numbers of rows that fit this plan's declaration. PRIVATE.

    None without a look, or if the declaration has changed since.
    """
    if draft.fit_shares is None:
        return None
    digest, shares = draft.fit_shares  # the digest of the declaration that was looked at
    return shares if digest == digest_of(plan.domain) else None


def _show_shares(shares: FitShares, plan: Plan, misfits: list[str]) -> None:
    """Show how many rows fit, and ask about columns that are nearly empty.

    Args:
        shares: The exact numbers of rows that fit. PRIVATE.
        plan: The plan, for the expected error of a column.
        misfits: Sentences on columns that too few rows fit.
    """
    checked = f"Checked by you: {shares.together:,} of {shares.rows:,} rows fit."
    if misfits:
        st.error(in_markdown(" ".join([checked, *misfits])), icon=":material/error:")
    else:
        st.info(checked, icon=":material/fact_check:")
    # Nearly empty: noise of the expected size would outweigh the values of the column.
    for name in shares.empty_columns(outlook_of(plan, max(1, shares.rows)).columns.likely):
        if not state.read_value(f"kept {name}"):
            st.warning(
                in_markdown(shares.describe_empty(name)), icon=":material/hide_source:"
            )
            leave, keep = st.columns(2)
            leave.button("Leave out", key=f"leave {name}", on_click=_leave_out, args=(name,))
            keep.button(
                "Keep", key=f"keep {name}", on_click=state.write, args=(f"kept {name}", True)
            )


def _leave_out(name: str) -> None:
    state.change(left_out=state.draft().left_out | {name})
    look_now()


def _check(draft: Draft, plan: Plan) -> None:
    """Show the choice of a check with a guarantee, its cost, and the button that spends.

    It counts, with noise, the rows that fit all columns, and the ones that fit chosen ones.
    """
    st.markdown(
        "**A check with a guarantee** counts the rows that fit in all columns, with noise. "
        "It costs a little epsilon, and the certificate adds this epsilon to the release."
    )
    rows = draft.table_rows or UNKNOWN_ROWS
    # By the public or typed number of rows; what the user typed before stays.
    state.seed("check_epsilon", plain(suggested_epsilon(rows, plan.unit)))
    text = st.text_input(
        "Epsilon for each number",
        key="check_epsilon",
        help="With the suggested value, the noise stays within 5 % of the number of rows in "
        "95 of 100 cases. You typed that number in the step Plan.",
    )
    columns = st.multiselect(
        "Also check single columns, each at this price", plan.domain.names
    )
    try:
        check = FitCheck(
            domain=plan.domain,
            epsilon=parse_epsilon(text),
            neighbors=plan.neighbors,
            unit=plan.unit,
            dataset=plan.dataset,
            columns=tuple(columns),
            rows=draft.table_rows or None,
        )
    except SynthError as error:
        st.error(in_markdown(str(error)))
        return
    assert check.guarantee.epsilon is not None
    price = plain(check.guarantee.epsilon)
    remaining = budgets.budget_left()
    if remaining:
        st.caption(in_markdown(remaining))
    agreed = st.checkbox(f"Spend epsilon {price} on the check", key="check_agreed")
    # A simulated table needs no dataset, as no ledger counts it.
    has_dataset = draft.source is not None and (
        not draft.source.mark or bool(draft.source.people)
    )
    options = {}
    if not has_dataset:
        options["help"] = "Say below whose data this is."
    spend_button(
        f"Check for epsilon {price}",
        check_now,
        check,
        agreed=agreed and has_dataset,
        **options,
    )


def check_now(check: FitCheck) -> None:
    """Spend on a check of the declaration, and store its result; a repeated one replaces it.

    SynthError if the budget does not allow it, or the table cannot be read.
    """
    draft = state.draft()
    assert draft.source is not None  # the step is locked without a table
    budgets.set_first_budget(check.guarantee)
    preparation = check_fit(check, draft.source.table, ledger=budgets.ledger())
    others = tuple(earlier for earlier in draft.checks if earlier.entry != preparation.entry)
    state.change(checks=(*others, preparation))


@state.guard
def look_now() -> None:
    """Count exactly how many rows fit the declaration, for the user alone. PRIVATE.

    The draft records the look even if it fails, and a ledger file records it too.
    """
    draft = state.draft()
    domain = draft.domain
    # The step is locked without a table and a declared column.
    assert draft.source is not None
    assert domain is not None
    state.change(looked=True)  # before the look, so that no failure hides it
    run_on_rows(
        partial(
            look_at,
            domain,
            draft.source.table,
            ledger=budgets.ledger(),
            dataset=draft.source.dataset,
        ),
        lambda shares: state.change(fit_shares=(digest_of(domain), shares)),
        title="Counting the rows that fit",
    )
