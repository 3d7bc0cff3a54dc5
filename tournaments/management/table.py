"""Published standings as text for a terminal."""

from collections.abc import Collection, Iterable, Sequence

from tournaments.models.standings import Publication


def standings_table(
    publication: Publication, *, at_most: int | None = None, only: Collection[str] = ()
) -> str:
    """Return the first `at_most` rows of a publication, all without it, under their short heads.

    Args:
        only: the columns' keys; empty: all of them.
    """
    body = publication.document
    columns = [column for column in body["columns"] if not only or column["key"] in only]
    keys = [column["key"] for column in columns]
    heads = [str(column["short"]) for column in columns]
    rows = [*body["rows"], *body.get("provisional_rows", ())][:at_most]
    lines = [heads, *([_cell(row.get(key)) for key in keys] for row in rows)]
    widths = [max(len(line[index]) for line in lines) for index in range(len(keys))]
    return "\n".join(_line(line, keys, widths) for line in lines)


def _line(cells: Iterable[str], keys: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        cell.ljust(width) if key in {"player_id", "player", "story"} else cell.rjust(width)
        for cell, key, width in zip(cells, keys, widths, strict=True)
    )
    return "  ".join(padded).rstrip()


def _cell(value: object) -> str:
    if isinstance(value, list):
        real, imaginary = (str(part) for part in value)
        return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}i"
    return "–" if value is None else str(value)
