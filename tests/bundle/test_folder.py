"""A release as files in a folder: what is in them, and what is not."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.cli.main import main
from synth.domain.domain import Categorical, Domain
from synth.noise.laplace import DiscreteLaplace
from synth.pipeline import synthesize
from synth.plan import Plan
from synth.privacy.guarantee import Neighbors, parse_epsilon
from tests.bundle.bundles import FILES, ODD, REPLACE, contents, make
from tests.tables import MIXED, ROWS, write


def test_the_folder_keeps_categories_as_declared(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", ["=sum"], [["=1+1"]] * 40)
    result = synthesize(Plan(ODD, parse_epsilon("9")), table)
    text = result.write(tmp_path / "out")["synthetic.csv"].read_text()
    assert "'" not in text
    assert "=1+1" in text


# Nothing private.


def neighbours(neighbors: Neighbors) -> tuple[list[list[str]], list[list[str]]]:
    changed = ["M", "99", "2.4", "2024-12-31", "no"]
    rows = ROWS * 20
    return rows, [changed, *rows[1:]] if neighbors is REPLACE else [*rows, changed]


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_with_the_noisy_values_fixed_neighbours_give_the_same_bytes(
    tmp_path: Path, still: Any, monkeypatch: pytest.MonkeyPatch, neighbors: Neighbors
) -> None:
    """All that the bundle knows of the rows went through the door."""
    fixed = np.random.default_rng(5).integers(-3, 40, MIXED.size)
    monkeypatch.setattr(DiscreteLaplace, "release", lambda *_: fixed.copy())
    paths = []
    for name, rows in zip("ab", neighbours(neighbors), strict=True):
        still()
        paths.append(make(tmp_path, name, rows, neighbors=neighbors))
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_with_the_noise_fixed_only_noisy_values_differ(
    tmp_path: Path, still: Any, neighbors: Neighbors
) -> None:
    bundles = []
    for name, rows in zip("ab", neighbours(neighbors), strict=True):
        still()
        bundles.append(contents(make(tmp_path, name, rows, neighbors=neighbors)))
    a, b = bundles
    made_of_values = {"synthetic.csv", "synthetic.parquet", "report.html"}
    for name in FILES - made_of_values - {"noisy_counts.csv", "certificate.json", "statement.txt"}:
        assert a[name] == b[name], name
    lines = zip(a["noisy_counts.csv"].splitlines(), b["noisy_counts.csv"].splitlines(), strict=True)
    different = [(x.rsplit(b",", 1), y.rsplit(b",", 1)) for x, y in lines if x != y]
    assert len(different) == neighbors.sensitivity
    for (labels, value), (others, other) in different:
        assert labels == others
        assert abs(int(value) - int(other)) == 1
    assert differing(a["certificate.json"], b["certificate.json"]) <= {
        "sha256",
        "ledger.head",
        *(("rows", "number_of_rows") if neighbors is Neighbors.ADD_REMOVE else ()),
    }


def differing(one: bytes, other: bytes) -> set[str]:
    first, second = json.loads(one), json.loads(other)
    found = {key for key in first if first[key] != second[key]}
    if "ledger" in found and first["ledger"]["entry"] == second["ledger"]["entry"]:
        found = found - {"ledger"} | {"ledger.head"}
    return found


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_no_exact_count_and_no_unlisted_value_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, neighbors: Neighbors
) -> None:
    domain = Domain((Categorical(name="sex", categories=("F", "M"), missing=True),))
    monkeypatch.setattr(DiscreteLaplace, "release", lambda *_: np.array([5, 6, 7]))
    rows = [["F"]] * 1949 + [["M"]] * 1733 + [["ZEBRA"]] * 1621
    path = make(tmp_path, "confidential", rows, domain=domain, neighbors=neighbors)
    for name, content in contents(path).items():
        text = content.decode() if not name.endswith("parquet") else repr(content)
        text = re.sub(r"<script.*?</script>", "", text, flags=re.S)
        assert "ZEBRA" not in text
        assert "confidential.csv" not in text
        secrets = {"1949", "1733", "1621", "3682", "3354", "3570"}
        if neighbors is Neighbors.ADD_REMOVE:
            secrets.add("5303")
        numbers = set(re.findall(r"(?<![0-9a-f])[0-9]+(?![0-9a-f])", text.replace(",", "")))
        assert not secrets & numbers, name


def test_a_release_must_be_told_where_to_go(tmp_path: Path, capsys: Any) -> None:
    domain = tmp_path / "d.json"
    domain.write_bytes(b'{"fields": [{"name": "a", "type": "boolean"}]}')
    assert main(["release", "t.csv", "--domain", str(domain), "--epsilon", "1"]) == 2
    assert capsys.readouterr().err == (
        "Say where the results go: --out DIR, --bundle FILE.zip, or both.\n"
    )
