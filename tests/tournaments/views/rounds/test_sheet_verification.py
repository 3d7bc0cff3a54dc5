"""A sheet ends with a check against the paper: it is stored, and completes the table."""

from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import hand, league, players, table
from tests.support.pages.hand_entry import Host, hidden, typed
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Game, ReadBack
from tournaments.models.meetings import Round

TABLE = f"{ADDRESS}/tables/r1t2"
BACK = f"{TABLE}/read-back"
"""Marit S., Jörg S., Cleo S., Carla K.; hand 1 is in: 3, 16, 3, 4."""


def game() -> Game:
    return Game.objects.select_related("event", "club", "snapshot", "table__round").get(
        table__code="r1t2", event__slug="league"
    )


def confirm(client: Client, page: Answer | None = None) -> Answer:
    """Say of the page as it was opened that the paper is the same."""
    sheet = hidden(page or client.get(BACK)).get("sheet", [""])
    return client.post(BACK, {"sheet": sheet[0]}, follow=True)


def test_every_hand_and_total_is_shown_and_the_answer_completes_the_table(
    evenings: Evenings,
) -> None:
    hand(game(), 2, [0, 13, 0, 0], queen=0)
    hanna = evenings.client("hanna")
    page = hanna.get(BACK)
    said = text_of(page)
    assert "Marit S. 16 " in said
    assert "Jörg S. 29 " in said
    assert f'href="{TABLE}/hands/2/edit"' in page.content.decode()
    assert confirm(hanna, page).redirect_chain == [(TABLE, 302)]
    assert game().state == "complete"
    for name, by in (("", "a host"), ("dirk", "hanna")):
        said = text_of(evenings.client(name).get(TABLE))
        assert f"Checked against the sheet by {by}," in said
    assert "Checked against the sheet by hanna," in text_of(
        evenings.client("dirk").get(f"{TABLE}/close")
    )
    line = AuditLine.objects.get(act="read_back")
    assert (line.subject, line.facts["hands"]) == ("event:league/table:r1t2", 2)


def test_sheet_that_changed_meanwhile_is_not_confirmed(evenings: Evenings) -> None:
    hanna = evenings.client("hanna")
    page = hanna.get(BACK)
    hand(game(), 2, [0, 13, 0, 0], queen=0)
    answer = confirm(hanna, page)
    assert answer.status_code == 409
    assert "The sheet changed while you were checking it." in text_of(answer)
    assert "Jörg S. 29 " in text_of(answer)
    assert (ReadBack.objects.count(), game().state) == (0, "playing")
    confirm(hanna, answer)
    assert (ReadBack.objects.count(), game().state) == (1, "complete")


def test_two_taps_are_one_reading_and_a_later_correction_shows(evenings: Evenings) -> None:
    hanna = evenings.client("hanna")
    page = hanna.get(BACK)
    for _tap in range(2):
        confirm(hanna, page)
    assert ReadBack.objects.count() == 1
    assert AuditLine.objects.filter(act="read_back").count() == 1
    assert "Checked by hanna" in text_of(hanna.get(BACK))
    hand(game(), 1, [3, 4, 3, 3], queen=1, based_on=1, reason="South had three.")
    assert "; changed later." in text_of(hanna.get(TABLE))
    assert "changed later" in text_of(hanna.get(BACK))
    confirm(evenings.client("dirk"))
    assert "Checked against the sheet by dirk," in text_of(hanna.get(TABLE))
    assert list(ReadBack.objects.order_by("pk").values_list("by_as", flat=True)) == [
        "hanna",
        "dirk",
    ]


def test_empty_sheet_has_nothing_to_check(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    dirk.post(f"{TABLE}/hands/1/void", {"based_on": "1", "reason": "Another table's."})
    answer = confirm(dirk)
    assert answer.status_code == 409
    assert "Nothing is entered at this table yet" in text_of(answer)
    assert ReadBack.objects.count() == 0


def test_closed_round_is_a_directors(evenings: Evenings) -> None:
    pages = {name: evenings.client(name).get(BACK) for name in ("hanna", "dirk")}
    Game.objects.filter(table__code="r1t2").update(state="complete")
    Round.objects.filter(event=evenings.event, number=1).update(state="closed")
    assert confirm(evenings.client("hanna"), pages["hanna"]).status_code == 403
    assert ReadBack.objects.count() == 0
    assert confirm(evenings.client("dirk"), pages["dirk"]).status_code == 200
    assert ReadBack.objects.count() == 1


def test_last_hand_of_a_game_leads_to_the_reading_back(evenings: Evenings) -> None:
    event = league(evenings.cast.riverside, slug="two", name="Two hands", length="hands:2")
    table(event, players(evenings.cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    new = "/clubs/riverside/events/two/tables/r1t1/hands/new"
    hanna = Host(evenings.client("hanna"), new)
    first = hanna.send(typed([4, 1, 2, 6], 4))
    assert (first.status_code, first["Location"]) == (302, new)
    hanna.page = hanna.client.get(new)
    last = hanna.send(typed([4, 1, 2, 6], 4))
    assert (last.status_code, last["Location"]) == (302, new.replace("hands/new", "read-back"))
    page = hanna.client.get(last["Location"])
    assert "Hand 2 saved." in text_of(page)
    assert Game.objects.get(event=event).state == "complete"
    answer = hanna.client.post(last["Location"], {"sheet": hidden(page)["sheet"][0]}, follow=True)
    assert "Checked against the sheet by hanna," in text_of(answer)
