"""The same entries make the same bytes, in any surroundings and on any database."""

import json
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from typing import Any

import pytest
from django.db.models import F

from tests.live.conftest import Inside
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.project import LiveProject
from tournaments.models.events import Event
from tournaments.models.hands import Game, SeatScore
from tournaments.models.jobs import Dirty
from tournaments.models.standings import Aggregate, Contribution, Publication, StoredHistory
from tournaments.services.events.adjustments import add_line
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.publishing.publications import publish

Made = Callable[..., LiveProject]

NAMES = ("Änne Ö.", "Łukasz Z.", "Ida i.", "Zoë Ñ.", "İnci I.", "Émile ß.")
SCHEMES: tuple[Mapping[str, object], ...] = (
    {"primary": "placement_points", "drop_worst": 1, "tie_breaks": ["h2h", "wins", "sos", "lot"]},
    {"primary": "index_per_game", "tie_breaks": ["countback", "moons_shot", "last_game"]},
    {
        "primary": "raw_per_hand", "best_of": {"unit": "meeting", "min": 1, "per": 1},
        "bye_award": "own_mean", "tie_breaks": [],
    },
)  # fmt: skip
TZS = ("UTC", "Asia/Kolkata", "America/St_Johns", "Pacific/Kiritimati")
LOCALES = ("C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "POSIX")
SURROUNDINGS = [
    {"PYTHONHASHSEED": str(n), "TZ": TZS[n % len(TZS)], "LC_ALL": LOCALES[n % len(LOCALES)]}
    for n in range(short_or_long(5, 10))
]


def played() -> dict[str, bytes]:
    """Play a few evenings under several schemes, and publish them; the bodies by event."""
    cast = enter_the_cast()
    people = players(cast.riverside, *NAMES)
    for number, scheme in enumerate(SCHEMES, start=1):
        event = league(cast.riverside, slug=f"league-{number}", settings=scheme)
        Event.objects.filter(pk=event.pk).update(seed="5eed")
        for round_number, day in enumerate((3, 3, 10, 17), start=1):
            seated = [people[(round_number + seat) % len(people)] for seat in range(4)]
            game = table(event, seated, round_number=round_number, on=date(2025, 11, day))
            hand(game, 1, [4, 4, 4, 1], round_number % 4)
            hand(game, 2, [13, 0, 0, 0], 0, slam_choice="others")
        hand(game, 1, [1, 4, 4, 4], 1, based_on=1, reason="read again")
        thirds = table(event, people[:3], round_number=9, on=date(2025, 11, 24), variant="hearts")
        record_entry(
            by_tests(), thirds, number=1, source="host",
            entry={"hearts": [5, 5, 3], "taken": [[], ["QS"], []]},
        )  # fmt: skip
        add_line(
            cast.operation("dirk"),
            event,
            entrant="RL01",
            kind="penalty",
            amount="5/3",
            reason="late",
        )
        publish(event.pk, now=NOW)
    return bodies()


def bodies() -> dict[str, bytes]:
    """What the newest publication of each event says, without its own member."""
    found = {}
    for publication in Publication.objects.select_related("event").order_by("number"):
        body = bytes(publication.body)
        _, end = json.JSONDecoder().raw_decode(body.decode(), len('{"publication":'))
        found[publication.event.slug if publication.event else ""] = body.decode()[end:].encode()
    return found


def forget() -> None:
    """Leave what was typed, and nothing that follows from it."""
    for model in (SeatScore, Contribution, Aggregate, Publication, StoredHistory):
        rows: Any = model
        rows.objects.all().delete()
    Game.objects.update(progress=None, hands_counted=0)
    Dirty.objects.update(version=F("version") + 1)


def recomputed(project: LiveProject) -> None:
    done = project.manage("replay")
    assert done.returncode == 0, done.stderr


@pytest.mark.tier_long
def test_any_hash_seed_zone_and_locale_make_the_same_bytes(
    live_project: Made, embedded: Made, inside: Inside
) -> None:
    first = embedded()
    with inside(first):
        made = played()
        forget()
    projects = [live_project(**surroundings) for surroundings in SURROUNDINGS]
    for project in projects:
        for name in ("live.sqlite3", "live.sqlite3-wal"):
            with suppress(FileNotFoundError):
                shutil.copy(first.place / name, project.place / name)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(recomputed, projects))
    assert sorted(made) == ["league-1", "league-2", "league-3"]
    for project in projects:
        with inside(project):
            assert bodies() == made


@pytest.mark.pg
def test_postgresql_and_sqlite_make_the_same_bytes(
    live_project: Made, project: LiveProject, inside: Inside, migrated_pg_url: str
) -> None:
    with inside(project):
        made = played()
    postgresql = live_project(DATABASE_URL=migrated_pg_url, **SURROUNDINGS[3])
    with inside(postgresql):
        assert played() == made
        forget()
    recomputed(postgresql)
    with inside(postgresql):
        assert bodies() == made
