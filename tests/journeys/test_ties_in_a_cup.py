"""Cups in which ties at tables and for wild cards are played off, or drawn by lot."""

import pytest
from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.builders import by_tests, finished, hand
from tests.support.cast import NOW, Cast
from tests.support.pages.text import summary, text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.cups import PLANS, E, cup, draw, planned, post
from tests.support.scenarios.playoffs import look, play, view
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Attendance, Round, RoundState, Sitting
from tournaments.models.standings import Contribution, Publication
from tournaments.selectors.access.personal_links import printable_token
from tournaments.services.clubs.personal_links import renew_personal_link
from tournaments.services.publishing.publications import publish
from tournaments.tasks import schedule_event_playoffs

pytestmark = pytest.mark.django_db

PAGE = "/clubs/riverside/events/league"


def names_at(table: str) -> list[str]:
    sat = Sitting.objects.filter(seat__table__code=table).order_by("seat__number")
    return list(sat.values_list("player__name", flat=True))


def plays(round_: Round, *hearts: tuple[int, ...]) -> None:
    """Play one hand at each table of a round, close it, and let the workers look."""
    games = Game.objects.filter(table__round=round_).order_by("table__number")
    for game, points in zip(games, hearts, strict=True):
        finished(game, points)
    Round.objects.filter(pk=round_.pk).update(state=RoundState.CLOSED)
    look(round_.event)


def rows(client: Client) -> list[Json]:
    found: list[Json] = client.get(f"{E}/standings").json()["rows"]
    return found


class TestTwoTies:
    """13 play at four tables; at two of them two share the last place that goes on."""

    @pytest.fixture
    def event(self, cast: Cast) -> Event:
        self.dirk, event = cup(cast, 13, table_sizes=[4, 3], each_round={"each_table": 2})
        self.first = post(self.dirk, planned(self.dirk))
        tables = [len(names_at(f"r1t{n}")) for n in (1, 2, 3, 4)]
        tied = {4: (1, 4, 4, 4), 3: (0, 13, 0)}
        clear = {4: (1, 2, 4, 6), 3: (1, 4, 8)}
        plays(self.first, *(({1: clear, 2: clear}.get(at, tied))[n] for at, n in enumerate(tables)))
        return event

    dirk: Client

    def test_own_page_says_who_is_through(self, event: Event) -> None:
        for progress, sentence in (
            ("through", "You are through to the next round."),
            ("undecided", "You are tied for the last place that goes on."),
            ("out", "You are out."),
        ):
            row = next(row for row in rows(self.dirk) if row["progress"] == progress)
            player = Player.objects.get(club=event.club, player_id=row["player_id"])
            token = printable_token(renew_personal_link(by_tests(), player))
            page = text_of(Client().get(f"/my/{token}"), 200)
            assert f"of 13 in {event.name}" in page
            assert sentence in page

    def test_next_round_waits_for_each_tie_that_hand_or_lot_decides(self, event: Event) -> None:
        refused = post_json(self.dirk, PLANS, {"movement": "knockout"})
        assert (refused.status_code, codes(refused)) == (422, ["table_tie_open"] * 2)
        one, two = view(event, 1), view(event, 2)
        assert one.boundaries[0]["kind"] == "table"
        assert "waive" not in one.may
        shared = post_json(self.dirk, f"{E}/playoffs/1/waive", {"reason": "They agree."})
        assert codes(shared) == ["table_place_shared"]
        names = [member.player for member in one.members]
        assert f"{names[0]} and {names[1]} are tied for place 2 at table" in str(refused.json())
        step = text_of(self.dirk.get(f"{PAGE}/direct"))
        assert "The next round can be planned once it is decided." in step
        play(event, 1, {names[0]: 6, names[1]: 2}, code=one.tables[0]["code"])
        look(event)
        assert view(event, 1).state == "decided"
        refused = post_json(self.dirk, PLANS, {"movement": "knockout"})
        assert codes(refused) == ["table_tie_open"]
        page = f"{E.removeprefix('/api/v1')}/playoffs/2"
        lot = self.dirk.post(f"{page}/direct", {"act": "by_lot"}, follow=True)
        drawn = min(view(event, 2).members, key=lambda member: member.place or 9)
        assert f"Lot drawn: {drawn.player} goes on." in text_of(lot)
        assert "standings will be updated" not in text_of(lot)
        look(event)
        second = post(self.dirk, planned(self.dirk))
        there = {*Sitting.objects.filter(round=second).values_list("player__name", flat=True)}
        other = next(member for member in view(event, 2).members if member != drawn)
        assert f"Drawn: {drawn.player} before {other.player}." in text_of(self.dirk.get(page))
        log = text_of(self.dirk.get(f"{PAGE}/changes"))
        assert f"play-off 2: {drawn.player} before {other.player}" in log
        trail = AuditLine.objects.get(act="draw_lots").facts["result"]
        assert trail["order"] == [[drawn.player_id], [other.player_id]]
        assert names[1] in there
        assert names[0] not in there
        assert {member.player for member in two.members} & there == {drawn.player}
        assert len(there) == 8
        lines = [
            f"Table {one.boundaries[0]['table']}: {first} before {last}, {how}."
            for one, first, last, how in (
                (view(event, 1), names[1], names[0], "by play-off 1"),
                (view(event, 2), drawn.player, other.player, "drawn by lot"),
            )
        ]
        bracket = self.dirk.get(f"{E}/stages/1/bracket").json()["rounds"]
        assert [tie["text"] for one in bracket for tie in one["ties"]] == lines
        entrants = [entrant for table in bracket[0]["tables"] for entrant in table["entrants"]]
        places = {entrant["player"]: entrant["place"] for entrant in entrants}
        assert [places[name] for name in (names[1], names[0])] == [2, 3]
        for page in ("stages/1/bracket", "rounds/1"):
            assert all(line in text_of(self.dirk.get(f"{PAGE}/{page}")) for line in lines), page
        publish(event.pk, now=NOW)
        placed = {row["player"]: row for row in rows(self.dirk)}
        assert placed[names[0]]["reason"].endswith("; out by play-off")
        assert placed[other.player]["reason"].endswith("; out by lot")
        assert "out by" not in placed[drawn.player]["reason"]
        standings = text_of(self.dirk.get(PAGE))
        assert f"; {names[0]} out by play-off" in standings
        newest = Publication.objects.filter(event=event).count()
        because = text_of(self.dirk.get(f"{PAGE}/publications/1/difference/{newest}"))
        assert "Play-off 1: decided" in because
        assert "Play-off 2: decided by lot" in because
        assert "Event changed" not in because


ONE_WILD = {"table_sizes": [4, 3], "each_round": {"each_table": 2, "wild_cards": 1}}


class TestWildCard:
    """12 play at three tables; the first two of each and the best of the others go on."""

    @pytest.fixture
    def dirk(self, cast: Cast) -> Client:
        client, self.event = cup(cast, 12, **ONE_WILD)
        self.first = post(client, planned(client))
        self.thirds = [names_at(f"r1t{n}")[2] for n in (1, 2, 3)]
        return client

    event: Event
    first: Round
    thirds: list[str]

    def test_next_round_waits_until_a_lot_is_drawn_or_a_hand_is_played(self, dirk: Client) -> None:
        plays(self.first, (1, 2, 4, 6), (1, 2, 4, 6), (0, 1, 6, 6))
        refused = post_json(dirk, PLANS, {"movement": "knockout"})
        assert (refused.status_code, codes(refused)) == (422, ["wild_card_tie_open"])
        one = view(self.event, 1)
        assert {member.player for member in one.members} == {*self.thirds[:2]}
        assert one.boundaries == ({"kind": "wild_card", "above": 1, "round": 1, "table": None},)
        page = dirk.post(
            f"{PAGE}/meetings/2025-11-13/plans", {"make": "yes", "movement": "knockout"}
        )
        assert "are tied for the last wild card of round 1. Play-off 1 decides" in summary(page)
        assert f'href="{PAGE}/playoffs/1">Open play-off 1</a>' in page.content.decode()
        text = text_of(dirk.get(f"{PAGE}/playoffs/1"))
        assert "They play for the last wild card of round 1 (First round)." in text
        assert post_json(dirk, f"{E}/playoffs/1/moves", {"to": "by_lot"}).status_code == 200
        look(self.event)
        drawn, other = sorted(view(self.event, 1).members, key=lambda member: member.place or 9)
        text = text_of(dirk.get(f"{PAGE}/playoffs/1"))
        assert f"Drawn: {drawn.player} before {other.player}." in text
        second = post(dirk, planned(dirk))
        there = {*Sitting.objects.filter(round=second).values_list("player__name", flat=True)}
        assert {*self.thirds} & there == {drawn.player}
        assert len(there) == 7
        look(self.event)
        assert (view(self.event, 1).state, view(self.event, 1).is_asked) == ("by_lot", False)

    def test_points_of_the_round_decide_before_a_play_off(self, dirk: Client) -> None:
        plays(self.first, (1, 2, 4, 6), (1, 3, 3, 6), (1, 2, 5, 5))
        assert view(self.event, 1).boundaries[0]["kind"] == "table"
        play(self.event, 1, dict(zip(names_at("r1t2")[1:3], (2, 6), strict=True)))
        look(self.event)
        second = post(dirk, planned(dirk))
        there = {*Sitting.objects.filter(round=second).values_list("player__name", flat=True)}
        assert {*self.thirds} & there == {self.thirds[1]}

    def test_tie_for_it_is_found_once_the_ties_at_tables_are_decided(self, dirk: Client) -> None:
        plays(self.first, (1, 3, 3, 6), (1, 3, 3, 6), (1, 2, 5, 5))
        refused = post_json(dirk, PLANS, {"movement": "knockout"})
        assert codes(refused) == ["table_tie_open"] * 2
        for number in (1, 2):
            move = post_json(dirk, f"{E}/playoffs/{number}/moves", {"to": "by_lot"})
            assert move.status_code == 200
            look(self.event)
        refused = post_json(dirk, PLANS, {"movement": "knockout"})
        assert codes(refused) == ["wild_card_tie_open"]
        assert view(self.event, 3).cuts == (1,)
        names = [member.player for member in view(self.event, 3).members]
        play(self.event, 1, {names[0]: 6, names[1]: 2}, code=view(self.event, 3).tables[0]["code"])
        look(self.event)
        second = post(dirk, planned(dirk))
        there = {*Sitting.objects.filter(round=second).values_list("player__name", flat=True)}
        assert {*names} & there == {names[1]}


def test_round_that_was_drawn_is_not_posted_on_a_tie_that_a_correction_makes(cast: Cast) -> None:
    dirk, event = cup(cast, 8, each_round={"each_table": 2})
    plays(post(dirk, planned(dirk)), (1, 2, 4, 6), (1, 2, 4, 6))
    drawn = draw(dirk, planned(dirk))
    hand(Game.objects.get(table__code="r1t2"), 1, (1, 4, 4, 4), 3, based_on=1, reason="Misread.")
    refused = post_json(dirk, f"{E}/rounds/{drawn.number}/state", {"to": "posted"})
    assert (refused.status_code, codes(refused)) == (422, ["table_tie_found"])
    assert "are tied for place 2 at table 2" in str(refused.json())
    publish(event.pk, now=NOW)
    schedule_event_playoffs(event.pk)  # which the publication has made due
    there = {*Sitting.objects.filter(round=drawn).values_list("player__name", flat=True)}
    names = [member.player for member in view(event).members]
    # Who was drawn loses the play-off, whichever of the two that is.
    play(event, 1, {name: 6 if name in there else 2 for name in names})
    drawn.refresh_from_db()
    assert drawn.state == "draft"
    state = f"{E}/rounds/{drawn.number}/state"
    assert codes(post_json(dirk, state, {"to": "posted"})) == ["draft_out_of_date"]
    assert post_json(dirk, state, {"to": "posted", "anyway": True}).status_code == 200


def test_who_gave_up_after_a_hand_is_in_no_tie(cast: Cast) -> None:
    dirk, event = cup(cast, 8, each_round={"each_table": 2})
    first = post(dirk, planned(dirk))
    hand(Game.objects.get(table__code="r1t2"), 1, (1, 4, 4, 4), 3)
    tied = Sitting.objects.get(seat__table__code="r1t2", seat__number=2).player
    body = {"player_id": tied.player_id, "reason": "Ill."}
    gone = post_json(dirk, f"{E}/tables/r1t2/walk-overs", body)
    assert gone.status_code == 200, gone.content
    hand(Game.objects.get(table__code="r1t1"), 1, (1, 2, 4, 6), 3)
    Game.objects.filter(table__code="r1t1").update(state="complete")
    Round.objects.filter(pk=first.pk).update(state=RoundState.CLOSED)
    look(event)
    assert not Playoff.objects.exists()
    post(dirk, planned(dirk))
    assert names_at("r1t2")[2] in names_at("r2t1")


def left_after(event: Event, table: str, place: int) -> Player:
    """Note that the player with a place at a table left, and return who it was."""
    rows_ = Contribution.objects.filter(game__table__code=table, place=place)
    player = Player.objects.get(entries_in_events__entrant=rows_.get().entrant)
    Attendance.objects.filter(meeting__event=event, player=player).update(state="left")
    return player


def test_who_left_and_was_replaced_is_no_question_and_a_later_correction_is_one(
    cast: Cast,
) -> None:
    dirk, event = cup(cast, 8, table_sizes=[4, 3], each_round={"each_table": 2, "wild_cards": 0})
    plays(post(dirk, planned(dirk)), (1, 2, 4, 6), (1, 2, 4, 6))
    gone = left_after(event, "r1t1", 2)
    post(dirk, planned(dirk))
    assert gone.name not in names_at("r2t1")
    assert len(names_at("r2t1")) == 4, "the third of the table plays in the final"
    for _ in range(2):
        publish(event.pk, now=NOW)
        schedule_event_playoffs(event.pk)
    assert "would play in it" not in text_of(dirk.get(f"{PAGE}/stages"))
    game = Game.objects.get(table__code="r1t1")
    hand(game, 1, (1, 2, 6, 4), 0, based_on=1, reason="Misread.")
    for _ in range(2):
        publish(event.pk, now=NOW)
        schedule_event_playoffs(event.pk)
    assert "would play in it" in text_of(dirk.get(f"{PAGE}/stages")), "the fourth would"
