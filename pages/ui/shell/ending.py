"""The end of a page's script before its last line."""

from typing import NoReturn

from streamlit.runtime.scriptrunner import StopException


def end_page() -> NoReturn:
    """End the script of this page; what is drawn so far stays.

    Streamlit's own `st.stop` forgets what the page has asked for meanwhile: a click, a typed
    value, or the secret of a browser that comes back would be lost, and a page could stay
    empty for good. Here such a request runs the script once more.
    """
    raise StopException
