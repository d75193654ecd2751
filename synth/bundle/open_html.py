"""The page ``open.html`` of a bundle, which shows, checks and needs no network. PUBLIC.

Its program is plain JavaScript in the folder ``open_page``, written from the published
formats and not from this package. Here its modules are joined into one file, with the data of
the bundle. The content policy admits that program and its style alone, by their digests.
"""

import base64
import hashlib
import json
import re
from dataclasses import replace
from functools import cache
from html import escape
from pathlib import Path

from synth.bundle.certificate import (
    FORMS,
    Certificate,
    ReleaseCertificate,
    schema_file_text,
    schema_path,
)
from synth.bundle.file_names import CERTIFICATE
from synth.bundle.resources import CROISSANT, DATA_PACKAGE, RELEASE_FILES, RESOURCES
from synth.errors import ArgumentError
from synth.util import Document, Json, read_json

ASSETS = Path(__file__).with_name("open_page")
FIRST_MODULE = "main"
# Most bytes of the page.
MAX_PAGE_BYTES = 3 * 10**6
# Most bytes of a certificate that the page carries; a longer one is read from its file.
MAX_CERTIFICATE_BYTES = 10**6

# The data of a page.
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.S)

# An import of names from another module, and the name of something that is exported.
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([a-z0-9_]+)\.js";\n', re.M)
_EXPORT = re.compile(
    r"^export ((?:async )?(?:function\*?|class|const) ([A-Za-z0-9_]+))", re.M
)


def write_page(certificate: Certificate, statement: str, figures: Document | None) -> bytes:
    """Return the page of a bundle, as the bytes of its file.

    Args:
        certificate: The certificate. The page carries it without the digests of files, since
            the page is one of them.
        statement: The text of the statement.
        figures: The figures to draw (`synth.bundle.figures`); None for none.
    """
    unsigned = replace(certificate, sha256={}).to_bytes()
    carried = unsigned.decode() if len(unsigned) <= MAX_CERTIFICATE_BYTES else ""
    data: Document = {
        "certificate": carried,
        "statement": statement,
        "figures": figures,
        "schemas": _schemas(),
        "files": _files_of(certificate),
    }
    style = read_asset("page.css")
    program = join_modules()
    filled = {
        "title": escape(f"Release of '{certificate.dataset}'"),
        "policy": write_policy(program, style),
        "style": style,
        "program": program,
        "data": embed_json(data),
    }
    return re.sub(
        r"\{\{([a-z]+)\}\}", lambda match: filled[match[1]], read_asset("page.html")
    ).encode()


def _files_of(certificate: Certificate) -> Document:
    """Return what the files of a bundle hold, by name.

    The files of a release are known. Of other bundles, all that Synth writes are listed.
    """
    is_release = isinstance(certificate, ReleaseCertificate)
    names = RELEASE_FILES if is_release else tuple(RESOURCES)
    files: Document = {name: RESOURCES[name].about for name in names}
    return files | {
        DATA_PACKAGE: "What each file holds, with its digest, as a data package.",
        CROISSANT: "The same in the vocabulary of Croissant.",
        CERTIFICATE: "The certificate: what is promised, and the digests of the files.",
    }


def write_policy(program: str, style: str) -> str:
    """Return the content policy that admits one program and one style, and no address.

    Args:
        program: The text of the script element.
        style: The text of the style element.
    """
    return (
        f"default-src 'none'; script-src '{digest_source(program)}'; "
        f"style-src '{digest_source(style)}'; base-uri 'none'; form-action 'none'"
    )


def part_schemas(page: str) -> tuple[str, list[str]]:
    """Return a page without the schemas that it carries, and their texts as published.

    ``page`` may be any text. One that carries no schemas comes back as it is.
    """
    data = _DATA.search(page)
    if data is None:
        return page, []
    try:
        content = read_json(data[1], "The page's data")
    except ArgumentError:
        return page, []
    schemas = content.pop("schemas", None) if isinstance(content, dict) else None
    if not isinstance(schemas, dict):
        return page, []
    rest = page[: data.start(1)] + embed_json(content) + page[data.end(1) :]
    return rest, list(map(schema_file_text, schemas.values()))


def embed_json(value: Json) -> str:
    """Return JSON that can stand in a script element of a page: it has no ``<``.

    >>> embed_json("</script>")
    '"\\\\u003c/script>"'
    """
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


@cache
def join_modules(first: str = FIRST_MODULE) -> str:
    """Return a module of `ASSETS` with all that it imports, as one script.

    Each module becomes a function that is called once, after those of the modules that it
    imports. It returns the names that the module exports.

    Args:
        first: The module's name, without the ending of its file.
    """
    ordered: list[str] = []
    _list_imports(first, ordered)
    return '"use strict";\n' + "".join(map(_wrap_module, ordered))


def _list_imports(name: str, ordered: list[str]) -> None:
    """Add a module to a list, after the modules that it imports."""
    for _, imported in _IMPORT.findall(read_asset(f"{name}.js")):
        if imported not in ordered:
            _list_imports(imported, ordered)
    ordered.append(name)


def _wrap_module(name: str) -> str:
    """Return a module as a constant that holds its exports.

    >>> _wrap_module("faults").splitlines()[0]
    'const faults_module = (() => {'
    """
    text = read_asset(f"{name}.js")
    exports = ", ".join(exported for _, exported in _EXPORT.findall(text))
    body = _EXPORT.sub(r"\1", _IMPORT.sub(r"const \1 = \2_module;\n", text))
    return f"const {name}_module = (() => {{\n{body}return {{ {exports} }};\n}})();\n"


@cache
def read_asset(name: str) -> str:
    """Return the text of a file of `ASSETS`."""
    return (ASSETS / name).read_text("utf-8")


@cache
def _schemas() -> Document:
    """Return the published schemas of certificates, by the ``format`` of the certificate."""
    return {
        str(kind.format): read_json(schema_path(kind).read_bytes(), "A schema")
        for kind in FORMS
    }


def digest_source(text: str) -> str:
    """Return the digest of an element's text as a content policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
