"""Two persons: one asks for a spend, another one approves it, and the door waits. PUBLIC.

A dataset, or the whole ledger, is set to two persons by a line of the ledger. From then on
the ledger writes a spend, a look or a vouching only if an approval for exactly this request,
by another person, is in it and not used yet. All of it is read in the transaction that
writes the entry, so nobody else can use the same approval meanwhile.

>>> from synth.door.ledger.ledger import Ledger
>>> from synth.privacy import Guarantee, Neighbors, parse_budget
>>> ann = Ledger()
>>> setting = ann.persons.require({"ann": "four words in row", "bo": "some other words"})
>>> setting.names, setting.others("ann")
(('ann', 'bo'), 'bo')
>>> ann.persons.identify("ann", "four words in row")
>>> spend = {
...     "dataset": "survey",
...     "guarantee": Guarantee.pure(1),
...     "purpose": "histogram",
...     "neighbors": Neighbors.REPLACE_ONE,
...     "dossier": {"purpose": "histogram"},
... }
>>> ann.spend(**spend)
Traceback (most recent call last):
synth.errors.WaitingError: Request 3 waits for bo: histogram. Nothing was spent.
>>> ann.persons.identify("bo", "some other words")
>>> ann.persons.approve(3).state
'approved'
>>> ann.persons.identify("ann", "four words in row")
>>> entry = ann.spend(**spend)
>>> entry.by, entry.approved_by
('ann', 'bo')
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import cast

from synth import limits
from synth.door.ledger import chain
from synth.door.ledger.budgets import check_reason
from synth.door.ledger.chain import PERSONS, WHOLE_LEDGER, Event
from synth.door.ledger.names import check_name, standard
from synth.door.ledger.persons import (
    PASSPHRASES,
    PersonsSetting,
    check_person,
    check_persons,
    is_passphrase,
    make_verifier,
)
from synth.door.ledger.requests import (
    APPROVAL,
    APPROVED,
    DOSSIER,
    REJECTED,
    REJECTION,
    REQUEST,
    USED,
    WAITING,
    Authority,
    Request,
    read_requests,
)
from synth.door.ledger.sqlite_store import Store, kept_content
from synth.errors import LedgerError, WaitingError
from synth.util import Document, read_json

# What the line of a request says is asked for, if a setting shall end.
END_PURPOSE = "one person alone may spend again"


class TwoPersons:
    """The persons of a ledger, what they ask for, and what they approve.

    Args:
        store: The ledger's file.
        signed_in: The address of the person who has signed in at the server; empty for none.
    """

    def __init__(self, store: Store, *, signed_in: str = "") -> None:
        """Take the ledger's file, and who has signed in."""
        self._store = store
        self._signed_in = signed_in
        # Who has typed the passphrase, by the number of the setting that knows it.
        self._identified: dict[int, str] = {}

    # The setting.

    def settings(self) -> list[PersonsSetting]:
        """Return the settings that hold now, in their order."""
        settings: dict[str, PersonsSetting] = {}
        for event in self._store.events(PERSONS):
            settings.pop(standard(event.dataset), None)
            if event.content["names"]:
                settings[standard(event.dataset)] = PersonsSetting.from_event(event)
        return [*settings.values()]

    def setting(self, *datasets: str) -> PersonsSetting | None:
        """Return the setting that holds for a spend; None if one person may spend alone.

        Args:
            datasets: The dataset's name, and others under which the ledger knows the table:
                a new name does not lead around the second person.
        """
        names = {standard(name) for name in (*datasets, WHOLE_LEDGER)}
        in_force = (
            setting for setting in self.settings() if standard(setting.dataset) in names
        )
        # The oldest one, so that nobody names other persons under another dataset's name.
        return min(in_force, key=lambda setting: setting.number, default=None)

    def require(
        self,
        passphrases: Mapping[str, str],
        *,
        signed_in: Collection[str] = (),
        dataset: str = WHOLE_LEDGER,
    ) -> PersonsSetting:
        """Set a dataset, or the whole ledger, to two persons.

        Args:
            passphrases: The passphrase of each person who types one.
            signed_in: Addresses of persons who sign in at the server instead.
            dataset: The dataset's name; by default the whole ledger.

        Raises:
            LedgerError: It is set already, or a name or a passphrase cannot be one.
        """
        dataset = check_name(dataset)
        names = check_persons([*passphrases, *signed_in])
        verifiers = {
            check_person(name): make_verifier(text) for name, text in passphrases.items()
        }
        content: Document = {"names": [*names]}
        if signed_in:
            content["signed_in"] = [check_person(name) for name in signed_in]
        with self._store.writing():
            setting = self.setting(dataset)
            if setting is not None:
                raise LedgerError(
                    f"{setting.in_words} is set to two persons already "
                    f"({', '.join(setting.names)}). For other persons, end this setting "
                    "first by `synth ledger persons --off`, to which two of them agree."
                )
            event = self._store.append(PERSONS, dataset, content)
            self._keep(event, PASSPHRASES, cast("Document", verifiers))
        return PersonsSetting.from_event(event)

    def end(self, dataset: str = WHOLE_LEDGER) -> None:
        """End the setting of a dataset or of the whole ledger, which two persons agree to.

        Raises:
            WaitingError: The second person has to approve it first.
            LedgerError: It is not set to two persons, or nobody said who asks.
        """
        with self._store.writing():
            setting = self.setting(dataset)
            if setting is None or standard(setting.dataset) != standard(dataset):
                raise LedgerError(
                    "This is not set to two persons by itself, so there is nothing to end."
                )
            subject: Document = {"purpose": END_PURPOSE}
            outcome = self.authorise(setting, setting.dataset, subject, dossier={})
            if isinstance(outcome, Authority):
                content: Document = {"names": [], **outcome.to_json()}
                self._store.append(PERSONS, setting.dataset, content)
                return
        raise outcome

    def identify(self, name: str, passphrase: str) -> None:
        """Let a person act in this ledger from now on, by the passphrase.

        Raises:
            LedgerError: No setting has this person with this passphrase.
        """
        name = check_person(name)
        self._identified = {}
        for setting in self.settings():
            verifier = self._verifiers(setting).get(name)
            if verifier is not None and is_passphrase(passphrase, verifier):
                self._identified[setting.number] = name
        if not self._identified:
            raise LedgerError("No person of this ledger has this name and this passphrase.")

    def leave(self) -> None:
        """Let nobody act in this ledger by a passphrase until the next `identify`."""
        self._identified = {}

    def acting(self, setting: PersonsSetting) -> str:
        """Return who acts, as far as a setting knows the person; empty for nobody."""
        if self._signed_in in setting.signed_in:
            return self._signed_in
        return self._identified.get(setting.number, "")

    # Requests.

    def requests(self, *, undecided_only: bool = False) -> list[Request]:
        """Return the requests of the ledger, oldest first.

        Args:
            undecided_only: Only requests without a decision.
        """
        requests = read_requests(self._store.events()).values()
        return [
            request for request in requests if not undecided_only or request.state == WAITING
        ]

    def request(self, number: int) -> Request:
        """Return one request by its number; LedgerError if there is none of this number."""
        request = read_requests(self._store.events()).get(number)
        if request is None:
            raise LedgerError(f"The ledger has no request {number}.")
        return request

    def dossier(self, number: int) -> Document:
        """Return the second person's view of a request; it holds nothing private."""
        stored = self._store.payload(self.request(number).number, DOSSIER)
        return {} if stored is None else read_json(stored[1], "The request")

    def approve(self, number: int) -> Request:
        """Approve a request as the second person, and return it with the decision.

        Raises:
            LedgerError: The one who acts is not known or asked for it, or it is used already.
        """
        return self._decide(number, APPROVAL, {})

    def refuse(self, number: int, reason: str) -> Request:
        """Refuse a request as the second person; an approval that was not used ends, too.

        Args:
            number: The number of the request.
            reason: Why; the ledger shows and exports it.

        Raises:
            LedgerError: The one who acts is not known or asked for it, or it is used already.
        """
        return self._decide(number, REJECTION, {"reason": check_reason(reason)})

    def _decide(self, number: int, kind: str, content: Document) -> Request:
        """Record a decision about a request, and return the request."""
        with self._store.writing():
            request = self.request(number)
            setting = self._setting_of(request)
            name = self._require_acting(setting)
            if name == request.by:
                raise LedgerError(
                    f"{name} asked for this, so another person decides: "
                    f"{setting.others(name)}."
                )
            if request.state == USED:
                raise LedgerError(f"Request {number} was approved and used already.")
            is_repeated = kind == APPROVAL and request.state == APPROVED
            if not is_repeated:
                line: Document = {"request": number, "hash": request.hash, "by": name}
                self._store.append(kind, request.dataset, {**line, **content})
            return self.request(number)

    def _setting_of(self, request: Request) -> PersonsSetting:
        """Return the setting under which a request was made; LedgerError if it has ended."""
        for setting in self.settings():
            if setting.number == request.setting:
                return setting
        raise LedgerError(
            f"Request {request.number} was made under a setting that has ended; ask again."
        )

    # The door.

    def authorise(
        self,
        setting: PersonsSetting,
        dataset: str,
        subject: Document,
        *,
        dossier: Document | None,
    ) -> Authority | WaitingError:
        """Return the approval that allows an entry, or the error to raise after the turn.

        Call it in the turn that writes the entry. If nobody has asked for exactly this yet,
        the request is recorded.

        Args:
            setting: The setting that holds for the entry.
            dataset: The dataset's name.
            subject: The exact request; its "purpose" says so in words.
            dossier: The second person's view of it, with nothing private. None if it was
                not prepared, because the setting is newer than the request.

        Raises:
            LedgerError: Nobody said who asks, or too many requests wait.
        """
        name = self._require_acting(setting)
        digest = self._digest(dataset, subject)
        requests = [
            request
            for request in self.requests()
            if (request.digest, request.by) == (digest, name)
            and request.setting == setting.number
            and request.state != USED
        ]
        for request in requests:
            is_second = request.decided_by in setting.names and request.decided_by != name
            if request.state == APPROVED and is_second:
                return Authority(request.number, request.decision, name, request.decided_by)
        if requests:
            return _waiting(requests[-1], setting)
        if dossier is None:
            raise LedgerError(
                f"{setting.in_words} was set to two persons a moment ago; ask again."
            )
        request = self._ask(setting, dataset, subject, digest=digest, dossier=dossier)
        return _waiting(request, setting)

    def _ask(
        self,
        setting: PersonsSetting,
        dataset: str,
        subject: Document,
        *,
        digest: str,
        dossier: Document,
    ) -> Request:
        """Record a request with the second person's view of it, and return it."""
        waiting = [
            request
            for request in self.requests(undecided_only=True)
            if standard(request.dataset) == standard(dataset)
        ]
        if len(waiting) >= limits.OPEN_REQUESTS:
            raise LedgerError(
                f"{limits.OPEN_REQUESTS} requests of '{dataset}' wait for a second person; "
                "decide these first, by `synth approve`."
            )
        shown = ("purpose", "guarantee", "vouches", "project")
        content = {name: subject[name] for name in shown if subject.get(name)}
        content |= {"by": self.acting(setting), "setting": setting.number, "digest": digest}
        event = self._store.append(REQUEST, dataset, content)
        self._keep(event, DOSSIER, dossier)
        return self.request(event.number)

    def _require_acting(self, setting: PersonsSetting) -> str:
        """Return who acts; LedgerError if the setting knows nobody who does."""
        name = self.acting(setting)
        if not name:
            raise LedgerError(
                f"{setting.in_words} is set to two persons ({', '.join(setting.names)}). "
                "Say who you are by --as NAME, `Ledger.persons.identify` or the sign-in of "
                "the app."
            )
        return name

    def _digest(self, dataset: str, subject: Document) -> str:
        """Return a keyed digest of the exact request."""
        assert self._store.key is not None
        return chain.mark(
            self._store.key, REQUEST, standard(dataset), chain.canonical(subject)
        )

    def _verifiers(self, setting: PersonsSetting) -> dict[str, Document]:
        """Return the stored digests of a setting's passphrases, by the persons' names."""
        stored = self._store.payload(setting.number, PASSPHRASES)
        assert stored is not None
        return cast("dict[str, Document]", read_json(stored[1], "The setting"))

    def _keep(self, event: Event, part: str, content: Document) -> None:
        """Store a value under an event, sealed as the values of a spend are."""
        payload = json.dumps(content).encode()
        if len(payload) > limits.KEPT_BYTES:
            raise LedgerError("The request is too large to be kept in a ledger.")
        sealing = self._store.append(
            "kept", event.dataset, kept_content(event.number, part, payload)
        )
        self._store.keep(sealing.number, event.number, part, payload=payload)


def _waiting(request: Request, setting: PersonsSetting) -> WaitingError:
    """Return the error about a request that is not approved."""
    if request.state == REJECTED:
        sentence = (
            f"{request.decided_by} refused request {request.number}, because of: "
            f"{request.reason}. Nothing was spent."
        )
    else:
        sentence = (
            f"Request {request.number} waits for {setting.others(request.by)}: "
            f"{request.purpose}. Nothing was spent."
        )
    return WaitingError(sentence, request.number)


def describe_persons(settings: Sequence[PersonsSetting]) -> list[str]:
    """Return the settings of two persons as sentences with their dates."""
    return [
        f"{setting.in_words} needs two persons since {setting.time[:10]}: "
        f"{', '.join(setting.names)}."
        for setting in settings
    ]
