"""Pictures of every view of the app, light, dark and as wide as a telephone.

python tests/e2e/screenshots.py [FOLDER]
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Page

from tests.e2e.browser import MISSING, Steward, browser, chromium, server
from tests.e2e.views import THEMES, each_view

WIDTH = 1360
PHONE = 390
HEIGHT = 900


def take_screenshot(page: Page, path: Path, width: int = WIDTH) -> None:
    """Take the whole page, however long."""
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.wait_for_timeout(700)  # what draws itself late makes the page longer
    inner = page.locator("[data-testid=stMain]").evaluate("e => e.scrollHeight")
    page.set_viewport_size({"width": width, "height": max(HEIGHT, int(inner))})
    page.wait_for_timeout(700)  # charts and tables draw themselves after the script is done
    page.screenshot(path=path)
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


def main() -> None:
    if chromium() is None:
        sys.exit(MISSING)
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/tmp/synth-screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="pictures-") as home, browser() as running:
        os.environ["SYNTH_HOME"] = home
        with server(folder / "server.log") as url:
            for mode in THEMES:
                size = {"width": WIDTH, "height": HEIGHT}
                context = running.new_context(color_scheme=mode, viewport=size)
                for number, (name, page) in enumerate(
                    each_view(Steward(context.new_page(), url))
                ):
                    if mode == "light":
                        take_screenshot(
                            page, folder / f"{number:02}-{name}-{PHONE}.png", PHONE
                        )
                    take_screenshot(page, folder / f"{number:02}-{name}-{mode}.png")
                context.close()
    print(folder)


if __name__ == "__main__":
    main()
