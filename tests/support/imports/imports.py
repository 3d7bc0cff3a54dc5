"""Sheets as text, imported: `imported(sheet("…"), club)` and what the report says."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path

from django.apps import apps

from tournaments.models.columns import exact
from tournaments.models.hands import SeatScore
from tournaments.models.jobs import IMPORT_PREFIX
from tournaments.policy import Actor, command
from tournaments.selectors.jobs.queue import list_free_rows
from tournaments.services.imports.import_file import import_file
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.uploads import Report
from tournaments.services.operations import Operation

SHEETS = Path(__file__).resolve().parents[2] / "sheets"
AFTERWARDS = datetime(2025, 11, 20, 9, 0, tzinfo=UTC)
"""A week after the last sheet of the Riverside league was written."""

HEADS = (
    "date,round,table,variant,hand,seat,player_id,player,"
    "hearts,queen_spades,jack_diamonds,moon,points"
)
CAST = {"N": "RL01,Alma D.", "E": "RL02,Bruno K.", "S": "RL03,Cleo S.", "W": "RL04,Dario D."}


def imported(
    path: Path,
    *,
    club: str = "riverside",
    event: str = "league",
    create: bool = False,
    dry_run: bool = False,
    variant: str = "",
    day: date | None = None,
    now: datetime = AFTERWARDS,
    actor: Actor | None = None,
) -> Report:
    who = actor or command("import_sheets")
    target = find_target(actor=who, club=club, event=event, create=create)
    request = ImportRequest(path, path.name, dry_run=dry_run, variant=variant, day=day)
    return import_file(Operation(who, now), target, request)


def season() -> Report:
    return imported(SHEETS / "sheets.csv", create=True)


def rows(
    hand: int = 1,
    hearts: Iterable[object] = (4, 1, 2, 6),
    queen: str = "W",
    *,
    round_: object = 11,
    table: object = 1,
    day: str = "2025-11-13",
    variant: str = "black-lady",
    points: Iterable[object] | None = None,
    cast: Mapping[str, str] = CAST,
    moon: Mapping[str, str] | None = None,
    jack: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the rows of one hand; with `points` a sheet that holds points only."""
    found = []
    values = list(hearts) if points is None else list(points)
    for seat, value in zip(cast, values, strict=True):
        head = f"{day},{round_},{table},{variant},{hand},{seat},{cast[seat]}"
        mark = (moon or {}).get(seat, "")
        card = (jack or {}).get(seat, "")
        if points is None:
            found.append(f"{head},{value},{int(seat == queen)},{card},{mark},")
        else:
            found.append(f"{head},,,{card},{mark},{value}")
    return found


def written(
    folder: Path, *hands: Iterable[str], heads: str = HEADS, name: str = "night.csv"
) -> Path:
    path = folder / name
    lines = [heads, *(row for hand in hands for row in hand)]
    path.write_bytes("".join(f"{line}\r\n" for line in lines).encode())
    return path


def said(report: Report) -> list[tuple[str, str, list[int]]]:
    """Return (code, class, lines) of everything the report says."""
    return [
        (problem.code, problem.severity, list(problem.spot.lines)) for problem in report.problems
    ]


def everything() -> dict[str, int]:
    models = apps.get_app_config("tournaments").get_models()
    return {model.__name__: model._default_manager.count() for model in models}


def hand_scores(event: str = "league") -> list[tuple[str, ...]]:
    scores = (
        SeatScore.objects.filter(seat__table__event__slug=event)
        .select_related("entry__hand", "seat__table__round__meeting")
        .prefetch_related("seat__sittings__player")
    )
    found = []
    for score in scores:
        seat, table = score.seat, score.seat.table
        number = score.entry.hand.number
        sat = [
            row.player.player_id
            for row in seat.sittings.all()
            if row.from_hand <= number and (row.to_hand is None or number <= row.to_hand)
        ]
        meeting = table.round.meeting
        day = meeting.date.isoformat() if meeting else ""
        found.append(
            (day, str(table.round.number), str(table.number), str(number), "NESW"[seat.number - 1],
             *sat, str(exact(score.score)))
        )  # fmt: skip
    return sorted(found)


def imports_behind(now: datetime) -> tuple[int, ...]:
    """Return the ids of import batches that a worker may take up now, the oldest first."""
    rows = list_free_rows(now).filter(scope__startswith=IMPORT_PREFIX).order_by("marked_at", "pk")
    scopes = rows.values_list("scope", flat=True)
    return tuple(int(scope.removeprefix(IMPORT_PREFIX)) for scope in scopes)
