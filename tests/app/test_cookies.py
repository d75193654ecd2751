"""Cookies of other ports of the host: none of them reaches Streamlit, none of them stops a
page.
"""

from typing import Any

import pytest
from streamlit.web.server.starlette.starlette_app_utils import validate_xsrf_token

from pages.ui.shell.cookies import Cookies
from tests.app.loops import await_result

ORIGIN = (b"origin", b"http://localhost:8501")
TOKEN = "_streamlit_xsrf"


def passed_on(
    *headers: tuple[bytes, bytes], kind: str = "http", method: str = "PUT"
) -> dict[str, list[str]]:
    """Return the headers that Streamlit gets when a browser sends these."""
    arrived: dict[str, list[str]] = {}

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        for name, value in scope["headers"]:
            arrived.setdefault(name.decode(), []).append(value.decode())

    scope = {"type": kind, "method": method, "path": "/", "headers": list(headers)}
    await_result(Cookies(app)(scope, None, None))
    return arrived


def cookies_by_name(arrived: dict[str, list[str]]) -> dict[str, str]:
    """Return the cookies of the headers by name."""
    (line,) = arrived.get("cookie", [""])
    return dict(pair.split("=", 1) for pair in line.split("; ") if pair)


def test_only_streamlits_cookies_arrive() -> None:
    """Of all cookies that a browser sends, only those whose names begin with `_streamlit_`
    are passed on. Other servers on the same host can set cookies, so nothing of theirs may
    arrive.
    """
    sent = b"synth_browser=x; session=1;_streamlit_user=a=b; evil_streamlit_user=2; bare; =; "
    arrived = passed_on((b"cookie", sent), (b"cookie", b"_streamlit_user__1=c"), method="GET")
    assert cookies_by_name(arrived) == {"_streamlit_user": "a=b", "_streamlit_user__1": "c"}

    assert "cookie" not in passed_on((b"cookie", b"a=b"), method="GET")
    assert passed_on((b"accept", b"*/*"), method="GET") == {"accept": ["*/*"]}


@pytest.mark.parametrize(
    "planted",
    [
        b"",
        b"_streamlit_xsrf=planted",
        b"_streamlit_xsrf=2|1|2|3; _streamlit_xsrf=4",
        b"\xff=\xfe;",
    ],
)
@pytest.mark.parametrize("headers", [(), ((b"x-xsrftoken", b"stale"),)])
def test_an_upload_of_an_own_page_has_a_token_that_fits(
    planted: bytes, headers: tuple[tuple[bytes, bytes], ...]
) -> None:
    """An upload from a page of the app gets a token and a cookie that fit, whatever arrived.

    A cookie that another server planted, or an old token, would make Streamlit refuse the
    upload. ORIGIN marks the request as one of a page.
    """
    cookies = ((b"cookie", planted),) if planted.isascii() else ()
    arrived = passed_on(ORIGIN, *cookies, *headers)
    (token,) = arrived["x-xsrftoken"]
    assert validate_xsrf_token(token, cookies_by_name(arrived)[TOKEN])


@pytest.mark.parametrize(
    "protocols", [b"streamlit", b"streamlit, x", b"streamlit,x,session-1"]
)
def test_the_connection_of_an_own_page_has_one_too(protocols: bytes) -> None:
    """The websocket of a page gets a token that fits its cookie, although the browser sends
    an old one. Streamlit reads the token from the second subprotocol. A third one, the
    session, is kept.
    """
    header = (b"sec-websocket-protocol", protocols)
    arrived = passed_on(ORIGIN, header, (b"cookie", b"_streamlit_xsrf=old"), kind="websocket")
    first, token, *subprotocols = arrived["sec-websocket-protocol"][0].split(", ")
    assert first == "streamlit"
    assert subprotocols == ["session-1"] * protocols.endswith(b"session-1")
    assert validate_xsrf_token(token, cookies_by_name(arrived)[TOKEN])


def test_without_an_origin_the_token_is_the_clients_own_concern() -> None:
    """A request without an origin keeps its own token and cookie, although they do not fit.

    It comes from a program, for which the app does not vouch, so Streamlit decides.
    """
    arrived = passed_on((b"cookie", b"_streamlit_xsrf=mine"), (b"x-xsrftoken", b"other"))
    assert cookies_by_name(arrived) == {TOKEN: "mine"}
    assert arrived["x-xsrftoken"] == ["other"]
