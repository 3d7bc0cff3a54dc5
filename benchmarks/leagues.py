"""Seeded leagues: files of sheets, and leagues brought in from them."""

import csv
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from django.utils import timezone

from benchmarks.sizes import Sizes
from tests.support.imports.make_league import main as make_league
from tournaments.importers.import_sheets import ImportRequest, import_file
from tournaments.importers.report import Report
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.policy import command
from tournaments.selectors.access.table_links import secrets_of
from tournaments.services.access.table_links import make_link
from tournaments.services.imports.targets import find_target
from tournaments.services.rounds.seating import seat_table

CLUB = "bench"
NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
SEED = 1
BAD_SHARE = 100
"""One line in so many is made bad."""


def write_league(file: Path, *, players: int, hands: int) -> Path:
    """Write a league with the script that came with the goals; always the same bytes."""
    make_league(
        ["--players", str(players), "--hands", str(hands), "--seed", str(SEED), "--out", str(file)]
    )
    return file


def write_bad(good: Path, bad: Path) -> int:
    """Write `good` with 1 % of its lines spoilt, no two of one hand; returns how many."""
    with good.open(newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    column = {name: index for index, name in enumerate(head)}
    chance = Random(SEED)
    hands = chance.sample(range(len(rows) // 4), max(1, len(rows) // BAD_SHARE))
    for position, hand in enumerate(sorted(hands)):
        _spoil(rows[4 * hand + chance.randrange(4)], column, position % 3)
    with bad.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    return len(hands)


def _spoil(row: list[str], column: dict[str, int], kind: int) -> None:
    """Make a heart too many, a number that is none, or a player whom nobody knows."""
    hearts = column["hearts"]
    if kind == 0:
        row[hearts] = str(int(row[hearts]) + 1)
        row[column["points"]] = ""
    elif kind == 1:
        row[hearts] = "some"
    else:
        row[column["points"]] = str(int(row[column["points"]]) + 1)


def bring_in(file: Path, event: str) -> Report:
    """Import a file the way the command does, making what is missing."""
    target = find_target(actor=command("import_sheets"), club=CLUB, event=event, create=True)
    request = ImportRequest(file, file.name)
    return import_file(target=target, request=request, now=NOW)


def standings_league(folder: Path, sizes: Sizes, event: str) -> Report:
    """Bring in the league whose standings are read: so many players, four score rows a hand."""
    file = write_league(
        folder / "standings.csv", players=sizes.standings_players, hands=sizes.standings_hands
    )
    return bring_in(file, event)


def seated(club: Club, slug: str, tables: int) -> list[Game]:
    """Seat so many tables of new rounds, with the same people at the same tables every time."""
    event = Event.objects.select_related("club").get(club=club, slug=slug)
    people = list(Player.objects.filter(club=club).order_by("player_id"))
    a_round = len(people) // 4
    last = Round.objects.filter(event=event).order_by("-number").values_list("number", flat=True)
    first = (last.first() or 0) + 1
    return [
        seat_table(
            actor=command("bench"),
            event=event,
            round_number=first + index // a_round,
            table_number=1 + index % a_round,
            players=people[4 * (index % a_round) : 4 * (index % a_round) + 4],
            now=NOW,
        )
        for index in range(tables)
    ]


def hands_of(game: Game) -> str:
    """Return where the hands of a game are posted."""
    event, table = game.event, game.table
    return f"/api/v1/clubs/{CLUB}/events/{event.slug}/tables/{table.code}/hands"


def token_of(game: Game) -> str:
    """Return the token of a new link to a game's table."""
    link = make_link(actor=command("bench"), table=game.table, now=timezone.now())
    return secrets_of(link.seed).token


def codes(report: Report) -> Sequence[str]:
    """Return the codes of what the report says."""
    return [problem.code for problem in report.problems]
