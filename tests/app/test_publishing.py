"""May I publish this: what the certificate's facts say of each file."""

from dataclasses import replace

import pytest

from pages.ui.release.publishing import ANYBODY, NOBODY, WITH_CARE, verdicts
from synth.domain import LOOKED_UP
from tests.app.steward import draft, example, go, said, spend, visit


@pytest.mark.slow
def test_each_file_says_who_may_have_it() -> None:
    app = go(spend(visit("data", example())), "download")
    assert "Yes, every file on this page." in said(app)
    release = draft(app).release
    assert release is not None
    found = {one.file: one.who for one in verdicts(release)}
    assert set(release.files) < set(found)
    assert {found[name] for name in release.files} == {ANYBODY}
    assert found["the page Compare"] == NOBODY
    told = replace(release.result.certificate, domain_origin=LOOKED_UP)
    looked_up = replace(release, result=Certified(told))  # type: ignore[arg-type]
    assert {v.who for v in verdicts(looked_up)} == {WITH_CARE, NOBODY}


class Certified:
    """A result of which only the certificate is looked at."""

    def __init__(self, certificate: object) -> None:
        self.certificate = certificate
