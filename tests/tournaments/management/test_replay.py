"""`manage.py replay`: everything follows from the entries, or it is named, and mended."""

import io
import json
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Json
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.older_counting import as_counted_by_0_5_0
from tournaments.domain.etags import digest_of
from tournaments.domain.standings.standings_documents import compact, headed
from tournaments.models.clubs import Player
from tournaments.models.columns import UNIT
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, SeatScore
from tournaments.models.standings import Aggregate, Contribution, Publication
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
NAMES = ("Anna", "Bert", "Cora", "Dora")
SCHEME = {"primary": "placement_points", "drop_worst": 1}


@pytest.fixture
def event() -> Event:
    """Three rounds of one table with a moon and a correction, published; a round is dropped."""
    club = enter_the_cast().riverside
    event = league(club, settings=SCHEME)
    seated = players(club, *NAMES)
    for number, hearts in enumerate(([3, 7, 0, 3], [0, 3, 3, 7], [7, 0, 3, 3]), start=1):
        game = table(event, seated, round_number=number)
        hand(game, 1, hearts, 1)
        hand(game, 2, [13, 0, 0, 0], 0, slam_choice="others")
    hand(game, 1, [3, 7, 3, 0], 1, based_on=1, reason="read again")
    publish(event.pk, now=NOW)
    return event


def replay(*options: str) -> tuple[int, list[Json], str]:
    """Exit status, what it says in JSON, and on stderr."""
    out, told = io.StringIO(), io.StringIO()
    status = 0
    try:
        call_command("replay", *options, "--json", stdout=out, stderr=told)
    except SystemExit as ended:
        status = int(str(ended.code))
    return status, json.loads(out.getvalue()), told.getvalue()


def check() -> tuple[int, list[str], str]:
    """Exit status of a check, what differs and where, and how the publication stands."""
    status, (found,), _ = replay("--check")
    return (
        status,
        [f"{difference['at']}: {difference['what']}" for difference in found["differences"]],
        found["publication"],
    )


def as_of_0_2_0(publication: Publication) -> None:
    """Store a publication as release 0.2.0 wrote it: hashes in reasons, no facts, other titles."""
    document = json.loads(bytes(publication.body))
    head = document.pop("publication")
    for row in document["rows"]:
        del row["reason_facts"]
        row["reason"] += "; lot 1eae against 9547"
    document["columns"][-1]["title"] = "Win share"
    body = compact(document)
    publication.body = headed(body, head, redacted=False)
    publication.digest = digest_of(body)
    publication.save()


def test_publication_of_an_older_release_stays_as_it_is(event: Event) -> None:
    publication = Publication.objects.get()
    as_of_0_2_0(publication)
    assert check() == (0, [], "same")
    document = json.loads(bytes(publication.body))
    document["rows"][0]["wins"] += 1
    Publication.objects.update(body=compact(document))
    assert check()[2] == "differs"


def test_publication_of_an_older_release_without_rows_stays_too(event: Event) -> None:
    empty = league(event.club, slug="empty")
    publish(empty.pk, now=NOW)
    as_of_0_2_0(Publication.objects.get(event=empty))
    (found,) = replay("--check", "--club", "riverside", "--event", "empty")[1]
    assert found["publication"] == "same"


def test_check_lists_what_is_counted_anew_apart_from_what_is_over(event: Event) -> None:
    over = league(event.club, slug="over")
    hand(table(over, list(Player.objects.order_by("player_id"))), 1, [3, 7, 0, 3], 1)
    same = league(event.club, slug="same")
    for other in (over, same):
        publish(other.pk, now=NOW)
    Publication.objects.filter(event=same).update(counting=0)
    for other in (event, over):
        as_counted_by_0_5_0(Publication.objects.get(event=other))
    Event.objects.filter(pk=over.pk).update(state="final")
    out, told = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("replay", "--check", stdout=out, stderr=told)
    assert ended.value.code == 1
    assert out.getvalue().splitlines()[-2:] == [
        "Running events whose standings are counted anew by 0.7 (1): riverside/league",
        "Events that are over and keep the standings of the release that published them (1): "
        "riverside/over",
    ]
    states = [found["publication"] for found in replay("--check")[1]]
    assert states == ["counted_anew", "kept", "same"]


def test_check_of_an_event_that_is_over_and_keeps_its_standings_ends_with_0(event: Event) -> None:
    as_counted_by_0_5_0(Publication.objects.get())
    kept(event)
    Event.objects.update(state="closed")
    before = derived()
    assert check() == (0, [], "kept")
    assert replay()[0] == 0
    assert derived() == before


def test_replay_counts_a_running_event_anew_once(event: Event) -> None:
    as_counted_by_0_5_0(Publication.objects.get())
    kept(event)
    assert check() == (1, [], "counted_anew")
    assert replay()[0] == 0
    assert check() == (0, [], "same")
    assert Publication.objects.count() == 2


def test_sums_of_older_formulas_alone_are_listed_as_counted_anew(event: Event) -> None:
    Publication.objects.update(counting=0)
    drop(event)
    assert check() == (1, [], "counted_anew")


Rows: TypeAlias = list[Mapping[str, object]]


def derived() -> tuple[list[Rows], list[tuple[bytes, bytes]]]:
    """All rows that follow from the entries, and the bytes that are served."""
    scores = SeatScore.objects.order_by("entry", "seat")
    worth = Contribution.objects.order_by("game", "entrant")
    served = Publication.objects.order_by("number")
    tables: tuple[Iterable[Mapping[str, object]], ...] = (
        scores.values("entry", "seat", "score", "total", "moons"),
        worth.values(),
        Aggregate.objects.order_by("entrant").values(),
        Game.objects.order_by("pk").values("progress", "hands_counted", "state"),
        Entry.objects.order_by("pk").values("moon", "verified"),
    )
    return [list(rows) for rows in tables], [(bytes(one.body), bytes(one.csv)) for one in served]


def test_what_was_entered_gives_what_is_stored_and_served(event: Event) -> None:
    before = derived()
    status, found, said = replay("--check")
    assert status == 0
    assert found == [
        {
            "club": "riverside", "event": "league", "games": 3, "hands": 6,
            "publication": "same", "differing": 0, "differences": [],
        }
    ]  # fmt: skip
    assert said.splitlines() == [
        "riverside/league: 3 of 3 games",
        "riverside/league: the totals",
        "riverside/league: the publication",
        "riverside/league: the evenings",
    ]
    assert replay()[:2] == (0, found)
    assert derived() == before


def nothing_is_left(event: Event) -> None:
    SeatScore.objects.all().delete()
    Contribution.objects.all().delete()
    Game.objects.update(progress=None, hands_counted=0)


def moons(event: Event) -> None:
    Entry.objects.exclude(moon=None).update(moon=None, verified="typed")


def worth(event: Event) -> None:
    of_anna = Contribution.objects.filter(game__table__code="r1t1", entrant__code="RL01")
    of_anna.update(place_points=7, index_num=1, index_den=3)


def sums(event: Event) -> None:
    Aggregate.objects.filter(entrant__code="RL03").update(points=1, place_2=9)


def kept(event: Event) -> None:
    of_dora = Aggregate.objects.get(entrant__code="RL04")
    of_dora.kept = {**(of_dora.kept or {}), "place_points": UNIT}
    of_dora.save(update_fields=["kept"])


def drop(event: Event) -> None:
    Contribution.objects.filter(entrant__code="RL04").update(is_dropped=True)


def served(event: Event) -> None:
    newest = Publication.objects.get()
    body = bytes(newest.body).replace(b'"rank":1', b'"rank":9', 1)
    Publication.objects.filter(pk=newest.pk).update(body=body)


DAMAGES: list[tuple[Callable[[Event], None], list[str], str]] = [
    (nothing_is_left, ["table r1t1, hand 1: scores"], "differs"),
    (moons, ["table r1t1, hand 2: verified", "table r1t1, hand 2: moon"], "same"),
    (worth, ["table r1t1, RL01: worth", "RL01: sums"], "same"),
    (sums, ["RL03: sums"], "differs"),
    (kept, ["RL04: kept"], "differs"),
    (drop, ["RL04: kept"], "same"),
    (served, [], "differs"),
]


@pytest.mark.parametrize(("damage", "named", "publication"), DAMAGES)
def test_what_differs_is_named_by_a_check_and_mended_by_a_replay(
    event: Event, damage: Callable[[Event], None], named: list[str], publication: str
) -> None:
    whole = derived()
    damage(event)
    damaged = derived()
    status, differing, stands = check()
    assert (status, stands) == (1, publication)
    assert differing[: len(named)] == named
    assert derived() == damaged
    assert replay()[0] == 0
    assert check() == (0, [], "same")
    mended = derived()
    assert without_ids(mended[0]) == without_ids(whole[0])
    assert mended[1][-1] == whole[1][-1]


def test_many_games_are_made_again_with_as_many_statements_as_few(event: Event) -> None:
    statements = []
    for number in (4, 5, 11):
        seated = list(Player.objects.order_by("player_id"))
        while Game.objects.count() < number:
            hand(table(event, seated, round_number=1 + Game.objects.count()), 1, [3, 7, 0, 3], 1)
        publish(event.pk, now=NOW)
        nothing_is_left(event)
        with CaptureQueriesContext(connection) as asked:
            assert replay()[0] == 0
        assert check() == (0, [], "same")
        statements.append(len([one for one in asked if "SAVEPOINT" not in one["sql"]]))
    assert statements[1:] == [statements[1]] * 2


def without_ids(tables: list[Rows]) -> list[Rows]:
    return [
        [{key: value for key, value in row.items() if key != "id"} for row in rows]
        for rows in tables
    ]


def test_entry_that_the_rules_refuse_waits_for_a_person(event: Event) -> None:
    refused = Entry.objects.filter(hand__game__table__code="r2t1", hand__number=1)
    refused.update(typed={"hearts": [1, 1, 1, 1], "taken": [["QS"], [], [], []]})
    status, (found,), said = replay()
    assert status == 1
    assert [(difference["at"], difference["what"]) for difference in found["differences"]] == [
        ("table r2t1, hand 1", "refused")
    ]
    assert said.splitlines()[-1] == "Some entries break the rules and need a person."


def test_standings_behind_are_no_difference_and_are_published_by_a_replay(event: Event) -> None:
    hand(Game.objects.get(table__code="r1t1"), 3, [4, 4, 4, 1], 0)
    assert check() == (0, [], "behind")
    assert replay()[0] == 0
    assert Publication.objects.count() == 2
    assert check() == (0, [], "same")


def test_what_there_is_not_is_refused(event: Event) -> None:
    for options, said in (
        (("--event", "league"), "--event needs --club"),
        (("--club", "nowhere"), "nowhere"),
        (("--club", "riverside", "--event", "nothing"), "nothing"),
    ):
        with pytest.raises(CommandError, match=said) as refused:
            call_command("replay", *options)
        assert refused.value.returncode == 2
