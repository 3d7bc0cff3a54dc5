"""A request for each operation that takes an Idempotency-Key, with what must be there before it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from scoring.duplicate.deal_from_seed import commitment_of
from tests.support.answers import Answer
from tests.support.builders import TESTS, hand, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.evenings import evening as evening_of
from tests.support.evenings import plans
from tests.support.scenarios.challenges import answer, issue
from tests.support.scenarios.ladders import ladder
from tests.support.scenarios.open_nights import OpenNightEvening
from tests.support.scenarios.planned_evenings import planned_evening
from tests.support.scenarios.playoffs import tied
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.invitations import Invitation, PlayerClaim
from tournaments.models.meetings import Round
from tournaments.models.seating_plans import SeatingConstraint, SeatingPlan
from tournaments.models.tokens import Token
from tournaments.publishing.publish_event import publish
from tournaments.services.access.own_tokens import create_own_token
from tournaments.services.boards.make_deals import deal_boards
from tournaments.services.clubs.deletion import delete_club, note_export
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.player_claims import claim_player
from tournaments.services.events.adjustments import add_line
from tournaments.services.events.entrants import add_entrant
from tournaments.services.events.lifecycle.archive_event import archive_event
from tournaments.services.hands.disputes import open_dispute
from tournaments.services.people.merge_players import merge_players
from tournaments.services.rounds.close_tables import close_tables
from tournaments.services.rounds.meetings import plan_meeting
from tournaments.services.rounds.rounds import move_round
from tournaments.services.rounds.seating import clear_table
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules
from tournaments.services.seating_plans.constraints import add_constraint
from tournaments.services.stages.cuts import make_cut
from tournaments.services.stages.plan_stages import change_stage, plan_stage

CLUB = "/api/v1/clubs/riverside"


@dataclass(frozen=True, slots=True)
class Act:
    """One request, made by somebody of the cast after `prepare`."""

    path: str
    body: Mapping[str, Any] = field(default_factory=dict)
    who: str = "dirk"
    prepare: Callable[[Cast], object] = lambda cast: None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200
    lines: int = 1
    """So many lines of the audit it leaves."""

    @property
    def address(self) -> str:
        """The address of the act; of the club's where it does not say the whole."""
        return self.path if self.path.startswith("/api/") else CLUB + self.path

    def send(self, client: Client, key: str = "key-1") -> Answer:
        headers = {"Idempotency-Key": key, **self.headers}
        if "If-Match" not in headers and (self.method == "PATCH" or self.path.endswith("/seats")):
            headers["If-Match"] = Client().get(self.address)["ETag"]
        if "file" in self.body:
            file = SimpleUploadedFile("night.csv", self.body["file"])
            return client.post(self.address, {"file": file}, headers=headers)
        return client.generic(
            self.method,
            self.address,
            json.dumps(dict(self.body)),
            content_type="application/json",
            headers=headers,
        )


def evening(cast: Cast) -> Game:
    """A published league with one table of two hands."""
    event = league(cast.riverside)
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    game = table(event, people)
    hand(game, 1, [4, 1, 2, 6], 3)
    hand(game, 2, [0, 13, 0, 0], 0)
    publish(event.pk, now=NOW)
    return game


def with_removed_table(cast: Cast) -> None:
    game = evening(cast)
    people = list(Player.objects.filter(club=cast.riverside))
    clear_table(actor=TESTS, game=table(game.event, people, round_number=2), now=NOW)


def with_plan(cast: Cast) -> None:
    planned_evening(cast, [([(1, 2, 3, 4)], [])])


def with_seated_round(cast: Cast) -> None:
    planned_evening(cast, [([(1, 2, 3, 4)], [])]).seat()


def with_clock(cast: Cast) -> None:
    event = league(cast.riverside, settings={"round_minutes": 40})
    table(event, players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B."))
    Round.objects.filter(event=event).update(posted_at=timezone.now(), meeting=None)


def with_line(cast: Cast) -> None:
    event = evening(cast).event
    add_line(
        actor=TESTS, event=event, entrant="RL01", kind="penalty", amount="2", reason="x", now=NOW
    )


def meeting(cast: Cast) -> None:
    event = league(cast.riverside)
    players(cast.riverside, "Ada A.")
    plan_meeting(actor=TESTS, event=event, day=NOW.date(), now=NOW)


def with_dispute(cast: Cast) -> None:
    open_dispute(
        actor=cast.actor("hanna"), game=evening(cast), number=1, words="East had 2.", now=NOW
    )


def over(cast: Cast) -> Event:
    game = evening(cast)
    close_tables(actor=TESTS, round_=game.table.round, now=NOW)
    game.table.round.refresh_from_db()
    move_round(actor=TESTS, round_=game.table.round, to="closed", now=NOW)
    publish(game.event.pk, now=NOW)
    return game.event


def with_cut(cast: Cast) -> None:
    make_cut(actor=TESTS, event=over(cast), cut="2", now=NOW)


def with_knockout(cast: Cast) -> None:
    """A table of a knock-out at which nobody has played."""
    event = league(cast.riverside)
    fields = {"movement": "knockout"}
    change_stage(actor=TESTS, event=event, number=1, fields=fields, now=NOW)
    table(event, players(cast.riverside, "Anna K.", "Jörg S.", "Béla D.", "Player C."))


def with_planned_stage(cast: Cast) -> None:
    plan_stage(actor=TESTS, event=over(cast), fields={"advance": {"best": 2}}, now=NOW)


def on_ladder(cast: Cast) -> Event:
    return ladder(cast, now=NOW)


def challenged(cast: Cast) -> Event:
    event = on_ladder(cast)
    issue(cast, event, "H", "E")
    return event


def accepted(cast: Cast) -> None:
    answer(cast, challenged(cast), "E", "accepted", now=NOW)


def away(cast: Cast) -> None:
    on_ladder(cast)
    path = "/events/ladder/absences"
    told = Act(path, {"since": "2025-11-06"}, who="A").send(cast.client("A"), key="before")
    assert told.status_code == 201


def house(cast: Cast) -> None:
    make_house_rules(
        actor=TESTS,
        club=cast.riverside,
        name="Thursday rules",
        chosen=chosen_rules("hearts", {"target": 61}, "To 61."),
        now=NOW,
    )


MEMBER, CLAIM = UUID(int=1), UUID(int=2)


def to_be_linked(cast: Cast) -> None:
    players(cast.riverside, "Cleo S.")
    Membership.objects.filter(user=cast.users["piet"]).update(public_id=MEMBER)


def doubled(cast: Cast) -> None:
    players(cast.riverside, "Cleo S.", "Cleo Sand")
    link(Player.objects.get(player_id="RL01"), cast.users["piet"])


def merged(cast: Cast) -> None:
    doubled(cast)
    cleo, sand = Player.objects.order_by("player_id")
    merge_players(actor=TESTS, club=cast.riverside, source=sand, target=cleo, now=NOW)


def claimed(cast: Cast) -> None:
    to_be_linked(cast)
    cleo = Player.objects.get(player_id="RL01")
    claim_player(actor=cast.actor("piet"), club=cast.riverside, player=cleo, now=NOW)
    PlayerClaim.objects.update(public_id=CLAIM)


def invited(cast: Cast) -> None:
    invite(actor=cast.actor("olga"), club=cast.riverside, role="host", now=NOW)
    Invitation.objects.update(public_id=MEMBER)


def played_off(cast: Cast) -> None:
    tied(cast.riverside)


def duel(cast: Cast) -> None:
    tied(cast.riverside, (2, 2, 4, 5))


def drafted(cast: Cast) -> None:
    league(cast.riverside)
    Event.objects.update(state="draft")


def archived(cast: Cast) -> None:
    event = evening(cast).event
    archive_event(actor=TESTS, event=event, reason="Over.", now=NOW)


def exported(cast: Cast) -> None:
    note_export(actor=cast.actor("olga"), club=cast.riverside, now=NOW)


def deleted(cast: Cast) -> None:
    exported(cast)
    delete_club(actor=cast.actor("olga"), club=cast.riverside, confirm="riverside", now=NOW)


def with_token(cast: Cast) -> None:
    create_own_token(
        actor=cast.actor("dirk"),
        name="Site",
        club=cast.riverside,
        scope="read",
        lasts=timedelta(days=1),
        now=NOW,
    )
    Token.objects.update(public_id=TOKEN)


TOKEN = UUID("0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a55")
NIGHT = (
    b"date,round,table,hand,seat,player_id,hearts,queen_spades\r\n"
    b"2025-11-05,2,1,1,N,RL01,4,0\r\n"
    b"2025-11-05,2,1,1,E,RL02,1,0\r\n"
    b"2025-11-05,2,1,1,S,RL03,2,0\r\n"
    b"2025-11-05,2,1,1,W,RL04,6,1\r\n"
    b"2025-11-05,2,1,2,N,RL01,4,0\r\n"
)
LINE = {"entrant": "RL02", "kind": "penalty", "amount": "2", "reason": "Late."}
TOTALS = {"points": {"H": 10, "I": 20, "E": 30}}
E, L = "/events/league", "/events/ladder"


def planned(cast: Cast) -> Event:
    """An evening of eight people with one plan."""
    event = league(cast.riverside)
    meeting, _people = evening_of(event, 8)
    plans(meeting, 2)
    SeatingPlan.objects.update(public_id=TOKEN)
    return event


def on_an_open_night(cast: Cast) -> None:
    OpenNightEvening(league(cast.riverside), 8)


def kept_apart(cast: Cast) -> None:
    add_constraint(
        actor=TESTS, event=planned(cast), kind="apart", player="RL01", other="RL02", now=NOW
    )
    SeatingConstraint.objects.update(public_id=TOKEN)


APART = {"kind": "apart", "player": "RL01", "other": "RL02"}


def with_pair(cast: Cast) -> None:
    event = planned(cast)
    pair = Player.objects.filter(player_id__in=("RL05", "RL06"))
    add_entrant(actor=TESTS, event=event, kind="pair", players=tuple(pair), now=NOW)


def duplicate(cast: Cast) -> Event:
    """An event in which all tables play the same deals."""
    return league(cast.riverside, settings={"duplicate": True, "primary": "matchpoints"})


SEED = "2f1c5d0a9be34f7781c6d2e0a4b39f56"
DEALS = {"commitment": commitment_of(SEED)}


def with_deals(cast: Cast) -> None:
    """A duplicate event with two boards that nobody has played."""
    deal_boards(actor=TESTS, event=duplicate(cast), count=2, seed=SEED, now=NOW)


ACTS: Mapping[str, Act] = {
    "make_deals": Act(f"{E}/boards", {"count": 4}, prepare=duplicate, status=201),
    "print_deals": Act(f"{E}/boards/print", DEALS, prepare=with_deals, status=201),
    "delete_deals": Act(f"{E}/boards/delete", DEALS, prepare=with_deals),
    "make_plans": Act(
        f"{E}/meetings/2025-11-13/plans", {"rounds": 2, "seed": 1}, prepare=planned, status=201
    ),
    "choose_plan": Act(f"{E}/plans/{TOKEN}/choose", {}, prepare=planned),
    "take_best_plan": Act(f"{E}/plans/{TOKEN}/take", {}, prepare=planned, lines=0),
    "form_tables": Act(f"{E}/meetings/2025-11-13/tables", {}, prepare=on_an_open_night, status=201),
    "add_constraint": Act(f"{E}/constraints", APART, prepare=planned, status=201),
    "remove_constraint": Act(f"{E}/constraints/{TOKEN}", prepare=kept_apart, method="DELETE"),
    "add_entrant": Act(
        f"{E}/entrants", {"kind": "pair", "players": ["RL05", "RL06"]}, prepare=planned, status=201
    ),
    "change_entrant": Act(
        f"{E}/entrants/pair-1",
        {"name": "Aces"},
        prepare=with_pair,
        method="PATCH",
        headers={"If-Match": "*"},
    ),
    "move_entrant": Act(
        f"{E}/entrants/pair-1/state",
        {"to": "withdrawn", "reason": "Moved away."},
        prepare=with_pair,
    ),
    "add_ledger_line": Act(f"{E}/ledger", LINE, prepare=evening, status=201),
    "withdraw_ledger_line": Act(f"{E}/ledger/1/withdraw", {"reason": "No."}, prepare=with_line),
    "open_dispute": Act(
        f"{E}/disputes", {"table": "r1t1", "hand": 1, "words": "No."}, "hanna", evening, status=201
    ),
    "open_table_dispute": Act(
        f"{E}/tables/r1t1/disputes", {"hand": 1, "words": "No."}, "hanna", evening, status=201
    ),
    "rule_on_dispute": Act(
        f"{E}/disputes/1/rule", {"to": "rejected", "reason": "Right."}, prepare=with_dispute
    ),
    "withdraw_dispute": Act(f"{E}/disputes/1/withdraw", {}, "hanna", with_dispute),
    "make_cut": Act(f"{E}/stages", {"cut": 2}, prepare=over, status=201),
    "change_stage": Act(
        f"{E}/stages/2",
        {"movement": "swiss"},
        prepare=with_planned_stage,
        method="PATCH",
        headers={"If-Match": "*"},
    ),
    "remove_stage": Act(f"{E}/stages/2", {}, prepare=with_planned_stage, method="DELETE"),
    "begin_stage": Act(f"{E}/stages/2/begin", {}, prepare=with_planned_stage),
    "record_walk_over": Act(
        f"{E}/tables/r1t1/walk-overs",
        {"player_id": "RL02", "reason": "Did not come."},
        prepare=with_knockout,
    ),
    "undo_cut": Act(f"{E}/stages/2/undo", {"reason": "Too early."}, prepare=with_cut),
    "issue_challenge": Act(f"{L}/challenges", {"challenged": "E"}, "H", on_ladder, status=201),
    "move_challenge": Act(f"{L}/challenges/1/moves", {"to": "accepted"}, "E", challenged),
    "postpone_challenge": Act(f"{L}/challenges/1/postpone", {}, "H", accepted),
    "give_result": Act(f"{L}/challenges/1/result", TOTALS, "H", accepted, lines=3),
    "plan_meeting": Act(f"{E}/meetings", {"date": "2025-11-20"}, prepare=evening, status=201),
    "change_meeting": Act(
        f"{E}/meetings/2025-11-06",
        {"place": "Hall"},
        prepare=meeting,
        method="PATCH",
        headers={"If-Match": "*"},
    ),
    "remove_meeting": Act(
        f"{E}/meetings/2025-11-06", prepare=meeting, method="DELETE", headers={"If-Match": "*"}
    ),
    "set_attendance": Act(
        f"{E}/meetings/2025-11-06/attendance/RL01",
        {"state": "here"},
        "hanna",
        meeting,
        method="PUT",
    ),
    "add_meeting_guest": Act(
        f"{E}/meetings/2025-11-06/attendance",
        {"name": "Tom T."},
        "hanna",
        meeting,
        status=201,
        lines=2,
    ),
    "tell_absence": Act(f"{L}/absences", {"since": "2025-11-10"}, "A", on_ladder, status=201),
    "end_absence": Act(f"{L}/absences/end", {}, "A", away),
    "move_playoff": Act(f"{E}/playoffs/1/moves", {"to": "by_lot"}, prepare=played_off),
    "seat_neutrals": Act(f"{E}/playoffs/1/neutral", {"players": ["RL03"]}, prepare=duel),
    "playoff_gone": Act(
        f"{E}/playoffs/1/gone", {"player_id": "RL02", "why": "no_show"}, prepare=played_off
    ),
    "waive_playoff": Act(f"{E}/playoffs/1/waive", {"reason": "They agree."}, prepare=played_off),
    "make_house_rules": Act(
        "/variants", {"name": "Ours", "base": "hearts", "options": {"target": 61}}, status=201
    ),
    "add_house_version": Act(
        "/variants/thursday-rules/versions",
        {"options": {"target": 71}},
        prepare=house,
        headers={"If-Match": '"1"'},
        status=201,
    ),
    "delete_house_version": Act(
        "/variants/thursday-rules/versions/1", prepare=house, method="DELETE"
    ),
    "change_settings": Act(
        f"{E}/settings",
        {"settings": {"drop_worst": 1}, "reason": "Agreed."},
        prepare=evening,
        method="PATCH",
    ),
    "change_seats": Act(
        f"{E}/tables/r1t1/seats",
        {"act": "swap", "seat": 1, "player_id": "RL02", "reason": "Wrong seats."},
        prepare=evening,
    ),
    "make_round": Act(f"{E}/rounds", {"date": "2025-11-06"}, prepare=with_plan, status=201),
    "redraw_round": Act(f"{E}/rounds/1/redraw", {}, prepare=with_seated_round),
    "move_round": Act(f"{E}/rounds/1/state", {"to": "posted"}, prepare=with_seated_round),
    "restore_table": Act(f"{E}/tables/r2t1/restore", {}, prepare=with_removed_table),
    "extend_round": Act(f"{E}/rounds/1/extend", {"minutes": 5}, "hanna", with_clock),
    "link_player": Act("/players/RL01/link", {"member": str(MEMBER)}, prepare=to_be_linked),
    "claim_player": Act("/players/RL01/claim", {}, "piet", to_be_linked, status=201),
    "merge_player": Act("/players/RL02/merge", {"into": "RL01"}, prepare=doubled),
    "unmerge_player": Act("/players/RL02/unmerge", {}, prepare=merged),
    "erase_player": Act("/players/RL01/erase", {"reason": "Asked."}, "olga", doubled),
    "request_erasure": Act("/players/RL01/erasure-request", {"to": "ask"}, "piet", doubled),
    "confirm_claim": Act(f"/claims/{CLAIM}/confirm", {}, prepare=claimed),
    "reject_claim": Act(f"/claims/{CLAIM}/reject", {}, prepare=claimed),
    "withdraw_claim": Act(f"/claims/{CLAIM}/withdraw", {}, "piet", claimed),
    "change_member": Act(
        f"/members/{MEMBER}",
        {"role": "host"},
        "olga",
        to_be_linked,
        method="PATCH",
        headers={"If-Match": "*"},
    ),
    "remove_member": Act(f"/members/{MEMBER}", who="olga", prepare=to_be_linked, method="DELETE"),
    "create_invitation": Act("/invitations", {"role": "host"}, "olga", status=201),
    "revoke_invitation": Act(
        f"/invitations/{MEMBER}", who="olga", prepare=invited, method="DELETE"
    ),
    "import_sheets": Act(f"{E}/imports", {"file": NIGHT}, prepare=evening),
    "add_player": Act("/players", {"name": "Zoë Kay"}, status=201),
    "change_player": Act(
        "/players/RL01",
        {"nickname": "Ace"},
        prepare=evening,
        method="PATCH",
        headers={"If-Match": "*"},
    ),
    "change_notification": Act(
        "/api/v1/me/notifications/riverside/digest",
        {"by_mail": False},
        method="PATCH",
        headers={"If-Match": "*"},
        lines=0,
    ),
    "change_club": Act(
        "", {"name": "Riverbank"}, "olga", method="PATCH", headers={"If-Match": "*"}
    ),
    "change_event": Act(
        E, {"visibility": "held"}, prepare=evening, method="PATCH", headers={"If-Match": "*"}
    ),
    "archive_event": Act(f"{E}/archive", {"reason": "Over."}, "olga", evening),
    "unarchive_event": Act(f"{E}/unarchive", {"reason": "Again."}, "olga", archived),
    "delete_event": Act(E, prepare=drafted, method="DELETE"),
    "delete_club": Act("/delete", {"confirm": "riverside"}, "olga", exported),
    "undo_delete_club": Act("/delete/undo", {}, "olga", deleted),
    "create_token": Act(
        "/api/v1/tokens", {"name": "Site", "scope": "read", "club": "riverside"}, status=201
    ),
    "revoke_token": Act(f"/api/v1/tokens/{TOKEN}", prepare=with_token, method="DELETE"),
    "revoke_club_token": Act(f"/tokens/{TOKEN}", who="olga", prepare=with_token, method="DELETE"),
}
