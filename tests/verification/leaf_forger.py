"""A forger who changes one leaf of a certificate, and writes all files that follow.

No test is in here.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from synth.bundle import (
    DESCRIBING,
    AnswersCertificate,
    Certificate,
    DrawnCertificate,
    LinkedCertificate,
    ReleaseCertificate,
    WrittenFile,
    codebook,
    describe_files,
    describe_linked,
    drawn_texts,
    linked_texts,
    write_pages,
    write_texts,
    writers_of,
)
from synth.errors import SynthError
from synth.plans import LinkedPlan
from synth.verification import Verified
from synth.verification.verified import VerifiedAnswers, VerifiedParts, VerifiedRelease
from tests.bundle.bundles import read_bundle, rezip

LeafPath = tuple[str | int, ...]


@dataclass(frozen=True)
class LeafChange:
    """One change of one leaf.

    Attributes:
        path: The leaf that differs from the honest certificate.
        how: The change, in words.
        content: The whole certificate after it.
    """

    path: LeafPath
    how: str
    content: dict[str, Any]

    @property
    def steps(self) -> tuple[str, ...]:
        return tuple(map(str, self.path))

    def __str__(self) -> str:
        return f"{'.'.join(self.steps)}: {self.how}"


def changes_of(certificate: dict[str, Any]) -> Iterator[LeafChange]:
    """Yield changes of each leaf, each object and each list, by their types.

    Of the parts of a long list, the first and the last are changed.
    """
    for path, value in _list_places(certificate, ()):
        for how, changed, changed_path in _list_variants(value):
            content = _with_value(certificate, path, changed)
            if isinstance(content, dict) and content != certificate:
                yield LeafChange((*path, *changed_path), how, content)


def _list_places(value: Any, path: LeafPath) -> Iterator[tuple[LeafPath, Any]]:
    yield path, value
    if isinstance(value, dict):
        names = list(value)
        if path == ("sha256",):
            names = [names[0], names[-1]]
        for name in names:
            yield from _list_places(value[name], (*path, name))
    if isinstance(value, list) and value:
        for number in sorted({0, len(value) - 1}):
            yield from _list_places(value[number], (*path, number))


# How a value is changed, the changed value, and the steps from it to the leaf that differs.
Variant = tuple[str, Any, LeafPath]


def _list_variants(value: Any) -> Iterator[Variant]:
    if isinstance(value, dict):
        yield "added key", {**value, "zz": "yes"}, ("zz",)
        for name in value:
            yield "removed key", {k: v for k, v in value.items() if k != name}, (name,)
    elif isinstance(value, list):
        yield "longer", [*value, *(value[-1:] or ["more"])], (len(value),)
        if value:
            yield "shorter", value[:-1], (len(value) - 1,)
    elif isinstance(value, bool):
        yield "other truth", not value, ()
    elif isinstance(value, int | float):
        yield "more", value + 1, ()
        yield "a little more", value * 1.01 + 1e-6, ()
        yield "less", value - 1, ()
    elif value is None:
        yield "a number", 3, ()
        yield "a text", "x", ()
    else:
        yield from _variants_of_text(value)
    if value is not None:
        yield "nothing", None, ()
    if not isinstance(value, str):
        yield "as text", str(value), ()


def _variants_of_text(value: str) -> Iterator[Variant]:
    yield "longer", f"{value} and approved by the authority", ()
    yield "empty", "", ()
    yield "as a number", 7, ()
    try:
        number = Fraction(value)
    except (ValueError, ZeroDivisionError):
        return
    yield "half", str(number / 2), ()
    yield "one more", str(number + 1), ()


def _with_value(content: Any, path: LeafPath, value: Any) -> Any:
    if not path:
        return deepcopy(value)
    changed = deepcopy(content)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = deepcopy(value)
    return changed


@dataclass(frozen=True)
class Forger:
    """Writes bundles with a changed certificate, from an honest one and what it says.

    Attributes:
        honest: The honest bundle, checked.
    """

    path: Path
    honest: Verified

    @property
    def certificate(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self._files["certificate.json"])
        return content

    @property
    def _files(self) -> dict[str, bytes]:
        if self.path.is_dir():
            return {
                path.name: path.read_bytes() for path in self.path.iterdir() if path.is_file()
            }
        return read_bundle(self.path)

    def forge(self, change: LeafChange, path: Path) -> Path:
        """Write the bundle with the changed certificate, and all files that follow from
        it.
        """
        files = self._files
        content = change.content
        if change.path[:1] != ("sha256",):
            files |= self._follow(content, files)
            digests = content.get("sha256")
            if isinstance(digests, dict):
                for name in digests:
                    digests[name] = hashlib.sha256(files[name]).hexdigest()
        files["certificate.json"] = (json.dumps(content, indent=1) + "\n").encode()
        if not self.path.is_dir():
            return rezip(path, files)
        folder = path.with_suffix("")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.path, folder)
        for name, file in files.items():
            (folder / name).write_bytes(file)
        return folder

    def _follow(self, content: dict[str, Any], files: dict[str, bytes]) -> dict[str, bytes]:
        """Return the files that follow from the certificate, as far as Synth can write
        them.
        """
        try:
            certificate = Certificate.from_json(content)
            texts = self._texts(certificate, files)
            written = {
                name: WrittenFile(hashlib.sha256(file).hexdigest(), len(file))
                for name, file in (files | texts).items()
                if name not in (*DESCRIBING, "certificate.json")
            }
            described = self._described(certificate)
            return texts | (
                described(written) if described and not self.path.is_dir() else {}
            )
        except (
            SynthError,
            ArithmeticError,
            LookupError,
            TypeError,
            ValueError,
            AssertionError,
        ):
            return {}

    def _texts(self, certificate: Certificate, files: dict[str, bytes]) -> dict[str, bytes]:
        honest = self.honest
        domain = self.honest.domain
        if isinstance(certificate, LinkedCertificate):
            return linked_texts(certificate, self._linked_plan(files))
        if isinstance(certificate, DrawnCertificate):
            return drawn_texts(certificate, domain)
        if isinstance(certificate, AnswersCertificate):
            assert isinstance(honest, VerifiedAnswers)
            changed_texts = dict[str, bytes]()
            for name, writer in writers_of(certificate, honest.inquiry).items():
                there = self.path.with_name("forged.part")
                writer(there)
                changed_texts[name] = there.read_bytes()
            return changed_texts
        assert isinstance(certificate, ReleaseCertificate)
        assert isinstance(honest, VerifiedRelease | VerifiedParts)
        texts = write_texts(certificate, honest.plan.to_json(), domain)
        synthetic = None
        if isinstance(honest, VerifiedRelease):
            synthetic = honest.synthetic
            texts["ddi.xml"] = codebook(certificate, synthetic)
        texts |= write_pages(certificate, honest.record, synthetic)
        return texts

    def _described(self, certificate: Certificate) -> Callable[..., Any] | None:
        if isinstance(certificate, LinkedCertificate):
            package = self._linked_plan(self._files).package
            return lambda written: describe_linked(certificate, package, written)
        return describe_files(certificate, self.honest.domain)

    def _linked_plan(self, files: dict[str, bytes]) -> LinkedPlan:
        return LinkedPlan.from_json(json.loads(files["plan.json"]))
