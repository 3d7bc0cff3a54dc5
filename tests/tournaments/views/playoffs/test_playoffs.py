"""Play-offs on pages: found at once, read by everybody, directed with each refusal at its field."""

from collections.abc import Mapping

import pytest
from django.test import Client

from tests.support import builders
from tests.support.answers import Answer
from tests.support.builders import by_tests, players
from tests.support.cast import NOW, Cast
from tests.support.module_scope import made_once
from tests.support.pages.forms import as_shown
from tests.support.pages.text import beside, summary, text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.playoffs import play, view
from tests.support.scenarios.playoffs import tied as tied_playoff
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.playoffs import Playoff, PlayoffStep
from tournaments.models.rounds import Round, Sitting
from tournaments.selectors.playoffs.playoffs import get_playoff
from tournaments.services.events.events import move_event
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.schedule_playoffs import schedule_playoffs
from tournaments.services.rounds.rounds import move_round

EVENT = "/clubs/riverside/events/league"
PLAYOFFS = f"{EVENT}/playoffs"
ONE = f"{PLAYOFFS}/1"


def make_event(cast: Cast) -> Event:
    """Anna, Ben and Cleo are tied for first place with 4; the title matters, extra hands decide."""
    settings: Mapping[str, object] = {"boundaries": {"title": 1}, "playoff": "extra_hands"}
    event = builders.league(cast.riverside, settings=settings)
    people = builders.players(cast.riverside, "Anna", "Ben", "Cleo", "Dora")
    builders.hand(builders.table(event, people), 1, [4, 4, 4, 1], queen=3)
    return event


event_once, event = made_once("event", make_event)


def close(event: Event) -> None:
    round_ = Round.objects.get(event=event, number=1)
    close_tables(by_tests(), round_)
    round_.refresh_from_db()
    move_round(by_tests(), round_, to="closed")
    move_event(by_tests(), event, to="closed")
    look(event)


def look(event: Event) -> None:
    for _ in range(2):
        publish(event.pk, now=NOW)
        schedule_playoffs(event.pk, now=NOW)


def make_tied(event: Event) -> Event:
    close(event)
    return event


tied_once, tied = made_once("tied", make_tied)


def played(event: Event, number: int, points: Mapping[str, int], queen: str) -> None:
    play(event, number, {**points, queen: points.get(queen, 0) + 13})


def test_event_without_any_says_what_will_be_there(cast: Cast, event: Event) -> None:
    read = text_of(cast.client().get(PLAYOFFS))
    assert "No play-offs" in read
    assert ("Play-offs appear here if there is a tie at a cut-off when the event is closed") in read
    assert cast.client().get(ONE).status_code == 404


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"boundaries": {"title": 1}, "playoff": "share"}, "This event has no play-offs."),
        ({"boundaries": {"title": 1}, "playoff": "criteria"}, "This event has no play-offs."),
        ({"boundaries": {}, "playoff": "table"}, "This event has no cut-offs with play-offs."),
    ],
)
def test_empty_list_says_why_by_the_settings(
    cast: Cast, event: Event, settings: Mapping[str, object], said: str
) -> None:
    event.settings |= settings
    event.save(update_fields=["settings"])
    read = text_of(cast.client().get(PLAYOFFS))
    assert said in read
    is_played = settings["playoff"] == "table"
    assert ("A tie at a cut-off is played off." in read) == is_played


@pytest.mark.parametrize(("who", "page"), [("", EVENT), ("dirk", EVENT)])
def test_tie_is_told_at_once_with_its_table(cast: Cast, tied: Event, who: str, page: str) -> None:
    answer = cast.client(who).get(page)
    read = text_of(answer)
    assert "3 are tied for first place: play-off 1 at round 2, table 1" in read
    assert "Anna · Ben · Cleo. They play for the title." in read
    content = answer.content.decode()
    assert f'href="{ONE}"' in content
    assert f'href="{EVENT}/tables/r2t1"' in content


@pytest.mark.parametrize("who", ["", "piet", "hanna", "dirk", "olga"])
def test_everybody_reads_who_plays_for_what(cast: Cast, tied: Event, who: str) -> None:
    read = text_of(cast.client(who).get(ONE))
    assert (
        "3 are tied for first place. They play for the title. The tied players play at one table."
        in read
    )
    assert "To be played" in read
    assert "8 hands left" in read
    assert "No hands played yet." in read
    assert ("Actions" in read) is (who in ("dirk", "olga"))
    assert "Play-off 1" in text_of(cast.client(who).get(PLAYOFFS))


def test_sheet_says_who_is_out_and_who_begins_from_0(cast: Cast, tied: Event) -> None:
    played(tied, 1, {"Anna": 3, "Ben": 3, "Cleo": 7}, "Cleo")
    read = text_of(cast.client().get(ONE))
    assert "In progress" in read
    assert "Anna still playing 3 0" in read
    assert "Ben still playing 3 0" in read
    assert "Cleo lost 20 –" in read
    assert "Round 2, table 1, hand 1 3 3 20" in read
    assert "7 hands left" in read
    played(tied, 2, {"Anna": 3, "Ben": 3, "Cleo": 7}, "Cleo")
    played(tied, 3, {"Anna": 8, "Ben": 5}, "Cleo")
    read = text_of(cast.client().get(ONE))
    assert "Decided" in read
    assert "3 were tied for first place. They played for the title." in read
    assert "are level" not in read
    assert "1 Ben won 3, 3, 5 2 Anna lost 3, 3, 8 3 Cleo lost 20" in read
    assert "Current total" not in read
    look(tied)
    standings = text_of(cast.client().get(EVENT))
    assert "won the play-off 5 to 8" in standings
    assert "are tied for first place" not in standings


def beside_of(page: Answer, act: str, field: str) -> str:
    page.content = page.content.decode().replace(f'id="id_{act}_', 'id="id_').encode()
    return beside(page, field)


@pytest.mark.parametrize(
    ("act", "typed", "field", "said"),
    [
        ("waive", {"reason": ""}, "reason", "Enter a reason"),
        ("void", {"reason": " "}, "reason", "Enter a reason"),
        ("extend", {"hands": "many"}, "hands", "0 is not a valid number of hands"),
        ("gone", {"player_id": "RL04", "why": "no_show"}, "player_id", "does not belong"),
    ],
)
def test_refused_act_is_beside_its_field(
    cast: Cast, tied: Event, act: str, typed: dict[str, str], field: str, said: str
) -> None:
    played(tied, 1, {"Anna": 3, "Ben": 3, "Cleo": 7}, "Cleo")
    page = cast.client("dirk").post(f"{ONE}/direct", {"act": act, **typed})
    assert "Not saved yet" in summary(page, 422)
    assert said in beside_of(page, act, field)
    assert Playoff.objects.get().state == "in_play"


def test_waived_is_said_with_its_reason(cast: Cast, tied: Event) -> None:
    page = cast.client("dirk").post(
        f"{ONE}/direct", {"act": "waive", "reason": "The hall closes."}, follow=True
    )
    read = text_of(page)
    assert "The place is shared: The hall closes." in read
    assert "3 were tied for first place. The play-off was for the title." in read
    assert "No hands were played." in read
    assert "are tied for first place: play-off" not in text_of(cast.client().get(EVENT))


def test_void_is_said_and_detected_anew(cast: Cast, tied: Event) -> None:
    page = cast.client("dirk").post(
        f"{ONE}/direct", {"act": "void", "reason": "Wrong seats."}, follow=True
    )
    assert "The play-off is void: Wrong seats. Its hands do not count." in text_of(page)
    assert "3 were tied for first place. The play-off was for the title." in text_of(page)
    look(tied)
    read = text_of(cast.client("dirk").get(f"{EVENT}/direct"))
    assert "3 are tied for first place: play-off 2 at round 3, table 1" in read


def test_change_log_says_whom_a_playoff_was_about(cast: Cast, tied: Event) -> None:
    cast.client("dirk").post(f"{ONE}/direct", {"act": "void", "reason": "Wrong seats."})
    look(tied)
    cast.client("dirk").post(f"{PLAYOFFS}/2/direct", {"act": "by_lot"})
    page = cast.client().get(f"{EVENT}/changes")
    text = text_of(page)
    drawn = [member.player for member in get_playoff(tied, 2).members]
    assert f"Play-off decided by lot play-off 2: {' before '.join(drawn)}" in text
    assert "Play-off voided play-off 1: Anna · Ben · Cleo" in text
    assert f'href="{ONE}"' in page.content.decode()


def test_lots_are_drawn_with_their_seed_and_an_unknown_act_is_404(cast: Cast, tied: Event) -> None:
    assert cast.client("dirk").post(f"{ONE}/direct", {"act": "dance"}).status_code == 404
    assert cast.client("dirk").post(f"{PLAYOFFS}/9/direct", {"act": "by_lot"}).status_code == 404
    page = cast.client("dirk").post(f"{ONE}/direct", {"act": "by_lot"}, follow=True)
    assert page.redirect_chain == [(ONE, 302)]
    read = text_of(page)
    assert "Lot drawn. The standings will be updated." in read
    assert "Decided by lot" in read
    assert "3 were tied for first place. The play-off was for the title." in read
    seed = PlayoffStep.objects.get(kind="lots").facts["seed"]
    assert f"The lot is drawn from the seed {seed}" in read


def settings_typed(cast: Cast, **over: str) -> dict[str, str]:
    form = cast.client("dirk").get(f"{EVENT}/settings/change").context["form"]
    return {**as_shown(form), "reason": "As agreed.", "save": "yes", **over}


def test_rules_of_playoffs_are_kept_from_the_settings_page(cast: Cast, event: Event) -> None:
    typed = settings_typed(
        cast, **{"playoff_rules-max_hands": "4", "playoff_rules-finished": "redo"}
    )
    cast.client("dirk").post(f"{EVENT}/settings/change", typed)
    event.refresh_from_db()
    assert event.settings["playoff_rules"] == {"max_hands": 4, "finished": "redo"}
    text = text_of(cast.client().get(f"{EVENT}/settings"))
    assert "Maximum number of hands: 4" in text
    assert "finished play-off or cut: replay it, and repeat the cut if no later round" in text


def test_its_table_says_that_it_is_one_until_it_is_over(cast: Cast, tied: Event) -> None:
    client, table = cast.client("hanna"), f"{EVENT}/tables/r2t1"
    text = text_of(client.get(table))
    assert "A table of play-off 1." in text
    assert "only break the tie" in text
    assert "Enter hand 1" in text
    assert "Totals only" not in text
    assert f'href="{ONE}"' in client.get(f"{table}/hands/new").content.decode()
    builders.hand(Game.objects.get(table__code="r2t1"), 1, [0, 5, 8], queen=2)
    text = text_of(cast.client("dirk").get(table))
    assert "The play-off is over. No more hands can be entered." in text
    assert "Enter hand" not in text


def seats_of(code: str) -> dict[int, str]:
    sat = Sitting.objects.filter(seat__table__code=code, to_hand=None)
    return dict(sat.values_list("seat__number", "player__name"))


def test_director_seats_two_neutral_players_of_a_duel(cast: Cast, dirk: Client) -> None:
    """One competes in the event and is not in the duel, one is a guest who does not compete."""
    event = tied_playoff(cast.riverside, (2, 2, 4, 5))
    players(cast.riverside, "Kim Neutral")
    assert text_of(dirk.get(f"{EVENT}/playoffs/1")).count("Neutral player at round 2, table 1") == 2
    (made,) = view(event).tables
    sent = {"act": "neutral", "neutral-0": "Nobody", "neutral-1": "kim"}
    assert dirk.post(f"{EVENT}/playoffs/1/direct", sent).status_code == 422
    assert sorted(seats_of(made["code"]).values()) == ["A", "B"]
    dirk.post(f"{EVENT}/playoffs/1/direct", sent | {"neutral-0": "C (RL03)"})
    assert sorted(seats_of(made["code"]).values()) == ["A", "B", "C", "Kim Neutral"]
    assert "Kim Neutral" in text_of(cast.client("hanna").get(f"{EVENT}/tables/{made['code']}"))


def test_neutral_players_are_named_over_rest_and_change_from_the_next_hand(cast: Cast) -> None:
    event = tied_playoff(cast.riverside, (2, 2, 4, 5))
    players(cast.riverside, "Kim Neutral", "Lou Neutral")
    at = f"/api/v1{EVENT}/playoffs/1"
    dirk, code = cast.client("dirk"), view(event).tables[0]["code"]
    assert cast.client("hanna").post(f"{at}/neutral", {"players": ["RL05"]}).status_code == 403
    body = {"players": ["RL05", "RL05"]}
    answer = dirk.post(f"{at}/neutral", body, content_type="application/json")
    assert codes(answer) == ["same_player_twice"]
    body = {"players": ["RL01", "RL06", "RL03"]}
    answer = dirk.post(f"{at}/neutral", body, content_type="application/json")
    assert codes(answer) == ["too_many_neutral_players"]
    body = {"players": ["A"]}
    answer = dirk.post(f"{at}/neutral", body, content_type="application/json")
    assert codes(answer) == ["player_already_seated"]
    body = {"players": ["RL05", "Lou"]}
    answer = dirk.post(f"{at}/neutral", body, content_type="application/json")
    assert [chair["player"] for chair in answer.json()["chairs"]] == ["Kim Neutral", "Lou Neutral"]
    play(event, 1, {"A": 3, "B": 3})
    answer = dirk.post(f"{at}/neutral", {"players": ["RL03"]}, content_type="application/json")
    assert [chair["player"] for chair in answer.json()["chairs"]] == ["C", "Lou Neutral"]
    hands = cast.client().get(f"/api/v1{EVENT}/tables/{code}/hands/1").json()
    assert "Kim Neutral" in [seat["player"] for seat in hands["seats"]]
    play(event, 2, {"A": 3, "B": 10, "C": 0})
    assert view(event).state == "decided"
    assert AuditLine.objects.filter(act="seat_neutral_players").count() == 2


def test_member_out_who_stays_at_the_table_scores_nothing_on_either_sheet(cast: Cast) -> None:
    event = tied_playoff(cast.riverside, (2, 2, 2, 2, 5))
    play(event, 1, {"A": 2, "B": 2, "C": 2, "D": 20})
    play(event, 2, {"A": 3, "B": 3, "C": 5, "D": 15})
    page = text_of(cast.client().get(f"{EVENT}/playoffs/1"))
    assert "Hand A B C D Round 2, table 1, hand 1 2 2 2 20 Round 2, table 1, hand 2 3 3 5 –" in page
    sheet = cast.client().get(f"/api/v1{EVENT}/tables/r2t1").json()
    assert {seat["player"]: seat["total"] for seat in sheet["seats"]} == {
        "A": 3, "B": 3, "C": 5, "D": None,
    }  # fmt: skip


def test_host_of_a_playoff_reads_who_is_out_and_that_the_others_go_on_from_0(cast: Cast) -> None:
    event = tied_playoff(cast.riverside)
    host = cast.client("hanna")
    at = f"{EVENT}/tables/{view(event).tables[0]['code']}/hands/new"
    assert "continue from 0" not in text_of(host.get(at))
    play(event, 1, {"A": 3, "B": 3, "C": 20})
    for path in (at, f"{EVENT}/playoffs/1"):
        page = text_of(host.get(path))
        assert "C has lost." in page
        assert "A and B continue from 0." in page
    people = {person.name: person.total for person in host.get(at).context["screen"].people}
    assert (people["A"], people["B"], people["C"]) == ("0", "0", 20)
