"""The whole job in a real browser, from an upload to the file on the steward's disk."""

import csv
import hashlib
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from synth.domain import read_schema
from synth.lessons import write_example
from tests.e2e.browser import ROOT, Steward

pytestmark = pytest.mark.browser

ADULT = ROOT.parent / "shared" / "data" / "adult"


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, Path]:
    """A real table and its declaration where they are at hand, else the simulated survey."""
    if ADULT.is_dir():
        return ADULT / "adult_train.csv", ADULT / "domain_5col.schema.json"
    survey, schema = write_example(tmp_path)
    document = json.loads(schema.read_text(encoding="utf-8"))
    names = ("age", "sex", "education", "income", "smoker")
    document["fields"] = [f for f in document["fields"] if f["name"] in names]
    schema.write_text(json.dumps(document), encoding="utf-8")
    return survey, schema


def release(steward: Steward) -> None:
    """Release, or get the same release back where another test has made it before."""
    steward.go_to_next("Release")
    stored = steward.page.get_by_role("button", name="Get the stored release")
    new = steward.page.get_by_role("button", name="Release with epsilon")
    expect(stored.or_(new).first).to_be_visible()
    steward.wait_until_idle()
    if stored.count():
        steward.press("Get the stored release")
        steward.wait_for_text("This release is stored")
    else:
        steward.say_whose_data("people of the flow")
        steward.spend(1)


def test_from_upload_to_download(
    steward: Steward, table: tuple[Path, Path], tmp_path: Path, app_log: Path
) -> None:
    """The files that a browser downloads agree with one another, the domain and the
    certificate.

    A steward goes from an upload by declaration, plan, release and comparison to the
    downloads. The synthetic table has the declared columns, as many rows as the real one, and
    only declared categories. The server logs no error.
    """
    path, schema = table
    domain = read_schema(schema)
    steward.upload(path)
    steward.wait_for_text(re.compile(r"has \d+ columns?"))

    steward.go_to_next("Domain")
    steward.open("Import or save a description")
    steward.upload(schema)
    steward.open("Size and noise")
    steward.wait_for_text(f"{domain.size:,}")

    steward.go_to_next("Plan")
    steward.open("Advanced")
    steward.choose("Method", "Histogram of all")
    steward.wait_for_text("Every one of the")
    release(steward)

    steward.go_to_next("Compare")
    steward.press("Compare with the confidential table")
    steward.wait_for_text(re.compile("^Single columns: "))
    pictures = steward.page.get_by_role("img", name=re.compile("^Real shares of '"))
    expect(pictures).to_have_count(len(domain.names))
    expect(pictures.first.locator(".real").first).to_be_visible()
    with steward.waiting_for_rerun():
        steward.page.get_by_role("tab", name="Pairs").click()
    expect(
        steward.page.get_by_role("figure", name=re.compile("^Heat map of the error"))
    ).to_be_visible()
    expect(steward.page.locator(".js-plotly-plot .heatmaplayer").first).to_be_visible()

    steward.go_to_next("Download")
    files = {}
    for name in ("synthetic.csv", "noisy_counts.csv", "domain.json", "certificate.json"):
        download = steward.download(name)
        ending = ".csv" if name == "synthetic.csv" else f"_{name}"
        named = rf"{re.escape(path.stem)}_epsilon1_\d{{4}}-\d\d-\d\d{re.escape(ending)}"
        assert re.fullmatch(named, download.suggested_filename)
        files[name] = tmp_path / f"got-{name}"
        download.save_as(files[name])
    with files["synthetic.csv"].open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    with path.open(newline="", encoding="utf-8") as file:
        real_count = sum(1 for row in csv.reader(file) if row) - 1  # less the header

    assert tuple(rows[0]) == domain.names
    assert len(rows) - 1 == real_count
    for name, values in zip(domain.names, zip(*rows[1:], strict=True), strict=True):
        column = domain[name]
        allowed = set(column.cells)
        if column.missing:
            allowed.add(domain.missing_marker)
        if column.kind == "categorical":
            assert set(values) <= allowed

    certificate = json.loads(files["certificate.json"].read_text(encoding="utf-8"))
    assert certificate["guarantee"]["epsilon"] == "1"
    digest = hashlib.sha256(files["synthetic.csv"].read_bytes()).hexdigest()
    assert certificate["sha256"]["synthetic.csv"] == digest
    assert read_schema(files["domain.json"]).shape == domain.shape

    log = app_log.read_text(encoding="utf-8")
    assert "Traceback" not in log
    assert "Error" not in log


@pytest.mark.slow
def test_a_deep_link_is_a_locked_step_with_its_frame(
    context: BrowserContext, app_url: str
) -> None:
    """Who opens the address of a later step first is told where to begin, and sees the
    navigation.
    """
    page = context.new_page()
    page.goto(f"{app_url}/compare")
    page.get_by_text("Choose a table in the step Data first.").wait_for()
    expect(page.locator("[data-testid=stSidebarNav]")).to_be_visible()


@pytest.mark.slow
def test_the_server_path_needs_no_mouse(steward: Steward, tmp_path: Path) -> None:
    """A table on the server's own disk is opened by its path with the keyboard alone."""
    survey, _ = write_example(tmp_path)
    page = steward.page
    page.get_by_label("A file on the machine that runs Synth").focus()
    page.keyboard.type(str(survey))
    with steward.waiting_for_rerun():
        page.keyboard.press("Enter")
    # The path is taken; Tab leads to the button that uses it.
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    steward.wait_for_text("has 11 columns")
