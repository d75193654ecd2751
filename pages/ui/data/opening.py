"""Opening a bundle: its release, declaration and plan come back, at no cost."""

import shutil
from typing import Any

from pages.ui.shell import state
from pages.ui.shell.recognising import open_release
from pages.ui.shell.release import Release
from pages.ui.shell.release_job import BUNDLE
from pages.ui.shell.widgets import name_upload, upload
from synth.bundle import CERTIFICATE, SINGLE_FILES
from synth.errors import NotBundleError
from synth.verification import open_bundle


def _take_bundle(uploaded: Any) -> None:
    """Open an uploaded bundle as the release of this session, with its declaration and plan.

    Raises:
        NotBundleError: The file is not a bundle; the message has the upload's own name.
        SynthError: The bundle is damaged. The copy is deleted then.
    """
    path = state.folder().keep(uploaded, BUNDLE)
    try:
        with state.while_open():
            opened = open_bundle(path)
        names = (*SINGLE_FILES, CERTIFICATE)
        for name in names:
            shutil.copyfile(opened.archive.path(name), path.parent / name)
        files = {BUNDLE: path, **{name: path.parent / name for name in names}}
        open_release(
            Release(
                source=None,
                plan=opened.result.plan,
                result=opened.result,
                files=files,
                opened=True,
            )
        )
    except Exception as error:
        state.folder().drop(path)
        # The error names the private copy; people know their own file's name.
        if isinstance(error, NotBundleError):
            raise name_upload(error, path, uploaded.name) from None
        raise
    state.notice(opened.in_words)
    if state.draft().source is None:
        state.notice(
            "Its release, declaration and plan are open, and nothing was spent. Its files "
            "are in the step Download. To compare it, or to release again, choose its table "
            "in the step Data."
        )


def opener() -> None:
    """Show the upload of a bundle, which continues from its release, declaration and plan."""
    upload(
        "bundle",
        "A bundle (bundle.zip) to check and continue from",
        _take_bundle,
        type=["zip"],
    )
