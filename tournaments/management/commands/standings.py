"""`manage.py standings`: an event's last publication, as REST serves it or as a table."""

from collections.abc import Collection, Iterable, Sequence

from django.core.management.base import CommandError, CommandParser

from scoring.errors import Problem
from tournaments.domain.messages import sentence
from tournaments.management.import_commands import EventCommand, require_event, write_bytes
from tournaments.models.standings import Publication
from tournaments.selectors.standings.publications import stored_publication


class Command(EventCommand):
    help = "Print an event's published standings."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--csv", action="store_const", const="csv", dest="form")
        form.add_argument("--json", action="store_const", const="json", dest="form")

    def handle(
        self, *args: object, club: str, event: str, form: str | None, **options: object
    ) -> None:
        """Exit status 2 if there is no such club or event, or nothing is published."""
        publication = self._published(club, event)
        if form is None:
            self.stdout.write(standings_table(publication))
        else:
            write_bytes(self, [bytes(publication.csv if form == "csv" else publication.body)])

    def _published(self, club: str, event: str) -> Publication:
        publication = stored_publication(require_event("standings", club, event))
        if publication is None:
            raise CommandError(sentence(Problem("not_published")), returncode=2)
        return publication


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
    if value is None:
        return "–"
    return str(value)
