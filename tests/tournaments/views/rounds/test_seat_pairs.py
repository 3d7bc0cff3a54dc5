"""Seating pairs by name, being asked about partners who are no pair, removing and restoring."""

import html
import re

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import by_tests, finished, league, players
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in
from tests.support.pages.change_players import hidden
from tests.support.pages.manage import next_step
from tests.support.pages.queries import count_queries
from tests.support.pages.seating import press
from tests.support.pages.text import beside, summary, text_of
from tests.support.scenarios.open_nights import OpenNightEvening
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Game
from tournaments.models.rounds import Attendance, Meeting, Round, SitOut, Sitting, Table
from tournaments.models.standings import Contribution, LedgerLine
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.selectors.rounds.rounds import round_cards
from tournaments.services.events.adjustments import add_line, sit_out
from tournaments.services.events.entrants import add_entrant
from tournaments.services.events.events import entrant_for
from tournaments.services.rounds.arrange_round import SeatingTarget, arrange_round
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import make_round, move_round
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.make_plans import make_plans
from tournaments.tasks import plan_seating

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("people")]

EVENT = "/clubs/riverside/events/league"
NEW = f"{EVENT}/rounds/1/new-table"
NAMES = ("Anna", "Bob", "Cleo", "Dirk", "Elsa", "Finn", "Sid", "Tom")


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside, variant="partnership-hearts-pooled")


@pytest.fixture
def people(cast: Cast, event: Event) -> list[Player]:
    """Anna and Bob are the Aces, Cleo and Dirk a pair without a name, Elsa and Finn the Aliens."""
    found = players(cast.riverside, *NAMES)
    for at, name in ((0, "Aces"), (2, ""), (4, "Aliens")):
        add_entrant(by_tests(), event, kind="pair", players=found[at : at + 2], name=name)
    make_round(by_tests(), event, number=1)
    return found


def seated(code: str = "r1t1") -> list[str]:
    rows = Sitting.objects.filter(seat__table__code=code, to_hand=None).order_by("seat__number")
    return [row.player.name for row in rows]


def filled(page: Answer) -> list[str]:
    matches = re.findall(r'class="btn pri"[^>]*>(.*?)</button>', page.content.decode())
    return [html.unescape(one) for one in matches]


def sides(first: str, second: str, **more: str) -> dict[str, str]:
    return {"side-1": first, "side-2": second, **more}


def test_form_has_a_field_a_side_and_takes_names_of_pairs(dirk: Client) -> None:
    page = dirk.get(NEW)
    words = text_of(page)
    assert "North and South" in words
    assert "East and West" in words
    assert 'name="seat-1"' not in page.content.decode()
    assert '<option value="Aces (pair-1)">' in page.content.decode()
    dirk.post(NEW, sides("ace", "cleo & dirk"))
    assert seated() == ["Anna", "Cleo", "Bob", "Dirk"]
    again = dirk.get(f"{EVENT}/tables/r1t1/seating").content.decode()
    assert 'value="Aces (pair-1)"' in again
    assert 'value="Cleo &amp; Dirk (pair-2)"' in again


def test_side_that_cannot_be_read_or_sits_elsewhere_is_told_with_the_next_step(cast: Cast) -> None:
    dirk = cast.client("dirk")
    dirk.post(NEW, sides("Aces", "pair-2"))
    refused = dirk.post(NEW, sides("Aces", "Al"))
    assert beside(refused, "side-1").startswith(
        "Anna sits at table 1 of this round. Swap the players, or free table 1 first."
    )
    assert f'href="{EVENT}/tables/r1t1/change-players"' in refused.content.decode()
    unclear = dirk.post(NEW, sides("A", "Zoo"))
    assert "Several pairs begin with “A”." in beside(unclear, "side-1")
    assert 'value="side-1=Aliens (pair-3)"' in unclear.content.decode()
    assert "“Zoo” is not a pair of this event." in beside(unclear, "side-2")
    assert Table.objects.count() == 1


def test_partners_who_are_no_pair_are_asked_about(dirk: Client) -> None:
    response = dirk.post(NEW, sides("Anna & Cleo", "Bob & Sid"))
    said = summary(response, 422)
    assert (
        "Anna and Cleo are not a pair. If you seat them anyway, their hands do not count "
        "for a pair." in said
    )
    assert (
        "Bob and Sid are not a pair. If you seat them anyway, their hands count for Aces "
        "and for Sid alone." in said
    )
    assert filled(response) == ["Seat anyway"]
    assert Table.objects.count() == 0
    dirk.post(NEW, sides("Anna & Cleo", "Elsa & Finn", split="yes"))
    assert seated() == ["Anna", "Elsa", "Cleo", "Finn"]


def test_changed_seats_of_a_table_name_pairs_who_meet_again(dirk: Client, event: Event) -> None:
    dirk.post(NEW, sides("Aces", "pair-2"))
    Round.objects.update(state="posted")
    make_round(by_tests(), event, number=2)
    dirk.post(NEW.replace("/1/", "/2/"), sides("Aces", "Aliens"))
    page = dirk.post(f"{EVENT}/tables/r2t1/seating", sides("pair-2", "Aces"), follow=True)
    assert "Meet again: Aces and Cleo & Dirk." in text_of(page)


def test_removing_a_table_asks_and_it_comes_back(cast: Cast) -> None:
    dirk, page = cast.client("dirk"), f"{EVENT}/tables/r1t1/seating"
    dirk.post(NEW, sides("Aces", "pair-2"))
    assert "Remove table 1?" in text_of(dirk.post(page, {"clear": "ask"}))
    assert seated() == ["Anna", "Cleo", "Bob", "Dirk"]
    gone = dirk.post(page, {"clear": "yes"}, follow=True)
    assert "Table 1 removed. You can restore it below." in text_of(gone)
    assert "Table 1 was removed: Anna · Cleo · Bob · Dirk Restore table 1" in text_of(gone)
    line = AuditLine.objects.get(act="clear_table")
    back = dirk.post(f"{EVENT}/rounds/1/direct", {"restore": str(line.number)}, follow=True)
    assert "Table 1 restored." in text_of(back)
    assert "was removed" not in text_of(back)
    assert seated() == ["Anna", "Cleo", "Bob", "Dirk"]


def on_an_evening(event: Event, people: list[Player], dirk: Client, *names: str) -> None:
    """Seat Aces and Cleo & Dirk at table 1 of an evening; the Aliens have a bye."""
    meeting = Meeting.objects.create(club=event.club, event=event, date=NOW.date())
    Round.objects.update(meeting=meeting)
    check_in(meeting, [player for player in people if player.name in names])
    dirk.post(NEW, sides("Aces", "pair-2"))
    sit_out(by_tests(), Round.objects.get(), entrant="pair-3", reason="bye")


def change_seats(dirk: Client, query: str, **more: str) -> Answer:
    page = dirk.get(f"{EVENT}/rounds/1{query}")
    names = ("do", "about", "way", "tag", "round")
    sent = {name: hidden(page, name) for name in names} | {"do": "change", **more}
    return dirk.post(f"{EVENT}/meetings/{NOW.date()}/seating", sent)


def test_waiting_pair_is_exchanged_for_a_sitting_pair_in_one_act(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    on_an_evening(event, people, dirk, *NAMES[:6])
    ids = {player.name: player.player_id for player in people}
    page = text_of(dirk.get(f"{EVENT}/rounds/1?seat={ids['Anna']}&seat={ids['Elsa']}"))
    assert "Anna & Bob and Elsa & Finn picked." in page
    assert "Elsa & Finn play, Anna & Bob sit out" in page
    assert "Anna & Bob wait. Elsa & Finn get seats at table 1. Nobody meets again." in page
    assert change_seats(dirk, f"?seat={ids['Bob']}&seat={ids['Elsa']}").status_code == 302
    assert seated() == ["Elsa", "Cleo", "Finn", "Dirk"]
    assert list(SitOut.objects.values_list("entrant__name", "reason")) == [("Aces", "bye")]


def test_pair_alone_is_exchanged_with_a_waiting_one_or_taken_out(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    on_an_evening(event, people, dirk, *NAMES[:6])
    ids = {player.name: player.player_id for player in people}
    page = text_of(dirk.get(f"{EVENT}/rounds/1?seat={ids['Dirk']}"))
    assert "Cleo & Dirk picked." in page
    assert "Elsa & Finn get seats at table 1." in page
    page = text_of(dirk.get(f"{EVENT}/rounds/1?seat={ids['Dirk']}&as=leave"))
    assert "Elsa & Finn: table 1" in page
    assert change_seats(dirk, f"?seat={ids['Dirk']}&as=leave").status_code == 302
    assert seated() == ["Anna", "Elsa", "Bob", "Finn"]
    assert list(SitOut.objects.values_list("entrant__code", "reason")) == [("pair-2", "rest")]


def test_player_without_a_partner_is_exchanged_alone_and_asked_about(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    on_an_evening(event, people, dirk, *NAMES[:7])
    ids = {player.name: player.player_id for player in people}
    query = f"?seat={ids['Anna']}&seat={ids['Sid']}"
    assert "Sid plays, Anna sits out" in text_of(dirk.get(f"{EVENT}/rounds/1{query}"))
    asked = change_seats(dirk, query)
    assert "Sid and Bob are not a pair." in summary(asked)
    assert "Seat anyway" in text_of(asked)
    assert seated() == ["Anna", "Cleo", "Bob", "Dirk"]
    assert change_seats(dirk, query, split="yes").status_code == 302
    assert seated() == ["Sid", "Cleo", "Bob", "Dirk"]
    assert ("Aces", "rest") in SitOut.objects.values_list("entrant__name", "reason"), (
        "half a pair has no bye"
    )


@pytest.mark.usefixtures("clock")
def test_players_without_a_partner_are_made_a_pair_and_seated_with_those_who_wait(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    on_an_evening(event, people, dirk, *NAMES)
    page = dirk.get(f"{EVENT}/rounds/1")
    assert "Make Sid &amp; Tom a pair" in page.content.decode()
    made = press(dirk, f"{EVENT}/rounds/1", "Make Sid &amp; Tom a pair")
    assert "Sid &amp; Tom are a pair now." in made.content.decode()
    assert "Seat Sid &amp; Tom in round 1" in made.content.decode()
    assert change_seats(dirk, "").status_code == 302
    assert seated("r1t2") == ["Sid", "Elsa", "Tom", "Finn"]


def test_one_without_a_partner_is_offered_no_pair(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    on_an_evening(event, people, dirk, *NAMES[:7])
    assert "a pair</button>" not in dirk.get(f"{EVENT}/rounds/1").content.decode()


def test_seat_of_a_partner_who_left_goes_to_a_pair_or_a_player_without_a_partner(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    on_an_evening(event, people, dirk, *NAMES[:7])
    Attendance.objects.filter(player=people[1]).update(state="left")
    page = text_of(dirk.get(f"{EVENT}/rounds/1"))
    assert "Give away the seat of Anna & Bob in round 1 Bob left." in page
    assert "Elsa & Finn: table 1" in page
    assert "Sid: table 1" in page
    assert change_seats(dirk, "").status_code == 302
    assert seated() == ["Elsa", "Cleo", "Finn", "Dirk"]
    assert ("Aces", "left") in SitOut.objects.values_list("entrant__name", "reason")
    page = text_of(dirk.get(f"{EVENT}/rounds/1"))
    assert "Anna partner left" in page, "Anna is here"


def test_result_of_a_table_names_the_pair_and_not_its_substitute(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    dirk.post(NEW, sides("Anna & Sid", "pair-2", split="yes"))
    Round.objects.update(state="posted")
    finished(Game.objects.get())
    lines = round_cards(event, Round.objects.get())[0].lines
    assert [(line.place, line.name) for line in lines] == [("1", "Aces"), ("2", "Cleo & Dirk")]
    assert Contribution.objects.count() == 3


def closed_round_of_pairs(
    event: Event, people: list[Player], rounds: int, movement: str = "pairs"
) -> Meeting:
    meeting = Meeting.objects.create(club=event.club, event=event, date=NOW.date())
    Round.objects.all().delete()
    check_in(meeting, people[:6])
    plan = make_plans(by_tests(), meeting, movement=movement, rounds=rounds, seed=7)[0]
    if not plan.is_ready:
        plan_seating(plan.pk)
        plan.refresh_from_db()
    round_ = make_round_of_plan(by_tests(), choose_plan(by_tests(), plan))
    move_round(by_tests(), round_, to="posted")
    finished(Game.objects.select_related("event", "table").get())
    move_round(by_tests(), Round.objects.get(), to="closed")
    return meeting


@pytest.mark.parametrize("movement", ["pairs", ""])
def test_closed_round_offers_to_make_players_without_a_partner_a_pair(
    dirk: Client, event: Event, people: list[Player], movement: str
) -> None:
    meeting = closed_round_of_pairs(event, people, 3, movement)
    check_in(meeting, people[6:])
    made = press(dirk, f"{EVENT}/rounds/1", "Make Sid &amp; Tom a pair")
    assert "Sid &amp; Tom are a pair now." in made.content.decode()
    assert "a pair</button>" not in made.content.decode()
    assert "Seat round 2" in made.content.decode()


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("rounds", [1, 3])
def test_next_round_is_not_offered_where_it_would_be_refused_for_a_missing_partner(
    dirk: Client, event: Event, people: list[Player], rounds: int
) -> None:
    Stage.objects.update(kind="pairs", planned_rounds=3)
    meeting = closed_round_of_pairs(event, people, rounds)
    seating = f"{EVENT}/meetings/{meeting.date}/seating"
    Attendance.objects.filter(player=people[1]).update(state="left")
    refused = text_of(dirk.post(seating, {"next_round": "1"}))
    why = "Bob is not here. Check in Bob"
    assert why in refused
    for page in (f"{EVENT}/direct", f"{EVENT}/rounds/1"):
        response = dirk.get(page)
        assert why in text_of(response)
        assert "Next round" not in response.content.decode()
        assert f"{EVENT}/meetings/{meeting.date}/attendance" in response.content.decode()
    assert next_step(dirk, f"{EVENT}/direct") == ("Plan round 2", "Attendance")
    Attendance.objects.filter(player=people[0]).update(state="left")
    assert next_step(dirk, f"{EVENT}/direct")[1] == "Next round"
    assert "Next round" in dirk.get(f"{EVENT}/rounds/1").content.decode()
    dirk.post(seating, {"next_round": "1"})
    assert Round.objects.count() == 2


@pytest.mark.usefixtures("clock")
def test_players_without_a_partner_are_made_a_pair_before_the_next_round(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    Stage.objects.update(kind="pairs", planned_rounds=3)
    meeting = closed_round_of_pairs(event, people, 1)
    check_in(meeting, people[6:])
    assert next_step(dirk, f"{EVENT}/direct") == ("Plan round 2", "Make a pair")
    assert "Not in a pair: Sid, Tom." in text_of(dirk.get(f"{EVENT}/direct"))
    press(dirk, f"{EVENT}/meetings/{meeting.date}/plans", "Make Sid &amp; Tom a pair")
    assert next_step(dirk, f"{EVENT}/direct") == ("Plan round 2", "Next round")


def test_plan_card_names_the_pair_that_sits_out_after_an_exchange(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    meeting = Meeting.objects.create(club=event.club, event=event, date=NOW.date())
    Round.objects.all().delete()
    check_in(meeting, people[:6])
    plan = make_plans(by_tests(), meeting, movement="pairs", rounds=1, seed=7)[0]
    round_ = make_round_of_plan(by_tests(), choose_plan(by_tests(), plan))
    north, east, south, west = round_seating(round_).tables[0].players
    first, second = sorted(round_seating(round_).sit_outs)
    target = SeatingTarget({1: (first, east, second, west)}, {north: "bye", south: "bye"})
    arrange_round(by_tests(), round_, target=target)
    html = dirk.get(f"{EVENT}/meetings/{meeting.date}/plans").content.decode()
    (names,) = re.findall(r"<b>Sit out</b>(.*?)</ul>", html, re.DOTALL)
    resting = {player.name for player in people if player.pk in (north, south)}
    assert {name for name in NAMES if name in names} == resting
    (fact,) = re.findall(r"<dt>Sit out</dt><dd>.*?</dd><dd>(.*?)</dd>", html, re.DOTALL)
    assert {name for name in NAMES if name in fact} == resting


def test_preview_names_the_pairs_of_the_event_that_the_round_names_then(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    dirk.post(NEW, sides("Aces", "Aliens"))
    Round.objects.update(state="posted")
    round_ = make_round(by_tests(), event, number=2)
    meeting = Meeting.objects.create(club=event.club, event=event, date=NOW.date())
    Round.objects.filter(pk=round_.pk).update(meeting=meeting)
    check_in(meeting, people[:6])
    dirk.post(NEW.replace("/1/", "/2/"), sides("Aces", "pair-2"))
    sit_out(by_tests(), round_, entrant="pair-3", reason="bye")
    ids = {player.name: player.player_id for player in people}
    page = f"{EVENT}/rounds/2?seat={ids['Cleo']}&seat={ids['Elsa']}"
    assert "Meet again: Aces and Aliens." in text_of(dirk.get(page))
    assert "Nobody meets again" not in text_of(dirk.get(page))
    assert press(dirk, page, "Swap Cleo &amp; Dirk and Elsa &amp; Finn").status_code == 200
    assert seated("r2t1") == ["Anna", "Elsa", "Bob", "Finn"]
    assert "Meet again: Aces and Aliens." in text_of(dirk.get(f"{EVENT}/rounds/2"))
    page = f"{EVENT}/rounds/2?seat={ids['Anna']}&seat={ids['Elsa']}"
    assert "Nobody else meets again." in text_of(dirk.get(page)), "they meet before and after"


def test_pair_that_arrives_is_seated_with_its_partners_on_one_side(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    add_entrant(by_tests(), event, kind="pair", players=people[6:], name="Late")
    on_an_evening(event, people, dirk, *NAMES)
    assert change_seats(dirk, "").status_code == 302
    assert seated("r1t2") == ["Sid", "Elsa", "Tom", "Finn"]


def test_ticked_table_asks_about_people_who_are_no_pair(cast: Cast, event: Event) -> None:
    night = OpenNightEvening(event, 8, sizes=(4,))
    dirk, page = cast.client("dirk"), f"{EVENT}/meetings/{night.meeting.date}/seating"
    picked = [player.player_id for player in night.people if player.name in NAMES[:3:2] + NAMES[6:]]
    sent = {"do": "form", "player": picked}
    response = dirk.post(page, sent | {"which": "picked"})
    assert "are not a pair" in summary(response)
    assert not Table.objects.exists()
    assert 'name="which" value="anyway"' in response.content.decode()
    assert dirk.post(page, sent | {"which": "anyway"}).status_code == 302
    assert set(seated("r2t1")) == {"Anna", "Cleo", "Sid", "Tom"}


def test_seats_of_more_pairs_take_no_more_queries(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    on_an_evening(event, people, dirk, *NAMES[:6])
    page = f"{EVENT}/rounds/1?seat={people[0].player_id}"
    asked = []
    for step in (2, 6):
        more = players(event.club, *(f"More {step} {n}" for n in range(2 * step)))
        for at in range(0, len(more), 2):
            add_entrant(by_tests(), event, kind="pair", players=more[at : at + 2])
        check_in(Meeting.objects.get(), more)
        asked.append(count_queries(dirk, page))
    assert asked[0] == asked[1], "two more pairs, or eight"


@pytest.mark.usefixtures("clock")
def test_player_with_results_is_offered_a_seat_beside_another_and_no_pair(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    Stage.objects.update(kind="pairs", planned_rounds=3)
    meeting = closed_round_of_pairs(event, people, 1)
    check_in(meeting, people[6:])
    sid = entrant_for(event=event, player=people[6])
    add_line(
        by_tests(), event, entrant=sid.code, kind="bonus", amount="1", reason="Set the tables up"
    )
    plans = f"{EVENT}/meetings/{meeting.date}/plans"
    assert next_step(dirk, f"{EVENT}/direct") == ("Plan round 2", "Let two play together")
    for page in (f"{EVENT}/rounds/1", plans):
        shown = dirk.get(page).content.decode()
        assert "a pair</button>" not in shown
        assert "so they cannot become a pair: Sid." in text_of(dirk.get(page))
        link = f"{EVENT}/constraints?day={meeting.date}&amp;kind=together#add"
        assert link in shown
    form = dirk.get(f"{EVENT}/constraints?day={meeting.date}&kind=together").content.decode()
    assert re.search(r'value="together"\s+selected', form)
    sent = {"do": "make_pair", "one": people[6].player_id, "other": people[7].player_id}
    refused = text_of(dirk.post(f"{EVENT}/meetings/{meeting.date}/seating", sent, follow=True))
    assert f"Sid ({sid.code}) already has a hand" in refused
    LedgerLine.objects.all().delete()
    assert "Make Sid &amp; Tom a pair" in dirk.get(plans).content.decode()
