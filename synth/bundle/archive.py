"""The bundle: one zip with all files of a release. One release gives the same bytes.
PUBLIC.
"""

import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from os.path import isdir
from pathlib import Path
from shutil import copyfile, copyfileobj
from typing import TYPE_CHECKING, NoReturn

from synth import limits
from synth.bundle.certificate import Certificate
from synth.bundle.file_names import CERTIFICATE
from synth.bundle.resources import Described
from synth.errors import NotBundleError, ReleaseError
from synth.foreign import READ_BYTES, Folder, open_file
from synth.util import (
    NOTHING_PROTECTED,
    Document,
    Protection,
    Writer,
    check_deadline,
    read_json,
)

if TYPE_CHECKING:
    from synth.bundle.writer import WritingProgress

# The date of all files in a bundle: the first that the zip format can hold.
_DATE = (1980, 1, 1, 0, 0, 0)
# The level of compression of these files.
_LEVEL = 4
# The first bytes of a zip file, even if it is cut off.
_ZIP_START = b"PK"
# What every certificate of Synth says of itself.
CERTIFICATE_MARK = b"synth-certificate-"


class Archive:
    """A bundle's files by name, unpacked in a private folder, which is deleted with it.
    PUBLIC.

    Attributes:
        keeper: The private folder.
        other_names: The names of files in the same folder that its certificate does not list.
    """

    def __init__(
        self, keeper: Folder, names: Iterable[str], other_names: Iterable[str] = ()
    ) -> None:
        """Keep a private folder of files, which are numbered in the order of `names`.

        Args:
            keeper: The private folder, whose files have the names 0, 1, 2, ...
            names: The names of these files in the bundle, in this order.
            other_names: Names of files that the certificate does not list.
        """
        self.keeper = keeper
        self.other_names = tuple(other_names)
        self._paths = {name: keeper.path / str(number) for number, name in enumerate(names)}

    def __contains__(self, name: object) -> bool:
        """Return whether the bundle has a file of this name, however large it is."""
        return name in self._paths

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the files."""
        return iter(self._paths)

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self._paths)

    def path(self, name: str) -> Path:
        """Return the path of an unpacked file, by its name in the bundle.

        Raises:
            ReleaseError: The bundle lacks it.
        """
        if name not in self._paths:
            raise ReleaseError(f"The bundle lacks the file '{name}'.")
        return self._paths[name]

    @property
    def digest(self) -> str:
        """The SHA-256 digest of the certificate, which identifies the bundle."""
        from synth.bundle.writer import sha256

        return sha256(self.path(CERTIFICATE))

    def __getitem__(self, name: str) -> bytes:
        """Return the bytes of a file, by its name in the bundle.

        Raises:
            ReleaseError: It is missing, or larger than `limits.RECORD_MB`.
        """
        path = self.path(name)
        if path.stat().st_size > limits.RECORD_MB * 2**20:
            raise ReleaseError(
                f"'{name}' in the bundle is larger than {limits.RECORD_MB} MB, the limit."
            )
        return path.read_bytes()

    def text(self, name: str) -> str:
        """Return a file as text, by its name in the bundle.

        Raises:
            ReleaseError: It is missing, too large, or not UTF-8.
        """
        try:
            return self[name].decode()
        except UnicodeDecodeError:
            raise ReleaseError(f"'{name}' in the bundle is not UTF-8 text.") from None

    def json(self, name: str) -> Document:
        """Return a file as a JSON object.

        Raises:
            ReleaseError: It is no object, has too many parts, is nested too deeply, or has
                a name twice.
        """
        text = self.text(name)
        # Small pieces of text may become large objects, so they are counted before reading.
        holders = text.count("[") + text.count("{")  # lists and objects
        texts = text.count('"') // 2  # each has two quotation marks
        if holders > limits.RECORD_HOLDERS or texts > limits.RECORD_TEXTS:
            raise ReleaseError(
                f"'{name}' in the bundle has more than {limits.RECORD_HOLDERS:,} lists and "
                f"objects or {limits.RECORD_TEXTS:,} texts, the limit."
            )
        content = read_json(text, f"'{name}' in the bundle", kind=ReleaseError)
        if not isinstance(content, dict):
            raise ReleaseError(f"'{name}' in the bundle is not a JSON object.")
        return content


def write_zip(  # noqa: PLR0913 - each option by name
    path: str | Path,
    writers: Mapping[str, Writer],
    certificate: Certificate,
    *,
    described: Described,
    protection: Protection = NOTHING_PROTECTED,
    progress: "WritingProgress | None" = None,
) -> Path:
    """Write files and the certificate that lists them as one zip, whole or not at all.

    The certificate is the first file of the zip.

    Args:
        path: The zip file to write.
        writers: Functions that write each file to a path, by the file's name.
        certificate: The certificate; it gets the digests of the files.
        described: Makes the files that describe the others, from their digests and sizes.
        protection: The files that are never written over.
        progress: Called after each of the files, before the zip.

    Returns:
        The path of the zip file.

    Raises:
        ReleaseError: It can't be written, or something else is there.
    """
    from synth.bundle.writer import write_files

    with Folder() as folder:
        files = write_files(
            folder, writers, certificate, described=described, progress=progress
        )
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
        path: The bundle, a zip file that Synth has just written.
        directory: The folder.
        names: The names of the files except the certificate; by default all.
        protection: The files that are never written over.

    Returns:
        The path of each copied file, by its name.

    Raises:
        ReleaseError: They can't be written, or something else is there.
    """
    directory = Path(directory)
    # Files are written into a temporary folder, ``part``, and moved once all are there.
    filled = protection.fill_folder(directory, last=CERTIFICATE)
    with zipfile.ZipFile(path) as archive, filled as part:
        copied = [name for name in names or archive.namelist() if name != CERTIFICATE]
        for name in (*copied, CERTIFICATE):
            with archive.open(name) as source, (part / name).open("wb") as file:
                copyfileobj(source, file)
    return {name: directory / name for name in (*copied, CERTIFICATE)}


def copier(path: Path, name: str) -> Writer:
    """Return the writer that copies a file of a bundle.

    Args:
        path: The bundle, a zip file that Synth has just written.
        name: The name of the file in it.
    """

    def copy(target: Path) -> None:
        """Write the file at this path."""
        with (
            zipfile.ZipFile(path) as archive,
            archive.open(name) as source,
            target.open("wb") as file,
        ):
            while piece := source.read(READ_BYTES):
                check_deadline()
                file.write(piece)

    return copy


def read_bundle(path: str | Path) -> Archive:
    """Unpack a bundle's zip file, or open its folder.

    Raises:
        NotBundleError: It is no bundle.
        ReleaseError: It cannot be read.
    """
    return read_folder(path) if isdir(path) else read_archive(path)


def read_archive(path: str | Path) -> Archive:
    """Unpack a bundle into a private folder that is deleted with the archive.

    Raises:
        NotBundleError: It is no zip, or a zip of something else.
        ReleaseError: It cannot be read, is damaged or too large, or holds folders or names
            that lead out of its own.
        LimitError: It needs more memory or time than there is.
    """
    from synth.foreign import read_apart

    path = Path(path)
    if not _starts_as_zip(path):
        refuse_foreign(path, "it is no zip file")
    folder = Folder()
    # A process with limits of memory and time unpacks it, since anyone may have made it.
    reply = read_apart(
        "bundle",
        path,
        folder.path,
        name=path.name,
        needed=CERTIFICATE,
        unpacked_mb=limits.BUNDLE_MB,
        members=limits.BUNDLE_FILES,
    )
    # A fault is one word: "foreign" is a zip file without a certificate.
    if reply.get("fault") == "foreign":
        why = f"the zip file has no '{CERTIFICATE}'"
        if reply["zips"]:  # the number of zip files inside
            why += "; it holds another zip file, so unpack it first"
        refuse_foreign(path, why)
    if "fault" in reply:
        raise ReleaseError(_describe_fault(str(reply["fault"]), path.name))
    # The names of the unpacked files; in the folder, they have the numbers 0, 1, 2, ...
    return _check_maker(Archive(folder, map(str, reply["members"])), path)


def _starts_as_zip(path: Path) -> bool:
    """Return whether a file begins as zip files do.

    Raises:
        ReleaseError: There is no such file, or it cannot be read.
    """
    try:
        with open_file(path) as file:
            return file.read(len(_ZIP_START)) == _ZIP_START
    except (FileNotFoundError, NotADirectoryError):
        raise ReleaseError(f"There is no file '{path}'.") from None
    except OSError:
        raise ReleaseError(
            f"The file '{path}' cannot be read; check that you may open it."
        ) from None


def _describe_fault(fault: str, name: str) -> str:
    """Return the sentence about the fault of a zip file.

    Args:
        fault: The fault, as one word that the unpacking process reported.
        name: The name of the zip file.
    """
    sentences = {
        "names": "The bundle holds a name that would leave its folder; it was not unpacked.",
        "folders": "The bundle holds a folder, and Synth writes none; it was not unpacked.",
        "encrypted": f"'{name}' is encrypted; unpack it, and name the folder.",
        "layout": (
            f"Programs that unpack '{name}' may see different files: it holds something "
            "before, between or behind them, or says two things about one. If you trust it, "
            "unpack it, and name the folder."
        ),
        "twice": "The bundle holds two files of the same name.",
        "members": f"The bundle holds more than {limits.BUNDLE_FILES} files.",
        "size": f"The bundle unpacks to more than {limits.BUNDLE_MB:,} MB.",
        "ratio": f"The bundle unpacks to more than {limits.PACKED_RATIO} times its size.",
    }
    return sentences.get(fault, f"'{name}' is not a whole zip file.")


def read_folder(path: str | Path) -> Archive:
    """Copy the files that a folder's certificate lists into a private folder; return them.

    The folder may hold other files, even the confidential table: they are not copied, and the
    archive has only their names.

    Raises:
        NotBundleError: It has no certificate of Synth.
        ReleaseError: It cannot be read, or holds too many files or too much.
    """
    from synth.foreign import is_system_file

    path = Path(path)
    folder = Folder()
    try:
        in_folder = {file.name: file for file in path.iterdir()}
        # Files that the operating system itself puts into folders do not count.
        present = {
            name: file
            for name, file in in_folder.items()
            if not is_system_file(name, in_folder)
        }
        if CERTIFICATE not in present or not present[CERTIFICATE].is_file():
            why = f"the folder has no '{CERTIFICATE}'"
            if any(name.endswith(".zip") for name in present):
                why += "; name one of the zip files in it"
            refuse_foreign(path, why)
        listed_names = {*_list_files(present[CERTIFICATE], path), CERTIFICATE}
        # A check of the digests names those that are missing.
        names = [name for name in sorted(listed_names) if name in present]
        files = [present[name] for name in names]
        _check_files(files)
        archive = Archive(folder, names, other_names=sorted({*present} - {*names}))
        for file in files:
            copyfile(file, archive.path(file.name))
    except OSError:
        raise ReleaseError(
            f"The folder '{path}' cannot be read; check that you may open it."
        ) from None
    return archive


def _check_files(files: list[Path]) -> None:
    """Check that the listed files of a folder are files, and not too many or too large.

    Raises:
        ReleaseError: They are not.
    """
    if len(files) > limits.BUNDLE_FILES:
        raise ReleaseError(f"The folder holds more than {limits.BUNDLE_FILES} files.")
    for file in files:
        if not file.is_file():
            raise ReleaseError(f"The folder holds '{file.name}', which is no file.")
    if sum(file.stat().st_size for file in files) > limits.BUNDLE_MB * 2**20:
        raise ReleaseError(f"The folder holds more than {limits.BUNDLE_MB:,} MB.")


def _list_files(certificate: Path, folder: Path) -> list[str]:
    """Return the names of the files that a certificate lists; none if it is damaged.

    The next reader of a damaged certificate names the damage.

    Args:
        certificate: The path of the certificate.
        folder: The folder that it is in, for the sentence.

    Raises:
        NotBundleError: It is no certificate of Synth.
    """
    # An archive of this file alone, since its reader sets limits.
    archive = Archive(Folder(), [CERTIFICATE])
    copyfile(certificate, archive.path(CERTIFICATE))
    _check_maker(archive, folder)
    try:
        digests = archive.json(CERTIFICATE).get("sha256")
    except ReleaseError:
        return []
    return [*digests] if isinstance(digests, dict) else []


def _check_maker(archive: Archive, path: Path) -> Archive:
    """Return the archive, if its certificate bears the mark of Synth's certificates.

    Args:
        archive: The unpacked bundle.
        path: The zip file or folder that it was read from, for the sentence.

    Raises:
        NotBundleError: It does not.
    """
    with archive.path(CERTIFICATE).open("rb") as file:
        if CERTIFICATE_MARK not in file.read(limits.RECORD_MB * 2**20):
            refuse_foreign(path, f"its '{CERTIFICATE}' is not one of Synth, or is damaged")
    return archive


def refuse_foreign(path: Path, why: str) -> NoReturn:
    """Refuse a file or a folder that is no bundle, and say what to do.

    Args:
        path: The file or the folder.
        why: The reason, as a clause.

    Raises:
        NotBundleError: Always.
    """
    advice = "name the zip file or the folder that Synth wrote"
    if path.suffix.lower() in _rows_endings() and not path.is_dir():
        advice = (
            "rows alone do not show how much noise they contain, so name the bundle (.zip) "
            "that they came in, and check exported rows by 'verify BUNDLE.zip --file'"
        )
    raise NotBundleError(f"'{path.name or path}' is not a bundle of Synth: {why}; {advice}.")


def _rows_endings() -> set[str]:
    """Return the endings, such as .csv, of files that hold rows alone.

    Nothing in such a file shows how much noise is in the rows.
    """
    # Here, because the formats are needed only for this error.
    from synth.bundle.exports.registry import FORMATS
    from synth.bundle.exports.tables import BUNDLED_TABLES

    formats = (*BUNDLED_TABLES.values(), *FORMATS.values())
    return {Path(file_format.file).suffix for file_format in formats}


def certificate_of(path: Path) -> bytes:
    """Return the certificate in a zip file."""
    with zipfile.ZipFile(path) as archive:
        return archive.read(CERTIFICATE)


def describe_entry(name: str) -> zipfile.ZipInfo:
    """Return the facts of a file in a zip, which are the same at any time and anywhere.

    The date, the permissions and the compression are fixed, and not those of a file. Level 4
    of the compression takes half as long as the usual 6, for 4 to 7 % more bytes.
    """
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    # Of a file with such facts of its own, the archive's level would be ignored.
    info._compresslevel = _LEVEL  # type: ignore[attr-defined]
    # The upper 16 bits are Unix permissions: all may read, and the owner may write.
    info.external_attr = 0o644 << 16
    return info


def _zip(path: Path, files: list[Path]) -> None:
    """Write files into a zip file of the same bytes at any time and on any machine.

    Args:
        path: The zip file to write.
        files: The files, in order; their own names become the names in the zip file.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            check_deadline()
            info = describe_entry(file.name)
            # The large form, as the packed size is not known before; files may exceed 2 GB.
            with (
                file.open("rb") as source,
                archive.open(info, "w", force_zip64=True) as target,
            ):
                copyfileobj(source, target, READ_BYTES)
