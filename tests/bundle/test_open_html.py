"""The page ``open.html``: its writer, its content policy, and what it carries."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from synth.bundle import open_html, read_archive
from synth.domain import Categorical, Domain
from synth.verification import open_bundle, verify
from tests.bundle.bundles import edit_text, make_bundle, read_bundle, refusal_of

SCRIPT = re.compile(r"<script>(.*?)</script>", re.S)
STYLE = re.compile(r"<style>(.*?)</style>", re.S)
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.S)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a bundle whose names and values look like markup."""
    domain = Domain(
        (Categorical(name="</script><script>x()</script>", categories=("<!--", "{{data}}")),)
    )
    rows = [["<!--"], ["{{data}}"]] * 20
    folder = tmp_path_factory.mktemp("open")
    bundle = make_bundle(folder, "hostile", rows, domain=domain)
    assert "'open.html' follows from" in " ".join(verify(bundle).checks)
    return read_bundle(bundle)["open.html"].decode()


def test_the_policy_admits_the_programs_of_the_page_alone(page: str) -> None:
    """The policy names the digest of the one script and of the one style, and no address.

    A name that looks like the end of a script does not end it: there are two scripts, of
    which one is data.
    """
    (program,) = SCRIPT.findall(page)
    (style,) = STYLE.findall(page)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    digests = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (program, style)
    ]
    assert policy.split("; ") == [
        "default-src 'none'",
        f"script-src 'sha256-{digests[0]}'",
        f"style-src 'sha256-{digests[1]}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert page.count("<script") == page.count("</script>") == 2
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", program)


def test_the_page_carries_the_certificate_without_digests(page: str) -> None:
    """The data has the certificate, the statement, the figures and all schemas.

    Names come through as they are declared, and no ``<`` of them is in the page.
    """
    (text,) = DATA.findall(page)
    assert "<" not in text
    data = json.loads(text)
    certificate = json.loads(data["certificate"])
    assert certificate["sha256"] == {}
    assert certificate["dataset"] == "survey"
    assert "\nTHE GUARANTEE\n" in data["statement"]
    (column,) = data["figures"]["columns"]
    assert column["name"] == "</script><script>x()</script>"
    assert [title for title, _, _ in column["cells"]] == ["<!--", "{{data}}"]
    assert len(data["schemas"]) == 5


def test_the_page_is_small_and_the_same_each_time(tmp_path: Path) -> None:
    """Writing the files of a release twice gives the same page, below 3 MB."""
    path = make_bundle(tmp_path)
    result = open_bundle(path).result
    again = read_archive(result.write_archive(tmp_path / "again.zip"))
    page = read_bundle(path)["open.html"]
    assert again["open.html"] == page
    assert len(page) < open_html.MAX_PAGE_BYTES


@pytest.mark.slow
def test_a_page_of_many_cells_stays_small(tmp_path: Path) -> None:
    """Columns of many cells, with long names, do not make the page larger than its limit."""
    values = tuple(f"{number} {'x' * 500}" for number in range(1500))
    domain = Domain(tuple(Categorical(name=f"c{n}", categories=values) for n in range(9)))
    rows = [[values[0]] * 9, [values[7]] * 9]
    path = make_bundle(tmp_path, rows=rows, domain=domain, method="independent")
    page = read_bundle(path)["open.html"].decode()
    assert len(page) < open_html.MAX_PAGE_BYTES
    (text,) = DATA.findall(page)
    assert json.loads(text)["figures"]["columns"][0]["others"] == 1300


def test_a_long_certificate_is_not_carried(
    bundle_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A certificate above the limit is left to its file."""
    certificate = open_bundle(bundle_path).certificate
    monkeypatch.setattr(open_html, "MAX_CERTIFICATE_BYTES", 100)
    page = open_html.write_page(certificate, "said", None).decode()
    (text,) = DATA.findall(page)
    assert json.loads(text)["certificate"] == ""


def test_digests_change_nothing(bundle_path: Path) -> None:
    """The page does not depend on the digests of the files, of which it is one."""
    certificate = open_bundle(bundle_path).certificate
    pages = [
        open_html.write_page(replace(certificate, sha256=digests), "said", None)
        for digests in ({}, {"a": "0" * 64})
    ]
    assert pages[0] == pages[1]


def test_a_changed_page_is_refused(bundle_path: Path, tmp_path: Path) -> None:
    """`verify` writes the page again: another program in it is a forgery."""
    edit = edit_text("open.html", b'"use strict"', b'"use  strict"')
    sentence = refusal_of(bundle_path, tmp_path, edit)
    assert sentence.startswith("'open.html' does not follow from the certificate")


def test_modules_are_joined_after_what_they_import() -> None:
    """Each module of the folder is in the program once, after those that it imports."""
    program = open_html.join_modules()
    places = {}
    for path in open_html.ASSETS.glob("*.js"):
        assert program.count(f"const {path.stem}_module = ") == 1, path.name
        places[path.stem] = program.index(f"const {path.stem}_module = ")
    for name in places:
        imported = re.findall(r'from "\./(\w+)\.js"', open_html.read_asset(f"{name}.js"))
        assert all(places[other] < places[name] for other in imported)
    assert "\nimport " not in program
    assert "\nexport " not in program
