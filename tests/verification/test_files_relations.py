"""Relations taken from the rows: named by each certificate, or the bundle is refuted."""

from pathlib import Path

import pytest

from synth import Derived, Domain, Integer
from synth.errors import ReleaseError
from synth.plans import Method
from synth.verification import verify
from tests.bundle.bundles import edit_certificate, make_bundle, read_bundle, rezip

DERIVED = Domain(a=Integer(0, 4), b=Integer(0, 9), c=Derived(formula="a + 1", taken=True))
ROWS = [[str(n % 5), str(n % 10)] for n in range(300)]
RULES = {"taken": {"order": [["a", "b"]]}}


@pytest.mark.parametrize(
    ("method", "rules"), [(Method.DENSE, None), (Method.AUTO, RULES), (Method.AUTO, None)]
)
def test_a_certificate_without_the_relations_is_refuted(
    method: Method, rules: object, tmp_path: Path
) -> None:
    """A bundle by a histogram or a model verifies; without the caveat it is refused."""
    bundle = make_bundle(tmp_path, rows=ROWS, domain=DERIVED, method=method, rules=rules)
    verify(bundle)
    files = read_bundle(bundle)
    assert "'c' follows from 'a'" in files["certificate.json"].decode()
    edit_certificate(files, lambda c: c["caveats"].pop())
    with pytest.raises(ReleaseError, match="relations taken from the rows"):
        verify(rezip(tmp_path / "forged.zip", files))
