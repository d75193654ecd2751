"""One bundle and question, one interval; without a digest each simulation is its own."""

from synth.analysis.engine import conclusions
from synth.analysis.functions import mended_tables
from synth.analysis.seeds import generator
from tests.analysis.releases import dense


def test_the_same_words_seed_the_same_chance() -> None:
    draws = [
        generator(*words).random() for words in (("a", "b"), ("a", "b"), ("a", "c"), ("",), ("",))
    ]
    assert draws[0] == draws[1]
    assert len(set(draws)) == 4


def test_a_digest_makes_intervals_and_tables_the_same_again() -> None:
    release = dense()
    one, again, other = (
        conclusions(["correlation age, hours"], release, digest=digest)[0].to_json()
        for digest in ("ab", "ab", "")
    )
    assert one == again != other
    tables = [list(mended_tables(("age",), release, redrawn=2, digest="ab")) for _ in range(2)]
    assert all((a[0] == b[0]).all() for a, b in zip(*tables, strict=True))
