"""Open pages: so many of them, and of each so many messages a second."""

import asyncio
import tomllib
from typing import Any

import pytest

from pages.ui.shell import pace
from pages.ui.shell.pace import BURST_MESSAGES, PER_SECOND, STREAM, TRY_LATER, Allowance, Pace
from synth import limits
from synth.cli.app import command_line
from tests.app.loops import await_result
from tests.tables import ROOT

SCOPE = {"type": "websocket", "path": STREAM}


def test_a_page_has_a_burst_and_then_a_few_messages_a_second() -> None:
    """A page may send BURST_MESSAGES messages at once, and then PER_SECOND each second.

    `take` returns how long a message has to wait. Over 60 seconds at most 60 * PER_SECOND
    messages pass, and one more at the end.
    """
    allowance = Allowance(now=0.0)
    assert [allowance.take(now=0.0) for _ in range(BURST_MESSAGES)] == [0.0] * BURST_MESSAGES

    # A page that sends the next message as soon as the last one has passed.
    taken = now = 0.0
    while now < 60:
        now += allowance.take(now)
        taken += 1
    assert taken <= 60 * PER_SECOND + 1


def test_a_person_at_a_slider_never_waits() -> None:
    """Five messages a second, about as many as a moved slider sends, never have to wait."""
    allowance = Allowance(now=0.0)
    assert all(allowance.take(now=number / 5) == 0.0 for number in range(5_000))


def test_messages_wait_before_they_are_taken_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a burst of messages each further one waits as long as the pace allows.

    The clock stands still, so the waits add up: 1, 2 and 3 times the time for one message.
    """
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.receive", "bytes": b""}

    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        for _ in range(BURST_MESSAGES + 3):
            await receive()

    monkeypatch.setattr(pace.asyncio, "sleep", sleep)
    monkeypatch.setattr(pace, "monotonic", lambda: 0.0)
    await_result(Pace(app)(SCOPE, receive, None))

    assert waits[:BURST_MESSAGES] == [0.0] * BURST_MESSAGES
    assert waits[BURST_MESSAGES:] == pytest.approx(
        [1 / PER_SECOND, 2 / PER_SECOND, 3 / PER_SECOND]
    )


def test_there_are_so_many_open_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """If two pages are allowed, the third is told to try later, and a page that ends leaves
    its place. The two pages break off with an error here, and no page counts as open
    afterwards.
    """
    monkeypatch.setenv("SYNTH_PAGES", "2")
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def crowd() -> int:
        end = asyncio.Event()

        async def app(_scope: Any, _receive: Any, _send: Any) -> None:
            await end.wait()
            raise OSError  # a page that breaks off leaves its place as well

        guard = Pace(app)
        pages = [asyncio.create_task(guard(SCOPE, None, send)) for _ in range(2)]

        # The two pages are opened now, and the third comes.
        await asyncio.sleep(0)
        await guard(SCOPE, None, send)

        end.set()
        await asyncio.gather(*pages, return_exceptions=True)
        return guard.open_pages

    assert await_result(crowd()) == 0
    assert sent == [{"type": "websocket.close", "code": TRY_LATER}]
    assert limits.open_pages() == 2


def test_other_requests_pass() -> None:
    """Only websockets of pages are slowed down: other requests reach the app unchanged."""
    passed_requests: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        passed_requests.append((scope, receive, send))

    guard = Pace(app)
    for scope in ({"type": "http", "path": STREAM}, {"type": "lifespan"}):
        await_result(guard(scope, "receive", "send"))

    assert passed_requests == [
        ({"type": "http", "path": STREAM}, "receive", "send"),
        ({"type": "lifespan"}, "receive", "send"),
    ]


def test_one_script_at_a_time_runs_for_a_page() -> None:
    """Both the settings of the repository and `synth app` turn fast reruns of Streamlit off.

    Otherwise each request starts another thread, and the server is silent until all have
    ended.
    """
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["runner"]["fastReruns"] is False
    words = command_line(ROOT / "app.py", 8501, headless=True)
    assert words[words.index("--runner.fastReruns") + 1] == "false"
