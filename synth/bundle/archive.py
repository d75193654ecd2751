"""The bundle: one zip with all files of a release. One release gives the same bytes. PUBLIC."""

import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from shutil import copyfile, copyfileobj

from synth import limits
from synth.bundle.certificate import Certificate
from synth.bundle.resources import Described
from synth.bundle.writer import CERTIFICATE, NOTHING_PROTECTED, sha256, write_files
from synth.errors import ReleaseError
from synth.foreign import READ_BYTES, Folder, open_file, read_apart
from synth.util import Document, Protection, Writer, read_json

PLAN, REPORT = "plan.json", "report.html"

_DATE = (1980, 1, 1, 0, 0, 0)


class Archive:
    """A bundle's files by name, unpacked in a private folder, which is deleted with it. PUBLIC."""

    def __init__(self, keeper: Folder, names: Iterable[str]) -> None:
        self.keeper = keeper
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
            ReleaseError: It is no object, has too many parts, is nested too deeply, or has a name
                twice.
        """
        text = self.text(name)
        holders, texts = text.count("[") + text.count("{"), text.count('"') // 2
        if holders > limits.RECORD_HOLDERS or texts > limits.RECORD_TEXTS:
            raise ReleaseError(
                f"'{name}' in the bundle has more than {limits.RECORD_HOLDERS:,} lists and objects "
                f"or {limits.RECORD_TEXTS:,} texts, the limit."
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
    names: Iterable[str],
    protection: Protection = NOTHING_PROTECTED,
) -> dict[str, Path]:
    """Copy files of a new bundle to a directory, the certificate last, or raise ReleaseError."""
    directory, names = Path(directory), (*names, CERTIFICATE)
    filled = protection.fill_folder(directory, last=CERTIFICATE)
    with zipfile.ZipFile(path) as archive, filled as part:
        for name in names:
            with archive.open(name) as source, (part / name).open("wb") as file:
                copyfileobj(source, file)
    return {name: directory / name for name in names}


def read_archive(path: str | Path) -> Archive:
    """Unpack a bundle into a private folder that is deleted with the archive.

    Raises:
        ReleaseError: It is no zip, is too large, or holds names that lead out of the folder.
        LimitError: It needs more memory or time than there is.
    """
    path, folder = Path(path), Folder()
    try:
        open_file(path).close()
    except FileNotFoundError:
        raise ReleaseError(f"There is no file '{path}'.") from None
    except OSError:
        raise ReleaseError(f"'{path.name}' is not a whole zip file.") from None
    most = {"unpacked_mb": limits.BUNDLE_MB, "members": limits.BUNDLE_FILES}
    answer = read_apart("bundle", path, folder.path, path.name, **most)
    if "fault" not in answer:
        return Archive(folder, map(str, answer["members"]))
    told = {
        "names": "The bundle holds a name that would leave its folder; it was not unpacked.",
        "twice": "The bundle holds two files of the same name.",
        "members": f"The bundle holds more than {limits.BUNDLE_FILES} files.",
        "size": f"The bundle unpacks to more than {limits.BUNDLE_MB:,} MB.",
        "ratio": f"The bundle unpacks to more than {limits.PACKED_RATIO} times its size.",
    }
    raise ReleaseError(told.get(str(answer["fault"]), f"'{path.name}' is not a whole zip file."))


def read_folder(path: str | Path, apart: Collection[str] = ()) -> Archive:
    """Copy the files of a folder into a private one, except those ``apart``, as an archive.

    Raises:
        ReleaseError: It is no folder of plain files, or holds too many or too much.
    """
    path, folder = Path(path), Folder()
    try:
        found = sorted(one for one in path.iterdir() if one.name not in apart)
        if len(found) > limits.BUNDLE_FILES:
            raise ReleaseError(f"The folder holds more than {limits.BUNDLE_FILES} files.")
        inside = next((one for one in found if not one.is_file()), None)
        if inside is not None:
            raise ReleaseError(f"The folder holds '{inside.name}', which is no file.")
        if sum(one.stat().st_size for one in found) > limits.BUNDLE_MB * 2**20:
            raise ReleaseError(f"The folder holds more than {limits.BUNDLE_MB:,} MB.")
        archive = Archive(folder, [one.name for one in found])
        for one in found:
            copyfile(one, archive.path(one.name))
    except OSError:
        raise ReleaseError(f"The folder '{path}' cannot be read.") from None
    return archive


def certificate_of(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read(CERTIFICATE)


def _zip(path: Path, files: list[Path]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for file in files:
            info = zipfile.ZipInfo(file.name, _DATE)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with file.open("rb") as source, archive.open(info, "w", force_zip64=True) as target:
                copyfileobj(source, target, READ_BYTES)
