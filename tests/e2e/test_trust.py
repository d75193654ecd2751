"""Two stewards on one server, and a steward who comes back: what is kept, and from whom."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pages.ui.shell.private import GRACE_SECONDS
from tests.e2e.browser import Steward, server
from tests.patience import SECONDS, until

pytestmark = pytest.mark.browser

SCHEMA = (
    '{"fields": [{"name": "%s", "type": "string", '
    '"constraints": {"enum": ["%s", "%s"], "required": true}}]}'
)


def write_table(
    folder: Path, name: str, column: str, values: tuple[str, str]
) -> tuple[Path, Path]:
    """A table of one column with 200 rows of each of two values, and its declaration."""
    table = folder / f"{name}.csv"
    schema = folder / f"{name}.json"
    table.write_text(f"{column}\n" + f"{values[0]}\n{values[1]}\n" * 200)
    schema.write_text(SCHEMA % (column, *values))
    return table, schema


def release_bundle(steward: Steward, table: Path, schema: Path) -> Path:
    """From an upload to the bundle on the steward's disk."""
    steward.upload(table)
    steward.wait_for_text(re.compile(r"has \d+ columns?"))
    steward.go_to_next("Domain")
    steward.open("Import or save a description")
    steward.upload(schema)
    steward.wait_for_text(re.compile("· 1 column ·"))
    steward.go_to_next("Plan")
    steward.go_to_next("Release")
    steward.say_whose_data(table.stem)
    steward.wait_for_text("Budget: the most that may ever be spent")
    steward.spend(1)
    steward.go("Download")
    with steward.page.expect_download() as waiting:
        steward.page.get_by_role("button", name=re.compile("^Download bundle")).click()
    bundle = table.with_suffix(".zip")
    waiting.value.save_as(bundle)
    return bundle


def visible_text(steward: Steward, others: str) -> str:
    """All that any page shows, the browser's storage included.

    All users of a server share its ledger, so the page Ledger has one bar that names the
    people of the other table, ``others``, and what was spent on them. It is taken away.
    """
    visible_texts = []
    for step in ("Data", "Domain", "Plan", "Release", "Compare", "Download"):
        steward.go(step)
        visible_texts.append(steward.page.content())
    steward.page.get_by_role("link", name="Ledger").click()
    expect(steward.page.get_by_role("heading", name="Ledger", exact=True)).to_be_visible()
    steward.wait_until_idle()
    bar = steward.page.get_by_test_id("stMain").get_by_test_id("stProgress")
    others_bar = bar.filter(has_text=others)
    expect(others_bar).to_have_text(
        f"{others}: epsilon 1 of 3 spent, 2 left; delta 0 of 1e-06 spent"
    )
    others_bar.evaluate("e => e.remove()")
    visible_texts.append(steward.page.content())
    return " ".join(visible_texts)


@pytest.mark.slow
def test_two_browsers_see_nothing_of_each_other(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two stewards on one server see nothing of each other, and closed sessions leave no
    file.

    Neither pages, addresses nor logs show the column or the categories of the other table;
    the ledger, which all users share, shows the name of its people and their budget. Uploads
    lie in folders that only this user can read, and vanish some two minutes (`GRACE_SECONDS`)
    after the pages are closed.
    """
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    (tmp_path / "tmp").mkdir()
    zebra_files = write_table(tmp_path, "zebras", "stripes", ("zig", "zag"))
    otter_files = write_table(tmp_path, "otters", "rivers", ("wide", "deep"))
    with server(tmp_path / "log.txt") as url:
        zebra_context, otter_context = (
            chromium.new_context(accept_downloads=True) for _ in range(2)
        )
        zebra_steward, otter_steward = (
            Steward(context.new_page(), url) for context in (zebra_context, otter_context)
        )
        release_bundle(zebra_steward, *zebra_files)
        release_bundle(otter_steward, *otter_files)

        assert not re.search("zebras|stripes|zig|zag", visible_text(otter_steward, "zebras"))
        assert not re.search("otters|rivers", visible_text(zebra_steward, "otters"))
        for steward in (zebra_steward, otter_steward):
            assert "?" not in steward.page.url

        assert list_uploads(tmp_path) == {"zebras.csv", "otters.csv"}
        modes = {path.stat().st_mode & 0o077 for path in (tmp_path / "tmp").glob("synth-*")}
        assert modes == {0}  # no rights for other users

        zebra_context.close()
        otter_context.close()
        assert until(lambda: not list_uploads(tmp_path), GRACE_SECONDS + SECONDS)
    log = (tmp_path / "log.txt").read_text()
    assert not re.search("stripes|zag|rivers|deep", log)


def list_uploads(folder: Path) -> set[str]:
    """The names of the two tables that are somewhere below the folder ``tmp``."""
    upload_names: set[str] = set()
    for _, _, names in os.walk(folder / "tmp"):  # which forgives what vanishes meanwhile
        upload_names |= {
            name for name in names if Path(name).stem in UPLOADED and name.endswith(".csv")
        }
    return upload_names


UPLOADED = ("zebras", "otters")


@pytest.mark.slow
def test_a_steward_comes_back_after_a_restart_and_opens_the_bundle(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart of the server, a new browser opens the bundle, and the ledger knows it.

    `release_bundle` downloads it before the restart; `continue_from` opens it afterwards and
    goes on.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    table, schema = write_table(tmp_path, "people", "sex", ("F", "M"))
    for visit in ("before", "after"):
        with server(tmp_path / f"{visit}.log") as url:
            context = chromium.new_context(accept_downloads=True)
            steward = Steward(context.new_page(), url)
            if visit == "before":
                bundle = release_bundle(steward, table, schema)
            else:
                continue_from(steward, bundle, table)
            context.close()


def continue_from(steward: Steward, bundle: Path, table: Path) -> None:
    """Open a bundle and its table: it downloads as it was, and compares, and its spend is
    known.
    """
    steward.open_bundle(bundle)
    steward.go("Download")
    with steward.page.expect_download() as waiting:
        steward.page.get_by_role("button", name=re.compile("^Download bundle")).click()
    again = bundle.with_name("again.zip")
    waiting.value.save_as(again)
    assert again.read_bytes() == bundle.read_bytes()

    steward.go("Data")
    steward.upload(table)
    steward.wait_for_text("The release of the bundle is entry 2 of the ledger here.")
    steward.go("Release")
    steward.wait_for_text("Opened from a bundle: 400 synthetic rows")
    steward.go("Compare")
    steward.press("Compare with the confidential table")
    steward.wait_for_text(re.compile("^Single columns: "))
    steward.page.get_by_role("link", name="Ledger").click()
    # Of the budget of 3 by default, 1 is spent.
    steward.wait_for_text(re.compile("epsilon 1 of 3 spent, 2 left"))
