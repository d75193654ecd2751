"""What the last line of a cell shows: a few words, and HTML that needs no network."""

import html
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import synth

MARK = "<script>alert(1)</script>"
FRAME = pd.DataFrame({"sex": ["f", MARK] * 300, "age": range(600)})
DOMAIN = synth.Domain({"sex": ["f", MARK], "age": synth.Integer(0, 599, bins=6)})
LONGEST = 300
"""Characters of a `repr` that fit on a few lines."""
PRIVATE = ("quick draft", "comparison", "private verdict", "private slopes", "look")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """One object of each kind that a cell may end with."""
    folder: Path = tmp_path_factory.mktemp("notebook")
    with synth.Ledger(folder / "l.db") as ledger:
        made = synth.release(
            FRAME, DOMAIN, epsilon=1, ledger=ledger, dataset=MARK[8:13], budget=3
        )
        path = made.save(folder / "b.zip")
        verdict = synth.verify(path, ledger)
        answers = synth.ask(FRAME, DOMAIN, ["table sex", "mean age"], 1)
        analysis = synth.analyse(path)
        conclusions = analysis.ask(["table sex", "mean age"])
        compared = synth.compare(FRAME, made)
        yield {
            "domain": DOMAIN,
            "quick draft": synth.draft(FRAME),
            "draft": synth.draft(FRAME, 5, delta="1e-3"),
            "forecast": synth.forecast(DOMAIN, 1, rows=600),
            "release": made,
            "answers": answers,
            "answer": answers[0],
            "conclusions": conclusions,
            "conclusion": conclusions[0],
            "verdict": verdict,
            "comparison": compared,
            "private verdict": compared.verdict,
            "private slopes": compared.slopes,
            "ledger": ledger,
            "look": synth.check(FRAME, DOMAIN),
            "check": synth.check(FRAME, DOMAIN, 1),
        }


KINDS = (
    "domain",
    "quick draft",
    "draft",
    "forecast",
    "release",
    "answers",
    "answer",
    "conclusions",
    "conclusion",
    "verdict",
    "comparison",
    "private verdict",
    "private slopes",
    "ledger",
    "look",
    "check",
)


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_line_of_a_cell_is_short(kind: str, shown: Mapping[str, Any]) -> None:
    """Each object shows as its class and a few words; what is private says so."""
    text = repr(shown[kind])
    assert len(text) <= LONGEST
    assert "\n" not in text
    assert "array(" not in text
    assert ("PRIVATE" in text) == (kind in PRIVATE)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "private slopes"])
def test_html_escapes_and_needs_no_network(kind: str, shown: Mapping[str, Any]) -> None:
    """HTML writes a column's values as text, loads nothing, and says what is private."""
    text = shown[kind]._repr_html_()
    assert text.startswith("<")
    assert MARK not in text
    assert not re.search(r"https?://(?!www\.w3\.org/)|\bsrc=|<link|@import", text)
    assert ("PRIVATE" in text) == (kind in PRIVATE)


def test_a_verdict_shows_what_was_checked(shown: Mapping[str, Any]) -> None:
    verdict = shown["verdict"]
    assert repr(verdict).startswith("VerifiedRelease(confirmed: ")
    assert all(escape(claim) in verdict._repr_html_() for claim in verdict.checks)


def test_a_ledger_shows_what_is_left(shown: Mapping[str, Any]) -> None:
    """A ledger shows its datasets with their budgets, and a closed one its name."""
    ledger = shown["ledger"]
    assert repr(ledger) == "Ledger(l.db: 1 dataset, 1 spend)"
    assert "epsilon 3" in ledger._repr_html_().replace("= ", "")
    assert repr(synth.Ledger()) == "Ledger(in memory: 0 datasets, 0 spends)"
    closed = synth.Ledger()
    closed.close()
    assert repr(closed) == "Ledger(in memory, not readable)"
    assert "not readable" in closed._repr_html_()


def test_a_domain_names_its_columns_and_its_origin() -> None:
    """A domain of many columns names some of them, and says if it comes from the rows."""
    wide = synth.Domain({f"c{number}": ["a", "b"] for number in range(40)})
    assert repr(wide) == "Domain(40 columns: c0, c1, c2, c3, c4, c5 and 34 more)"
    assert "Origin" not in wide._repr_html_()
    drafted = synth.draft(pd.DataFrame({"sex": ["f", "m"] * 300})).domain
    assert "taken from the private data" in drafted._repr_html_()


def test_drawn_rows_are_shown_by_the_first_of_them() -> None:
    """A notebook shows five of a hundred rows, and that they are a dummy."""
    page = synth.dummy(synth.Domain(sex=["f", "m"]), rows=100)._repr_html_()
    assert "100 rows: dummy" in page
    assert page.count("<tr") == 1 + 5


def test_a_noisy_check_says_about_how_many_rows_fit() -> None:
    """The first note says it, once, in no more digits than its interval has."""
    frame = pd.DataFrame({"sex": ["f", "m"] * 500})
    check = synth.check(frame, {"sex": ["f", "m"]}, 1)
    assert repr(check) == f"Check({check.notes[0]})"
    assert check._repr_html_().count(html.escape(check.notes[0])) == 1
