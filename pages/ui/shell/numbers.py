"""Numbers as people read them."""


def counted(number: int, thing: str) -> str:
    """How many: 1 column, 2 columns."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def short(number: int) -> str:
    """A count for people: 24,192 or about 10¹⁹."""
    if number < 10**9:
        return f"{number:,}"
    return "about 10" + str(len(str(number)) - 1).translate(_RAISED)


def percent(share: float) -> str:
    """A share for people: 12.3 %."""
    return f"{100 * share:.1f} %"
