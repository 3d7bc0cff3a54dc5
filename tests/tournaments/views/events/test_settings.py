"""A director reads, fills in, tries and changes an event's settings; readers see them in words."""

import json
import re
from datetime import date
from pathlib import Path

import pytest
from django.test import Client

from scoring.standings.tie_breaks import USUAL
from tests.support.answers import send_json
from tests.support.builders import by_tests, hand, ladder, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.imports.imports import imported
from tests.support.pages.settings import AT, CHANGE, now, totals_only, typed
from tests.support.pages.text import beside, summary, text_of
from tournaments.domain.event_settings import settings_of
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Change
from tournaments.selectors.events.entrants import get_line
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.events.adjustments import withdraw_line
from tournaments.services.events.events import create_event, move_event
from tournaments.services.publishing.publications import publish
from tournaments.views.events.settings_form import SIMPLE


def test_settings_are_said_in_words_with_definition_and_example(cast: Cast, event: Event) -> None:
    page = text_of(cast.client().get(AT))
    assert "Ranked by: Average a hand Card points ÷ hands, over all games together." in page
    assert "For example: 84 points in 15 hands: 84 ÷ 15 = 5.6000" in page
    assert "If still tied, the place is shared and the next place is skipped." in page
    assert "Game and length Any number of hands" in page
    assert "Evenings Everybody can come" in page
    assert "Games and sizes may differ between tables" in page
    assert "Change settings" not in page
    assert "Change settings" in text_of(cast.client("dirk").get(AT))


def test_settings_change_freely_before_the_first_hand(cast: Cast, event: Event) -> None:
    form = typed(
        event,
        primary="placement_points",
        placement="3: 5 3 1\n4: 7 5 3 1",
        drop_worst="2",
        min_games="3",
        tie_breaks_1="h2h",
        tie_breaks_3="wins",
        tie_breaks_4="lot",
        counting="drop",
        correction_window_h="48",
        round_minutes="50",
        **{"boundaries-title": "1", "boundaries-promotion": "4"},
    )
    page = cast.client("dirk").post(CHANGE, form, follow=True)
    assert page.redirect_chain == [(AT, 302)]
    found = now(event)
    assert found.primary == "placement_points"
    assert found.placement == {"3": [5, 3, 1], "4": [7, 5, 3, 1]}
    assert found.tie_breaks == ("h2h", "wins", "lot")
    assert (found.drop_worst, found.min_games, found.correction_window_h) == (2, 3, 48)
    assert found.round_minutes == 50
    assert found.boundaries == {"title": 1, "promotion": 4}
    text = text_of(page)
    assert "Settings saved." in text
    assert "Table of 4 7 5 3 1" in text
    assert "Minutes for each round: 50" in text
    assert "Counted results The 2 worst games are dropped Games needed for a place: 3" in text
    assert "Title: first place Promotion: first 4 places" in text
    assert "Corrections until 48 hours after a round closes" in text
    assert Change.objects.count() == 0
    line = AuditLine.objects.filter(act="change_settings").get()
    assert line.facts["settings"]["drop_worst"] == [0, 2]


BESIDE = {
    "drop_worst": {"counting": "drop"}, "duplicate": {"length": "open"},
    "primary": {"primary": "wins"},
    "evening_ranking": {"primary": "evening_points", "evening_ranking": "wins"},
    "period_evenings": {"primary": "evening_points"},
    "best_periods": {"primary": "evening_points", "period_evenings": "6"},
    "min_unit": {"primary": "evening_points", "min_games": "3"},
    "excused": {"primary": "evening_points"},
    "excused_points": {"primary": "evening_points", "excused": "fixed"},
}  # fmt: skip
"""Setting → what is chosen with it."""


ELSEWHERE = {"start_totals", "double_entry"}
"""Only in games for chips; only where it is on."""


@pytest.mark.parametrize("name", sorted(SIMPLE.keys() - ELSEWHERE))
def test_every_declared_setting_is_on_the_page_saved_and_in_rest_and_in_words(
    cast: Cast, event: Event, name: str
) -> None:
    setting, client = SIMPLE[name], cast.client("dirk")
    texts = {"flag": "on", "number": str(setting.most)}
    value = texts.get(setting.kind) or list(setting.labels)[-1]
    form = typed(event, **{name: value, **BESIDE.get(name, {})})
    assert client.post(CHANGE, form, follow=True).redirect_chain == [(AT, 302)]
    stored = getattr(now(event), name)
    assert stored == {"flag": True, "number": setting.most}.get(setting.kind, form[name])
    shown = client.get(CHANGE).context["form"][name]
    assert str(shown) in client.get(CHANGE).content.decode()
    assert str(shown.value()) == str(stored)
    assert client.get(f"/api/v1{AT}").json()["settings"][name] == stored
    if name not in ("primary", "evening_ranking"):  # said in a panel of their own
        assert setting.summary_of(stored) in text_of(client.get(AT))


def test_excused_evenings_are_refused_at_their_field_without_evening_points(
    cast: Cast, event: Event
) -> None:
    form = typed(event, excused="lowest")
    page = cast.client("dirk").post(CHANGE, form)
    assert page.status_code == 422
    assert list(page.context["form"].errors) == ["excused"]
    assert now(event).excused == "nothing"


@pytest.mark.parametrize(("excused", "is_named"), [("lowest", True), ("nothing", False)])
def test_preview_names_who_is_excused_and_not_entered(
    cast: Cast, event: Event, excused: str, is_named: bool
) -> None:
    meeting = Meeting.objects.create(club=event.club, event=event, date=date(2025, 11, 13))
    (mia,) = players(cast.riverside, "Mia M.")
    set_attendance(by_tests(), meeting, player=mia, state="absent")
    form = typed(event, primary="evening_points", excused=excused, update="yes")
    words = text_of(cast.client("dirk").post(CHANGE, form))
    said = "1 excused player is not entered, and would get no points for it: Mia M."
    assert (said in words) is is_named


def test_evening_points_are_saved_and_said_with_their_list(
    cast: Cast, event: Event, people: list[Player]
) -> None:
    hand(table(event, people), 1, [4, 1, 2, 6], queen=3)
    form = typed(
        event,
        primary="evening_points",
        evening_points="10, 8",
        counting="best",
        best_count="4",
        period_evenings="6",
        best_periods="5",
        reason="The members want it so.",
    )
    dirk = cast.client("dirk")
    short = "Places in the list: 2. Players on 2025-11-06: 4, of whom 2 without points."
    preview = text_of(dirk.post(CHANGE, {**form, "update": "yes"}))
    assert short in preview
    assert "Evening points" in preview
    page = text_of(dirk.post(CHANGE, form, follow=True))
    assert now(event).evening_points == (10, 8)
    assert "Each evening is ranked by place points; its places give 10-8." in page
    assert "Periods of 6 evenings in order of date" in page
    assert "The best 5 periods count" in page
    assert short in page
    answer = dirk.get(f"/api/v1{AT}").json()
    assert answer["settings"]["evening_points"] == [10, 8]
    assert [note["code"] for note in answer["warnings"]][-1] == "evening_list_short"
    assert 'value="10 8"' in dirk.get(CHANGE).content.decode()


def test_double_entry_is_offered_only_until_it_is_switched_off(cast: Cast, event: Event) -> None:
    dirk, at = cast.client("dirk"), f"/api/v1{AT}"
    assert "double_entry" not in dirk.get(CHANGE).context["form"].fields
    on = send_json(dirk, "patch", at, {"settings": {"double_entry": True}}, If_Match="*")
    assert on.status_code == 200
    assert "Require double entry" in text_of(dirk.get(CHANGE))
    assert "Double entry" in text_of(dirk.get(AT))
    without = {name: text for name, text in typed(event).items() if name != "double_entry"}
    assert dirk.post(CHANGE, without).status_code == 302
    assert not now(event).double_entry
    assert "double_entry" not in dirk.get(CHANGE).context["form"].fields


def test_fixed_number_of_best_evenings_stays_whatever_is_played(cast: Cast, event: Event) -> None:
    dirk, form = cast.client("dirk"), typed(event, counting="best", best_count="8")
    text = text_of(dirk.post(CHANGE, form | {"update": "yes"}))
    assert "Of 9 evenings 8 count, of 10 evenings 8 count, of 15 evenings 8 count." in text
    text = text_of(dirk.post(CHANGE, form, follow=True))
    assert "Counted results Best 8 evenings" in text
    assert now(event).best_of == {"unit": "meeting", "min": 8, "per": 1}
    shown = dirk.get(CHANGE).content.decode()
    assert re.search(r'value="best"[^>]* checked', shown)
    assert re.search(r'name="best_count" value="8"', shown)
    assert "Best 8 evenings" in text_of(dirk.get(CHANGE))


def test_example_of_counted_evenings_is_that_of_the_chosen_rule(cast: Cast, event: Event) -> None:
    dirk, form = cast.client("dirk"), typed(event, counting="meeting", update="yes")
    page = dirk.post(CHANGE, form).content.decode()
    assert '<span class="by-meeting">Of 9 evenings 7 count' in page
    refused = dirk.post(CHANGE, form | {"counting": "game", "best_min": "all"}).content.decode()
    assert 'class="by-' not in refused


def test_settings_that_did_not_change_leave_no_trace(cast: Cast, event: Event) -> None:
    before = Dirty.objects.get(scope=event_scope(event.pk)).version
    assert cast.client("dirk").post(CHANGE, typed(event)).status_code == 302
    assert Dirty.objects.get(scope=event_scope(event.pk)).version == before
    assert AuditLine.objects.filter(act="change_settings").count() == 0


def test_change_after_the_first_hand_needs_a_reason_and_stands_in_the_change_log(
    dirk: Client, event: Event, played: Game
) -> None:
    text = text_of(dirk.get(CHANGE))
    assert "2 hands have been entered, so a change counts all games again and needs a" in text
    assert "The length of a game cannot change any more" in text
    assert 'name="length"' not in dirk.get(CHANGE).content.decode()
    refused = dirk.post(CHANGE, typed(event, min_games="3", reason="  "))
    assert beside(refused, "reason", 422) == "Enter a reason in one sentence."
    assert 'name="min_games" value="3"' in refused.content.decode()
    assert now(event).min_games == 0
    reason = "The meeting of members wants it so."
    assert dirk.post(CHANGE, typed(event, min_games="3", reason=reason)).status_code == 302
    assert now(event).min_games == 3
    change = Change.objects.get()
    version = Dirty.objects.get(scope=event_scope(event.pk)).version
    assert (change.kind, change.reason, change.by, change.version) == (
        "settings", reason, "director", version,
    )  # fmt: skip
    assert change.facts == {"settings": {"min_games": [0, 3]}}
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    assert publication.version == version


def test_form_that_is_outdated_changes_nothing(cast: Cast, event: Event) -> None:
    dirk, form = cast.client("dirk"), typed(event, min_games="3")
    dirk.post(CHANGE, typed(event, counting="drop"))
    assert "The settings have changed." in summary(dirk.post(CHANGE, form), 422)
    assert (now(event).min_games, now(event).drop_worst) == (0, 1)


def test_closed_event_asks_for_a_reason_and_a_final_one_refuses(dirk: Client, event: Event) -> None:
    move_event(by_tests(), event, to="closed")
    assert beside(dirk.post(CHANGE, typed(event, min_games="3")), "reason") != ""
    move_event(by_tests(), event, to="final")
    assert "Change settings" not in text_of(dirk.get(AT))
    refused = dirk.post(CHANGE, typed(event, min_games="4", reason="Why not."))
    assert (refused.status_code, now(event).min_games) == (422, 0)
    assert "The event is final" in summary(refused)


@pytest.mark.parametrize(
    ("wrong", "field", "says"),
    [
        ({"placement": "4: 5 3 2"}, "placement", "placement cannot be"),
        ({"counting": "drop", "drop_worst": "some"}, "drop_worst",
         "some cannot be used. Enter a whole number from 1 to 99"),
        ({"counting": "drop", "drop_worst": "0"}, "drop_worst", "from 1 on"),
        ({"tie_breaks_1": "charm"}, "tie_breaks-1", "tie_breaks cannot be charm"),
        ({"boundaries-title": "-1"}, "boundaries-title", "-1 cannot be used"),
        ({"boundaries-title": "1", "boundaries-cut": "x"}, "boundaries-cut", "x cannot be used"),
        ({"counting": "best", "best_count": "all"}, "best_count", "all cannot be used. Enter a"),
        ({"length": "hands", "hands": "many"}, "hands", "many cannot be used. Enter a whole"),
        ({"primary": "beauty"}, "primary", "primary cannot be beauty"),
        ({"primary": "evening_points", "evening_points": "5 x"}, "evening_points",
         "evening_points cannot be 5 x"),
        ({"primary": "evening_points", "counting": "game"}, "best_per",
         "no single game of one can be dropped"),
        ({"primary": "evening_points", "counting": "drop", "drop_worst": "1"}, "drop_worst",
         "no single game of one can be dropped"),
        ({"primary": "evening_points", "period_evenings": "1"}, "period_evenings",
         "1 cannot be used. Enter a whole number from 2 to 99"),
        ({"primary": "wins", "period_evenings": "6"}, "period_evenings", "Choose evening points"),
        ({"tie_breaks_1": "h2h", "tie_breaks_2": "difference"}, "tie_breaks-2",
         "everybody plays alone"),
        ({"tie_breaks_1": "h2h", "tie_breaks_3": "h2h"}, "tie_breaks-3",
         "Head to head is tie-break 1 already. Choose another or None."),
    ],
)  # fmt: skip
def test_refused_setting_is_beside_its_field_and_nothing_is_saved(
    cast: Cast, event: Event, wrong: dict[str, str], field: str, says: str
) -> None:
    before = Event.objects.get(pk=event.pk).settings
    assert says in beside(cast.client("dirk").post(CHANGE, typed(event, **wrong)), field, 422)
    assert Event.objects.get(pk=event.pk).settings == before


def test_preset_fills_every_field_and_saves_nothing(dirk: Client, event: Event) -> None:
    assert 'value="sheets" id="id_preset" checked' in dirk.get(CHANGE).content.decode()
    form = typed(event, preset="season", applied="sheets", update="yes")
    assert "Not applied yet" in text_of(dirk.post(CHANGE, form))
    response = dirk.post(CHANGE, typed(event, preset="season", fill="yes"))
    page = response.content.decode()
    assert "changes, not saved yet" in text_of(response, 200)
    assert '<option value="placement_points" selected' in page
    assert 'value="meeting" checked' in page
    assert re.findall(r'<option value="(\w+)" selected', page)[2 : 2 + len(USUAL)] == list(USUAL)
    assert 'name="correction_window_h" value="48"' in page
    assert now(event).primary == "raw_per_hand"


def test_what_totals_cannot_tell_is_refused_with_the_reason_and_left_out_of_a_preset(
    dirk: Client, event: Event, people: list[Player]
) -> None:
    totals_only(table(event, people))
    refused = dirk.post(
        CHANGE, typed(event, primary="wins", tie_breaks_1="moons_shot", reason="Rather so.")
    )
    assert "sheets with totals only do not record" in beside(refused, "tie_breaks-1", 422)
    assert now(event).primary == "raw_per_hand"
    filled = dirk.post(CHANGE, typed(event, preset="places", fill="yes")).content.decode()
    assert '<option value="h2h" selected' in filled
    assert '<option value="moons_shot" selected' not in filled


def test_chosen_lot_is_named_and_removable(cast: Cast, people: list[Player], dirk: Client) -> None:
    event = league(cast.riverside, settings={"tie_breaks": [*USUAL, "lot"]})
    hand(table(event, people), 1, [4, 1, 2, 6], queen=3)
    lot = "The lot decides where everything before it is equal."
    page = text_of(cast.client().get(AT))
    assert lot in page
    assert "Remove lot" not in page
    short = "Tie-breaks: Head to head, Tables won, Countback, Lot and 5 more"
    assert short in text_of(dirk.get(CHANGE))
    assert "Remove lot" in text_of(dirk.get(AT))
    page = text_of(dirk.post(CHANGE, {"remove_lot": ""}, follow=True))
    assert lot not in page
    assert now(event).tie_breaks == USUAL
    assert Change.objects.get(kind="settings").reason == "Equal results share the place."


def test_criterion_that_became_idle_is_said_so(cast: Cast, people: list[Player]) -> None:
    event = league(
        cast.riverside, settings={"primary": "wins", "tie_breaks": ["moons_shot", "lot"]}
    )
    assert "No effect" not in text_of(cast.client().get(AT))
    totals_only(table(event, people))
    assert "Moons shot : more moons shot (games that count). No effect" in text_of(
        cast.client().get(AT)
    )
    saved = cast.client("dirk").post(CHANGE, typed(event, min_games="2", reason="Two at least."))
    assert saved.status_code == 302


def test_idle_criterion_separates_nobody_in_the_standings(cast: Cast, people: list[Player]) -> None:
    event = league(cast.riverside, settings={"primary": "wins", "tie_breaks": ["moons_shot"]})
    game = table(event, people)
    hand(game, 1, [13, 0, 0, 0], queen=0, slam_choice="self")
    hand(game, 2, [0, 13, 0, 0], queen=0)
    hand(game, 3, [0, 0, 0, 13], queen=0)
    assert separated_by(event) == {"wins", "moons_shot"}
    totals_only(table(event, people, round_number=2), 20, 44, 20, 46)
    assert separated_by(event) == {"wins"}


def test_lines_of_the_ledger_hold_their_value(dirk: Client, event: Event, played: Game) -> None:
    for kind, amount in (("penalty", "5/2"), ("bonus", "1")):
        penalize(event, "RL02", amount, "Late.", kind=kind)
    refused = dirk.post(CHANGE, typed(event, primary="wins", reason="Rather so."))
    assert beside(refused, "primary", 422) == (
        "Penalties and bonuses are in the unit of raw_per_hand: 1 (RL02, penalty 5/2) and 2 "
        "(RL02, bonus 1). Withdraw them first, then add them in the unit of wins."
    )
    assert now(event).primary == "raw_per_hand"
    assert dirk.post(CHANGE, typed(event, counting="drop", reason="Rather so.")).status_code == 302
    for number in (1, 2):
        withdraw_line(by_tests(), get_line(event, number), reason="Anew.")
    done = dirk.post(CHANGE, typed(event, primary="wins", reason="Rather so."))
    assert (done.status_code, now(event).primary) == (302, "wins")


def test_totals_over_different_numbers_of_hands_are_refused(
    cast: Cast, event: Event, played: Game, people: list[Player]
) -> None:
    second = table(event, [*players(cast.riverside, "Marit S."), *people[1:]], round_number=2)
    hand(second, 1, [4, 1, 2, 6], queen=3)
    refused = cast.client("dirk").post(CHANGE, typed(event, primary="raw_total", reason="So."))
    assert "hands" in beside(refused, "primary", 422)
    assert now(event).primary == "raw_per_hand"


def test_size_without_a_list_is_refused_when_it_is_chosen_and_when_it_is_seated(
    cast: Cast, event: Event, people: list[Player], dirk: Client
) -> None:
    table(event, people)
    refused = dirk.post(CHANGE, typed(event, primary="placement_points", placement="3: 5 3 1"))
    assert "There is no list of points for places at a table of 4." in beside(refused, "primary")
    assert dirk.post(CHANGE, typed(event, primary="placement_points")).status_code == 302
    six = players(cast.riverside, "A. A.", "B. B.", "C. C.", "D. D.", "E. E.", "F. F.")
    seats = {f"seat-{n}": one.player_id for n, one in enumerate(six, start=1)}
    seated = dirk.post("/clubs/riverside/events/league/rounds/1/new-table", seats)
    assert "points for a table of 2, 3, 4, 5, but not of 6. Add a line" in summary(seated, 422)
    assert Game.objects.count() == 1
    lists = "4: 5 3 2 1\n6: 8 5 3 2 1 0"
    assert dirk.post(CHANGE, typed(event, placement=lists)).status_code == 302
    dirk.post("/clubs/riverside/events/league/rounds/1/new-table", seats)
    assert Game.objects.count() == 2


def sheet_of_six(six: list[Player], tmp_path: Path) -> Path:
    lines = ["date,round,table,variant,hand,seat,player_id,player,hearts,queen_spades"]
    for seat, (one, hearts) in enumerate(zip(six, (3, 2, 2, 2, 2, 2), strict=True), start=1):
        who = f"{one.player_id},{one.name}"
        lines.append(f"2025-11-06,1,1,hearts,1,{seat},{who},{hearts},{int(seat == 1)}")
    file = tmp_path / "six.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_sheet_of_a_size_without_a_list_waits_in_an_import(cast: Cast, tmp_path: Path) -> None:
    six = players(cast.riverside, "A. A.", "B. B.", "C. C.", "D. D.", "E. E.", "F. F.")
    event = league(cast.riverside, settings={"primary": "placement_points"})
    report = imported(sheet_of_six(six, tmp_path))
    assert [(problem.code, problem.severity) for problem in report.problems] == [
        ("size_without_list", "ask")
    ]
    assert Game.objects.filter(event=event, hands_counted__gt=0).count() == 0


def test_ladder_asks_for_no_place_points_of_a_table_or_a_sheet(cast: Cast, tmp_path: Path) -> None:
    six = players(cast.riverside, "A. A.", "B. B.", "C. C.", "D. D.", "E. E.", "F. F.")
    by_places = {"primary": "placement_points"}
    hand(table(ladder(cast.riverside, settings=by_places), six), 1, [3, 2, 2, 2, 2, 2], queen=0)
    event = ladder(cast.riverside, slug="league", settings=by_places)
    assert list(imported(sheet_of_six(six, tmp_path)).problems) == []
    assert Game.objects.filter(event=event, hands_counted=1).count() == 1


def test_refused_value_opens_its_section_and_others_keep_theirs(cast: Cast, event: Event) -> None:
    form = typed(event, counting="drop", drop_worst="some")
    page = cast.client("dirk").post(CHANGE, form).content.decode()
    assert re.findall(r'id="sec-(\w+)" name="section"( open)?', page) == [
        ("game", ""), ("evenings", ""), ("ranking", ""), ("counted", " open"),
        ("cut_offs", ""), ("entry", ""),
    ]  # fmt: skip
    assert '<a href="#id_drop_worst">' in page


@pytest.mark.parametrize(
    ("stored", "typed_in", "is_open"),
    [
        ({}, {}, False),
        ({"knocked_out": "share"}, {}, True),
        ({"playoff": "table", "boundaries": {"title": 1}}, {}, False),
        ({"playoff": "table", "boundaries": {"title": 1}, "playoff_before_criteria": True}, {}, 1),
        (
            {"playoff": "table", "boundaries": {"title": 1}, "playoff_rules": {"max_hands": 4}},
            {},
            1,
        ),
        ({"playoff": "extra_hands"}, {"playoff_rules-max_hands": "none"}, True),
    ],
)
def test_rare_rules_are_behind_all_rules_until_one_is_not_as_usual(
    cast: Cast, event: Event, stored: dict[str, object], typed_in: dict[str, str], *, is_open: bool
) -> None:
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, **stored})
    event.refresh_from_db()
    dirk = cast.client("dirk")
    answer = dirk.post(CHANGE, typed(event, **typed_in)) if typed_in else dirk.get(CHANGE)
    page = answer.content.decode()
    folded, rest = re.findall(
        r'<details class="more-of"( open)?>\s*<summary>All rules(.*)', page, re.S
    )[0]
    assert bool(folded) is bool(is_open)
    for name in ("table_ties", "knocked_out", "playoff_before_criteria", "playoff_rules-max_hands"):
        assert f'name="{name}"' in rest


def test_new_event_of_complex_scores_leaves_out_what_they_cannot_give(cast: Cast) -> None:
    made = create_event(by_tests(), cast.riverside, name="Argand", variant="complex-hearts")
    assert "index" not in settings_of(made).tie_breaks
    assert settings_of(made).primary == "placement_points"


def separated_by(event: Event) -> set[str]:
    """Return what puts one row below another in the newest publication."""
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    rows = json.loads(bytes(publication.body))["rows"]
    return {row["decided_by"] for row in rows if row["decided_by"]}


def test_preview_says_what_would_change_and_who_crosses_a_cut_off_and_saves_nothing(
    dirk: Client, event: Event, played: Game, people: list[Player]
) -> None:
    hand(table(event, people, round_number=2), 1, [4, 1, 2, 6], queen=1)
    publish(event.pk, now=NOW)
    assert "Nothing is changed yet." in text_of(dirk.get(CHANGE))
    form = typed(event, primary="placement_points", counting="drop", update="yes")
    page = text_of(dirk.post(CHANGE, form))
    assert "2 changes, not saved yet" in page
    assert "Counted results Changed: The worst game is dropped · was: Every result counts" in page
    assert (
        "2 of 4 change their place. 2 are tied. 4 of 8 results no longer count. "
        "Publication 2 replaces 1. Earlier ones stay."
    ) in page
    assert "Leo K. 1 1 5 Elsa D. 3 2= 3 Zoë K. 2 2= 3 Anton S. 4 4 2 All 4 places" in page
    assert now(event).primary == "raw_per_hand"
    assert Change.objects.count() == 0
    dirk.post(CHANGE, typed(event, reason="A final of two.", **{"boundaries-cut": "2"}))
    page = text_of(dirk.post(CHANGE, typed(event, primary="placement_points", update="yes")))
    assert "Qualification: changed. Elsa D. comes in at 2. Zoë K. goes out at 3." in page
    assert "Elsa D. in 3 2" in page


def test_preview_on_another_event_ranks_it_by_the_same_code_as_if_it_had_these_settings(
    cast: Cast, played: Game
) -> None:
    event_of_this_year = league(cast.riverside, slug="next", name="Next league")
    form = typed(event_of_this_year, primary="placement_points", on="league", update="yes")
    page = text_of(cast.client("dirk").post(CHANGE.replace("league", "next"), form))
    assert "No places change. No shared places. With the results of League:" in page
    assert "Leo K. 1 1 5" in page


def test_impossible_preview_says_why(cast: Cast, event: Event, people: list[Player]) -> None:
    totals_only(table(event, people))
    fresh = league(cast.riverside, slug="next", settings={"primary": "wins"})
    form = typed(fresh, tie_breaks_1="moons_shot", on="league", update="yes")
    page = text_of(cast.client("dirk").post(CHANGE.replace("league", "next"), form))
    assert "The results of League cannot be ranked so: Moons shot needs the shooters" in page
