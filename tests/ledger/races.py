"""Ten users at one ledger at the same time, and processes that are killed there.

Each worker is a process of its own. What they did is then checked from the events of the
ledger alone, by code that knows nothing of the door.
"""

import multiprocessing
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from synth import limits
from synth.door import Ledger
from synth.errors import LedgerError
from synth.privacy import Guarantee, Neighbors, parse_budget
from tests.tables import ROOT

REPLACE = Neighbors.REPLACE_ONE
USERS = [f"user {number}" for number in range(10)]
# Rounds in one ledger, which is read again at each step.
ROUNDS = 50
KILLED = """
import sys
from tests.ledger.races import go_on
go_on(sys.argv[1], int(sys.argv[2]))
"""


def passphrase_of(user: str) -> str:
    """The passphrase of a user."""
    return f"the words of {user}"


def make_ledger(path: Path) -> Path:
    """Make a ledger with a large budget that is set to the ten users, with cheap passphrases.

    What the ledger stores of a passphrase says what it costs, also to other processes.
    """
    usual_cost = limits.SCRYPT_COST
    limits.SCRYPT_COST = 2**4
    try:
        with Ledger(path) as ledger:
            ledger.set_budget("survey", parse_budget("100000", REPLACE))
            ledger.persons.require({user: passphrase_of(user) for user in USERS})
    finally:
        limits.SCRYPT_COST = usual_cost
    return path


def spend(ledger: Ledger, purpose: str, **options: Any) -> int:
    """Spend for a purpose as the one who acts; return the number of the spend."""
    entry = ledger.spend(
        dataset="survey",
        guarantee=Guarantee.pure(Fraction(1, 4)),
        neighbors=REPLACE,
        purpose=purpose,
        dossier={"purpose": purpose},
        **options,
    )
    return entry.number


def act(ledger: Ledger, choice: random.Random) -> None:
    """Do what one user may try: ask for a spend, or decide about any request."""
    action = choice.choices(["spend", "approve", "refuse"], [5, 4, 1])[0]
    requests = ledger.persons.requests()
    try:
        if action == "spend" or not requests:
            spend(ledger, "histogram")
        elif action == "approve":
            ledger.persons.approve(choice.choice(requests[-12:]).number)
        else:
            ledger.persons.refuse(choice.choice(requests[-12:]).number, "too much")
    except LedgerError:
        pass  # the lines of the ledger say what happened


def race(paths: list[Path], worker: int, barrier: Any) -> None:
    """Take part in all races: one step at the same time as the other workers, in each round.

    Two workers act as the same user at a time, so that they compete for one approval.
    """
    choice = random.Random(worker)
    for path in paths:
        with Ledger(path) as ledger:
            for number in range(ROUNDS):
                user = USERS[(worker // 2 + number) % len(USERS)]
                ledger.persons.identify(user, passphrase_of(user))
                barrier.wait()
                act(ledger, choice)
            barrier.wait()


def run_races(folder: Path, races: int) -> list[Path]:
    """Let ten processes race so many times, and return the ledgers, `ROUNDS` in each."""
    context = multiprocessing.get_context("spawn")
    paths = [make_ledger(folder / f"{number}.db") for number in range(races // ROUNDS)]
    barrier = context.Barrier(len(USERS))
    workers = [
        context.Process(target=race, args=(paths, worker, barrier))
        for worker in range(len(USERS))
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * len(USERS)
    return paths


def go_on(path: str, seed: int) -> None:
    """Ask, approve and spend without end, and print a line after each step."""
    choice = random.Random(seed)
    ledger = Ledger(path)
    number = len(ledger.events())
    while True:
        asking, deciding = choice.sample(USERS, 2)
        number += 1
        options = {"table": "t", "request": f"request {number}"}
        for user, is_asking in ((asking, True), (deciding, False), (asking, True)):
            ledger.persons.identify(user, passphrase_of(user))
            try:
                if is_asking:
                    spend(ledger, "histogram", **options)
                else:
                    ledger.persons.approve(ledger.persons.requests()[-1].number)
            except LedgerError:
                pass
            print("step", flush=True)


def kill_once(path: Path, seed: int) -> None:
    """Start a process that goes on in a ledger, and kill it after some steps."""
    command = [sys.executable, "-W", "ignore", "-c", KILLED, str(path), str(seed)]
    steps = random.Random(seed).randint(1, 8)
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        for _ in range(steps):
            assert process.stdout.readline() == b"step\n"
        process.kill()


def check_spends(path: Path) -> int:
    """Check that two persons agreed to each spend, each time anew; return their number."""
    with Ledger(path) as ledger:
        ledger.verify()
        events = {event.number: event for event in ledger.events()}
    used = []
    for spent in events.values():
        if spent.kind != "spend":
            continue
        request = events[spent.content["request"]]  # type: ignore[index]
        approval = events[spent.content["approval"]]  # type: ignore[index]
        assert (request.kind, approval.kind) == ("request", "approval")
        assert request.number < approval.number < spent.number
        assert approval.content["request"] == request.number
        assert approval.content["hash"] == request.hash
        assert request.content["by"] == spent.content["by"]
        assert approval.content["by"] == spent.content["approved_by"]
        assert approval.content["by"] != request.content["by"]
        assert request.content["guarantee"] == spent.content["guarantee"]
        later = [
            event
            for event in events.values()
            if event.kind == "rejection"
            and event.content["request"] == request.number
            and approval.number < event.number < spent.number
        ]
        assert later == []
        used += [request.number, approval.number]
    assert len(used) == len(set(used))
    return len(used) // 2
