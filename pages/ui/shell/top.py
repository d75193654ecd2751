"""A page is seen from its top; a button at the foot of a long one leads to the foot of the next."""

import streamlit as st

JS = """
let seen;
export default function ({ data }) {
  if (data.page !== seen) document.querySelector('[data-testid=stMain]').scrollTo(0, 0);
  seen = data.page;
}
"""

_mount = st.components.v2.component("top", js=JS)


def top(page: str) -> None:
    """Go to the top if this is another page than before."""
    _mount(key="top", data={"page": page})
