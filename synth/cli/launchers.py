"""Launchers for a double click: files that start ``synth desktop`` with this Python."""

import shlex
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from synth.errors import ReleaseError
from synth.util import FolderOutput, Protection

IDENTIFIER = "io.github.synth-dp"


@dataclass(frozen=True)
class Launcher:
    """The files of a launcher on one system.

    Attributes:
        folder: The system's folder for launchers.
        files: Their contents by path in it.
    """

    folder: Path
    files: dict[str, str]


def launcher(platform: str, python: str) -> Launcher:
    """Return the launcher for a platform: the files that start the app by a double click.

    Args:
        platform: Named as in `sys.platform`.
        python: The path of the interpreter that runs Synth.

    >>> print(launcher("win32", "py.exe").files["Synth.cmd"].splitlines()[1])
    start "" "py.exe" -m synth desktop
    """
    if platform == "win32":
        # This interpreter opens no console window.
        windowless = python.removesuffix("python.exe") + "pythonw.exe"
        chosen = windowless if Path(windowless).is_file() else python
        script = f'@echo off\r\nstart "" "{chosen}" -m synth desktop\r\n'
        return Launcher(Path("~/Desktop"), {"Synth.cmd": script})
    command = f"#!/bin/sh\nexec {shlex.quote(python)} -m synth desktop\n"
    if platform == "darwin":
        inside = "Synth.app/Contents"
        files = {f"{inside}/Info.plist": _PLIST, f"{inside}/MacOS/Synth": command}
        return Launcher(Path("~/Applications"), files)
    # By the Desktop Entry Specification, a word of ``Exec`` is in quotes, with backslashes
    # before some characters. Then backslashes are doubled as in any text of such a file, and
    # so is the percent sign, which would begin a code.
    escaped = "".join(f"\\{c}" if c in '"`$\\' else c for c in python)
    entry = _ENTRY.format('"' + escaped.replace("\\", "\\\\").replace("%", "%%") + '"')
    return Launcher(Path("~/.local/share/applications"), {"synth.desktop": entry})


def install(folder: str | None = None, *, overwrite: bool = False) -> list[Path]:
    """Write the launcher of this platform, and return the paths of its files.

    Args:
        folder: Where to write it; by default the system's folder for launchers.
        overwrite: Whether to replace other files there.

    Raises:
        ReleaseError: A file cannot be written, or something else is there.
    """
    platform_launcher = launcher(sys.platform, sys.executable)
    protection = Protection(overwrite=overwrite)
    top = Path(folder or platform_launcher.folder).expanduser()
    try:
        if folder is None:
            top.mkdir(parents=True, exist_ok=True)
        protection.check(FolderOutput(top, tuple(platform_launcher.files)))
        for name in platform_launcher.files:
            (top / name).parent.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise ReleaseError(f"Nothing can be written to the folder '{top}'.") from None
    return [
        protection.write_file(top / name, partial(_write, content))
        for name, content in platform_launcher.files.items()
    ]


def _write(content: str, path: Path) -> None:
    path.write_bytes(content.encode())
    path.chmod(0o755)  # a file manager starts nothing that may not be run


_ENTRY = """[Desktop Entry]
Type=Application
Name=Synth
Comment=Differentially private synthetic tables
Exec={} -m synth desktop
Terminal=false
Categories=Science;Office;
"""

_PLIST = f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>CFBundleName</key><string>Synth</string>
<key>CFBundleExecutable</key><string>Synth</string>
<key>CFBundleIdentifier</key><string>{IDENTIFIER}</string>
<key>CFBundlePackageType</key><string>APPL</string>
</dict></plist>
"""
