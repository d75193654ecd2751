"""A DDI codebook marks the values that mean a missing one."""

from pathlib import Path
from xml.etree import ElementTree

import synth
from synth.domain import Domain
from tests.bundle.bundles import make_bundle, read_bundle

NAMES = {"ddi": "ddi:codebook:2_5"}


def test_reasons_are_missing_categories(tmp_path: Path) -> None:
    """8 has a cell of its own, and says why a value is missing."""
    sex = synth.Categorical({"1": "m", "2": "f", "8": "refused"}, missing={"8": "refused"})
    path = make_bundle(tmp_path, domain=Domain(sex=sex), rows=[["1"], ["2"], ["8"]] * 50)
    var = ElementTree.fromstring(read_bundle(path)["ddi.xml"]).find(".//ddi:var", NAMES)
    assert var is not None
    missing = {
        category.findtext("ddi:catValu", "", NAMES): category.get("missing")
        for category in var.findall("ddi:catgry", NAMES)
    }
    assert missing == {"1": None, "2": None, "8": "Y", "": "Y"}
    items = [item.get("VALUE") for item in var.findall("ddi:invalrng/ddi:item", NAMES)]
    assert items == ["8"]
