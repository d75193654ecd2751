"""One bundle and question, one interval; without a digest each simulation is its own."""

from synth.analysis import conclusions, mended_tables
from tests.analysis.releases import histogram_release


def test_a_digest_makes_intervals_and_tables_the_same_again() -> None:
    """The digest of a bundle seeds its simulations: with the same digest, intervals and
    tables are the same again; without a digest each simulation is another.
    """
    release = histogram_release()
    with_digest, with_same_digest, *without_digest = (
        conclusions(["correlation age, hours"], release, digest=digest)[0].to_json()
        for digest in ("ab", "ab", "", "")
    )
    assert with_digest == with_same_digest
    assert with_digest not in without_digest
    assert without_digest[0] != without_digest[1]

    tables = [
        list(mended_tables(("age",), release, redrawn=2, digest="ab")) for _ in range(2)
    ]
    assert all((a[0] == b[0]).all() for a, b in zip(*tables, strict=True))
