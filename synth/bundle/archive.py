"""The bundle: one zip with all files of a release. One release gives the same bytes.
PUBLIC.
"""

import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from shutil import copyfile, copyfileobj
from typing import NoReturn

from synth import limits
from synth.bundle.certificate import Certificate
from synth.bundle.exports.registry import FORMATS
from synth.bundle.exports.tables import BUNDLED_TABLES
from synth.bundle.resources import Described
from synth.bundle.writer import CERTIFICATE, NOTHING_PROTECTED, sha256, write_files
from synth.errors import NotBundleError, ReleaseError
from synth.foreign import READ_BYTES, Folder, is_system_file, open_file, read_apart
from synth.util import Document, Protection, Writer, read_json

PLAN, REPORT = "plan.json", "report.html"

_DATE = (1980, 1, 1, 0, 0, 0)
# The first bytes of a zip file, even if it is cut off.
_ZIP_START = b"PK"
# What every certificate of Synth says of itself.
CERTIFICATE_MARK = b"synth-certificate-"
# The endings of files that hold rows, and nothing that shows their noise.
_ROWS_ENDINGS = {
    Path(one.file).suffix for one in (*BUNDLED_TABLES.values(), *FORMATS.values())
}


class Archive:
    """A bundle's files by name, unpacked in a private folder, which is deleted with it.
    PUBLIC.
    """

    def __init__(
        self, keeper: Folder, names: Iterable[str], beside: Iterable[str] = ()
    ) -> None:
        self.keeper = keeper
        # The names of files in the same folder that its certificate does not list.
        self.beside = tuple(beside)
        self._paths = {name: keeper.path / str(number) for number, name in enumerate(names)}

    def __contains__(self, name: object) -> bool:
        return name in self._paths  # however large it is

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def path(self, name: str) -> Path:
        """Return the path of an unpacked file; ReleaseError if the bundle lacks it."""
        if name not in self._paths:
            raise ReleaseError(f"The bundle lacks the file '{name}'.")
        return self._paths[name]

    @property
    def digest(self) -> str:
        """The digest of the certificate: the bundle's identity."""
        return sha256(self.path(CERTIFICATE))

    def __getitem__(self, name: str) -> bytes:
        path = self.path(name)
        if path.stat().st_size > limits.RECORD_MB * 2**20:
            raise ReleaseError(
                f"'{name}' in the bundle is larger than {limits.RECORD_MB} MB, the limit."
            )
        return path.read_bytes()

    def text(self, name: str) -> str:
        """Return a file as text; ReleaseError if missing, too long, or not UTF-8."""
        try:
            return self[name].decode()
        except UnicodeDecodeError:
            raise ReleaseError(f"'{name}' in the bundle is not UTF-8 text.") from None

    def json(self, name: str) -> Document:
        """Return a file as a JSON object.

        Raises:
            ReleaseError: It is no object, has too many parts, is nested too deeply, or has a
            name
                twice.
        """
        text = self.text(name)
        holders, texts = text.count("[") + text.count("{"), text.count('"') // 2
        if holders > limits.RECORD_HOLDERS or texts > limits.RECORD_TEXTS:
            raise ReleaseError(
                f"'{name}' in the bundle has more than {limits.RECORD_HOLDERS:,} lists and "
                f"objects or {limits.RECORD_TEXTS:,} texts, the limit."
            )
        content = read_json(text, f"'{name}' in the bundle", kind=ReleaseError)
        if not isinstance(content, dict):
            raise ReleaseError(f"'{name}' in the bundle is not a JSON object.")
        return content


def write_zip(
    path: str | Path,
    writers: Mapping[str, Writer],
    certificate: Certificate,
    described: Described,
    protection: Protection = NOTHING_PROTECTED,
) -> Path:
    """Write files and the certificate that lists them as one zip, whole or not at all.

    Raises:
        ReleaseError: It can't be written, or something else is there.
    """
    with Folder() as folder:
        files = write_files(folder, writers, certificate, described)
        zipped = [files.pop(CERTIFICATE), *files.values()]
        return protection.write_file(path, lambda part: _zip(part, zipped))


def take_out(
    path: Path,
    directory: str | Path,
    names: Collection[str] = (),
    *,
    protection: Protection = NOTHING_PROTECTED,
) -> dict[str, Path]:
    """Copy files of a new bundle into a folder, the certificate last.

    Args:
        names: The names of the files besides the certificate; by default all.
        protection: What is not written over.

    Raises:
        ReleaseError: They can't be written, or something else is there.
    """
    directory = Path(directory)
    filled = protection.fill_folder(directory, last=CERTIFICATE)
    with zipfile.ZipFile(path) as archive, filled as part:
        wanted = [name for name in names or archive.namelist() if name != CERTIFICATE]
        for name in (*wanted, CERTIFICATE):
            with archive.open(name) as source, (part / name).open("wb") as file:
                copyfileobj(source, file)
    return {name: directory / name for name in (*wanted, CERTIFICATE)}


def read_archive(path: str | Path) -> Archive:
    """Unpack a bundle into a private folder that is deleted with the archive.

    Raises:
        NotBundleError: It is no zip, or a zip of something else. ReleaseError: It cannot be
        read, is damaged or too large, or holds folders or names that
            lead out of its own.
        LimitError: It needs more memory or time than there is.
    """
    path, folder = Path(path), Folder()
    try:
        with open_file(path) as file:
            starts_as_zip = file.read(len(_ZIP_START)) == _ZIP_START
    except (FileNotFoundError, NotADirectoryError):
        raise ReleaseError(f"There is no file '{path}'.") from None
    except OSError:
        raise ReleaseError(
            f"The file '{path}' cannot be read; check that you may open it."
        ) from None
    if not starts_as_zip:
        refuse_foreign(path, "it is no zip file")
    most = {"unpacked_mb": limits.BUNDLE_MB, "members": limits.BUNDLE_FILES}
    answer = read_apart(
        "bundle", path, folder.path, name=path.name, needed=CERTIFICATE, **most
    )
    if answer.get("fault") == "foreign":
        inner = "; it holds another zip file, so unpack it first" * bool(answer["zips"])
        refuse_foreign(path, f"the zip file has no '{CERTIFICATE}'{inner}")
    if "fault" not in answer:
        return _check_maker(Archive(folder, map(str, answer["members"])), path)
    told = {
        "names": "The bundle holds a name that would leave its folder; it was not unpacked.",
        "folders": "The bundle holds a folder, and Synth writes none; it was not unpacked.",
        "encrypted": f"'{path.name}' is encrypted; unpack it, and name the folder.",
        "layout": (
            f"Programs that unpack '{path.name}' may see different files: it holds something "
            "before, between or behind them, or says two things about one. If you trust it, "
            "unpack it, and name the folder."
        ),
        "twice": "The bundle holds two files of the same name.",
        "members": f"The bundle holds more than {limits.BUNDLE_FILES} files.",
        "size": f"The bundle unpacks to more than {limits.BUNDLE_MB:,} MB.",
        "ratio": f"The bundle unpacks to more than {limits.PACKED_RATIO} times its size.",
    }
    raise ReleaseError(
        told.get(str(answer["fault"]), f"'{path.name}' is not a whole zip file.")
    )


def read_folder(path: str | Path) -> Archive:
    """Copy the files that a folder's certificate lists into a private folder, as an archive.

    Other files may lie beside them, even the confidential table: they are not copied, and the
    archive has only their names.

    Raises:
        NotBundleError: It has no certificate of Synth.
        ReleaseError: It cannot be read, or holds too many files or too much.
    """
    path, folder = Path(path), Folder()
    try:
        files = {file.name: file for file in path.iterdir()}
        there = {
            name: file for name, file in files.items() if not is_system_file(name, files)
        }
        if CERTIFICATE not in there or not there[CERTIFICATE].is_file():
            hint = "; name one of the zip files in it" * any(
                n.endswith(".zip") for n in there
            )
            refuse_foreign(path, f"the folder has no '{CERTIFICATE}'{hint}")
        listed = _list_files(there[CERTIFICATE], path)
        found = [there[name] for name in sorted({*listed, CERTIFICATE}) if name in there]
        if len(found) > limits.BUNDLE_FILES:
            raise ReleaseError(f"The folder holds more than {limits.BUNDLE_FILES} files.")
        inside = next((one for one in found if not one.is_file()), None)
        if inside is not None:
            raise ReleaseError(f"The folder holds '{inside.name}', which is no file.")
        if sum(one.stat().st_size for one in found) > limits.BUNDLE_MB * 2**20:
            raise ReleaseError(f"The folder holds more than {limits.BUNDLE_MB:,} MB.")
        names = [one.name for one in found]
        archive = Archive(folder, names, beside=sorted({*there} - {*names}))
        for one in found:
            copyfile(one, archive.path(one.name))
    except OSError:
        raise ReleaseError(
            f"The folder '{path}' cannot be read; check that you may open it."
        ) from None
    return archive


def _list_files(certificate: Path, folder: Path) -> list[str]:
    # Of a damaged certificate nothing is known; what reads it next says so.
    archive = Archive(Folder(), [CERTIFICATE])
    copyfile(certificate, archive.path(CERTIFICATE))
    _check_maker(archive, folder)
    try:
        listed = archive.json(CERTIFICATE).get("sha256")
    except ReleaseError:
        return []
    return [*listed] if isinstance(listed, dict) else []


def _check_maker(archive: Archive, path: Path) -> Archive:
    with archive.path(CERTIFICATE).open("rb") as file:
        if CERTIFICATE_MARK not in file.read(limits.RECORD_MB * 2**20):
            refuse_foreign(path, f"its '{CERTIFICATE}' is not one of Synth, or is damaged")
    return archive


def refuse_foreign(path: Path, why: str) -> NoReturn:
    """Refuse a file or a folder that is no bundle, and say what to do.

    Raises:
        NotBundleError: Always.
    """
    advice = "name the zip file or the folder that Synth wrote"
    if path.suffix.lower() in _ROWS_ENDINGS and not path.is_dir():
        advice = (
            "rows alone do not show how much noise they contain, so name the bundle (.zip) "
            "that they came in, and check exported rows by 'verify BUNDLE.zip --file'"
        )
    raise NotBundleError(f"'{path.name or path}' is not a bundle of Synth: {why}; {advice}.")


def certificate_of(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read(CERTIFICATE)


def _zip(path: Path, files: list[Path]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for file in files:
            info = zipfile.ZipInfo(file.name, _DATE)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with (
                file.open("rb") as source,
                archive.open(info, "w", force_zip64=True) as target,
            ):
                copyfileobj(source, target, READ_BYTES)
