"""A window for the app: pywebview's, a browser's in app mode, or a tab of the default browser."""

import os
import shutil
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from synth.foreign import Folder

TITLE, SIZE = "Synth", (1280, 900)
# Browsers with an app mode (``--app``), by the name of their command.
BROWSERS = (
    "chromium chromium-browser google-chrome google-chrome-stable microsoft-edge brave-browser "
    "chrome msedge"
).split()
MAC = ("Google Chrome", "Microsoft Edge", "Chromium", "Brave Browser")
WINDOWS = (r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe")


def open_window(address: str) -> None:
    """Show a page, and return when its window is closed.

    Without pywebview and a browser with an app mode, it opens a tab of the default browser: Ctrl-C
    ends it.
    """
    if find_spec("webview") is not None:
        import webview

        webview.create_window(TITLE, address, width=SIZE[0], height=SIZE[1])
        webview.start()
    elif (browser := next(_browsers(), None)) is not None:
        run_app_mode(browser, address)
    else:
        webbrowser.open(address)
        print(f"Synth is at {address} until you press Ctrl-C.", flush=True)
        while True:
            input()


def app_mode_command(browser: str, address: str, profile: Path) -> list[str]:
    """Return the command for a window without tabs, in its own profile: its process ends with it.

    >>> app_mode_command("chromium", "http://127.0.0.1:1", Path("p"))[:3]
    ['chromium', '--app=http://127.0.0.1:1', '--user-data-dir=p']
    """
    return [
        browser,
        f"--app={address}",
        f"--user-data-dir={profile}",
        f"--window-size={SIZE[0]},{SIZE[1]}",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-mode",
        "--disable-sync",
    ]


def run_app_mode(browser: str, address: str) -> None:
    """Open a browser window without bars, and close it when this process ends."""
    quiet = subprocess.DEVNULL
    with Folder() as profile:
        command = app_mode_command(browser, address, profile)
        window = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
        try:
            window.wait()
        finally:
            window.terminate()
            window.wait()


def _browsers() -> Iterator[str]:
    yield from filter(None, map(shutil.which, BROWSERS))
    yield from (str(path) for path in usual_places() if path.is_file())


def usual_places() -> Iterator[Path]:
    """Yield usual paths of browsers outside of PATH."""
    platform = str(sys.platform)  # a checker of types would take it for the one it runs on
    if platform == "darwin":
        for name in MAC:
            yield Path(f"/Applications/{name}.app/Contents/MacOS/{name}")
    if platform == "win32":
        for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
            for place in WINDOWS:
                yield Path(os.environ.get(variable, "")) / place
