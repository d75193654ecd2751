"""Dossiers in a browser: the sheets from the disk, and the step Download that makes them."""

import io
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from synth.dossier import DOSSIER_FILES, TypedAnswers, make_dossier
from synth.verification import verify
from tests.dossier.conftest import FIRST, make_hostile
from tests.e2e import axe
from tests.e2e.browser import Steward
from tests.e2e.test_open_page import Reader

pytestmark = [pytest.mark.slow, pytest.mark.browser]

LOOKS = {
    "light": {"viewport": {"width": 1100, "height": 900}},
    "dark": {"viewport": {"width": 1100, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 800}},
}


@pytest.mark.parametrize("look", LOOKS)
def test_sheets_ask_no_address_and_can_be_read_by_all(
    look: str, chromium: Browser, tmp_path: Path
) -> None:
    """A sheet of a bundle with hostile names opens from the disk, and asks for itself alone.

    It breaks no rule of accessibility, and is no wider than the screen.
    """
    typed = TypedAnswers({"purpose": "teaching\n<script>x()</script>"})
    dossier = make_dossier(verify(make_hostile(tmp_path)), typed)
    for path in dossier.write(tmp_path / "dossier"):
        if path.suffix != ".html":
            continue
        reader = Reader.open(chromium, path, **LOOKS[look])
        assert axe.list_faults(reader.page) == [], path.name
        width = reader.page.evaluate("document.documentElement.scrollWidth")
        assert width <= LOOKS[look]["viewport"]["width"], path.name  # type: ignore[index]
        assert reader.said == [path.as_uri()]
        reader.page.context.close()


def test_the_step_download_makes_a_dossier(steward: Steward) -> None:
    """A steward opens a bundle, answers a question, and downloads the dossier."""
    steward.open_bundle(FIRST / "histogram.zip")
    steward.go("Download")
    steward.open("Dossier for people who must sign")
    box = steward.page.get_by_role("textbox", name="Purpose", exact=True)
    steward.enter_text(box, "Teaching statistics")
    assert [str(fault) for fault in axe.list_faults(steward.page) if fault.exempt < 0] == []
    steward.press("Make dossier")
    button = steward.page.get_by_role("button", name="Download dossier", exact=True)
    with steward.page.expect_download() as waiting:
        button.click()
    download = waiting.value
    assert download.suggested_filename.endswith("_dossier.zip")
    content = Path(download.path()).read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {*archive.namelist()} == {*DOSSIER_FILES}
        assert b"Teaching statistics" in archive.read("readers.html")
