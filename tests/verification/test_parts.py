"""A release in a folder of parts: every way to tamper with it, and the same parts drawn
again.
"""

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synth import limits
from synth.bundle import CERTIFICATE, PARQUET, PARTED, SYNTHETIC, sha256
from synth.door import Ledger
from synth.errors import RefutedError, ReleaseError
from synth.estimate.models import large_rows
from synth.plans import Method, Plan
from synth.spending import synthesize_parts
from synth.verification import open_bundle, verify
from synth.verification.checks import VerifiedParts
from synth.verification.redrawn import NOT_DRAWN
from tests.ledger.ledgers import ledger_with_budget
from tests.verification.models import DOMAIN, RULES, write_table

SAME = "All 3 parts are the same when drawn again from the counts and the seed."


@pytest.fixture(scope="module", autouse=True)
def small_pieces() -> Any:
    """Cut rows into parts of 1,000, and draw about 700 of them at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "ROWS_AT_A_TIME", 1_000)
        patch.setattr(large_rows, "PART_ROWS", 700)
        yield


@pytest.fixture(scope="module")
def folder_of_parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of parts, beside its ledger."""
    folder = tmp_path_factory.mktemp("parts")
    plan = Plan(
        domain=DOMAIN,
        epsilon=Fraction(10),
        method=Method.ONE_SHOT,
        dataset="survey",
        rules=RULES,
    )
    ledger = ledger_with_budget(folder / "b.db", "20", "survey", plan.neighbors)
    result = synthesize_parts(plan, write_table(folder), ledger=ledger)
    result.write(folder / "out", PARTED, ledger)
    return folder / "out"


@pytest.fixture
def copied_folder(folder_of_parts: Path, tmp_path: Path) -> Path:
    """A copy of that folder without its ledger, for a test to change."""
    return Path(shutil.copytree(folder_of_parts, tmp_path / "copy"))


def signed_again(folder: Path) -> None:
    """Let the certificate list the files as they are."""
    path = folder / CERTIFICATE
    content = json.loads(path.read_text())
    content["sha256"] = {name: sha256(folder / name) for name in content["sha256"]}
    path.write_text(json.dumps(content))


def edit_list(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the list of parts, and sign it again."""
    content = json.loads((folder / "parts.json").read_text())
    change(content)
    (folder / "parts.json").write_text(json.dumps(content))
    signed_again(folder)


@pytest.mark.slow
def test_a_folder_of_parts_verifies_and_is_drawn_again(folder_of_parts: Path) -> None:
    """A release of 3,000 rows in three parts is accepted by its digests and by its ledger.

    The rows are drawn again only if that is asked for.
    """
    ledger = Ledger(folder_of_parts.parent / "b.db", readonly=True)

    checked = verify(folder_of_parts, ledger)
    assert isinstance(checked, VerifiedParts)

    checks = " ".join(checked.checks)
    assert (
        "3,000 rows, which matches 'plan.json' and the noisy counts; only digests" in checks
    )
    assert (
        "3 parts of 'synthetic.csv', all as 'parts.json' lists them, joined SHA-256 "
        in checks
    )
    assert "3 parts of 'synthetic.parquet', all as 'parts.json' lists them." in checks
    assert "of the ledger paid for it" in checks

    assert SAME in verify(folder_of_parts, redraw=True).confirmed
    assert NOT_DRAWN in checked.not_checked


def test_parts_of_other_rows_are_counted_and_most_refused(copied_folder: Path) -> None:
    """One part of three with other rows is counted as different and leaves the rows
    unchecked.

    It may be due to rounding; only if fewer than half of the parts agree is a release
    refuted.
    """
    # In one row of the second part `head` becomes `child`.
    part = copied_folder / SYNTHETIC / "part-00001.csv"
    part.write_bytes(part.read_bytes().replace(b"head", b"child", 1))

    # The list of parts gets the new digests of this part and of all parts joined.
    def known(content: dict[str, Any]) -> None:
        table = content["tables"][SYNTHETIC]
        table["parts"][1] |= {"sha256": sha256(part), "bytes": part.stat().st_size}
        joined = copied_folder.with_name("joined")
        joined.write_bytes(b"".join(p.read_bytes() for p in sorted(part.parent.iterdir())))
        table["sha256"] = sha256(joined)

    edit_list(copied_folder, known)

    assert SAME not in verify(copied_folder).checks
    gaps = " ".join(verify(copied_folder, redraw=True).not_checked)
    assert "2 of 3 parts are the same when drawn again from the counts" in gaps


def _swap_parts(folder: Path) -> None:
    first_part, second_part = (folder / SYNTHETIC / f"part-0000{n}.csv" for n in (1, 2))
    text = first_part.read_bytes()
    first_part.write_bytes(second_part.read_bytes())
    second_part.write_bytes(text)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_swap_parts, "'part-00001.csv' of 'synthetic.csv' is not the one that was written"),
        (
            lambda at: (at / PARQUET / "part-00002.parquet").unlink(),
            "'part-00002.parquet' of 'synthetic.parquet' is not there",
        ),
        (
            lambda at: (at / SYNTHETIC / "part-00003.csv").touch(),
            "'synthetic.csv' holds 'part-00003.csv', which 'parts.json' does not list",
        ),
        (
            lambda at: shutil.rmtree(at / PARQUET),
            "The folder has other tables than 'parts.json' lists",
        ),
        (
            lambda at: (at / "parts.json").write_text("{}"),
            "'parts.json' does not match the certificate",
        ),
    ],
)
def test_what_was_changed_is_seen(
    copied_folder: Path, change: Callable[[Path], Any], sentence: str
) -> None:
    """A folder of parts is refused if a part is swapped, missing or added, or its list was
    changed.

    Each change is made in the folder alone; the certificate stays as it was.
    """
    change(copied_folder)

    with pytest.raises(ReleaseError, match=sentence):
        verify(copied_folder)


def test_other_sizes_of_parts_are_refuted(copied_folder: Path) -> None:
    """The list of parts is refused if it gives a part one byte more than the file has."""

    def larger(content: dict[str, Any]) -> None:
        content["tables"][SYNTHETIC]["parts"][0]["bytes"] += 1

    edit_list(copied_folder, larger)
    with pytest.raises(ReleaseError, match=r"do not have the sizes that 'parts\.json' lists"):
        verify(copied_folder)


def test_a_file_beside_the_parts_is_not_checked(copied_folder: Path) -> None:
    """A file that the certificate does not list is named as not checked, and refutes
    nothing.
    """
    (copied_folder / "more").touch()
    assert (
        "does not list, and they were not checked: 'more'."
        in verify(copied_folder).not_checked[-1]
    )


NO_PARTS = "does not list parts of 'synthetic.csv' or"
NO_ORDER = "does not list the parts of 'synthetic.csv' in their order"


def listed_table(content: dict[str, Any], name: str = SYNTHETIC) -> Any:
    """What the list says of a table."""
    return content["tables"][name]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda c: c.clear(), "'parts.json' does not list parts of a table"),
        (lambda c: c["tables"].clear(), NO_PARTS),
        (lambda c: c["tables"].update({"../x.csv": c["tables"].pop(SYNTHETIC)}), NO_PARTS),
        (lambda c: listed_table(c)["parts"][0].update(name="../../plan.json"), NO_ORDER),
        (lambda c: listed_table(c)["parts"].reverse(), NO_ORDER),
        (lambda c: c.update(rows=2_999), "do not have as many rows as 'parts.json' says"),
        (lambda c: listed_table(c).update(sha256="0" * 64), "'synthetic.csv' do not match"),
        (
            lambda c: listed_table(c, PARQUET).update(sha256="0" * 64),
            "'synthetic.parquet' do not match",
        ),
    ],
)
def test_a_list_that_does_not_fit_is_refused(
    copied_folder: Path, change: Callable[[dict[str, Any]], None], sentence: str
) -> None:
    """A list of parts that is forged and signed again is refused with what does not fit.

    `change` alters the content of parts.json.
    """
    edit_list(copied_folder, change)

    with pytest.raises(ReleaseError, match=sentence):
        verify(copied_folder)


def test_another_number_of_rows_is_refused(copied_folder: Path) -> None:
    """A folder that lacks its last part is refused, though list and certificate agree with
    the files.

    It has 2,000 rows, and the noisy counts give 3,000.
    """

    def fewer(content: dict[str, Any]) -> None:
        content["rows"] -= 1_000
        for name, parted in content["tables"].items():
            parted["parts"].pop()
            (copied_folder / name / f"part-00002{Path(name).suffix}").unlink()

    edit_list(copied_folder, fewer)

    with pytest.raises(
        ReleaseError, match="number of synthetic rows does not match the plan"
    ):
        verify(copied_folder)


def test_rows_in_parts_are_not_opened_as_a_release(folder_of_parts: Path) -> None:
    with pytest.raises(ReleaseError, match=r"^Rows in parts are not opened"):
        open_bundle(folder_of_parts)


def test_rows_around_a_public_table_are_not_drawn_again(folder_of_parts: Path) -> None:
    """Rows that were corrected from a public table are not drawn again, which is said.

    That would need the public table.
    """
    from dataclasses import replace

    from synth.estimate import PublicSource, place_here
    from synth.verification.parts import draw_parts_again

    checked = verify(folder_of_parts)

    # Only whether the plan has a public table matters here, so an empty one is put into a
    # copy of the frozen plan.
    source = object.__new__(PublicSource)
    plan = replace(checked.plan)
    object.__setattr__(plan, "public", source)

    redrawn = draw_parts_again(
        checked.certificate,
        plan,
        checked.record,
        manifest=checked.manifest,
        place=place_here,
    )

    assert "corrected from a public table" in redrawn.sentence


def test_another_number_of_parts_drawn_again_is_counted_and_refused(
    folder_of_parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three parts are refuted if the rows drawn again make two parts.

    At 1,500 rows a part none of the three parts of 1,000 rows comes out the same.
    """
    monkeypatch.setattr(limits, "ROWS_AT_A_TIME", 1_500)
    with pytest.raises(RefutedError, match="0 of 3 parts are the same when drawn again"):
        verify(folder_of_parts, redraw=True)
