"""Two clubs that hold one of everything an address can name, and everybody who may ask for it.

The events are those of `private_club` that are held back, opened to all. The player among the
callers sits at their first table and plays on their ladder; `NAMES` of a route are his own things.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.support.builders import by_tests, counts, hand, league, link, players, table
from tests.support.cast import NOW
from tests.support.history import make_all
from tests.support.imports.other_programs import SEATS_PLAN
from tests.support.pages.photos import picture
from tests.support.rest.requests import token
from tests.support.scenarios.cuts import close
from tests.support.scenarios.private_club import Hidden, hidden
from tests.support.webhooks import webhook_of
from tournaments.documents.read.people_list import PastedPlayer
from tournaments.domain.notices import DEFAULTS
from tournaments.models.access import Token
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game
from tournaments.models.imports import ColumnMap, ImportProblem
from tournaments.models.jobs import Outbox
from tournaments.models.ladders import Challenge
from tournaments.models.notices import Notice
from tournaments.models.rounds import Meeting, Round
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.access.invitations import invitation_token
from tournaments.selectors.access.table_links import COOKIE
from tournaments.selectors.attendance.own_evenings import answer_token
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.hands.disputes import get_dispute
from tournaments.selectors.notices.notifications import unsubscribe_token
from tournaments.selectors.stages import get_stage
from tournaments.services.boards import deal_boards
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.members import claim_player
from tournaments.services.clubs.player_paste import add_roster, plan_players
from tournaments.services.events.result_notes import send_result_note
from tournaments.services.hands.disputes import open_dispute, rule_on_dispute
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.operations import Operation
from tournaments.services.rounds.meetings import plan_meeting
from tournaments.services.rounds.photos import add_photo
from tournaments.services.seating_plans.constraints import add_constraint
from tournaments.services.stages.plan_stages import begin_stage, plan_stage

CALLERS = (
    *("public", "stranger", "player", "elsewhere", "link", "host", "director", "owner"),
    *("other owner", "read", "enter", "manage", "administrator"),
)
"""Who asks, in the order of the columns of rights.csv."""
BEARERS = ("read", "enter", "manage")
"""Those who come with a token of the owner's, which opens no page."""

_EVENTS = {
    "/ladder": "held-ladder",
    "/challenges": "held-ladder",
    "/absences": "held-ladder",
    "/ratings": "held-ladder",
    "/playoffs": "held-tied",
    "/stages": "cut-league",
    "/boards": "board-night",
}
"""Part of a route → the event that has what it is about; the others are about a league."""


@dataclass(frozen=True)
class Caller:
    """Who asks: a browser, or a program with a token."""

    client: Client
    bearer: str = ""

    def ask(self, method: str, path: str, sends: str = "", *, invitation: str = "") -> Any:
        """Send a form, JSON or nothing; afterwards the browser has the cookies it came with.

        `invitation`: the address of one that is opened before.
        """
        headers = {"Authorization": f"Bearer {self.bearer}"} if self.bearer else {}
        is_json = path.startswith("/api/")
        if is_json and sends:
            headers["If-Match"] = "*"
        kept = {name: cookie.value for name, cookie in self.client.cookies.items()}
        try:
            if invitation:
                self.client.get(invitation)
            kind = "application/json" if is_json else "application/x-www-form-urlencoded"
            return self.client.generic(method, path, sends, kind, headers=headers)
        finally:
            self.client.cookies.clear()
            self.client.cookies.load(kept)


@dataclass(frozen=True)
class World:
    """Everything there is, by the names that addresses have for it."""

    hidden: Hidden
    callers: Mapping[str, Caller]
    club: Club
    names: Mapping[str, object]
    others: Mapping[str, object]
    """The same of somebody else in the club: what the player has no right of his own to."""
    of_a_part: Mapping[str, Mapping[str, object]]
    """Part of a route → what its names mean there."""
    keys: Mapping[str, int]

    @property
    def events(self) -> tuple[str, ...]:
        return ("held-league", *sorted(set(_EVENTS.values())))

    def show_to(self, visibility: str) -> None:
        Event.objects.filter(club=self.club, slug__in=self.events).update(visibility=visibility)

    def names_of(self, route: str, about: str = "") -> Mapping[str, object]:
        """What fills a route in; `about` is `other` for somebody else's."""
        found = dict(self.names)
        for part, slug in _EVENTS.items():
            if part in route and "/players/" not in route:
                found["event"] = slug
        for part, more in self.of_a_part.items():
            if part in route:
                found |= more
        if about == "other":
            found |= self.others
        if about == "draft":
            found |= {"number": 9, "code": "r9t1"}
        if route.startswith("admin/"):
            model = route.removeprefix("admin/").split("/")[:2]
            found["object_id"] = found["id"] = self.keys.get(".".join(model), 1)
        return found


def every_right(tmp_path: Path) -> World:
    world = hidden(tmp_path)
    users, riverside, hilltop = world.cast.users, world.cast.riverside, world.cast.hilltop
    Player.objects.filter(user=users["piet"]).update(user=None)
    for name in ("stan", "mia", "nina"):
        users[name] = User.objects.create_user(name, f"{name}@club.example")
    users["root"] = User.objects.create_superuser("root")
    for user in users.values():
        user.set_password("the-right-one")
        user.save()
    Membership.objects.filter(user=users["nora"]).update(role="owner")
    Membership.objects.create(club=hilltop, user=users["mia"], role="player")
    Membership.objects.create(club=riverside, user=users["nina"], role="player")
    people = players(riverside, "Spare S.", "Claimed C.")
    own = _seat(world, users["piet"])
    _at_the_table(world)
    _cut(riverside)
    _boards(riverside)
    _draft(world)
    names = {**_people(world, own, people), **_of_events(world)}
    made = World(
        world,
        _callers(world),
        riverside,
        names,
        _others(riverside),
        _of_parts(world, names),
        _keys(),
    )
    made.show_to("public")
    return made


def _seat(world: Hidden, user: User) -> Player:
    """Link an account to who is challenged on the ladder; they sit at the first table too."""
    challenge = Challenge.objects.get(event=world.events["held-ladder"])
    entrant = challenge.challenged
    player = Player.objects.get(entries_in_events__entrant=entrant)
    link(player, user)
    player.refresh_from_db()
    return player


def _at_the_table(world: Hidden) -> None:
    """A photo, and two disputes of the player's own; they are told that one is ruled on."""
    event, piet = world.events["held"], world.cast.actor("piet")
    game = Game.objects.select_related("table", "event").get(event=event, table__code="r1t1")
    for number in (1, 2):
        open_dispute(Operation(piet, NOW), game, number=number, words="Not so.")
    add_photo(by_tests(timezone.now()), game, content=picture())
    ruled = rule_on_dispute(
        by_tests(timezone.now()), get_dispute(event, 4), to="upheld", ruling="So it is."
    )
    Notice.objects.create(
        club=event.club, user=world.cast.users["piet"], kind="dispute_decided", key="told",
        facts={"dispute": ruled.pk}, path="/me", created_at=NOW,
    )  # fmt: skip


def _draft(world: Hidden) -> None:
    event = world.events["held"]
    table(event, list(Player.objects.filter(club=event.club, user=None)[:4]), round_number=9)
    Round.objects.filter(event=event, number=9).update(state="draft", posted_at=None)


def _cut(club: Club) -> None:
    event = league(club, slug="cut-league", name="Zqheldcut")
    people = list(Player.objects.filter(club=club, name__startswith="Zqheldplayer")[:4])
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    close(event, 1)
    fields = {"name": "Final", "movement": "knockout", "advance": {"best": 2}}
    plan_stage(by_tests(), event, fields=fields)
    begin_stage(by_tests(), get_stage(event, 2))
    make_all(event.pk)


def _boards(club: Club) -> None:
    own = {"duplicate": True, "primary": "matchpoints", "length": "hands:1"}
    event = league(club, slug="board-night", name="Zqheldboards", settings=own)
    people = list(Player.objects.filter(club=club, name__startswith="Zqheldplayer")[:4])
    deal_boards(by_tests(), event, count=1, seed="seed", boards_per_round=1)
    record_entry(
        by_tests(),
        table(event, people),
        number=1,
        board=1,
        entry=counts([4, 1, 2, 6], 3),
        source="host",
    )


def _people(world: Hidden, own: Player, people: list[Player]) -> dict[str, object]:
    """Members, invitations, claims and tokens."""
    users, club, now = world.cast.users, world.cast.riverside, timezone.now()
    pasted = [PastedPlayer(1, "Pasted P.")]
    added = add_roster(by_tests(now), club, pasted=pasted, seen=plan_players(club, pasted).digest)
    invitation = invite(by_tests(now), club, role="host", email="ida@club.example")
    claim = claim_player(world.cast.operation("hanna", now), people[1])
    member = Membership.objects.get(club=club, user=users["nina"])
    return {
        "club": club.slug,
        "player_id": own.player_id,
        "entrant": own.player_id,
        "invitation": invitation.public_id,
        "token": invitation_token(invitation.seed),
        "claim": claim.public_id,
        "member": member.public_id,
        "notice": Notice.objects.filter(user=users["piet"])[0].public_id,
        "id": member.public_id,
        "added": added.number,
    }


def plan_of(event: Event) -> UUID:
    """A plan of the event's first evening."""
    plan = SeatingPlan.objects.create(
        club=event.club, event=event, meeting=Meeting.objects.filter(event=event)[0], seed=1,
        round_count=1, is_ready=True, created_at=NOW,
        inputs={"present": [], "sizes": [4], "policy": "byes", "first_round": 1},
    )  # fmt: skip
    return plan.public_id


def constraint_of(event: Event) -> UUID:
    one, other = Player.objects.filter(club=event.club).order_by("pk")[:2]
    constraint = add_constraint(
        by_tests(), event, kind="apart", player=one.player_id, other=other.player_id
    )
    return constraint.public_id


def _of_events(world: Hidden) -> dict[str, object]:
    event, club = world.events["held"], world.cast.riverside
    mapping = ColumnMap.objects.create(
        club=club, number=1, name="Theirs", heads_key="x", plan=SEATS_PLAN, changed_at=NOW,
    )  # fmt: skip
    problem = ImportProblem.objects.filter(event=event).order_by("position")[0]
    piet = Operation(actor_of(world.cast.users["piet"]), NOW)
    send_result_note(piet, event, about="sum", words="It is 20.")
    return {
        "event": event.slug,
        "code": "r1t1",
        "number": 1,
        "other": 2,
        "position": problem.position,
        "day": Meeting.objects.filter(event=event)[0].date.isoformat(),
        "plan": plan_of(event),
        "constraint": constraint_of(event),
        **webhook_of(club),
        "season": "autumn",
        "house": "house",
        "slug": "house",
        "variant": "hearts",
        "version": Snapshot.objects.filter(event=event)[0].content_hash,
        "mapping": mapping.number,
        "app_label": "tournaments",
        "kind": "challenge",
    }


def _evening_to_come(world: Hidden) -> Meeting:
    """An evening of tomorrow: the link of one that is over opens nothing."""
    event, now = Event.objects.get(club=world.cast.riverside, slug="league"), timezone.now()
    actor = actor_of(world.cast.users["olga"])
    tomorrow = now.date() + timedelta(days=1)
    return plan_meeting(Operation(actor, now), event, day=tomorrow)


def _of_parts(world: Hidden, names: Mapping[str, object]) -> dict[str, dict[str, object]]:
    made, piet, club = (
        Token.objects.filter(scope="manage"),
        world.cast.users["piet"],
        world.cast.riverside,
    )
    kind = sorted(DEFAULTS)[0]
    return {
        "/disputes/": {"number": 3},
        "/stages/": {"number": 2},
        "number>/standings": {"number": 1},
        "/boards/": {"number": 1},
        "/mail/": {"number": Outbox.objects.filter(club=world.cast.riverside)[0].pk},
        "unsubscribe/": {"token": unsubscribe_token(club_id=club.pk, user_id=piet.pk, kind=kind)},
        "will-you-come/": {
            "token": answer_token(
                meeting_id=_evening_to_come(world).pk,
                player_id=Player.objects.get(club=club, user=piet).pk,
                user_id=piet.pk,
            )
        },
        "add-players": {"number": names["added"]},
        "tokens/": {"token": made.get(club=None).public_id},
        "<name:club>/tokens/": {"token": made.get(club=world.cast.riverside).public_id},
        "t/<": {"token": world.token},
    }


def _others(club: Club) -> dict[str, object]:
    player = Player.objects.get(club=club, name="Ben B.")
    return {"player_id": player.player_id, "code": "r1t2", "number": 2}


def _callers(world: Hidden) -> dict[str, Caller]:
    holder = Client()
    holder.get(f"/t/{world.token}")
    assert holder.cookies[COOKIE].value
    accounts = {
        **{"stranger": "stan", "player": "piet", "elsewhere": "mia", "host": "hanna"},
        **{"director": "dirk", "owner": "olga", "other owner": "nora", "administrator": "root"},
    }
    found = {name: Caller(world.cast.client(who)) for name, who in accounts.items()}
    token("olga", "manage", "--club", "riverside")
    found |= {scope: Caller(Client(), token("olga", scope)) for scope in BEARERS}
    found |= {"public": Caller(Client()), "link": Caller(holder)}
    for caller in found.values():
        # A page that breaks is an answer like others, and no right.
        caller.client.raise_request_exception = False
    return {name: found[name] for name in CALLERS}


def _keys() -> dict[str, int]:
    found = {}
    for model in apps.get_models():
        first = model._default_manager.values_list("pk", flat=True).first()
        if first is not None:
            found[model._meta.label_lower] = first
    return found
