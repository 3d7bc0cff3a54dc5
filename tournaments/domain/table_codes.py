"""What the code of a table says: `r3t12` is table 12 of round 3."""


def round_and_table(code: str) -> tuple[int, int]:
    """Return the numbers of a table's round and of the table.

    >>> round_and_table("r3t12")
    (3, 12)
    """
    round_, _, table = code.removeprefix("r").partition("t")
    return int(round_), int(table)
