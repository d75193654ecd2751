"""The page ``open.html`` in a browser, opened from the disk: what it shows and checks."""

import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from synth.domain import Categorical, Domain
from synth.plans import Method
from synth.privacy import Neighbors
from tests.bundle.bundles import edit_certificate, make_bundle, read_bundle, rezip
from tests.e2e import axe
from tests.e2e.browser import PATIENCE
from tests.tables import ROWS
from tests.verification.leaf_kinds import KINDS

pytestmark = [pytest.mark.slow, pytest.mark.browser]

Files = dict[str, bytes]
Forgery = Callable[[Files], None]
MANY_ROWS = ROWS * 60


@dataclass
class Reader:
    """A person who opened a bundle's page from the disk; all that it says is noted.

    Attributes:
        page: The page.
        said: What the browser printed, and every address that was asked for.
    """

    page: Page
    said: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, browser: Browser, path: Path, **options: Any) -> "Reader":
        """Open a page in a browser of its own."""
        context = browser.new_context(offline=True, **options)
        context.set_default_timeout(PATIENCE)
        reader = cls(context.new_page())
        reader.page.on("console", lambda message: reader.said.append(message.text))
        reader.page.on("pageerror", lambda error: reader.said.append(str(error)))
        reader.page.on("request", lambda request: reader.said.append(request.url))
        reader.page.goto(path.as_uri())
        assert reader.said == [path.as_uri()]
        return reader

    def check(self, path: Path) -> list[str]:
        """Choose a zip file or a folder, and return what is refuted."""
        label = "Folder of the bundle" if path.is_dir() else "Zip file of the bundle"
        self.page.get_by_label(label).set_input_files(path)
        return self.await_verdict()

    def await_verdict(self) -> list[str]:
        """Wait for the verdict, and return what is refuted."""
        expect(self.page.locator(".verdict")).to_be_visible()
        claims = self.page.locator(".claims li.refuted bdi")
        assert len(self.said) == 1, self.said
        return claims.all_inner_texts()

    @property
    def verdict(self) -> str:
        """The sentence above all claims."""
        return self.page.locator(".verdict").inner_text()


TOO_WIDE = """frames => frames.filter(frame => frame.scrollWidth > frame.clientWidth + 1)
  .map(frame => frame.getAttribute("aria-label"))"""
"""The frames of tables that have to be scrolled to see all columns."""
FINE = "Nothing that this page can check is refuted."


def extract_page(bundle: Path) -> Path:
    """Return the page of a bundle, taken out of its zip file."""
    with zipfile.ZipFile(bundle) as archive:
        return Path(archive.extract("open.html", bundle.parent))


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release by histogram."""
    return make_bundle(tmp_path_factory.mktemp("open"), rows=MANY_ROWS)


@pytest.fixture(scope="module")
def one_shot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release by marginals, with a delta."""
    folder = tmp_path_factory.mktemp("one_shot")
    options = {"method": Method.ONE_SHOT, "neighbors": Neighbors.ADD_REMOVE}
    return make_bundle(folder, rows=MANY_ROWS, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_no_honest_bundle_is_refuted(chromium: Browser, tmp_path: Path, kind: str) -> None:
    """The page of a bundle of each kind finds nothing amiss in it, and asks for nothing."""
    path = KINDS[kind](tmp_path).path
    page = path / "open.html" if path.is_dir() else extract_page(path)
    reader = Reader.open(chromium, page)
    assert reader.check(path) == []
    assert reader.verdict == FINE


def test_a_folder_is_checked_like_its_zip(
    chromium: Browser, bundle: Path, tmp_path: Path
) -> None:
    """A folder has the same claims as the zip, and a file that is missing or new is named."""
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "files")
    reader = Reader.open(chromium, tmp_path / "files" / "open.html")
    assert reader.check(tmp_path / "files") == []
    (tmp_path / "files" / "ddi.xml").unlink()
    (tmp_path / "files" / "new.txt").write_text("x")
    assert reader.check(tmp_path / "files")[1:] == [
        "'ddi.xml' is missing.",
        "'new.txt' is not named in the certificate.",
    ]


def change(path: str, value: Any) -> Forgery:
    """A forgery of a field of the certificate, whose steps are joined by dots."""

    def forge(files: Files) -> None:
        def edit(certificate: dict[str, Any]) -> None:
            *steps, last = path.split(".")
            part: Any = certificate
            for step in steps:
                part = part[int(step)] if isinstance(part, list) else part[step]
            part[last] = value

        edit_certificate(files, edit)

    return forge


def change_byte(files: Files) -> None:
    """Change one byte of the rows."""
    content = bytearray(files["synthetic.csv"])
    content[-2] ^= 1
    files["synthetic.csv"] = bytes(content)


def lose_certificate(files: Files) -> None:
    """Leave out the certificate."""
    del files["certificate.json"]


HISTOGRAM_FORGERIES: dict[str, tuple[Forgery, str]] = {
    "a byte of the rows": (change_byte, "'synthetic.csv' is not the file that was certified"),
    "the scale": (change("mechanism.scale", "4"), "The noise of scale 4 does not cost"),
    "no noise": (change("mechanism.scale", "0"), "The noise of scale 0 does not cost"),
    "the sensitivity": (change("mechanism.sensitivity", 1), "the certificate says 1"),
    "epsilon": (change("guarantee.epsilon", "1/2"), "The sentence of the promise does not"),
    "the promise": (change("guarantee.statement", "Nothing."), "The sentence of the promise"),
    "the cells": (change("mechanism.cells", 9), "do not fit the certificate's 9 cells"),
    "the rows": (change("released.rows", None), "the certificate does not say it"),
    "a claim too much": (change("certified", "yes"), "have the published form: see the cert"),
    "the time": (change("created", "1999-01-01T00:00:00+00:00"), "It differs in: created"),
    "a caveat less": (change("caveats", ["None."]), "It differs in: caveats"),
}


@pytest.mark.parametrize("forgery", HISTOGRAM_FORGERIES)
def test_a_forged_histogram_is_refuted(
    chromium: Browser, bundle: Path, tmp_path: Path, forgery: str
) -> None:
    """The honest page names what was forged."""
    forge, sentence = HISTOGRAM_FORGERIES[forgery]
    files = read_bundle(bundle)
    forge(files)
    reader = Reader.open(chromium, extract_page(bundle))
    refuted = reader.check(rezip(tmp_path / "forged.zip", files))
    assert reader.verdict != FINE
    assert any(sentence in claim for claim in refuted), refuted


def test_a_bundle_without_a_certificate_is_no_bundle(
    chromium: Browser, bundle: Path, tmp_path: Path
) -> None:
    """Nothing can be checked without the certificate, and the page says that it is absent."""
    files = read_bundle(bundle)
    lose_certificate(files)
    reader = Reader.open(chromium, extract_page(bundle))
    reader.check(rezip(tmp_path / "forged.zip", files))
    assert reader.verdict != FINE
    assert "no 'cert" in reader.verdict


MARGINALS_FORGERIES: dict[str, tuple[Forgery, str]] = {
    "a cost": (change("mechanism.marginals.1.cost", {"epsilon": "1/100"}), "costs add up to"),
    "less noise": (
        change("mechanism.marginals.1.noise", {"law": "discrete Laplace", "scale": "1/2"}),
        " costs epsilon 2, and the certificate says",
    ),
    "the spend": (change("mechanism.spent", {"epsilon": "1/9"}), "and the certificate says"),
    "the choice of a histogram": (
        change("mechanism.marginals.1.noise", {"law": "permute-and-flip"}),
        "The certificate says no noise for",
    ),
}


@pytest.mark.parametrize("forgery", MARGINALS_FORGERIES)
def test_forged_costs_of_marginals_are_refuted(
    chromium: Browser, one_shot: Path, tmp_path: Path, forgery: str
) -> None:
    """The page computes the costs again, and names what does not add up."""
    forge, sentence = MARGINALS_FORGERIES[forgery]
    files = read_bundle(one_shot)
    forge(files)
    reader = Reader.open(chromium, extract_page(one_shot))
    refuted = reader.check(rezip(tmp_path / "forged.zip", files))
    assert any(sentence in claim for claim in refuted), refuted


def test_a_certificate_that_says_a_thing_twice_is_refuted(
    chromium: Browser, bundle: Path, tmp_path: Path
) -> None:
    """A second field behind the digests, which programs would read instead, is seen."""
    files = read_bundle(bundle)
    text = files["certificate.json"].rstrip()[:-1].rstrip()
    files["certificate.json"] = text + b',\n "dataset": "another"\n}\n'
    reader = Reader.open(chromium, extract_page(bundle))
    refuted = reader.check(rezip(tmp_path / "forged.zip", files))
    assert any("It differs in: dataset" in claim for claim in refuted)


def test_a_certificate_of_a_newer_version_is_not_checked(
    chromium: Browser, bundle: Path, tmp_path: Path
) -> None:
    """The page says which form it does not know."""
    files = read_bundle(bundle)
    certificate = json.loads(files["certificate.json"]) | {"format": "synth-certificate-99"}
    files["certificate.json"] = json.dumps(certificate).encode()
    reader = Reader.open(chromium, extract_page(bundle))
    assert reader.check(rezip(tmp_path / "new.zip", files)) == []
    assert reader.verdict == "Nothing was checked."
    expect(reader.page.get_by_text("'synth-certificate-99', which this page")).to_be_visible()


@pytest.mark.parametrize("as_folder", [False, True])
def test_what_is_dropped_is_checked(
    chromium: Browser, bundle: Path, tmp_path: Path, as_folder: bool
) -> None:
    """A zip or a folder that is dropped on the page is checked like one that is chosen."""
    dropped = bundle
    if as_folder:
        dropped = tmp_path / "files"
        with zipfile.ZipFile(bundle) as archive:
            archive.extractall(dropped)
    reader = Reader.open(chromium, extract_page(bundle))
    box = reader.page.locator(".files").bounding_box()
    assert box is not None
    protocol = reader.page.context.new_cdp_session(reader.page)
    for kind in ("dragEnter", "dragOver", "drop"):
        files = {"items": [], "files": [str(dropped)], "dragOperationsMask": 1}
        event = {"type": kind, "x": box["x"] + 20, "y": box["y"] + 20, "data": files}
        protocol.send("Input.dispatchDragEvent", event)
    assert reader.await_verdict() == []
    assert reader.verdict == FINE


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is no zip file"),
        (b"PK" * 90, "is no zip file"),
        (b"PK\x05\x06" + b"\xff" * 18, "more files than this page reads"),
    ],
)
def test_a_file_that_is_no_zip_is_refused(
    chromium: Browser, bundle: Path, tmp_path: Path, content: bytes, sentence: str
) -> None:
    """A damaged file gets one sentence."""
    path = tmp_path / "bad.zip"
    path.write_bytes(content)
    reader = Reader.open(chromium, extract_page(bundle))
    reader.check(path)
    assert sentence in reader.verdict


def test_a_bomb_is_refused(chromium: Browser, bundle: Path, tmp_path: Path) -> None:
    """A file that unpacks to thousands of times its size is not unpacked."""
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("certificate.json", b" " * 200_000_000)
    reader = Reader.open(chromium, extract_page(bundle))
    reader.check(path)
    assert "unpacks to more than this page reads" in reader.verdict or (
        "too large" in reader.verdict
    )


HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "\u202eevil",
    "{{program}}",
)


def test_hostile_names_are_texts(chromium: Browser, tmp_path: Path) -> None:
    """Names and values that look like markup are shown as texts, and run nothing."""
    columns = [
        Categorical(name=name, categories=(*HOSTILE, "a"), missing=True) for name in HOSTILE
    ]
    rows = [[HOSTILE[n % 4]] * 4 for n in range(80)]
    bundle = make_bundle(tmp_path, rows=rows, domain=Domain(tuple(columns)))
    reader = Reader.open(chromium, extract_page(bundle))
    page = reader.page
    assert reader.check(bundle) == []
    for text in HOSTILE:
        expect(page.locator("bdi", has_text=text).first).to_be_attached()
    assert page.locator("img, main script, main b").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_is_accessible(
    chromium: Browser, bundle: Path, one_shot: Path, theme: Any, width: int
) -> None:
    """axe-core finds no fault after a check, and nothing reaches beyond the window.

    Nor does a table reach beyond its frame, so that no column of it is out of sight.
    """
    for path in (bundle, one_shot):
        options = {"color_scheme": theme, "viewport": {"width": width, "height": 900}}
        reader = Reader.open(chromium, extract_page(path), **options)
        reader.check(path)
        page = reader.page
        for details in page.locator("details").all():
            details.evaluate("element => { element.open = true }")
        assert not axe.list_faults(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator(".wide").evaluate_all(TOO_WIDE) == []


def test_the_page_is_used_by_the_keyboard_alone(chromium: Browser, bundle: Path) -> None:
    """Tab reaches the link to the content, each section, both inputs and every wide table."""
    page = Reader.open(chromium, extract_page(bundle)).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    # Tab goes on from the last one to the first.
    mark = "document.activeElement.dataset.reached = 'yes'"
    for _ in range(80):
        page.keyboard.press("Tab")
        page.evaluate(mark)
    for focusable in ("input", "main div.wide:visible", "summary", "nav a"):
        missed = page.locator(focusable).filter(visible=True)
        assert missed.count() > 0
        assert all(e.get_attribute("data-reached") == "yes" for e in missed.all()), focusable


def test_the_page_shows_all_of_the_statement_and_prints(
    chromium: Browser, bundle: Path
) -> None:
    """Every sentence of the statement, caveats and left-out columns is on the page.

    Printed, it has no control, and black letters on white, in the dark theme too.
    """
    page = Reader.open(chromium, extract_page(bundle), color_scheme="dark").page
    shown = " ".join(page.locator("main").inner_text().split())
    certificate = json.loads(read_bundle(bundle)["certificate.json"])
    for sentence in (certificate["guarantee"]["statement"], *certificate["caveats"]):
        assert sentence in shown
    page.emulate_media(media="print")
    assert not page.locator(".choosing").is_visible()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
