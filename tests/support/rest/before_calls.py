"""What a club holds before a request of `keyed_calls`: a league, a plan, an import and others."""

from django.utils import timezone

from tests.support.builders import (
    bring,
    by_tests,
    counts,
    hand,
    league,
    link,
    penalize,
    players,
    table,
)
from tests.support.cast import NOW, Cast
from tests.support.evenings import EVENING, plans
from tests.support.evenings import evening as evening_of
from tests.support.pages.double_entry import require_double_entry
from tests.support.pages.photos import picture
from tests.support.rest.call import CLAIM, MEMBER, TOKEN, documented
from tests.support.scenarios import cuts
from tests.support.scenarios.challenges import answer, issue, result
from tests.support.scenarios.ladders import ladder
from tests.support.scenarios.open_nights import OpenNightEvening
from tests.support.scenarios.planned_evenings import planned_evening
from tests.support.scenarios.playoffs import tied
from tests.support.seasons import autumn_season
from tournaments.documents.read.people_list import PastedPlayer
from tournaments.errors import Forbidden
from tournaments.models.access import Contact, Invitation, PlayerClaim, Token
from tournaments.models.clubs import Membership, Player, PlayerAlias
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.imports import Holds, ImportBatch
from tournaments.models.rounds import Round
from tournaments.models.rules import HouseVariant
from tournaments.models.seating_plans import SeatingConstraint, SeatingPlan
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.stages import get_stage
from tournaments.services.access.table_links import make_link
from tournaments.services.access.tokens import create_token
from tournaments.services.attendance.excuses import excuse_player
from tournaments.services.attendance.fill_ins import ask_fill_in
from tournaments.services.audit.audit import count_refused_act
from tournaments.services.boards import deal_boards
from tournaments.services.clubs.aliases import keep_names
from tournaments.services.clubs.deletion import delete_club, note_export
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.members import claim_player
from tournaments.services.clubs.names import lock_names
from tournaments.services.clubs.personal_links import renew_personal_link, set_contact
from tournaments.services.clubs.player_paste import add_roster, plan_players
from tournaments.services.events.adjustments import sit_out
from tournaments.services.events.change_event import archive_event
from tournaments.services.events.entrants import add_entrant
from tournaments.services.events.result_notes import send_result_note
from tournaments.services.hands.disputes import open_dispute
from tournaments.services.hands.double_entry import SecondEntry, enter_again
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.imports.process_upload import process_upload
from tournaments.services.imports.uploads import store_upload
from tournaments.services.people.merge_players import merge_players
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.meetings import plan_meeting
from tournaments.services.rounds.photos import add_photo
from tournaments.services.rounds.rounds import make_round
from tournaments.services.rounds.seating import clear_table
from tournaments.services.rules.house_rules import add_version, chosen_rules, make_house_rules
from tournaments.services.seating_plans.constraints import add_constraint
from tournaments.services.stages.cuts import make_cut
from tournaments.services.stages.plan_stages import change_stage, plan_stage


def evening(cast: Cast) -> Game:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B."))
    hand(game, 1, [4, 1, 2, 6], 3)
    hand(game, 2, [0, 13, 0, 0], 0)
    publish(event.pk, now=NOW)
    return game


def at_wrong_table(cast: Cast) -> None:
    """The hands of the first table belong to the second."""
    game = evening(cast)
    table(
        game.event,
        players(cast.riverside, "Zoë Kay", "Jan B.", "Mia L.", "Tom R."),
        table_number=2,
    )


def with_contact(cast: Cast) -> None:
    player = evening(cast).event.entrants.get(code="RL01").members.get().player
    op = cast.operation("dirk")
    set_contact(op, player, email="elsa@mail.example", has_consent=True)
    renew_personal_link(op, player)


def with_address_by_link(cast: Cast) -> None:
    """An address that nobody of the club vouches for, as 0.5.0 stored it for a link's holder."""
    with_contact(cast)
    Contact.objects.update(origin="link", consent_as="", consent_by=None)


def with_roster(cast: Cast) -> None:
    pasted = [PastedPlayer(line=1, name="Zoë Kay")]
    seen = plan_players(cast.riverside, pasted).digest
    add_roster(by_tests(), cast.riverside, pasted=pasted, seen=seen)


def with_photo(cast: Cast) -> None:
    add_photo(by_tests(), evening(cast), content=picture())


def with_removed_table(cast: Cast) -> None:
    game = evening(cast)
    people = list(Player.objects.filter(club=cast.riverside))
    clear_table(by_tests(), table(game.event, people, round_number=2))


def with_seated_table(cast: Cast) -> Game:
    game = evening(cast)
    people = list(Player.objects.filter(club=cast.riverside))
    return table(game.event, people, round_number=2)


def with_draft_round(cast: Cast) -> Round:
    return make_round(by_tests(), evening(cast).event, number=2)


def with_sit_out(cast: Cast) -> None:
    sit_out(by_tests(), with_draft_round(cast), entrant="RL01", reason="rest")


def with_player_without_seat(cast: Cast) -> None:
    night = planned_evening(cast, [([(1, 2, 3)], [])])
    night.here(1, 2, 3)
    night.seat()
    night.here(4)


def with_deleted_hand(cast: Cast) -> None:
    void_hand(by_tests(), evening(cast), number=1, based_on=1, reason="Twice.")


def with_own_hand(cast: Cast) -> None:
    now = timezone.now()
    hand(evening(cast), 3, [4, 1, 2, 6], 3, actor=cast.actor("hanna"), now=now)


def with_file(cast: Cast, *, is_confirmed: bool = False) -> ImportBatch:
    event = evening(cast).event
    return store_upload(
        cast.operation("hanna"), event, name="night.csv", content=NIGHT, is_confirmed=is_confirmed
    )


def with_checked_file(cast: Cast) -> None:
    process_upload(with_file(cast).pk, now=NOW)


def with_foreign_file(cast: Cast) -> None:
    event = evening(cast).event
    batch = store_upload(cast.operation("hanna"), event, name="evening.csv", content=FOREIGN)
    process_upload(batch.pk, now=NOW)


def with_unknown_people(cast: Cast) -> None:
    op, content = cast.operation("hanna"), UNKNOWN_PEOPLE
    event = evening(cast).event
    batch = store_upload(op, event, name="totals.csv", content=content, holds=Holds.TOTALS)
    process_upload(batch.pk, now=NOW)


def with_likely_people(cast: Cast) -> None:
    op, content = cast.operation("hanna"), LIKELY_PEOPLE
    event = evening(cast).event
    batch = store_upload(op, event, name="totals.csv", content=content, holds=Holds.TOTALS)
    process_upload(batch.pk, now=NOW)


def with_alias(cast: Cast) -> None:
    evening(cast)
    elsa = Player.objects.get(club=cast.riverside, player_id="RL01")
    keep_names(cast.operation("hanna"), lock_names(cast.riverside), {"Elsie": elsa})
    PlayerAlias.objects.update(public_id=TOKEN)


def with_mapped_file(cast: Cast) -> None:
    with_foreign_file(cast)
    call = documented("map_import_columns", who="hanna")
    assert call.send(cast.client("hanna"), key="before").status_code == call.status
    process_upload(ImportBatch.objects.get(number=1).pk, now=NOW)


def with_mapping(cast: Cast) -> None:
    with_mapped_file(cast)
    call = documented("store_mapping", who="hanna")
    assert call.send(cast.client("hanna"), key="stored").status_code == call.status


def with_double_entry(cast: Cast) -> Game:
    game = evening(cast)
    require_double_entry(game.event)
    game.event.refresh_from_db()
    return game


def with_second_entry(cast: Cast) -> None:
    """A second entry of the evening, in which hand 2 differs."""
    game = with_double_entry(cast)
    rows = [
        SecondEntry(1, counts([4, 1, 2, 6], 3), None),
        SecondEntry(2, counts([0, 0, 13, 0], 0), None),
    ]
    enter_again(cast.operation("hanna"), game, rows=rows, is_whole=True)


def with_waiting_file(cast: Cast) -> None:
    with_file(cast, is_confirmed=True)


def with_imported_file(cast: Cast) -> None:
    process_upload(with_file(cast, is_confirmed=True).pk, now=NOW)


def with_plan(cast: Cast) -> None:
    planned_evening(cast, [([(1, 2, 3, 4)], [])])


def with_seated_round(cast: Cast) -> None:
    planned_evening(cast, [([(1, 2, 3, 4)], [])]).seat()


def with_clock(cast: Cast) -> None:
    event = league(cast.riverside, settings={"round_minutes": 40})
    table(event, players(cast.riverside, *cuts.NAMES[:4]))
    Round.objects.filter(event=event).update(posted_at=timezone.now(), meeting=None)


def with_line(cast: Cast) -> None:
    event = evening(cast).event
    penalize(event, "RL01", "2", "x")


def with_opening_value(cast: Cast) -> None:
    bring(evening(cast).event, "RL01", "20")


def meeting(cast: Cast) -> None:
    event = league(cast.riverside)
    players(cast.riverside, "Ada A.")
    plan_meeting(by_tests(), event, day=NOW.date())


def with_dispute(cast: Cast) -> None:
    open_dispute(cast.operation("hanna"), evening(cast), number=1, words="East had 2.")


def own_values(cast: Cast) -> Event:
    event = evening(cast).event
    link(Player.objects.get(club=cast.riverside, player_id="RL01"), cast.users["piet"])
    return event


def with_result_note(cast: Cast) -> None:
    event = own_values(cast)
    send_result_note(cast.operation("piet"), event, about="sum", words="It is 20.")


def over(cast: Cast) -> Event:
    event = evening(cast).event
    cuts.close(event, 1)
    return event


def with_cut(cast: Cast) -> None:
    make_cut(by_tests(), over(cast), cut="2")


def with_knockout(cast: Cast) -> None:
    event = league(cast.riverside)
    fields = {"movement": "knockout"}
    change_stage(by_tests(), get_stage(event, 1), fields=fields)
    table(event, players(cast.riverside, "Anna K.", "Jörg S.", "Béla D.", "Player C."))


def with_planned_stage(cast: Cast) -> None:
    plan_stage(by_tests(), over(cast), fields={"advance": {"best": 2}})


def with_tied_stage(cast: Cast) -> None:
    """A stage for the best two, where three share the first place."""
    event = league(cast.riverside, settings={"playoff": "criteria"})
    game = table(event, players(cast.riverside, "Anna K.", "Jörg S.", "Béla D.", "Player C."))
    hand(game, 1, (1, 4, 4, 4), 0)
    cuts.close(event, 1)
    plan_stage(by_tests(), event, fields={"advance": {"best": 2}})


def on_ladder(cast: Cast) -> Event:
    return ladder(cast, now=NOW)


def challenged(cast: Cast) -> Event:
    event = on_ladder(cast)
    issue(cast, event, "H", "E")
    return event


def accepted(cast: Cast) -> None:
    answer(cast, challenged(cast), "E", "accepted", now=NOW)


def with_result(cast: Cast) -> None:
    event = challenged(cast)
    answer(cast, event, "E", "accepted", now=NOW)
    result(cast, event, "H", "HIE", now=NOW)


def away(cast: Cast) -> None:
    on_ladder(cast)
    call = documented("tell_absence", event="ladder", body={"since": "2025-11-06"})
    assert call.send(cast.client("A"), key="before").status_code == call.status


def house(cast: Cast) -> None:
    make_house_rules(
        by_tests(),
        cast.riverside,
        name="Thursday rules",
        chosen=chosen_rules("hearts", {"target": 61}, "To 61."),
    )


def to_be_linked(cast: Cast) -> None:
    players(cast.riverside, "Cleo S.")
    Membership.objects.filter(user=cast.users["piet"]).update(public_id=MEMBER)


def doubled(cast: Cast) -> None:
    players(cast.riverside, "Cleo S.", "Cleo Sand")
    link(Player.objects.get(player_id="RL01"), cast.users["piet"])


def merged(cast: Cast) -> None:
    doubled(cast)
    cleo, sand = Player.objects.order_by("player_id")
    merge_players(by_tests(), sand, target=cleo)


def claimed(cast: Cast) -> None:
    to_be_linked(cast)
    cleo = Player.objects.get(player_id="RL01")
    claim_player(cast.operation("piet"), cleo)
    PlayerClaim.objects.update(public_id=CLAIM)


def invited(cast: Cast) -> None:
    invite(cast.operation("olga"), cast.riverside, role="host")
    Invitation.objects.update(public_id=MEMBER)


def played_off(cast: Cast) -> None:
    tied(cast.riverside)


def duel(cast: Cast) -> None:
    tied(cast.riverside, (2, 2, 4, 5))


def drafted(cast: Cast) -> None:
    league(cast.riverside)
    Event.objects.update(state="draft")


def archived(cast: Cast) -> None:
    archive_event(by_tests(), evening(cast).event, reason="Over.")


def refused(cast: Cast) -> None:
    refusal = Forbidden("manage_event")
    count_refused_act(actor=cast.actor("nora"), club_slug="riverside", refusal=refusal, now=NOW)


def exported(cast: Cast) -> None:
    note_export(cast.operation("olga"), cast.riverside)


def deleted(cast: Cast) -> None:
    exported(cast)
    delete_club(cast.operation("olga"), cast.riverside, confirm="riverside")


def with_token(cast: Cast) -> None:
    create_token(cast.operation("dirk"), name="Site", club=cast.riverside, scope="read", days=1)
    Token.objects.update(public_id=TOKEN)


NIGHT = (
    b"date,round,table,hand,seat,player_id,hearts,queen_spades\r\n"
    b"2025-11-05,2,1,1,N,RL01,4,0\r\n"
    b"2025-11-05,2,1,1,E,RL02,1,0\r\n"
    b"2025-11-05,2,1,1,S,RL03,2,0\r\n"
    b"2025-11-05,2,1,1,W,RL04,6,1\r\n"
    b"2025-11-05,2,1,2,N,RL01,4,0\r\n"
)
UNKNOWN_PEOPLE = (
    b"round,table,player,points\r\n"
    b"7,1,Ada Lund,10\r\n7,1,Ben Mohr,6\r\n7,1,Cy Nagel,10\r\n7,1,Dee Otto,0\r\n"
)
LIKELY_PEOPLE = (
    b"round,table,player,points\r\n7,1,Elsa,10\r\n7,1,Xenia,6\r\n7,1,Ruth,10\r\n7,1,Omar,0\r\n"
)
FOREIGN = (
    b"Datum,Tisch,Spieler,Herzen,Pik-Dame\r\n"
    b"2025-11-13,1,Elsa D.,4,0\r\n"
    b"2025-11-13,1,Xenia S.,1,0\r\n"
    b"2025-11-13,1,Ruth K.,2,0\r\n"
    b"2025-11-13,1,Omar B.,6,1\r\n"
)


def planned(cast: Cast) -> Event:
    event = league(cast.riverside)
    meeting, _people = evening_of(event, 8)
    plans(meeting, 2)
    SeatingPlan.objects.update(public_id=TOKEN)
    return event


def with_fill_in(cast: Cast) -> None:
    ask_fill_in(by_tests(), meeting_on(planned(cast), EVENING))


def with_excuses(cast: Cast) -> Event:
    """A league that counts excused evenings, with one to come."""
    settings = {"primary": "evening_points", "excused": "lowest"}
    event = league(cast.riverside, settings=settings)
    players(cast.riverside, "Ada A.", "Bea B.", "Cleo C.", "Dora D.", "Elsa E.")
    plan_meeting(by_tests(), event, day=EVENING)
    return event


def with_excused(cast: Cast) -> None:
    """Two evenings of such a league, of the second of which a player was excused."""
    event = with_excuses(cast)
    people = list(Player.objects.filter(club=cast.riverside).order_by("player_id"))
    for number, (day, seated) in enumerate(((NOW.date(), people[:4]), (EVENING, people[1:5])), 1):
        hand(table(event, seated, round_number=number, on=day), 1, [4, 1, 2, 6], queen=3)
    excuse_player(
        by_tests(), meeting_on(event, EVENING), player=people[0], excused=True, reason="Ill."
    )
    publish(event.pk, now=NOW)


def on_an_open_night(cast: Cast) -> None:
    OpenNightEvening(league(cast.riverside), 8)


def kept_apart(cast: Cast) -> None:
    add_constraint(by_tests(), planned(cast), kind="apart", player="RL01", other="RL02")
    SeatingConstraint.objects.update(public_id=TOKEN)


def with_pair(cast: Cast) -> None:
    event = planned(cast)
    pair = Player.objects.filter(player_id__in=("RL05", "RL06"))
    add_entrant(by_tests(), event, kind="pair", players=tuple(pair))


def duplicate(cast: Cast) -> Event:
    return league(cast.riverside, settings={"duplicate": True, "primary": "matchpoints"})


SEED = "2f1c5d0a9be34f7781c6d2e0a4b39f56"


def with_deals(cast: Cast) -> None:
    deal_boards(by_tests(), duplicate(cast), count=2, seed=SEED)


def with_season(cast: Cast) -> None:
    """A season without events, and a league."""
    evening(cast)
    autumn_season(cast.riverside)


def with_link(cast: Cast) -> None:
    make_link(by_tests(timezone.now()), evening(cast).table)


def behind_its_rules(cast: Cast) -> None:
    """A league that plays the first of two versions of house rules."""
    house(cast)
    league(cast.riverside, variant="thursday-rules")
    chosen = chosen_rules("hearts", {"target": 71}, "To 71.")
    rules = HouseVariant.objects.get(club=cast.riverside)
    add_version(by_tests(), rules, chosen=chosen)
