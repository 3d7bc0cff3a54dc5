"""The three steps of a new event: what is refused where, what is copied, and a form sent twice."""

import re
from datetime import time

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import beside, summary, text_of
from tournaments.domain.event_settings import settings_of
from tournaments.models.audit import AuditLine
from tournaments.models.events import Entrant, EntrantMember, Event, Stage
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Aggregate
from tournaments.services.clubs.clubs import add_player

NEW = "/clubs/riverside/new-event"


def open_step(page: Answer) -> str:
    matches = re.findall(
        r'<details class="fold" name="step" open id="step-(\d)">', page.content.decode()
    )
    assert len(matches) == 1
    return str(matches[0])


@pytest.mark.parametrize("step", ["1", "2", "3"])
def test_event_can_be_created_at_each_step(dirk: Client, step: str) -> None:
    page = dirk.get(NEW, {"step": step, "name": "Cup"}).content.decode()
    assert re.findall(r'class="btn pri[^>]*>([^<]*?) ?<', page) == ["Create event"]


@pytest.mark.parametrize(
    ("fields", "is_open", "says"),
    [
        ({}, False, "no dates yet"),
        ({"interval": "week"}, False, "no dates yet"),
        ({"starts_on": "2026-01-08", "n_evenings": "2"}, True, "2 evenings, Thu 8 Jan 2026"),
        ({"n_evenings": "two"}, True, "no dates yet"),
        ({"evening_time": "19:30"}, True, "no dates yet"),
    ],
)
def test_evenings_are_one_line_until_a_field_of_them_is_filled(
    dirk: Client, fields: dict[str, str], says: str, *, is_open: bool
) -> None:
    page = dirk.get(NEW, {"name": "Cup", "at": "1"} | fields).content.decode()
    summary = (
        r'<details class="more-of field"( open)?>\s*<summary id="dates">\s*Evenings: ([^<]*?)\s*<'
    )
    [(opened, line)] = re.findall(summary, page)
    assert bool(opened) is is_open
    assert line.startswith(says)


def test_refusal_goes_to_its_step(dirk: Client) -> None:
    late = {"starts_on": "2026-02-26", "ends_on": "2025-12-04"}
    page = dirk.get(NEW, {"step": "3", "name": "", "length": "hands", "hands": "many"} | late)
    assert (page.status_code, open_step(page)) == (422, "1")
    assert "Enter a name" in beside(page, "name")
    assert "is before the first one" in beside(page, "ends_on")
    page = dirk.get(NEW, {"step": "3", "name": "Cup", "length": "hands", "hands": "many"})
    assert (page.status_code, open_step(page)) == (422, "2")
    assert "many is not a valid number of hands" in beside(page, "hands")
    assert "many is not a valid number of hands" in summary(page)
    page = dirk.post(NEW, {"name": "Cup", "visibility": "nobody"})
    assert (page.status_code, open_step(page)) == (422, "3")
    page = dirk.get(NEW, {"step": "2", "name": "Cup", "length": "hands", "hands": "many"})
    assert (page.status_code, open_step(page)) == (200, "2")
    assert not Event.objects.exists()


def test_best_evenings_are_chosen_beside_the_preset(cast: Cast) -> None:
    dirk, dates = cast.client("dirk"), {"starts_on": "2026-01-01", "ends_on": "2026-03-05"}
    form = {"name": "Winter league", "best_count": "8", **dates}
    page = dirk.get(NEW, form | {"at": "2"}).content.decode()
    assert "best 8 of 10 evenings" in page.partition('id="value-2">')[2].partition("<")[0]
    refused = dirk.post(NEW, form | {"best_count": "most"})
    assert (refused.status_code, open_step(refused)) == (422, "2")
    assert "most cannot be used" in beside(refused, "best_count")
    dirk.post(NEW, form)
    assert settings_of(Event.objects.get()).best_of == {"unit": "meeting", "min": 8, "per": 1}


@pytest.mark.parametrize(
    ("typed", "has_minimum"),
    [
        ({}, True),
        ({"preset": "season"}, True),
        ({"minimum": ""}, False),
        ({"kind": "tournament"}, False),
    ],
)
def test_new_league_has_a_minimum_unless_it_is_switched_off(
    cast: Cast, typed: dict[str, str], has_minimum: bool
) -> None:
    typed = {"name": "Winter", **typed}
    page = cast.client("dirk").get(NEW, {**typed, "step": "2"}).content.decode()
    assert ("<dt>Games needed</dt>" in page) is has_minimum
    cast.client("dirk").post(NEW, typed)
    assert settings_of(Event.objects.get()).min_third is has_minimum


@pytest.mark.parametrize(("preset", "kind"), [("pairs", "all_play_all"), ("teams", "one_table")])
def test_preset_for_partners_brings_game_and_movement(dirk: Client, preset: str, kind: str) -> None:
    typed = {"name": "Pairs", "preset": preset, "variant": "hearts", "starts_on": "2025-12-04"}
    assert "Game Partnership Hearts, tricks pooled" in text_of(dirk.get(NEW, typed | {"step": "3"}))
    assert dirk.post(NEW, typed).status_code == 302
    event = Event.objects.get()
    assert (event.variant, event.stages.get().kind) == ("partnership-hearts-pooled", preset)
    plans = dirk.get(f"/clubs/riverside/events/{event.slug}/meetings/2025-12-04/plans")
    assert f'<option value="{preset}:{kind}" selected>' in plans.content.decode()
    following = dirk.get(NEW).content.decode()
    assert '<option value="hearts" selected>' in following, "not the game of the preset"


def stages() -> list[tuple[str, str, int | None, str, object]]:
    return [
        (stage.name, stage.kind, stage.planned_rounds, stage.plan, stage.advance)
        for stage in Event.objects.latest("pk").stages.order_by("number")
    ]


def test_preset_swiss_with_final_table_plans_both_stages(cast: Cast, dirk: Client) -> None:
    dirk.post(NEW, {"name": "Open", "preset": "swiss", "starts_on": "2025-12-04"})
    event = Event.objects.get()
    assert settings_of(event).boundaries == {"cut": 4, "title": 1}
    final = ("Final table", "individual", 1, "planned", {"best": 4})
    assert stages() == [("Swiss", "swiss", None, "", None), final]
    plans = dirk.get(f"/clubs/riverside/events/{event.slug}/meetings/2025-12-04/plans")
    assert '<option value="swiss" selected>' in plans.content.decode()
    assert "Next: Swiss, round 1." in text_of(plans)
    for at in range(9):
        player = add_player(by_tests(), cast.riverside, name=f"Guest {at}", player_id=f"G{at}")
        entrant = Entrant.objects.create(club=event.club, event=event, code=player.player_id)
        EntrantMember.objects.create(club=event.club, event=event, entrant=entrant, player=player)
    following = {"name": "Next", "preset": "swiss", "who": "same", "earlier": event.slug}
    assert "9 players of Open" in text_of(dirk.get(NEW, following))
    dirk.post(NEW, following)
    assert stages() == [("Swiss", "swiss", 4, "", None), final]


def test_number_of_evenings_stands_for_the_last_one(cast: Cast) -> None:
    dirk, form = cast.client("dirk"), {"name": "Cup", "starts_on": "2026-11-20", "preset": "season"}
    page = dirk.get(NEW, form | {"n_evenings": "10", "at": "1"})
    assert "10 evenings, Fri 20 Nov 2026 to Fri 22 Jan 2027" in text_of(page)
    assert "Leave out some of 10 evenings" in text_of(page)
    both = form | {"n_evenings": "10", "ends_on": "2027-01-29", "step": "2"}
    refused = dirk.get(NEW, both)
    assert (refused.status_code, open_step(refused)) == (422, "1")
    assert "there are 11, not 10. Leave the last evening" in beside(refused, "n_evenings")
    for wrong in ("0", "101", "ten"):
        refused = dirk.post(NEW, form | {"n_evenings": wrong})
        assert f"{wrong} cannot be used. Enter a whole" in beside(refused, "n_evenings")
    assert "is not a date" in beside(dirk.post(NEW, {"name": "C", "n_evenings": "3"}), "starts_on")
    assert not Event.objects.exists()
    response = dirk.post(NEW, form | {"n_evenings": "10", "ends_on": "2027-01-22"})
    assert Meeting.objects.count() == 10
    settings = response["Location"].replace("direct", "settings")
    assert "best 8 of 10 evenings" in text_of(dirk.get(response["Location"]))
    said = "Counted results Best 8 of 10 evenings; with 12 evenings, 9"
    assert said in text_of(dirk.get(settings))
    assert "Best 8 of 10 evenings" in text_of(dirk.get(f"{settings}/change"))


def test_days_without_an_evening_are_not_planned_and_do_not_count(dirk: Client) -> None:
    form = {"name": "Cup", "starts_on": "2026-03-26", "n_evenings": "3"}
    off = "2026-04-02, 2026-04-20 to 2026-04-25"
    response = dirk.post(NEW, form | {"not_on": f"{off}, 2026-04-02"})
    assert "2 April 2026 is in two breaks." in beside(response, "not_on")
    assert "2 April is not" in beside(dirk.post(NEW, form | {"not_on": "2 April"}), "not_on")
    assert not Event.objects.exists()
    dirk.post(NEW, form | {"not_on": off})
    days = Meeting.objects.order_by("date").values_list("date", flat=True)
    assert [f"{day:%d.%m.}" for day in days] == ["26.03.", "09.04.", "16.04."]


def test_finished_step_shows_its_value_and_all_stays_in_the_form(cast: Cast) -> None:
    typed = {"name": "Winter <league>", "kind": "tournament", "variant": "omnibus-hearts"}
    days = {"starts_on": "2025-12-04", "ends_on": "2026-02-26", "left_out": "2025-12-25"}
    asked = typed | days | {"step": "2", "options-target": "50"}
    page = cast.client("dirk").get(NEW, asked)
    text = text_of(page)
    assert "Tournament “Winter <league>” · Omnibus Hearts · 12 evenings, Thu 4 Dec 2025" in text
    assert "/clubs/riverside/events/winter-league" in text
    assert "Of 12 evenings 9 count." in text
    assert 'value="Winter &lt;league&gt;"' in page.content.decode()
    assert 'name="options-target" value="50"' in page.content.decode()
    assert "csrfmiddlewaretoken" not in asked


def test_house_rules_come_first_and_the_last_game_is_chosen(cast: Cast) -> None:
    league(cast.riverside, variant="omnibus-hearts")
    page = cast.client("dirk").get(NEW).content.decode()
    assert '<option value="omnibus-hearts" selected>Omnibus Hearts</option>' in page


def test_ladder_has_no_evenings_and_no_preset(dirk: Client) -> None:
    typed = {
        "name": "Climb", "kind": "ladder", "starts_on": "2025-12-04", "step": "2",
        "preset": "pairs", "variant": "hearts",
    }  # fmt: skip
    page = dirk.get(NEW, typed)
    assert 'type="radio" name="preset"' not in page.content.decode()
    assert "position after challenges" in text_of(page)
    dirk.post(NEW, typed)
    event = Event.objects.get()
    assert (event.kind, settings_of(event).length) == ("ladder", "open")
    assert (event.variant, event.stages.get().kind) == ("hearts", "open")
    assert not Meeting.objects.exists()


def test_name_without_latin_letters_gets_an_address_of_its_kind(dirk: Client) -> None:
    for address in ("league", "league-2"):
        response = dirk.post(NEW, {"name": "冬のリーグ"})
        assert response["Location"] == f"/clubs/riverside/events/{address}/direct"


def test_form_sent_twice_makes_one_event_and_a_changed_one_another(dirk: Client) -> None:
    sent = {"name": "Cup", "csrfmiddlewaretoken": "a-page", "starts_on": "2025-12-04"}
    first, again = dirk.post(NEW, sent), dirk.post(NEW, sent)
    assert first["Location"] == again["Location"] == "/clubs/riverside/events/cup/direct"
    assert dirk.post(NEW, sent | {"kind": "tournament"})["Location"].endswith("/cup-2/direct")
    assert Event.objects.count() == 2
    assert Meeting.objects.count() == 2


def test_list_of_entrants_is_asked_for_after_creating(cast: Cast, dirk: Client) -> None:
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    response = dirk.post(NEW, {"name": "Cup", "who": "list"})
    page = "/clubs/riverside/events/cup/add-entrants"
    assert response["Location"] == page
    assert "Dora (RL04)" in text_of(dirk.get(page))
    assert "Zoë" in beside(dirk.post(page, {"names": "Ada\nZoë"}), "names")
    assert "Choose players, or enter a name." in beside(dirk.post(page, {"names": ""}), "names")
    assert not Entrant.objects.exists()
    added = dirk.post(page, {"players": ["RL04", "RL01"], "names": "ada\n cem"}, follow=True)
    assert "3 added." in text_of(added)
    assert sorted(Entrant.objects.values_list("code", flat=True)) == ["RL01", "RL03", "RL04"]
    assert len(people) == 4


NEXT = "/clubs/riverside/events/league/next"


SETTINGS = {"primary": "wins", "tie_breaks": ["h2h", "lot"], "min_games": 3}


@pytest.fixture
def event(cast: Cast) -> Event:
    """A league of four in which one withdrew after the first hand."""
    event = league(cast.riverside, settings=SETTINGS, visibility="members")
    game = table(event, players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S."))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    Entrant.objects.filter(event=event, code="RL03").update(state="withdrawn")
    return event


def competing(event: Event) -> list[tuple[str, str]]:
    members = EntrantMember.objects.filter(event=event).order_by("entrant__code")
    return list(members.values_list("entrant__code", "player__player_id"))


def made(cast: Cast, **typed: str) -> Answer:
    form = {"name": "League 2026", "slug": "", "players": "on"} | typed
    return cast.client("dirk").post(NEXT, form, follow=True)


def test_next_season_has_game_settings_and_players_and_no_result(cast: Cast, event: Event) -> None:
    page = made(cast)
    assert page.redirect_chain == [("/clubs/riverside/events/league-2026/direct", 302)]
    assert "League 2026 created with 3 players." in text_of(page)
    after = Event.objects.get(slug="league-2026")
    assert (after.state, after.kind, after.visibility) == ("draft", "league", "members")
    assert (after.variant, settings_of(after)) == (event.variant, settings_of(event))
    assert after.seed != event.seed
    assert competing(after) == [("RL01", "RL01"), ("RL02", "RL02"), ("RL04", "RL04")]
    assert Aggregate.objects.filter(event=after).count() == 0
    assert AuditLine.objects.get(act="make_next_event").facts == {"after": "league", "entrants": 3}


def test_next_season_has_the_stages_and_none_has_begun(cast: Cast, event: Event) -> None:
    club = event.club
    Stage.objects.filter(event=event).update(kind="swiss", planned_rounds=5, table_sizes=[4, 3])
    first = Stage.objects.get(event=event)
    Stage.objects.create(club=club, event=event, number=2, kind="playoff")
    Stage.objects.create(
        club=club, event=event, number=3, name="Final", kind="individual", cut=4, cut_at=NOW,
        advance={"best": 4}, from_stage=first, carry="half", seeding="lot", plan="begun",
        also_from=first, also_best=2,
    )  # fmt: skip
    made(cast)
    copies = Stage.objects.filter(event__slug="league-2026").order_by("number")
    assert [(copy.number, copy.name, copy.kind, copy.plan, copy.cut) for copy in copies] == [
        (1, "", "swiss", "", None),
        (2, "Final", "individual", "planned", None),
    ]
    one, final = copies
    assert (one.planned_rounds, one.table_sizes) == (5, [4, 3])
    assert (final.advance, final.carry, final.seeding) == ({"best": 4}, "half", "lot")
    assert (final.from_stage, final.cut_at) == (one, None)
    assert (final.also_from, final.also_best) == (one, 2)


TYPED = {
    "name": "Chip night", "variant": "hearts for chips (pool)", "preset": "wins",
    "kind": "league", "visibility": "public",
}  # fmt: skip


def send(client: Client, **more: str) -> Answer:
    return client.post(NEW, TYPED | more, follow=True)


def test_event_for_chips_asks_how_many_and_no_other_event_does(dirk: Client) -> None:
    page = send(dirk)
    assert page.status_code == 422
    said = "Enter the number of chips for each player, for example 20."
    assert beside(page, "start_totals") == said
    assert beside(send(dirk, start_totals="many"), "start_totals") == said
    send(dirk, start_totals="20")
    response = dirk.get("/clubs/riverside/events/chip-night/settings")
    assert "Chips for each player: 20" in text_of(response)
    assert settings_of(Event.objects.get(slug="chip-night")).start_totals == 20
    assert "Chips for each player" not in text_of(dirk.get(NEW, {"variant": "hearts"}))
    send(dirk, name="Eight", hands="8")
    assert settings_of(Event.objects.get(slug="eight")).start_totals == 0


def test_evenings_begin_at_the_time_that_was_typed(cast: Cast) -> None:
    dirk = cast.client("dirk")
    typed = {"name": "Night", "starts_on": "2025-12-04", "n_evenings": "2", "evening_time": "20:00"}
    assert "Time of the evenings 20:00" in text_of(dirk.get(NEW, {**typed, "step": "3"}))
    refused = dirk.post(NEW, {**typed, "evening_time": "8 pm"})
    assert beside(refused, "evening_time") == "Enter the time as 19:30."
    assert not Event.objects.exists()
    dirk.post(NEW, typed)
    assert [meeting.time for meeting in Meeting.objects.all()] == [time(20), time(20)]
