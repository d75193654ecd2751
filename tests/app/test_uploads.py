"""Uploads: from whom they are taken, and how much of them the server holds."""

import io
from collections.abc import Iterable
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.ui.shell import uploads
from pages.ui.shell.desk import Desk
from pages.ui.shell.private import PrivateFolder
from tests.app.loops import await_result

MB = 2**20


@pytest.fixture(autouse=True)
def manager(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    """What holds the server's files, with limits of 4, 6 and 8 MB."""
    files = MemoryUploadedFileManager("")
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(
        runtime, "get_instance", lambda: type("", (), {"uploaded_file_mgr": files})
    )
    for name, limit_mb in (("UPLOAD", 4), ("PERSON", 6), ("UPLOADS", 8)):
        monkeypatch.setenv(f"SYNTH_{name}_MB", str(limit_mb))
    return files


def let_in(session: str, person: str) -> Desk:
    """Let in a session of a person, as an open page does; return its desk."""
    desk = Desk(owner=person)
    uploads.let_in(session, desk)
    return desk


def send_upload(
    session: str,
    chunks: Iterable[int],
    manager: MemoryUploadedFileManager | None = None,
    header: int | None = None,
    path: str = "/_stcore/upload_file/{}/file",
) -> tuple[int, str, int]:
    """Send an upload in chunks of these sizes; return its status, its sentence and the bytes
    read. Status 204 accepts it. `header` is the length that the request claims to have.
    """
    answers: list[dict[str, Any]] = []
    chunks_left = list(chunks)
    bytes_read = 0

    async def send(message: dict[str, Any]) -> None:
        answers.append(message)

    async def receive() -> dict[str, Any]:
        nonlocal bytes_read
        bytes_read += chunks_left[0]
        return {"body": bytes(chunks_left.pop(0)), "more_body": bool(chunks_left)}

    async def server(_scope: Any, receive: Any, send: Any) -> None:
        data = b""
        try:
            while (message := await receive())["more_body"]:
                data += message["body"]
        except HTTPException as error:
            await uploads.refuse(send, error.status_code, error.detail)
            return
        if manager is not None:
            record = UploadedFileRec(
                str(id(data)), "t.csv", "text/csv", data + message["body"]
            )
            manager.add_file(session, record)
        await send({"status": 204})

    headers = [] if header is None else [(b"content-length", str(header).encode())]
    scope = {
        "type": "http",
        "method": "PUT",
        "path": path.format(session),
        "headers": headers,
    }
    await_result(uploads.Quota(server)(scope, receive, send))
    body = answers[-1].get("body", b"").decode()
    return int(answers[0]["status"]), body, bytes_read


def test_a_session_that_was_not_let_in_sends_nothing(
    manager: MemoryUploadedFileManager,
) -> None:
    """A session that no page has opened is refused before a byte of its upload is read.

    `send_upload` returns the status, the sentence, and how many bytes were read. Once the
    session of a page is forgotten, it is refused as well.
    """
    assert send_upload("stranger", [MB] * 4, manager) == (403, uploads.REFUSED, 0)
    assert send_upload("stranger", [MB], path="/synth/_stcore/upload_file/{}/f") == (
        403,
        uploads.REFUSED,
        0,
    )

    # Other addresses are no uploads, and pass.
    assert send_upload("stranger", [MB], path="/elsewhere/{}/f")[0] == 204

    desk = let_in("ann", "ann")
    assert send_upload("ann", [MB] * 4, manager) == (204, "", 4 * MB)
    del desk  # the session is forgotten
    assert send_upload("ann", [MB] * 4, manager) == (403, uploads.REFUSED, 0)


def test_a_file_that_is_too_large_is_refused_by_its_header_or_as_it_arrives() -> None:
    """An upload above the limit is refused before it is read, or while it arrives.

    The limit is 4 MB, and 1 MB more for what a browser sends around the file. So reading
    stops at the sixth MB.
    """
    session = let_in("ann", "ann")
    status, answer, bytes_read = send_upload("ann", [MB] * 9, header=9 * MB)
    assert (status, bytes_read) == (413, 0)
    assert answer == "The upload is larger than 4 MB, the limit (SYNTH_UPLOAD_MB).\n"

    for header in (None, 1):  # it says less than it sends
        status, answer, bytes_read = send_upload("ann", [MB] * 9, header=header)
        assert (status, bytes_read) == (413, 6 * MB)
        assert answer.startswith("The upload is larger than 4 MB")

    assert send_upload("ann", [MB] * 5)[0] == 204  # the file, and what is around it
    assert session.owner == "ann"  # held until here: a session that nobody holds is forgotten


def test_a_persons_uploads_are_bounded_over_all_their_sessions(
    manager: MemoryUploadedFileManager,
) -> None:
    """A person's uploads are limited over all sessions together, here to 6 MB.

    After Ann's 4 MB, her other session may send 2 MB of a file of 4, and reading stops there.
    Bo has a limit of his own. What a session held is free again once it is gone.
    """
    sessions = [let_in("ann 1", "ann"), let_in("ann 2", "ann"), let_in("bo", "bo")]
    assert send_upload("ann 1", [4 * MB, 0], manager)[0] == 204

    status, answer, bytes_read = send_upload("ann 2", [MB] * 4, manager)
    assert (status, bytes_read) == (413, 2 * MB)
    assert answer.startswith(
        "Your uploads would take more than 6 MB, the limit for each person (SYN"
    )
    assert send_upload("ann 2", [MB] * 4, manager, header=4 * MB) == (413, answer + "\n", 0)

    assert send_upload("bo", [MB] * 3, manager)[0] == 204

    manager.remove_session_files("ann 1")
    assert send_upload("ann 2", [MB] * 4, manager)[0] == 204
    assert len(sessions) == 3  # held until here: a session that nobody holds is forgotten


def test_all_uploads_together_are_bounded(manager: MemoryUploadedFileManager) -> None:
    """The uploads of all people together are limited, here to 8 MB.

    Ann's 4 MB and Bo's 3 MB leave Cy one, so reading his 4 MB stops after the first.
    """
    sessions = [let_in(name, name) for name in ("ann", "bo", "cy")]
    assert send_upload("ann", [4 * MB, 0], manager)[0] == 204
    assert send_upload("bo", [3 * MB, 0], manager)[0] == 204

    status, answer, bytes_read = send_upload("cy", [MB] * 4, manager)
    assert (status, bytes_read) == (413, MB)
    assert answer.startswith(
        "All uploads would take more than 8 MB, the limit of this server (SYNTH"
    )
    assert len(sessions) == 3  # held until here: a session that nobody holds is forgotten


def test_private_copies_count_until_they_are_dropped() -> None:
    """The private copies of a person's uploads count towards the limit of 6 MB until they are
    dropped. Copies of 3 and 2 MB leave 1 MB, so 2 more are refused; without the first copy
    they are accepted.
    """
    desk = let_in("ann", "ann")
    desk.put("folder", folder := PrivateFolder())
    first = folder.keep(io.BytesIO(bytes(3 * MB)), "t.csv")
    folder.keep(io.BytesIO(bytes(2 * MB)), "u.csv")
    assert folder.uploaded_bytes == 5 * MB
    assert send_upload("ann", [2 * MB, 0])[0] == 413

    folder.drop(first)
    assert send_upload("ann", [2 * MB, 0])[0] == 204

    folder.remove()
    assert folder.uploaded_bytes == 0


def test_files_without_content_count_too(manager: MemoryUploadedFileManager) -> None:
    """The names of uploads count, too: a hundred empty files with names of 60,000 characters.

    They take the 6 MB of a person, so nothing more is accepted.
    """
    desk = let_in("ann", "ann")
    for number in range(100):
        manager.add_file("ann", UploadedFileRec(str(number), "n" * 60_000, "", b""))
    assert send_upload("ann", [MB, 0])[0] == 413
    assert desk.owner == "ann"  # held until here: a session that nobody holds is forgotten
