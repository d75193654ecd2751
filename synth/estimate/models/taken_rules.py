"""Rules that a look at the rows proposed, in the JSON of all rules. PUBLIC once taken.

A file of rules has lists by kind. The key ``taken`` holds rules that a look took from the
rows, in the same form.

>>> describe_taken({"taken": {"order": [["birth", "start"]]}})
("'birth' is at most 'start'",)
"""

from collections.abc import Mapping
from typing import Any

from synth.errors import DomainError

KINDS = ("impossible", "fixed", "order")
TAKEN = "taken"


def join_taken(content: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return all rules by kind, the rules taken from the rows behind the others.

    Args:
        content: The rules as JSON: by kind, and under ``taken`` once more by kind.

    Raises:
        DomainError: A key is no kind of rule, or a kind holds no list.

    >>> rules = {"order": [["start", "end"]], "taken": {"order": [["birth", "start"]]}}
    >>> join_taken(rules)["order"]
    [['start', 'end'], ['birth', 'start']]
    """
    taken_rules = content.get(TAKEN, {})
    if not isinstance(taken_rules, Mapping):
        raise DomainError(f"'{TAKEN}' in the rules must be an object of rules by kind.")
    unknown_kinds = {*content} - {*KINDS, TAKEN} | {*taken_rules} - {*KINDS}
    if unknown_kinds:
        raise DomainError(
            f"Rules are 'impossible', 'fixed' and 'order', not '{min(unknown_kinds)}'."
        )
    joined_rules: dict[str, list[Any]] = {}
    for kind in KINDS:
        parts = [content.get(kind, []), taken_rules.get(kind, [])]
        if not all(isinstance(part, list | tuple) for part in parts):
            raise DomainError("A rule does not have the documented form.")
        joined_rules[kind] = [*parts[0], *parts[1]]
    return joined_rules


def describe_taken(content: Any) -> tuple[str, ...]:
    """Return each rule that was taken from the rows, in words.

    Args:
        content: The rules as JSON, not yet checked against a domain; or None for no rules.

    Raises:
        DomainError: A rule has another form.
    """
    if not isinstance(content, Mapping) or TAKEN not in content:
        return ()
    taken_rules = content[TAKEN]
    sentences: list[str] = []
    try:
        for first, second in taken_rules.get("order", ()):
            sentences.append(f"'{first}' is at most '{second}'")
        for rule in taken_rules.get("fixed", ()):
            sentences.append(f"'{rule['given']}' decides '{rule['then']}'")
        for rule in taken_rules.get("impossible", ()):
            names = " and ".join(f"'{name}'" for name in rule)
            sentences.append(f"some values of {names} exclude each other")
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DomainError("A rule does not have the documented form.") from None
    return tuple(sentences)
