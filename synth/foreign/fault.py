"""What is wrong with a foreign file, as the child that reads it says so to its parent."""

from typing import Any

Reply = dict[str, object]
Request = dict[str, Any]


class Fault(Exception):
    """What is wrong with the file, in one word, and facts about it."""

    def __init__(self, word: str, **facts: object) -> None:
        super().__init__(word)
        self.answer = {"fault": word, **facts}
