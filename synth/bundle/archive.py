"""The bundle: one zip with all that leaves the building, the same bytes for the same release.

Its CSV files are guarded against formulas (see `statement.guarded`); the Parquet file and the
domain hold every category as declared.
"""

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc

from synth import limits
from synth.bundle.folder import (
    CERTIFICATE,
    DOMAIN,
    NOISY,
    PARQUET,
    SYNTHETIC,
    noisy_table,
    replace_file,
)
from synth.bundle.report import report
from synth.bundle.texts import LATEST, Edition, guarded, texts
from synth.domain.table_schema import depth_within, write_schema
from synth.errors import ReleaseError
from synth.foreign.folders import Folder
from synth.foreign.parent import read_apart
from synth.noisy.record import Record
from synth.rows.draw import SyntheticTable
from synth.rows.values import texts as listed
from synth.rows.write import write_csv

PLAN, REPORT = "plan.json", "report.html"

_DATE = (1980, 1, 1, 0, 0, 0)


class Members(Mapping[str, bytes]):
    """The files of a bundle by name, on the disk until they are asked for."""

    def __init__(self, folder: Folder, names: Iterable[str]) -> None:
        self.keeper = folder
        self._paths = {name: folder.path / str(number) for number, name in enumerate(names)}

    def path(self, name: str) -> Path:
        """Where a file is unpacked.

        Raises:
            ReleaseError: The bundle lacks it.
        """
        if name not in self._paths:
            _refuse(f"The bundle lacks the file '{name}'.")
        return self._paths[name]

    def __getitem__(self, name: str) -> bytes:
        path = self._paths[name]
        if path.stat().st_size > limits.RECORD_MB * 2**20:
            _refuse(f"'{name}' in the bundle is larger than {limits.RECORD_MB} MB, the limit.")
        return path.read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


@dataclass(frozen=True, eq=False)
class Archive:
    """A bundle's files by name, as they are in the zip. PUBLIC."""

    files: Members

    @property
    def keeper(self) -> Folder:
        """The private folder, which goes with the archive."""
        return self.files.keeper

    def path(self, name: str) -> Path:
        """Where a file is unpacked, for as long as the archive is kept.

        Raises:
            ReleaseError: The bundle lacks it.
        """
        return self.files.path(name)

    def text(self, name: str) -> str:
        """A file as text.

        Raises:
            ReleaseError: It is missing, too long, or not UTF-8.
        """
        self.path(name)
        try:
            return self.files[name].decode()
        except UnicodeDecodeError:
            _refuse(f"'{name}' in the bundle is not UTF-8 text.")

    def json(self, name: str) -> dict[str, Any]:
        """A file as a JSON object.

        Raises:
            ReleaseError: It is none, or nested too deeply.
        """
        try:
            content = json.loads(self.text(name))
            is_flat = depth_within(content, limits.JSON_DEPTH)
        except (ValueError, RecursionError):
            content, is_flat = None, True
        if not isinstance(content, dict) or not is_flat:
            _refuse(f"'{name}' in the bundle is not a JSON object.")
        return content


def write_archive(
    path: str | Path,
    *,
    plan: dict[str, Any],
    synthetic: SyntheticTable,
    record: Record,
    certificate: dict[str, Any],
) -> Path:
    """Write the bundle, whole or not at all.

    Raises:
        ReleaseError: It cannot be written.
    """
    with Folder() as folder:
        files = _write_files(folder, plan, synthetic, record, certificate)
        hashes = {file.name: _sha256(file) for file in files}
        signed = folder / CERTIFICATE
        signed.write_bytes(_json({**certificate, "sha256": hashes}))
        return replace_file(Path(path), lambda part: _zip(part, [signed, *files]))


def read_archive(path: str | Path) -> Archive:
    """Unpack a bundle into a private folder that goes with the archive.

    Raises:
        ReleaseError: It is no zip, is too large, or holds names that climb out.
        LimitError: It takes more memory or time than there is.
    """
    path, folder = Path(path), Folder()
    try:
        path.open("rb").close()
    except FileNotFoundError:
        _refuse(f"There is no file '{path}'.")
    except OSError:
        _refuse(f"'{path.name}' is not a whole zip file.")
    most = {"unpacked_mb": limits.BUNDLE_MB, "members": limits.BUNDLE_FILES}
    answer = read_apart("bundle", path, folder.path, path.name, **most)
    match answer.get("fault"):
        case None:
            return Archive(Members(folder, map(str, answer["members"])))
        case "names":
            _refuse("The bundle holds a name that would leave its folder; it was not unpacked.")
        case "twice":
            _refuse("The bundle holds two files of the same name.")
        case "members":
            _refuse(f"The bundle holds more than {limits.BUNDLE_FILES} files.")
        case "size":
            _refuse(f"The bundle unpacks to more than {limits.BUNDLE_MB:,} MB.")
        case "ratio":
            _refuse(f"The bundle unpacks to more than {limits.PACKED_RATIO} times its size.")
    _refuse(f"'{path.name}' is not a whole zip file.")


def certificate_of(path: Path) -> bytes:
    """The certificate in a bundle that was just written."""
    with zipfile.ZipFile(path) as archive:
        return archive.read(CERTIFICATE)


def guarded_table(table: pa.Table, edition: Edition = LATEST) -> pa.Table:
    """The table with every text that a spreadsheet would run marked by an apostrophe."""
    columns = [_guarded_column(column.combine_chunks(), edition) for column in table.columns]
    names = [guarded(name, edition) for name in table.column_names]
    return pa.Table.from_arrays(columns, names=names)


def _write_files(
    folder: Path,
    plan: dict[str, Any],
    synthetic: SyntheticTable,
    record: Record,
    certificate: dict[str, Any],
) -> list[Path]:
    domain = synthetic.domain
    marker = guarded(domain.missing_marker)
    write_csv(map(guarded_table, synthetic.pieces()), folder / SYNTHETIC, missing=marker)
    synthetic.write_parquet(folder / PARQUET)
    write_csv([guarded_table(noisy_table(domain, record.table()))], folder / NOISY)
    contents = {
        DOMAIN: _json(write_schema(domain)),
        PLAN: _json(plan),
        **texts(certificate, plan, domain),
        REPORT: report(certificate, record, synthetic).encode(),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in (SYNTHETIC, PARQUET, NOISY, *contents)]


def _guarded_column(column: pa.Array, edition: Edition) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        labels = listed([guarded(text, edition) for text in column.dictionary.to_pylist()])
        return pa.DictionaryArray.from_arrays(column.indices, labels)
    if not pa.types.is_string(column.type):
        return column
    values = pc.dictionary_encode(column)
    return _guarded_column(values, edition) if len(values.dictionary) else column


def _zip(path: Path, files: list[Path]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for file in files:
            info = zipfile.ZipInfo(file.name, _DATE)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with file.open("rb") as source, archive.open(info, "w", force_zip64=True) as target:
                while block := source.read(2**20):
                    target.write(block)


def _json(content: Any) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refuse(message: str) -> NoReturn:
    raise ReleaseError(message)
