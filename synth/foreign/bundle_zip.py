"""The zip of a bundle, which the child unpacks under limits as numbered files.

A zip that another program made of an unpacked bundle is a bundle, too: the name of the folder
before each file, and the files that systems add, are left out.

>>> names_in_bundle(["b/certificate.json", "b/plan.json", "__MACOSX/._b"], "certificate.json")
{'b/certificate.json': 'certificate.json', 'b/plan.json': 'plan.json'}
"""

import zipfile
from collections.abc import Collection, Sequence
from pathlib import Path, PurePosixPath

from synth.foreign.fault import Fault, Reply, Request
from synth.foreign.packed import check_unpacked_size, list_few, open_zip, unzip_member
from synth.foreign.zip_layout import check_layout

# Files and folders that systems add to a folder or a zip without being asked.
_SYSTEM_FILES = frozenset({".ds_store", "thumbs.db", "desktop.ini"})
_SYSTEM_FOLDER = "__MACOSX"
_SYSTEM_START = "._"
_ENCRYPTED_FLAG = 0x1


def is_system_file(name: str, others: Collection[str]) -> bool:
    """Return whether a system adds a file of this name by itself.

    Args:
        name: The file's name, with the folders that it is in.
        others: The names of the files and folders there. A Mac writes what it knows of a file
            into another one, whose name is ``._`` and the file's.

    >>> names = (
    ...     "b/.DS_Store",
    ...     "__MACOSX/b/._plan.json",
    ...     "__MACOSX/b/people.csv",
    ...     "b/plan.json",
    ... )
    >>> [is_system_file(name, {"b", "plan.json"}) for name in names]
    [True, True, False, False]
    """
    path = PurePosixPath(name)
    if path.name.casefold() in _SYSTEM_FILES:
        return True
    return path.name.startswith(_SYSTEM_START) and path.name[len(_SYSTEM_START) :] in others


def unpack_bundle(request: Request) -> Reply:
    """Unpack all files of a bundle as files with numbers for names.

    The names in the zip are never used as paths. They are returned under "members", in the
    order of the numbers.

    Raises:
        Fault: It is no bundle, too large, encrypted, damaged, or read differently by other
            programs.
    """
    with open_zip(request) as archive:
        files = [member for member in archive.infolist() if not member.is_dir()]
        names = names_in_bundle([_plain_name(file) for file in files], request["needed"])
        members = [file for file in files if _plain_name(file) in names]
        # Each name is there once, so more members are several files of one name.
        if len(members) > len(names):
            raise Fault("twice")
        list_few(request, members)
        check_unpacked_size(request, archive)
        if any(member.flag_bits & _ENCRYPTED_FLAG for member in members):
            raise Fault("encrypted")
        check_layout(Path(request["source"]), archive)
        for number, member in enumerate(members):
            unzip_member(request, archive, member, target=str(number))
    return {"members": [names[_plain_name(member)] for member in members]}


def names_in_bundle(names: Sequence[str], needed: str) -> dict[str, str]:
    """Return the names of a bundle's files, by their names in the zip.

    Args:
        names: All names in the zip, with "/" between folders.
        needed: The name of a file that every bundle has.

    Raises:
        Fault: No bundle is there, two files have one name, or a name leads into another
            folder or is not written in its plain form.
    """
    # All names of files and folders, to find the ones that a Mac adds beside them.
    parts = {part for name in names for part in PurePosixPath(name).parts}
    own_names = [name for name in names if not is_system_file(name, parts)]
    paths = [PurePosixPath(name) for name in own_names]
    homes = [
        path.parent
        for path in paths
        if path.name == needed and _SYSTEM_FOLDER not in path.parts
    ]
    # The bundle is the outermost folder with the needed file.
    home = min(homes, key=lambda folder: len(folder.parts), default=None)
    if home is None:
        raise Fault("foreign", zips=sum(name.lower().endswith(".zip") for name in own_names))
    names_in_folder = {}
    for name in own_names:
        path = PurePosixPath(name)
        # Unpackers that read b//x or ./x as another file than b/x would not see what is
        # checked.
        is_plain = str(path) == name and ".." not in path.parts and ":" not in name
        if path.is_absolute() or not is_plain:
            raise Fault("names")
        if path.parent != home:
            raise Fault("folders")
        names_in_folder[name] = path.name
    return names_in_folder


def _plain_name(member: zipfile.ZipInfo) -> str:
    return member.filename.replace("\\", "/")
