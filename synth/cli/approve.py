"""``python -m synth approve``: the second person's view of a request, and the decision."""

import argparse

from synth.cli.acting import identify, offer_acting, offer_ledger, open_existing, place_of
from synth.cli.saying import print_answer, say, set_run
from synth.door import Ledger, Request, describe_request, dossier_lines
from synth.errors import ArgumentError
from synth.privacy import terms
from synth.util import Document

NONE_WAITS = "No request waits."


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth approve``."""
    set_run(parser, _approve)
    parser.add_argument(
        "request", metavar="NUMBER", nargs="?", help="the request; without it, list all"
    )
    offer_ledger(parser)
    offer_acting(parser)
    parser.add_argument(
        "--refuse", metavar="REASON", help="refuse the request, and say why, with --as"
    )


def _approve(options: argparse.Namespace) -> None:
    """List the requests, show one of them, or approve or refuse it."""
    acting = getattr(options, "as", None)
    if options.request is None:
        if acting or options.refuse:
            raise ArgumentError("Name the NUMBER of the request; `synth approve` lists them.")
        with Ledger(place_of(options), readonly=True) as ledger:
            _list_waiting(options, ledger)
        return
    number = _read_number(options.request)
    if not acting:
        if options.refuse:
            raise ArgumentError("Say who refuses the request, by --as NAME.")
        with Ledger(place_of(options), readonly=True) as ledger:
            request = ledger.persons.request(number)
            dossier = ledger.persons.dossier(number)
        print_answer(options, _summary(request, dossier), dossier_lines(request, dossier))
        return
    with open_existing(options) as ledger:
        _decide(options, ledger, number)


def _decide(options: argparse.Namespace, ledger: Ledger, number: int) -> None:
    """Show a request, ask for the passphrase, and record the decision."""
    request = ledger.persons.request(number)
    dossier = ledger.persons.dossier(number)
    if not options.json:  # shown before the passphrase is typed, which is the consent
        say(*dossier_lines(request, dossier))
    identify(ledger, options)
    if options.refuse is None:
        request = ledger.persons.approve(number)
    else:
        request = ledger.persons.refuse(number, options.refuse)
    line = f"{request.decided_by} {request.state} request {number}, entry {request.decision}."
    if options.refuse is None:
        line += f" It holds once, for exactly this request: {request.by} repeats the command."
    print_answer(options, _summary(request, dossier), [line])


def _read_number(text: str) -> int:
    """Return the number of a request; ArgumentError if the text is no whole number."""
    if not text.isascii() or not text.isdigit():
        raise ArgumentError("NUMBER must be the number of a request, such as 12.")
    return int(text[:18])


def _list_waiting(options: argparse.Namespace, ledger: Ledger) -> None:
    """Print the requests that wait for a second person."""
    requests = ledger.persons.requests(undecided_only=True)
    lines = [f"  {describe_request(request)}" for request in requests]
    summary: Document = {"requests": [_summary(request, {}) for request in requests]}
    print_answer(options, summary, lines or [NONE_WAITS])


def _summary(request: Request, dossier: Document) -> Document:
    """Return a request as JSON, with the second person's view of it."""
    cost = None if request.guarantee is None else dict(terms(request.guarantee))
    summary: Document = {
        "request": request.number,
        "time": request.time,
        "dataset": request.dataset,
        "by": request.by,
        "purpose": request.purpose,
        "guarantee": cost,
        "project": request.project or None,
        "state": request.state,
        "decided_by": request.decided_by or None,
        "reason": request.reason or None,
    }
    if dossier:
        summary["dossier"] = dossier
    return summary
