"""Penalties, bonuses, entrants, sit-outs and opening values on pages."""

import re
from datetime import UTC, datetime, time, timedelta
from html import unescape

import time_machine
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import league, players
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.pages.adjustments import digest_in, save_previewed
from tests.support.pages.text import beside, summary, text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant
from tournaments.models.rounds import Round, SitOut
from tournaments.models.standings import LedgerLine, OpeningValue
from tournaments.selectors.rounds.resolve_players import read_entrants
from tournaments.services.events.events import enter_players
from tournaments.services.publishing.publications import publish

LEDGER = f"{ADDRESS}/ledger"
ENTRANTS = f"{ADDRESS}/entrants"
LINE = {"entrant": "RL02", "kind": "penalty", "amount": "2,5", "reason": "Late by an hour."}


def test_line_is_given_and_withdrawn_on_pages_and_read_by_everybody(evenings: Evenings) -> None:
    page = save_previewed(evenings.client("dirk"), f"{LEDGER}/new", LINE, follow=True)
    assert page.redirect_chain == [(LEDGER, 302)]
    assert "Entry 1 saved. The standings will be updated." in text_of(page)
    read = text_of(evenings.client().get(LEDGER))
    assert "points per hand" in read
    assert "Zoë K." in read
    assert "+2.5" in read
    assert "“Late by an hour.”" in read
    assert "a director" in read
    assert "dirk" not in read
    assert "Add penalty" not in read
    behind = text_of(evenings.client().get(f"{ADDRESS}/players/RL02"))
    assert "Penalty +2.5 : “Late by an hour.”" in behind
    dirk, address = evenings.client("dirk"), f"{LEDGER}/1/withdraw"
    page = save_previewed(dirk, address, {"reason": "The bus was late."}, follow=True)
    assert "Entry 1 withdrawn." in text_of(page)
    assert "Withdrawn: “The bus was late.”" in text_of(evenings.client().get(LEDGER))
    log = text_of(evenings.client().get(f"{ADDRESS}/changes"))
    assert "Penalty Zoë K., +2.5" in log
    assert "Penalty or bonus withdrawn Zoë K., +2.5" in log
    again = text_of(dirk.get(address))
    assert "Withdrawn: “The bus was late.”" in again
    assert "Withdraw entry 1 Withdraw" not in again


def chosen_evenings(page: Answer) -> list[tuple[str, str]]:
    """Return the evenings that a form offers, the first one with the mark of what is selected."""
    select = page.content.decode().partition('<select name="meeting"')[2].partition("</select>")[0]
    return re.findall(r'<option value="([^"]*)"( selected)?', select)


def test_penalty_given_from_the_page_of_an_evening_is_its_own(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    day = Round.objects.get(number=1).meeting.date.isoformat()  # type: ignore[union-attr]
    page = f"{ADDRESS}/meetings/{day}"
    assert f"{LEDGER}?evening={day}#give" in dirk.get(page).content.decode()
    form = dirk.get(f"{LEDGER}?evening={day}")
    assert chosen_evenings(form)[:2] == [(day, " selected"), ("", "")]
    assert f'action="{LEDGER}/new?evening={day}"' in form.content.decode()
    refused = dirk.post(f"{LEDGER}/new?evening={day}", {**LINE, "meeting": day, "reason": ""})
    assert chosen_evenings(refused)[0] == (day, " selected")
    fields = {**LINE, "meeting": day}
    saved = save_previewed(dirk, f"{LEDGER}/new?evening={day}", fields, follow=True)
    assert saved.redirect_chain == [(page, 302)]
    assert "Penalties and bonuses of this evening Zoë K. +2.5 : “Late by an hour.”" in text_of(
        saved
    )
    publish(evenings.event.pk, now=NOW)
    make_all(evenings.event.pk)
    on = Round.objects.get(number=1).meeting.date  # type: ignore[union-attr]
    why = f"Penalty +2.5, evening of {on:%A} {on.day} {on:%B} {on.year}: Late by an hour."
    for address in (page, ADDRESS):
        assert why in text_of(evenings.client().get(address))
    listed = text_of(evenings.client().get(LEDGER))
    assert f"“Late by an hour.” Evening of {on:%A} {on.day} {on:%B} {on.year}" in listed
    reader = evenings.client().get(page)
    assert "Add penalty or bonus" not in text_of(reader)
    assert "Penalties and bonuses of this evening count here and in the season" in text_of(reader)


def test_form_offers_the_evening_that_is_on_first_and_else_the_season(evenings: Evenings) -> None:
    meeting = Round.objects.get(number=1).meeting
    assert meeting is not None
    dirk = evenings.client("dirk")
    noon = datetime.combine(meeting.date, time(12), UTC)
    day = meeting.date.isoformat()
    for now, first in ((noon, (day, " selected")), (noon + timedelta(days=1), ("", " selected"))):
        with time_machine.travel(now, tick=False):
            assert chosen_evenings(dirk.get(LEDGER))[0] == first
    with time_machine.travel(noon, tick=False):
        save_previewed(dirk, f"{LEDGER}/new", LINE)
    assert LedgerLine.objects.get().meeting is None, "a form without the field is the season's"


def test_refused_line_stands_as_typed_with_each_reason(evenings: Evenings) -> None:
    typed = {**LINE, "entrant": "", "amount": "0.33", "reason": ""}
    page = evenings.client("dirk").post(f"{LEDGER}/new", typed)
    assert beside(page, "entrant", 422) == "Choose a name from the list."
    assert beside(page, "amount") == (
        "0.33 cannot be stored exactly. Use tenths or fractions down to fifteenths. The "
        "nearest amounts are 3/10, 1/3."
    )
    assert beside(page, "reason") == "Enter a reason in one sentence."
    empty = evenings.client("dirk").post(f"{LEDGER}/new", typed | {"amount": ""})
    assert beside(empty, "amount").startswith("Amount is required.")
    assert "Not saved yet" in summary(page)
    assert 'value="0.33"' in page.content.decode()
    assert not LedgerLine.objects.exists()


def test_pair_is_entered_renamed_and_withdrawn(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    people = {"seat-1": "Nele", "seat-2": "Otto B."}
    typed = {"kind": "pair", "name": "Die Asse", **people}
    refused = dirk.post(f"{ADDRESS}/new-entrant", typed)
    assert beside(refused, "seat-1", 422) == "“Nele” is not on the club's list of players."
    new = {"names": "Nele\nOtto B."}
    plan = dirk.post("/clubs/riverside/add-players", new)
    seen = plan.content.decode().partition('name="seen" value="')[2].partition('"')[0]
    dirk.post("/clubs/riverside/add-players", {**new, "seen": seen, "add": "yes"})
    assert "Die Asse added." in text_of(dirk.post(f"{ADDRESS}/new-entrant", typed, follow=True))
    assert "Die Asse pair-1" in text_of(evenings.client().get(ENTRANTS))
    one = f"{ENTRANTS}/pair-1/direct"
    dirk.post(one, {"name": "Zwei Damen", **people})
    assert Entrant.objects.get(code="pair-1").name == "Zwei Damen"
    refused = dirk.post(one, {"to": "withdrawn", "reason": ""})
    assert refused.status_code == 422
    dirk.post(one, {"to": "withdrawn", "reason": "Moved away."})
    assert "Withdrawn" in text_of(evenings.client().get(ENTRANTS))
    assert Entrant.objects.get(code="pair-1").state == "withdrawn"
    dirk.post(one, {"to": "active", "reason": "Back."})
    assert Entrant.objects.get(code="pair-1").state == "active"


def test_sit_out_is_written_down_shown_and_withdrawn(evenings: Evenings) -> None:
    round_ = Round.objects.get(number=2)
    dirk = evenings.client("dirk")
    address = f"{ADDRESS}/rounds/2/sit-outs"
    page = dirk.get(address).content.decode()
    assert 'value="RL02"' in page
    assert 'value="RL01"' not in page
    dirk.post(address, {"entrant": "RL02", "reason": "bye"})
    assert SitOut.objects.get().round == round_
    assert "Sitting out Zoë K. (bye)" in text_of(evenings.client().get(f"{ADDRESS}/rounds/2"))
    assert "Round 2 : bye" in text_of(evenings.client().get(f"{ADDRESS}/players/RL02"))
    refused = dirk.post(address, {"entrant": "RL01", "reason": "bye"})
    assert beside(refused, "entrant", 422) == "Seated at table 1 in round 2: Elsa D."
    dirk.post(address, {"end": "RL02"})
    assert not SitOut.objects.exists()


def test_sit_out_is_undone_where_many_entrants_are_offered(evenings: Evenings) -> None:
    people = players(evenings.event.club, *(f"P{number}" for number in range(16)))
    enter_players(event=evenings.event, players=people)
    dirk, address = evenings.client("dirk"), f"{ADDRESS}/rounds/2/sit-outs"
    dirk.post(address, {"entrant": people[0].player_id, "reason": "bye"})
    assert SitOut.objects.exists()
    assert dirk.post(address, {"end": people[0].player_id}).status_code == 302
    assert not SitOut.objects.exists()


def test_who_left_is_on_the_list_of_directors_only(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    dirk.post(f"{ADDRESS}/rounds/2/sit-outs", {"entrant": "RL02", "reason": "left"})
    reader = evenings.client()
    for page in (f"{ADDRESS}/rounds/2", f"{ADDRESS}/rounds/2/board", f"{ADDRESS}/screen"):
        answer = reader.get(page)
        assert answer.status_code == 200, page
        assert "Zoë K." not in text_of(answer), page
    rest = f"/api/v1{ADDRESS}/rounds/2"
    assert reader.get(rest).json()["sit_outs"] == []
    assert [out["player_id"] for out in dirk.get(rest).json()["sit_outs"]] == ["RL02"]
    assert "Zoë K." in text_of(dirk.get(f"{ADDRESS}/rounds/2/sit-outs"))


PAGE = "/clubs/riverside/events/league/add-entrants"


def read(club: Club, *texts: str) -> list[tuple[str, list[str]]]:
    return [
        (
            line.name,
            [player if isinstance(player, str) else player.player_id for player in line.players],
        )
        for line in read_entrants(club, texts)[0]
    ]


def test_line_is_a_player_a_pair_or_a_team_with_its_name_first(cast: Cast) -> None:
    players(cast.riverside, "Ada", "Ben", "Tom & Jerry", "José Ortega y Gasset")
    assert read(
        cast.riverside,
        *("Ada", "Ada & Ben", "ada und Cy", "Spades: Ada, Ben, Cy, Dee", "Aces: Ada + RL02"),
        *("Tom & Jerry", "José Ortega y Gasset", "Nobody: "),
    ) == [
        ("", ["RL01"]),
        ("", ["RL01", "RL02"]),
        ("", ["RL01", "Cy"]),
        ("Spades", ["RL01", "RL02", "Cy", "Dee"]),
        ("Aces", ["RL01", "RL02"]),
        ("", ["RL03"]),
        ("", ["RL04"]),
        ("Nobody", []),
    ]


def test_new_names_are_asked_about_and_added_with_their_pairs(cast: Cast, dirk: Client) -> None:
    league(cast.riverside)
    players(cast.riverside, "Anna K.", "Ben")
    names = "Ana K. & Ben\nKay & Lee"
    response = dirk.post(PAGE, {"names": names})
    says = "Not on the club's list of players: Ana K. (Anna K. (RL01)?) · Kay · Lee."
    assert beside(response, "names") == says
    assert not Entrant.objects.exists()
    button = re.search(r'name="add_players" value="([^"]+)">\s*([^<]+)<', response.content.decode())
    assert button is not None
    assert button[2] == "Add all, with 3 new players"
    seen = unescape(button[1])
    other = dirk.post(PAGE, {"names": names + "\nMax & Ida", "add_players": seen})
    assert "Max · Ida" in beside(other, "names"), "names that were not seen are asked about"
    added = dirk.post(PAGE, {"names": names, "add_players": seen}, follow=True)
    assert "2 added." in text_of(added)
    assert list(Player.objects.order_by("pk").values_list("name", flat=True)) == [
        *("Anna K.", "Ben", "Ana K.", "Kay", "Lee")
    ]


def test_line_that_is_sent_twice_is_stored_once(evenings: Evenings) -> None:
    dirk, sent = evenings.client("dirk"), LINE | {"csrfmiddlewaretoken": "a-page"}
    digest = digest_in(dirk.post(f"{LEDGER}/new", LINE))
    first, again = (dirk.post(f"{LEDGER}/new", sent | {"previewed": digest}) for _ in range(2))
    assert (again.status_code, again["Location"]) == (302, first["Location"])
    assert "Entry 1 saved." in text_of(dirk.get(LEDGER))
    assert LedgerLine.objects.count() == 1
    save_previewed(dirk, f"{LEDGER}/new", sent | {"csrfmiddlewaretoken": "another-page"})
    assert LedgerLine.objects.count() == 2


def test_line_that_was_refused_is_sent_again_from_the_same_page(evenings: Evenings) -> None:
    dirk, sent = evenings.client("dirk"), LINE | {"csrfmiddlewaretoken": "a-page", "amount": ""}
    assert [dirk.post(f"{LEDGER}/new", sent).status_code for _ in range(2)] == [422, 422]
    assert save_previewed(dirk, f"{LEDGER}/new", sent | {"amount": "2"}).status_code == 302
    assert LedgerLine.objects.count() == 1


PAGE_OPENING = f"{ADDRESS}/opening-values"
VALUE = {
    "entrant": "RL02", "date": "2025-10-02", "value": "30", "games": "2", "hands": "8",
    "penalty": "", "wins": "", "reason": "The list on paper.",
}  # fmt: skip


def test_value_is_entered_shown_as_from_before_and_withdrawn(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    assert f'href="{PAGE_OPENING}"' in dirk.get(f"{ADDRESS}/ledger").content.decode()
    page = dirk.post(f"{PAGE_OPENING}/new", VALUE, follow=True)
    assert page.redirect_chain == [(PAGE_OPENING, 302)]
    assert "Value saved." in text_of(page)
    publish(OpeningValue.objects.get().event_id, now=NOW)
    standings = text_of(evenings.client().get(ADDRESS))
    assert standings.count("† (from before)") == 1
    assert "† With values from before." in standings
    assert "From before, Thursday 2 October 2025: 30" in standings
    assert "Add value" not in text_of(evenings.client().get(PAGE_OPENING))
    assert "From before total 30 2 Oct" in text_of(evenings.client().get(f"{ADDRESS}/players/RL02"))
    page = dirk.post(f"{PAGE_OPENING}/1/withdraw", {"reason": "Wrong list."}, follow=True)
    assert "Value 1 withdrawn." in text_of(page)
    assert "Withdrawn: “Wrong list.”" in text_of(evenings.client().get(PAGE_OPENING))
    publish(OpeningValue.objects.get().event_id, now=NOW)
    assert "†" not in text_of(evenings.client().get(ADDRESS))
    log = text_of(evenings.client().get(f"{ADDRESS}/changes"))
    assert "Values from before added" in log
    assert "Values from before withdrawn" in log


def test_refused_value_says_what_the_ranking_needs(evenings: Evenings) -> None:
    typed = VALUE | {"hands": "", "value": "x", "date": ""}
    page = evenings.client("dirk").post(f"{PAGE_OPENING}/new", typed)
    assert page.status_code == 422
    page = evenings.client("dirk").post(f"{PAGE_OPENING}/new", typed | {"date": "2025-10-02"})
    assert beside(page, "value") == (
        "“x” is not a number. Enter the total so far, for example 13, 7.5, 5/2 or −4."
    )
    assert beside(page, "hands") == (
        "This event is ranked by Points a hand. Enter the number of hands that the value is of."
    )
    assert not OpeningValue.objects.exists()
