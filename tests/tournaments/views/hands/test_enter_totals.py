"""An evening of which only the totals are known: a table has either them or its hands."""

import re
from datetime import date
from typing import Any

import pytest

from tests.support.answers import Answer, Json, post_json
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.hand_entry import hidden
from tests.support.pages.text import beside, text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.audit import AuditLine
from tournaments.models.columns import as_json
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.standings import Aggregate
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.publishing import publications

TABLE = f"{ADDRESS}/tables/r3t1"
TOTALS = f"{TABLE}/totals"
NEW = f"{TABLE}/hands/new"


@pytest.fixture
def game(evenings: Evenings) -> Game:
    """A table without a hand: Ada, Ben, Cem, Dora."""
    seated = players(evenings.cast.riverside, "Ada", "Ben", "Cem", "Dora")
    return table(evenings.event, seated, round_number=3, on=date(2025, 11, 20))


class Totals:
    def __init__(self, evenings: Evenings, name: str = "hanna") -> None:
        self.client = evenings.client(name)
        self.page: Answer = self.client.get(TOTALS)

    def send(self, *numbers: object, hands: object = "", **more: str) -> Answer:
        fields = {f"points-{seat}": number for seat, number in enumerate(numbers, start=1)}
        kept = {name: values[0] for name, values in hidden(self.page).items()}
        self.page = self.client.post(
            TOTALS, {**kept, **fields, "hands": hands, **more}, follow=True
        )
        return self.page

    def shown(self) -> list[str]:
        form = self.page.context["form"]
        return [str(field.value() or "") for field in (*form.rows, form["hands"])]


def entries() -> list[tuple[Json, int | None, str]]:
    rows = Entry.objects.filter(hand__number=0).select_related("hand").order_by("revision")
    return [(row.typed, row.hand.hands, row.hand.state) for row in rows]


def sums() -> dict[str, tuple[int, object]]:
    rows = Aggregate.objects.filter(entrant__code__in=["RL09", "RL10", "RL11", "RL12"])
    return {row.entrant.code: (row.hands, as_json(row.points)) for row in rows}


@pytest.mark.usefixtures("game")
def test_host_enters_the_totals_of_a_table(evenings: Evenings) -> None:
    assert f'href="{TOTALS}"' in evenings.client("hanna").get(TABLE).content.decode()
    host = Totals(evenings)
    empty = host.page
    for _tap in range(2):
        host.page = empty
        page = host.send(60, 84, "\u22126", 70, hands=8)
        assert page.redirect_chain == [(f"{TABLE}/read-back", 302)]
    assert entries() == [({"points": [60, 84, -6, 70]}, 8, "accepted")]
    assert sums() == {"RL09": (8, 60), "RL10": (8, 84), "RL11": (8, -6), "RL12": (8, 70)}
    assert Game.objects.get(table__code="r3t1").state == "complete"
    text = text_of(evenings.client("hanna").get(TABLE))
    for part in ("8 hands", "points only", "84", "Complete"):
        assert part in text
    assert "Enter hand" not in text
    publications.publish(evenings.event.pk, now=NOW)
    assert "Cem" in text_of(evenings.client().get(ADDRESS))
    line = AuditLine.objects.filter(act="enter_hand").latest("number")
    assert line.subject == "event:league/table:r3t1/hand:0"


@pytest.mark.parametrize(
    ("numbers", "hands", "field", "says"),
    [
        ((60, "", 6, 70), "", "points-2", "Enter the total of Ben, even if it is 0."),
        ((60, "many", 6, 70), "", "points-2", "many"),
        ((60, 84, 6, 58), "0", "hands", "0 is not a valid number of hands"),
        ((60, 84, 6, 58), "1000", "hands", "1000 is not a valid number of hands"),
        ((60, 84, 6, 58), "some", "hands", "some is not a valid number of hands"),
    ],
)
@pytest.mark.usefixtures("game")
def test_what_cannot_be_is_refused_and_kept(
    evenings: Evenings, numbers: tuple[object, ...], hands: str, field: str, says: str
) -> None:
    host = Totals(evenings)
    assert says in beside(host.send(*numbers, hands=hands), field, 422)
    assert host.shown() == [str(number) for number in (*numbers, hands)]
    assert entries() == []


@pytest.mark.usefixtures("game")
def test_correction_is_a_revision_with_a_reason(evenings: Evenings) -> None:
    Totals(evenings).send(60, 84, 6, 58, hands=8)
    host = Totals(evenings)
    assert host.shown() == ["60", "84", "6", "58", "8"]
    page = host.send(60, 48, 6, 68, hands=7)
    assert "Enter a reason" in beside(page, "reason", 422)
    assert host.shown() == ["60", "48", "6", "68", "7"]
    page = host.send(60, 48, 6, 68, hands=7, reason="Two digits were swapped.")
    assert "Totals saved as revision 2." in text_of(page)
    assert "Two digits were swapped." in text_of(host.client.get(TABLE))
    assert [typed["points"][1] for typed, _hands, _state in entries()] == [84, 48]
    assert sums()["RL10"] == (7, 48)


@pytest.mark.usefixtures("game")
def test_second_host_is_shown_what_the_first_one_wrote(evenings: Evenings) -> None:
    first, second, third = Totals(evenings), Totals(evenings, "dirk"), Totals(evenings, "olga")
    first.send(60, 84, 6, 58)
    page = second.send(60, 48, 6, 68)
    assert "These totals were already entered" in text_of(page, 409)
    assert "Ben 84" in text_of(page)
    assert second.shown()[:4] == ["60", "48", "6", "68"]
    assert len(entries()) == 1
    second.send(60, 48, 6, 68, reason="The table says 48.")
    assert [typed["points"][1] for typed, _hands, _state in entries()] == [84, 48]
    page = third.send(60, 48, 6, 68)
    assert "These totals were already entered." in text_of(page)
    assert len(entries()) == 2


def test_hands_and_totals_never_stand_side_by_side(evenings: Evenings, game: Game) -> None:
    host = Totals(evenings)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    page = host.send(60, 84, 6, 58)
    assert "Table 1 has 1 hand" in text_of(page, 409)
    assert "Ada 4 · Ben 1 · Cem 2 · Dora 19" in text_of(page)
    assert entries() == []
    assert "Totals only" not in text_of(host.client.get(TABLE))


@pytest.mark.usefixtures("game")
def test_totals_keep_hands_out_until_a_director_makes_them_void(evenings: Evenings) -> None:
    Totals(evenings).send(60, 84, 6, 58, hands=8)
    hanna, dirk = evenings.client("hanna"), evenings.client("dirk")
    page = hanna.get(NEW)
    assert "Table 1 has its totals only" in text_of(page)
    assert "ask a director to delete the totals" in text_of(page)
    assert "Delete totals" not in text_of(page)
    typed = {f"hearts-{seat}": n for seat, n in enumerate((4, 1, 2, 6), 1)}
    late = hanna.post(NEW, {**typed, "card-QS": 4, "number": 1, "key": "k", "go": "save"})
    assert "either its totals or single hands, not both" in text_of(late, 422)
    assert 'name="hearts-4" value="6"' in late.content.decode()
    assert Hand.objects.filter(game__table__code="r3t1").count() == 1
    void = f"{TABLE}/hands/0/void"
    assert f'href="{void}"' in dirk.get(NEW).content.decode()
    dirk.post(void, {"based_on": "1", "reason": "The hands were found."})
    assert entries() == [({"points": [60, 84, 6, 58]}, 8, "void")]
    assert "The totals of table 1 are deleted" in text_of(hanna.get(TOTALS))
    hanna.post(NEW, {**typed, "card-QS": 4, "number": 1, "key": "l", "go": "save"})
    game = Game.objects.get(table__code="r3t1")
    assert (game.state, game.hands_counted) == ("playing", 1)
    assert sums()["RL12"] == (1, 19)
    back = dirk.post(void, {"based_on": "1", "reason": "No.", "restore": "yes"})
    assert "either its totals or single hands, not both" in text_of(back, 422)


@pytest.mark.usefixtures("game")
@pytest.mark.parametrize(("hands", "added"), [(8, 8), ("", 0)])
def test_totals_count_as_the_hands_they_stand_for_and_tell_no_moons(
    evenings: Evenings, hands: object, added: int
) -> None:
    """On every page, in REST, in the publication and its CSV, on the board and as of a round."""
    client = evenings.client("hanna")
    api = f"/api/v1{ADDRESS}"
    publications.publish(evenings.event.pk, now=NOW)
    before = client.get(f"{api}/standings").json()["as_of"]["hands"]
    Totals(evenings).send(60, 84, 6, 58, hands=hands)
    assert publications.publish(evenings.event.pk, now=NOW) is not None
    body = client.get(f"{api}/standings").json()
    assert body["as_of"]["hands"] == before + added
    rows = {row["player_id"]: row for row in (*body["rows"], *body["provisional_rows"])}
    assert (rows["RL09"]["hands"], rows["RL09"]["moons"]) == (added, None)
    known = [row["moons"] for code, row in rows.items() if code < "RL09"]
    assert 0 in known
    assert None not in known
    listed = client.get(f"{api}/standings.csv").content.decode().splitlines()
    at = listed[0].split(",").index("moons")
    cells = {line.split(",")[1]: line.split(",")[at] for line in listed[1:]}
    assert cells["RL09"] == ""
    assert set(cells[code] for code in rows if code < "RL09") == {str(one) for one in known}
    page = client.get(ADDRESS).content.decode()
    unknown = "too few games, or a game with an unknown number of hands"
    assert (unknown in page) == (not added)
    assert {
        code: re.findall(r"moons ([^.]*)\.", page.partition(f'id="{code}"')[2])[0]
        for code in ("RL09", "RL01")
    } == {"RL09": "–", "RL01": str(rows["RL01"]["moons"])}
    assert client.get(f"{api}/tables/r3t1/hands/0").json()["game"]["hands"] == added
    card = client.get(f"{api}/rounds/3").json()["tables"][0]
    assert card["hands"] == added
    assert {result["moons"] for result in card["results"]} == {None}
    own = client.get(f"{ADDRESS}/players/RL09").content.decode()
    row = re.findall(r'<td class="num">([^<]*)</td><td class="num key">60</td>', own)
    assert row == [str(added or "–"), str(added)]
    assert '<td class="num p2">–</td>' in own


@pytest.mark.parametrize("hands", ["", 8])
def test_lists_of_tables_say_totals_entered(evenings: Evenings, game: Game, hands: object) -> None:
    assert Totals(evenings).send(60, 84, 62, 2, hands=hands).status_code == 200
    publications.publish(evenings.event.pk, now=NOW)
    said = "totals only, 8 hands" if hands else "totals only"
    for name, path in (
        ("", "/clubs/riverside"),
        ("", f"{ADDRESS}/rounds/3"),
        ("", f"{ADDRESS}/rounds/3/board"),
        ("dirk", f"{ADDRESS}/rounds/3/direct"),
        ("dirk", f"{ADDRESS}/rounds/3/pile"),
        ("", TABLE),
    ):
        page = text_of(evenings.client(name).get(path))
        assert said in page.replace("Totals only", "totals only"), path
        for wrong in ("no hand", "No hand", "without hands 1", "0 hands"):
            assert wrong not in page, (path, wrong)


@pytest.mark.usefixtures("game")
def test_totals_that_no_hands_make_are_refused_and_filed_as_disputed(evenings: Evenings) -> None:
    page = Totals(evenings).send(60, 84, 6, 70, hands=8)
    assert "All totals together are 220, and no" in text_of(page, 422)
    assert "Save as disputed" not in text_of(page)
    assert entries() == []
    director = Totals(evenings, "dirk")
    page = director.send(60, 84, 6, 70, hands=8)
    assert "Save as disputed" in text_of(page)
    page = director.send(60, 84, 6, 70, hands=8, go="file", reason="The sheet is smudged.")
    assert page.redirect_chain == [(TABLE, 302)]
    assert entries() == [({"points": [60, 84, 6, 70]}, 8, "disputed")]
    assert sums() == {}
    manage = evenings.client("dirk").get(f"{ADDRESS}/direct").content.decode()
    assert "The totals of table 1 are disputed" in manage
    assert f'href="{TOTALS}"' in manage
    settled = Totals(evenings, "dirk")
    assert "These totals are disputed and do not count." in text_of(settled.page)
    settled.send(60, 84, 6, 58, hands=8, reason="Dora had 58.")
    assert [(typed["points"][3], state) for typed, _hands, state in entries()] == [
        (70, "accepted"), (58, "accepted"),
    ]  # fmt: skip
    assert sums()["RL12"] == (8, 58)


SHEET = "/clubs/riverside/events/league/tables/r1t1"


@pytest.fixture
def written_game(cast: Cast) -> Game:
    seated = players(cast.riverside, "Ann", "Ben", "Cleo", "Dan")
    return table(league(cast.riverside), seated)


def test_seat_without_a_card_took_nothing_despite_points(cast: Cast, written_game: Game) -> None:
    hand(written_game, 1, [4, 9, 0, 0], queen=0, points=[17, 9, 0, 0])
    page = text_of(cast.client().get(SHEET))
    assert "points only" not in page
    assert "nothing" in page


def test_points_say_so_at_every_seat_and_corrected_ones_are_beside_those_of_before(
    cast: Cast, written_game: Game
) -> None:
    def enter(points: list[int], **more: Any) -> str:
        record_entry(
            by_tests(), written_game, number=1, entry={"points": points}, source="host",
            **more,
        )  # fmt: skip
        return text_of(cast.client().get(SHEET))

    page = enter([17, 9, 0, 0])
    assert page.count("points only") == 4
    assert "nothing" not in page
    page = enter([16, 10, 0, 0], based_on=1, reason="misread")
    assert "was points only: 17" in page
    assert "was points only: 9" in page


def test_negative_numbers_of_a_sentence_have_a_minus_sign(cast: Cast, written_game: Game) -> None:
    hanna, address = cast.client("hanna"), f"{SHEET}/hands/new"
    fields = {"way": "points", "number": "1", "key": "k", "go": "save"}
    points = {f"points-{seat}": str(n) for seat, n in enumerate((-26, 5, 0, 0), start=1)}
    page = text_of(hanna.post(address, {**fields, **points}))
    assert "The points total −21. The total of a hand is 26. A settled moon makes −26" in page
    rest = post_json(hanna, f"/api/v1{SHEET}/hands", {"entry": {"points": [-26, 5, 0, 0]}}).json()
    assert "The points total −21." in rest["errors"][0]["message"]
