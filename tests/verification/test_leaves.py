"""Each leaf of each kind of certificate: who changes one is refuted, or the leaf is named as
not checked."""

import os
from pathlib import Path
from random import Random

import pytest

from synth.errors import OtherVersionError, ReleaseError, SynthError
from synth.verification import OpenPart
from synth.verification.leaves import is_inside
from tests.verification.leaf_forger import Forger, LeafChange, changes_of
from tests.verification.leaf_kinds import KINDS, HonestBundle, make_kind

# Changes of each kind in the fast tests.
FEW = 4
# Changes of each kind in the slow tests, drawn at random; `make audit` takes all of them.
SAMPLE = int(os.environ.get("SYNTH_LEAVES", "25"))
FAST_KINDS = ("histogram", "answers", "dummy", "drawn from a histogram", "linked")


@pytest.fixture(scope="module")
def bundles() -> dict[str, HonestBundle]:
    """Bundles that were made already, by kind."""
    return {}


@pytest.fixture
def honest(
    request: pytest.FixtureRequest,
    bundles: dict[str, HonestBundle],
    tmp_path_factory: pytest.TempPathFactory,
) -> HonestBundle:
    """An honest bundle of the kind that the parameter names; each kind is made once."""
    kind = request.param
    if kind not in bundles:
        bundles[kind] = make_kind(kind, tmp_path_factory.mktemp("kind"))
    return bundles[kind]


def fate_of(
    honest: HonestBundle, change: LeafChange, path: Path, *, redraw: bool, bare: bool = False
) -> str:
    """Return a sentence if a forgery is neither refuted nor named as not checked; else ""."""
    try:
        checked = honest.check(path, redraw=redraw, bare=bare)
    except SynthError:
        return ""
    parts = [part for part in checked.open_parts if is_named(change, part)]
    if not parts:
        return f"{change}: neither refuted nor named ({checked.verdict})"
    # What only the steward's ledger shows is named for the steward, and the rest confirmed.
    if checked.verdict == "confirmed" and not any(part.for_steward for part in parts):
        return f"{change}: confirmed"
    return ""


def is_named(change: LeafChange, part: OpenPart) -> bool:
    """Whether the changed value lies in a part of the certificate that was not checked."""
    return is_inside(change.steps, part.pattern)


@pytest.mark.parametrize(
    "honest",
    [
        pytest.param(kind, marks=() if kind in FAST_KINDS else pytest.mark.slow)
        for kind in KINDS
    ],
    indirect=True,
)
def test_an_honest_bundle_is_never_refuted(honest: HonestBundle) -> None:
    """An honest bundle is accepted; with all means, only what no file shows stays open.

    What stays open is named by patterns (`*` is any name). The last check has neither the
    ledger nor the tables that the bundle was made from.
    """
    # Dummy rows have no ledger, and rows drawn once more have none of their own.
    if honest.ledger is None or honest.release is not None:
        open_patterns = {part.pattern for part in honest.check(honest.path).open_parts}
        assert open_patterns == {"created", "versions.*"}
        return

    assert honest.check(honest.path, honest.ledger, redraw=True).open_parts == ()

    bare_check = honest.check(honest.path, bare=True)
    assert {"created", "versions.*", "ledger.**"} <= {
        part.pattern for part in bare_check.open_parts
    }

    gaps = " ".join((*bare_check.not_checked, *bare_check.for_steward))
    assert all(f"'{part.name}'" in gaps for part in bare_check.open_parts)
    assert all(part.reason in gaps for part in bare_check.open_parts)


@pytest.mark.audit
@pytest.mark.slow
@pytest.mark.timeout(2_400)  # hundreds of bundles of each kind, if all are taken
@pytest.mark.parametrize("redraw", [False, True])
@pytest.mark.parametrize("honest", KINDS, indirect=True)
def test_a_changed_leaf_is_refuted_or_named(
    honest: HonestBundle, tmp_path: Path, *, redraw: bool
) -> None:
    """Whoever changes one value of a certificate is refuted, or `verify` names that value.

    To name it is to say that it was not checked. The forger also writes anew all files that
    follow from the certificate. `fate_of` returns "" if all is well, else a sentence.
    """
    forger = Forger(honest.path, honest.check(honest.path))
    changes = [*changes_of(forger.certificate)]
    # Every kind of certificate has far more than 50 changes; fewer would mean a broken
    # forger.
    assert len(changes) > 50

    faults = []
    # SAMPLE changes at random, or all of them if it is 0.
    for change in changes if SAMPLE == 0 else Random().sample(changes, SAMPLE):
        path = forger.forge(change, tmp_path / "f.zip")
        faults += [fate_of(honest, change, path, redraw=redraw)]
        if honest.release is not None and not redraw:
            faults += [fate_of(honest, change, path, redraw=False, bare=True)]

    assert [fault for fault in faults if fault] == []


@pytest.mark.slow
@pytest.mark.parametrize("honest", KINDS, indirect=True)
def test_a_changed_leaf_is_refuted_by_the_ledger_with_its_key_or_without(
    honest: HonestBundle, tmp_path: Path
) -> None:
    """The ledger refuses every changed certificate, as it holds the digest of the honest one.

    So does a copy of the ledger without its key. Such a copy could have been written by
    anyone, so it leaves the record of the spend open.
    """
    if honest.ledger is None or honest.release is not None:
        pytest.skip("no spend of its own")

    keyless = tmp_path / "keyless.db"
    keyless.write_bytes(honest.ledger.read_bytes())

    forger = Forger(honest.path, honest.check(honest.path))
    changes = Random(3).sample([*changes_of(forger.certificate)], 10)
    for change in changes:
        path = forger.forge(change, tmp_path / "f.zip")
        for ledger in (honest.ledger, keyless):
            with pytest.raises((ReleaseError, OtherVersionError)):
                honest.check(path, ledger, redraw=True)

    keyless_check = honest.check(honest.path, keyless, redraw=True)
    assert {"created", "versions.*", "ledger.**"} <= {
        part.pattern for part in keyless_check.open_parts
    }


@pytest.mark.parametrize("honest", FAST_KINDS, indirect=True)
def test_a_few_changed_leaves_are_refuted_or_named(
    honest: HonestBundle, tmp_path: Path
) -> None:
    """Four random changes of a certificate are each refuted, or named as not checked.

    The forger writes anew all files that follow from the certificate. `fate_of` returns "" if
    all is well, else a sentence.
    """
    forger = Forger(honest.path, honest.check(honest.path))
    changes = Random().sample([*changes_of(forger.certificate)], FEW)

    faults = [
        fate_of(honest, change, forger.forge(change, tmp_path / "f.zip"), redraw=False)
        for change in changes
    ]

    assert [fault for fault in faults if fault] == []
