"""What the import of a file stored, beside what was played: equal, asked, or wrong in silence."""

import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.db.models import F
from django.test import Client

from tests.support.builders import by_tests, players, table
from tests.support.imports.page_defaults import Walk, press_defaults
from tests.support.imports.seasons_of_files import (
    MEMBERS,
    NICKNAMES,
    Evening,
    Season,
    Week,
    people_of,
    weeks,
)
from tournaments.models.clubs import Club, Player
from tournaments.models.columns import exact
from tournaments.models.events import Event
from tournaments.models.hands import Game, SeatScore
from tournaments.models.imports import ImportProblem
from tournaments.models.rounds import Round
from tournaments.services.hands.record_entry import record_entry

Hand = tuple[tuple[str, int], ...]
"""The points of a hand by player, in order of names."""
Sheet = tuple[str, tuple[Hand, ...]]
"""A day and the hands of a table, in no order."""

UNDATED = "-"
EQUAL, ASKED, WRONG = "equal", "asked", "wrong in silence"


@dataclass(frozen=True)
class Outcome:
    """What became of a week; `told` is what somebody needs who looks for the fault."""

    number: int
    verdict: str
    told: str


def nickname_members(club: Club) -> None:
    for name, nickname in NICKNAMES.items():
        Player.objects.filter(club=club, name=name).update(nickname=nickname)


def play(season: Season, client: Client, event: Event, folder: Path) -> Iterator[Outcome]:
    """Send the files of a season with all that is proposed; yield what became of each week."""
    address = f"/clubs/{event.club.slug}/events/{event.slug}/imports/new"
    ever: list[Counter[Sheet]] = []
    strangers: set[str] = set()
    for number, week in enumerate(weeks(season), start=1):
        enter_by_hand(event, week.on_paper)
        walk = None
        path = None
        if week.write is not None:
            path = week.write(folder)
            walk = press_defaults(client, address, path, week.typed)
        ever += [sheets_played(week.on_paper), sheets_played(week.played)]
        strangers |= {*week.strangers}
        verdict = judged(event, week, ever, strangers, walk)
        told = "" if verdict == EQUAL else facts_of(event, season, number, week, walk, path)
        yield Outcome(number, verdict, told)


def judged(
    event: Event,
    week: Week,
    ever: Sequence[Counter[Sheet]],
    strangers: Collection[str],
    walk: Walk | None,
) -> str:
    stored = dated(sheets_stored(event), week)
    names = {*Player.objects.filter(club=event.club).values_list("name", flat=True)}
    if names - {*MEMBERS} - {*strangers}:
        return WRONG
    waits = open_problems(event)
    if stored == sheets_played(week.played):
        return ASKED if waits else EQUAL
    is_asked = bool(waits) or (walk is not None and walk.is_stuck)
    if is_asked and is_part(stored, ever):
        return ASKED
    return WRONG


def open_problems(event: Event) -> list[str]:
    problems = ImportProblem.objects.filter(
        event=event, state="open", severity__in=("ask", "reject")
    )
    return [f"{problem.code}: {problem.message}" for problem in problems]


def facts_of(
    event: Event, season: Season, number: int, week: Week, walk: Walk | None, path: Path | None
) -> str:
    played, stored = sheets_played(week.played), dated(sheets_stored(event), week)
    file = ""
    if path is not None:
        file = f"{path.name} {week.typed}\n{shown(path)}"
    pressed = walk.pressed if walk else []
    last = walk.last[:600] if walk else ""
    new = Player.objects.filter(club=event.club).exclude(name__in=MEMBERS)
    return "\n".join(
        [
            f"shape {season.shape!r}, seed {season.seed}, week {number}, pressed {pressed}",
            f"missing {dict(played - stored)}",
            f"too much {dict(stored - played)}",
            f"new people {list(new.values_list('name', flat=True))}",
            f"open {open_problems(event)[:5]}",
            f"last page {last}",
            file,
        ]
    )


def shown(path: Path) -> str:
    if path.suffix != ".xlsx":
        return path.read_text(encoding="utf-8")
    with zipfile.ZipFile(path) as file:
        parts = sorted(part for part in file.namelist() if "/sheet" in part or "book.xml" in part)
        return "\n".join(file.read(part).decode() for part in parts if not part.endswith("rels"))


def sheets_played(evenings: Iterable[Evening]) -> Counter[Sheet]:
    found: Counter[Sheet] = Counter()
    for evening in evenings:
        for game in evening.games:
            hands = sorted(tuple(sorted(hand.items())) for hand in game.hands)
            found[evening.day.isoformat(), tuple(hands)] += 1
    return found


def sheets_stored(event: Event) -> Counter[Sheet]:
    """Return the sheets of an event: the score that counts of each hand."""
    scores = (
        SeatScore.objects.filter(seat__table__round__event=event, entry__hand__entry=F("entry"))
        .select_related("entry__hand", "seat__table__round__meeting")
        .prefetch_related("seat__sittings__player")
    )
    tables: dict[int, tuple[str, dict[int, dict[str, int]]]] = {}
    for score in scores:
        table_ = score.seat.table
        meeting = table_.round.meeting
        day = meeting.date.isoformat() if meeting and meeting.date else UNDATED
        number = score.entry.hand.number
        _, hands = tables.setdefault(table_.pk, (day, {}))
        hands.setdefault(number, {})[who_sat(score, number)] = int(exact(score.score))
    found: Counter[Sheet] = Counter()
    for day, hands in tables.values():
        points = sorted(tuple(sorted(hand.items())) for hand in hands.values())
        found[day, tuple(points)] += 1
    return found


def who_sat(score: SeatScore, number: int) -> str:
    for sitting in score.seat.sittings.all():
        is_there = sitting.from_hand <= number
        is_gone = sitting.to_hand is not None and sitting.to_hand < number
        if number == 0 or (is_there and not is_gone):
            return str(sitting.player.name)
    return "nobody"


def dated(stored: Counter[Sheet], week: Week) -> Counter[Sheet]:
    """Give sheets without a date the day of which the file said none, if they are of that day."""
    played = sheets_played(week.played)
    days = [day.isoformat() for day in week.undated]
    found: Counter[Sheet] = Counter()
    for (day, hands), n in stored.items():
        own = [known for known, true in played if known in days and {*hands} <= {*true}]
        is_of_day = day == UNDATED and own
        found[own[0] if is_of_day else day, hands] += n
    return found


def is_part(stored: Counter[Sheet], ever: Iterable[Counter[Sheet]]) -> bool:
    """Whether each stored sheet is one that was played, or a part of it, and none is there twice.

    `ever` are the sheets as they were in each week: an old figure stands until somebody answers.
    """
    by_day: dict[str, list[set[Hand]]] = {}
    for sheets in ever:
        for day, hands in sheets:
            by_day.setdefault(day, []).append({*hands})
    most: Counter[tuple[str, frozenset[str]]] = Counter()
    for sheets in ever:
        people_now: Counter[tuple[str, frozenset[str]]] = Counter()
        for (day, hands), n in sheets.items():
            people_now[day, people_in(hands)] += n
        most |= people_now
    there: Counter[tuple[str, frozenset[str]]] = Counter()
    for (day, hands), n in stored.items():
        there[day, people_in(hands)] += n
        known = set().union(*by_day.get(day, [set()]))
        if not {*hands} <= known:
            return False
    return all(n <= most[key] for key, n in there.items())


def people_in(hands: Sequence[Hand]) -> frozenset[str]:
    return frozenset(name for hand in hands for name, _ in hand)


def add_strangers(club: Club, evenings: Iterable[Evening]) -> None:
    """Add the people of evenings whom the club does not have: nobody has answered who they are."""
    known = {*Player.objects.filter(club=club).values_list("name", flat=True)}
    players(club, *(person for person in people_of(evenings) if person not in known))


def enter_by_hand(event: Event, evenings: Iterable[Evening]) -> None:
    """Enter the sheets of evenings; whoever plays twice on a day does so in two rounds."""
    by_name = {player.name: player for player in Player.objects.filter(club=event.club)}
    for evening in evenings:
        number = next_round(event)
        seated: set[str] = set()
        for sheet in evening.games:
            if seated & {*sheet.people}:
                number, seated = next_round(event), set()
            seated |= {*sheet.people}
            people = [by_name[person] for person in sheet.people]
            game = table(
                event, people, round_number=number, table_number=sheet.table, on=evening.day
            )
            for at, hand in enumerate(sheet.hands, start=1):
                enter_hand(game, at, [hand[person] for person in sheet.people])


def next_round(event: Event) -> int:
    return 1 + max(Round.objects.filter(event=event).values_list("number", flat=True), default=0)


def enter_hand(game: Game, number: int, points: Sequence[int]) -> None:
    entry: dict[str, object] = {"points": list(points)}
    if points.count(26) == len(points) - 1:
        entry |= {"shooter": points.index(0), "slam_choice": "others"}
    record_entry(
        by_tests(),
        game,
        number=number,
        entry=entry,
        source="host",
        based_on=None,
        reason="",
        key=None,
    )
