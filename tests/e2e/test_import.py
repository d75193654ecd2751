"""Another tool's dictionary becomes a domain in a real browser, without typing a category."""

from pathlib import Path

import pytest

from synth.schemas import read_schema
from tests.e2e.browser import Steward
from tests.tables import SHARED

NIST = SHARED / "sdnist_ma"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not NIST.is_dir(), reason="the shared tables are not here"),
]
TEN = ("AGEP", "SEX", "MSP", "HISP", "RAC1P", "OWN_RENT", "INDP_CAT", "EDU", "PINCP_DECILE", "DVET")


def test_a_nist_dictionary_declares_ten_of_24_columns(steward: Steward, tmp_path: Path) -> None:
    steward.upload(NIST / "ma2019.csv")
    steward.sees("has 24 columns")
    steward.next("Domain")
    steward.open("Import or save a declaration")
    steward.upload(NIST / "data_dictionary.json")
    domain = read_schema(NIST / "data_dictionary.json")
    chosen = steward.page.get_by_test_id("stMultiSelect").first
    chosen.wait_for()
    for name in domain.names:
        if name not in TEN:
            chosen.get_by_role("button", name=f"Remove {name}", exact=True).click()
            steward.rest()
    ten = domain.project(name for name in domain.names if name in TEN)
    steward.page.screenshot(path=tmp_path / "domain.png", full_page=True)
    steward.sees(f"{ten.size:,}")
