"""One server and one Chromium for all browser tests; without Chromium they are skipped."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.e2e import browser as drive


@pytest.fixture(scope="session")
def app_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file to which the server of all browser tests prints."""
    return tmp_path_factory.mktemp("server") / "log.txt"


@pytest.fixture(scope="session")
def app_url(app_log: Path) -> Iterator[str]:
    """The address of one server of the app that all browser tests share."""
    with drive.server(app_log) as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The one Chromium of all tests; without it they are skipped, and fail in CI."""
    if drive.chromium() is None:
        if os.environ.get("CI"):
            pytest.fail(drive.MISSING)
        pytest.skip(drive.MISSING)
    with drive.browser() as running:
        yield running


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """A browser with empty storage, as of a person who was never here."""
    opened = chromium.new_context(accept_downloads=True)
    opened.set_default_timeout(drive.PATIENCE)
    yield opened
    opened.close()


@pytest.fixture
def steward(context: BrowserContext, app_url: str) -> drive.Steward:
    """A person who has just opened the app in a browser of their own."""
    return drive.Steward(context.new_page(), app_url)


@pytest.fixture(autouse=True)
def whole_reports(real_plotly: None, whole_fits: None) -> None:
    """The server opens bundles of this process, and the other way round."""
