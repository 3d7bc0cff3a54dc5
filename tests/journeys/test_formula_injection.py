"""What somebody typed is text in every table we write, and comes back as it was."""

import html
import io
import re
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from tests.support.builders import (
    bring,
    by_tests,
    counts,
    finished,
    hand,
    ladder,
    league,
    penalize,
    players,
    publish_all,
    season,
    table,
)
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.comparisons.formulas import STARTS, cells, formulas
from tests.support.history import make_all
from tests.support.imports.imports import imported, rows, written
from tests.support.module_scope import Once, once_a_module
from tests.support.pages.photos import picture
from tests.support.webhooks import WEBHOOK, with_webhook
from tournaments.documents.read.column_plan import plan_from
from tournaments.domain.name_matching import one_line
from tournaments.errors import Forbidden
from tournaments.models.access import Invitation, PlayerClaim, Token
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, Event
from tournaments.models.ladders import Challenge, LadderAbsence
from tournaments.models.playoffs import Playoff, PlayoffMember
from tournaments.models.rounds import Meeting
from tournaments.models.standings import ResultNote
from tournaments.services.access.table_links import make_link
from tournaments.services.access.tokens import create_token
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.audit.audit import count_refused_act
from tournaments.services.boards import deal_boards
from tournaments.services.clubs.aliases import keep_names
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.names import lock_names
from tournaments.services.hands.disputes import open_dispute
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.imports.column_mappings import save_mapping
from tournaments.services.operations import Operation
from tournaments.services.publishing.evening_results import publish_result
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.photos import add_photo
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules
from tournaments.services.seating_plans.constraints import add_constraint
from tournaments.services.seating_plans.make_plans import make_plans

NAMES = (
    *('=HYPERLINK("http://x.example";"Elsa")', "+49 30 1", "-Leo", "@SUM(A1)"),
    *("\t=1+1", "\r=1+1", "\n=1+1", "＝1+1", "＋1", "－1", "＠x"),
    *("'=1+1", "''@x", "'Enri' K.", " =1+1", "' +1", "Zoë = K."),
)
"""As a row may hold them; the last ones must come through without being taken for a guarded one."""

REST_SHEETS = "/api/v1/clubs/riverside/events/league/sheets.csv"
DUPLICATE = {"duplicate": True, "primary": "matchpoints", "length": "hands:1"}
AT = {
    "club": "riverside",
    "event": "league",
    "code": "r1t1",
    "player_id": "RL01",
    "number": "1",
    "season": "autumn",
    "variant": "hearts",
    "house": "ours",
    "day": NOW.date().isoformat(),
    "webhook": str(WEBHOOK),
}


def all_formulas(folder: Path) -> Cast:
    """A league of Riverside in which everything that is typed begins like a formula."""
    cast = enter_the_cast()
    Club.objects.filter(pk=cast.riverside.pk).update(name="=Riverside")
    people = players(cast.riverside, *NAMES)
    for player, name in zip(people, NAMES, strict=True):  # as older releases stored them
        player.name = player.public_name = name
    Player.objects.bulk_update(people, ["name", "public_name"])
    Player.objects.filter(pk=people[1].pk).update(player_id="=RL02")
    people[1].refresh_from_db()
    event = league(cast.riverside, name="+League")
    cast.users["hanna"].first_name = "@Hanna"
    cast.users["hanna"].save()
    make_house_rules(
        by_tests(),
        cast.riverside,
        name="=Ours",
        slug="ours",
        chosen=chosen_rules("hearts", {"target": 50}, "=1+1"),
    )
    game = None
    for start in range(0, len(people) - 3, 4):
        game = table(event, people[start : start + 4], table_number=start // 4 + 1)
        hand(game, 1, [4, 1, 2, 6], 3, actor=cast.actor("hanna"))
        hand(game, 1, [4, 2, 1, 6], 3, based_on=1, reason="-East and South were swapped")
        hand(game, 2, [0, 13, 0, 0], 1, slam_choice="self")
        add_photo(cast.operation("hanna"), game, content=picture())
    penalize(event, "RL01", "2", "=late")
    bring(event, "RL01", "7", reason="=from paper")
    if game is not None:
        make_link(by_tests(timezone.now()), game.table)
        open_dispute(cast.operation("hanna"), game, number=1, words="+No, 3")
    ResultNote.objects.create(
        club=cast.riverside,
        event=event,
        player=Player.objects.get(club=cast.riverside, player_id="RL01"),
        number=1,
        about="sum",
        words="=It is 20",
        at=NOW,
    )
    with_webhook(cast)
    columns = {"=Datum": "date", "=Spieler": "player", "=Punkte": "points"}
    plan = plan_from({"rows": "seats", "columns": columns})
    save_mapping(by_tests(), cast.riverside, name="=Ours", plan=plan)
    _evening(event, people)
    _board(cast, people)
    _excused_evening(cast, people)
    climbing = ladder(cast.riverside, name="=Ladder")
    finished(table(climbing, people[:4]))
    publish_all(climbing)
    low, high = (
        Entrant.objects.get(event=climbing, code=one.player_id) for one in (people[1], people[0])
    )
    Challenge.objects.create(
        club=cast.riverside, event=climbing, number=1, challenger=low, challenged=high,
        issued_at=NOW, words="=tonight",
    )  # fmt: skip
    LadderAbsence.objects.create(club=cast.riverside, event=climbing, entrant=low, since=NOW.date())
    tie = Playoff.objects.create(
        club=cast.riverside, event=event, number=1, key="title:1/1|=RL02", ahead=0, cuts=[1],
        boundaries=[{"kind": "title", "above": 1}], policy="extra_hands", seed="s",
        detected_at=NOW,
    )  # fmt: skip
    level = Entrant.objects.filter(event=event).order_by("code")[:2]
    for entrant in level:
        PlayoffMember.objects.create(club=cast.riverside, playoff=tie, entrant=entrant)
    publish(event.pk, now=NOW)
    season(event, name="=Autumn")
    make_all(event.pk)
    meeting = Meeting.objects.select_related("event").get(event=event, date=NOW.date())
    publish_result(meeting, now=NOW)
    keep_names(by_tests(), lock_names(cast.riverside), {"=Elsie": people[0]})
    strangers = {"N": "=RL1,=Nora", "E": "=RL2,+Ed", "S": "=RL3,@Sue", "W": "=RL4,-Will"}
    known = {seat: f"RL0{number}," for number, seat in enumerate("NESW", start=5)}
    hands = (rows(table="=1+1"), rows(cast=strangers), rows(round_=12, cast=known))
    imported(written(folder, *hands, name="=night.csv"))
    cast.client("olga").post("/clubs/riverside/events/league/imports/1/undo")
    _lists_of_owners(cast, people[4])
    return cast


def _excused_evening(cast: Cast, people: list[Player]) -> None:
    settings = {
        "primary": "evening_points",
        "evening_ranking": "raw_total",
        "evening_points": [3, 2, 1],
        "excused": "fixed",
        "excused_points": 2,
    }
    event = league(cast.riverside, slug="evenings", name="=Evenings", settings=settings)
    last_week = NOW - timedelta(days=7)
    for number, (seated, at) in enumerate(((people[:4], last_week), (people[4:8], NOW)), start=1):
        finished(table(event, seated, round_number=number, on=at.date()))
    meeting = Meeting.objects.get(event=event, date=NOW.date())
    set_attendance(by_tests(last_week), meeting, player=people[0], state="absent")
    publish(event.pk, now=NOW)
    make_all(event.pk)


def _board(cast: Cast, people: list[Player]) -> None:
    event = league(cast.riverside, slug="boards", name="=Boards", settings=DUPLICATE)
    deal_boards(by_tests(), event, count=1, seed="seed", boards_per_round=1)
    record_entry(
        by_tests(),
        table(event, people[:4]),
        number=1,
        board=1,
        entry=counts([4, 1, 2, 6], 3),
        source="host",
    )


def _evening(event: Event, people: list[Player]) -> None:
    Meeting.objects.filter(event=event).update(place="=Hall")
    meeting = Meeting.objects.get(event=event, date=NOW.date())
    for person in people[:8]:
        set_attendance(by_tests(), meeting, player=person, state="here", stated_at=NOW)
    add_constraint(by_tests(), event, kind="apart", player="RL01", other="=RL02", reason="=why")
    make_plans(by_tests(), meeting, rounds=1)


def _lists_of_owners(cast: Cast, player: Player) -> None:
    olga, club = cast.actor("olga"), cast.riverside
    create_token(Operation(olga, NOW), name="=Site", club=club, scope="read", days=1)
    Token.objects.update(expires_at=None)
    invite(Operation(olga, NOW), club, role="host", name="=Nora", email="nora@club.example")
    Invitation.objects.update(expires_at=timezone.now() + timedelta(days=1))
    refusal = Forbidden("manage_event")
    count_refused_act(actor=cast.actor("piet"), club_slug="riverside", refusal=refusal, now=NOW)
    PlayerClaim.objects.create(club=club, player=player, user=cast.users["piet"], created_at=NOW)


@pytest.fixture(scope="module")
def cast_once(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Once[Cast]]:
    make = partial(all_formulas, tmp_path_factory.mktemp("formulas"))
    yield from once_a_module(request, django_db_blocker, make, "cast")


@pytest.fixture
def cast(cast_once: Once[Cast], tmp_path: Path, db: None) -> Cast:
    return cast_once.given() or all_formulas(tmp_path)


def routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for each in patterns:
        route = before + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from routes(each.url_patterns, route)
        else:
            yield route


def exports() -> list[str]:
    tables = [route for route in routes(get_resolver().url_patterns) if route.endswith(".csv")]
    return ["/" + re.sub(r"<\w+:(\w+)>", partial(_name, route), route) for route in tables]


def _name(route: str, name: re.Match[str]) -> str:
    of_events = {
        "ladder": "/(ladder|ratings|challenges|absences)",
        "boards": "/boards",
        "evenings": "/excused",
    }
    found = [event for event, part in of_events.items() if re.search(part, route)]
    return found[0] if found and name[1] == "event" else AT[name[1]]


def test_there_are_exports_on_pages_and_over_rest() -> None:
    assert {
        "/clubs/riverside/events/league/standings.csv",
        "/api/v1/clubs/riverside/events/league/standings.csv",
        "/api/v1/clubs/riverside/events/league/publications/1.csv",
        "/api/v1/clubs/riverside/events/league/hands.csv",
        "/api/v1/clubs/riverside/events/league/tables/r1t1/hands.csv",
        "/api/v1/clubs/riverside/events/league/tables/r1t1/hands/1/revisions.csv",
        "/api/v1/clubs/riverside/players.csv",
        "/clubs/riverside/events/league/sheets.csv",
        "/api/v1/clubs/riverside/events/league/sheets.csv",
        "/api/v1/clubs.csv",
    } <= set(exports())


@pytest.mark.parametrize("address", exports())
def test_no_cell_of_an_export_is_a_formula(olga: Client, address: str) -> None:
    response = olga.get(address)
    assert response.status_code == 200
    assert len(cells(response.content)) > 1
    assert formulas(response.content) == []


@pytest.mark.parametrize(
    "address", ["/clubs/riverside/events/league/sheets.xlsx", REST_SHEETS.replace("csv", "xlsx")]
)
def test_spreadsheet_of_the_sheets_holds_text_and_numbers_only(cast: Cast, address: str) -> None:
    response = cast.client("olga").get(address)
    assert response.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(response))) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f" not in sheet
    texts = [html.unescape(text) for text in re.findall(r"<t(?: [^>]*)?>([^<]*)</t>", sheet)]
    assert len(texts) > 100
    assert [text for text in texts if text.startswith(tuple(STARTS))] == []


def test_check_itself_sees_a_formula_and_leaves_a_number() -> None:
    assert formulas("a,-7,-12.5,-26/3,-x,＝1\r\n".encode()) == ["-x", "＝1"]


def test_names_stand_in_the_exports_behind_one_apostrophe(cast: Cast) -> None:
    response = Client().get("/clubs/riverside/events/league/standings.csv")
    shown = {row[2] for row in cells(response.content)[1:]}
    seated = NAMES[:16]
    assert shown == {name if name == "'Enri' K." else f"'{name}" for name in seated}


def test_command_prints_the_same_bytes_as_rest(cast: Cast) -> None:
    out = io.StringIO(newline="")
    call_command("standings", "--club", "riverside", "--event", "league", "--csv", stdout=out)
    served = Client().get("/api/v1/clubs/riverside/events/league/standings.csv")
    assert out.getvalue().encode() == served.content


def test_spreadsheet_of_the_command_brings_nothing_new(cast: Cast, tmp_path: Path) -> None:
    path = tmp_path / "sheets.xlsx"
    call_command("export_sheets", "--club", "riverside", "--event", "league", "--xlsx", str(path))
    report = imported(path, event="league")
    assert (report.accepted, report.added) == (report.hands, 0)
    assert report.hands > 0


def test_sheets_are_the_same_everywhere_and_for_those_only_who_may_import(cast: Cast) -> None:
    out = io.StringIO(newline="")
    call_command("export_sheets", "--club", "riverside", "--event", "league", stdout=out)
    for address in ("/clubs/riverside/events/league/sheets.csv", REST_SHEETS):
        assert cast.client("hanna").get(address).content == out.getvalue().encode()
        assert cast.client("piet").get(address).status_code in (403, 404)
        assert cast.client("nora").get(address).status_code in (403, 404)
        assert Client().get(address).status_code in (302, 401, 403, 404)


@pytest.mark.parametrize("club", ["riverside", "hilltop"])
def test_our_list_of_players_keeps_original_names(olga: Client, tmp_path: Path, club: str) -> None:
    """Into the club it came from nothing is new; into another one everybody, in one line each."""
    path = tmp_path / "players.csv"
    path.write_bytes(olga.get("/api/v1/clubs/riverside/players.csv").content)
    call_command("import_players", "--club", club, str(path), stdout=io.StringIO())
    names = Player.objects.filter(club__slug=club).order_by("id").values_list("name", flat=True)
    assert sorted(names) == sorted(NAMES if club == "riverside" else map(one_line, NAMES))
    assert Player.objects.filter(club__slug=club, player_id="=RL02").exists()
