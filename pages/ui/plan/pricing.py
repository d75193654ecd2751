"""The price of protecting each person instead of each row, from public numbers only."""

from dataclasses import replace

import streamlit as st

from pages.ui.plan.prediction import outlook_of
from pages.ui.shell.draft import Draft
from synth.errors import SynthError
from synth.forecasts import compare_units, price_of_persons
from synth.foreign import in_markdown
from synth.privacy import Unit, parse_epsilon


def price_of_unit(draft: Draft) -> None:
    """Show how much more noise protected persons cost; nothing for single rows."""
    if draft.person and draft.max_rows > 1:
        st.caption(in_markdown(say_price(draft, draft.unit)))


def warn_of_rows(draft: Draft) -> None:
    """Warn that persons with several rows are not protected, where keys repeat. PRIVATE.

    There is no warning once the column that names the person is chosen.
    """
    source = draft.source
    if source is None or not source.key or draft.person:
        return
    key = in_markdown(repr(source.key))
    st.warning(
        f"The guarantee protects each row by itself. But values of {key} repeat, as the rows "
        "say to you alone. If they are persons, *Protect each* on the page Data protects all "
        "rows of a person together.",
        icon=":material/groups:",
    )


def say_price(draft: Draft, unit: Unit) -> str:
    """Return the sentences on the noise and the errors with persons protected, and with rows.

    The errors are left out until columns are described and the number of rows is known.

    Args:
        draft: All choices of the session.
        unit: The persons, and how many rows of each count.
    """
    rows = draft.table_rows
    try:
        epsilon = parse_epsilon(draft.epsilon.strip())
    except SynthError:  # the page Plan says that this is no epsilon
        return price_of_persons(unit.max_rows, rows=rows)
    sentences = [price_of_persons(unit.max_rows, epsilon=epsilon, rows=rows)]
    if rows and draft.domain is not None:
        try:
            plan = draft.plan()
            persons = outlook_of(replace(plan, unit=unit), rows)
            single_rows = outlook_of(replace(plan, unit=Unit()), rows)
            sentences.append(compare_units(persons, single_rows))
        except SynthError:  # the page Plan says what is missing
            pass
    return " ".join(sentences)
