"""What rows that were drawn from a release once more follow from."""

from pathlib import Path

import pandas as pd
import pytest

import synth


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of one column."""
    folder = tmp_path_factory.mktemp("drawn")
    frame = pd.DataFrame({"sex": ["f", "m"] * 50})
    domain = synth.Domain(sex=["f", "m"])
    book = {"ledger": folder / "l.db", "budget": "20", "dataset": "people"}
    release = synth.release(frame, domain, epsilon="20", method="histogram", **book)
    return release.save(folder / "r.zip")


@pytest.mark.parametrize(
    ("where", "shares", "basis"),
    [
        ("", None, "the number of rows"),
        ("sex = m", None, "the condition, the shares"),
        ("", {"sex": {"m": "0.6"}}, "the condition, the shares"),
    ],
)
def test_the_sentence_names_what_was_set(
    bundle: Path,
    tmp_path: Path,
    where: str,
    shares: dict[str, dict[str, str]] | None,
    basis: str,
) -> None:
    """`verify` says from what rows that were drawn once more follow.

    That is the release, the seed and either the number of rows or what was set: a condition
    (`where`) or shares of categories.
    """
    path = synth.draw(bundle, 10, where, shares=shares).save(tmp_path / "more.zip")
    verification = synth.verify(path, release=bundle)

    assert (
        f"The rows follow from the release, {basis} and the seed." in verification.confirmed
    )
