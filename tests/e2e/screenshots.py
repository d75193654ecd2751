"""Pictures of every step, light and dark, of a run with the simulated survey.

python tests/e2e/screenshots.py [FOLDER]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.e2e.browser import MISSING, Steward, browser, chromium, server

WIDTH, HEIGHT = 1360, 900


def shoot(steward: Steward, folder: Path, name: str) -> None:
    """The whole page, however long."""
    steward.rest()
    page = steward.page
    inner = page.locator("[data-testid=stMain]").evaluate("e => e.scrollHeight")
    page.set_viewport_size({"width": WIDTH, "height": max(HEIGHT, int(inner))})
    page.wait_for_timeout(700)  # charts and tables draw themselves after the script is done
    page.screenshot(path=folder / f"{name}.png")
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


def walk(steward: Steward, folder: Path, mode: str) -> None:
    shoot(steward, folder, f"1-data-empty-{mode}")
    steward.press("Use the simulated survey")
    steward.sees("has 11 columns")
    shoot(steward, folder, f"1-data-{mode}")
    steward.next("Domain")
    shoot(steward, folder, f"2-domain-{mode}")
    steward.next("Plan")
    shoot(steward, folder, f"3-plan-{mode}")
    steward.next("Release")
    shoot(steward, folder, f"4-release-{mode}")
    steward.page.get_by_text("Spend epsilon 1", exact=True).click()
    steward.rest()
    steward.press("Release with epsilon 1")
    steward.sees("This release is stored")
    shoot(steward, folder, f"4-released-{mode}")
    steward.next("Compare")
    shoot(steward, folder, f"5-compare-ask-{mode}")
    steward.press("Compare with the confidential table")
    steward.sees("k-marginal score")
    shoot(steward, folder, f"5-compare-worst-{mode}")
    for view in ("Columns", "Pairs", "Error split", "Groups", "Associations", "Repairs"):
        steward.page.get_by_role("radio", name=view).click()
        if view == "Columns":
            steward.choose("Column (worst first)", "age - error")
        shoot(steward, folder, f"5-compare-{view.split()[0].lower()}-{mode}")
    steward.page.get_by_role("radio", name="Training").click()
    steward.press("Train and test")
    steward.sees("predicted right")
    shoot(steward, folder, f"5-compare-training-{mode}")
    steward.next("Download")
    shoot(steward, folder, f"6-download-{mode}")


def main() -> None:
    if chromium() is None:
        sys.exit(MISSING)
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/tmp/synth-screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    with server(folder / "server.log") as url, browser() as running:
        for mode in ("light", "dark"):
            context = running.new_context(
                color_scheme=mode, viewport={"width": WIDTH, "height": HEIGHT}
            )
            walk(Steward(context.new_page(), url), folder, mode)
            context.close()
    print(folder)


if __name__ == "__main__":
    main()
