"""Objects with private data, which no message and no log shows."""


class Private:
    """What is built on it shows its name alone, also a dataclass.

    >>> class Rows(Private):
    ...     found = 41
    >>> Rows()
    Rows(private)
    """

    def __init_subclass__(cls) -> None:
        cls.__repr__ = Private.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(private)"
