"""A closed round of a cup decides who is through and who is out, before the next one is posted."""

import pytest
from django.test import Client

from tests.support.answers import Json, post_json
from tests.support.builders import by_tests, finished, hand, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.cups import E, cup, planned, play, post
from tests.support.scenarios.cuts import CHANGED, NAMES, before_a_cut, correct
from tests.support.scenarios.playoffs import look
from tournaments.documents.standings import published_table
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, RoundState, SitOut
from tournaments.selectors.chat_text import standings_text
from tournaments.selectors.stages import get_stage
from tournaments.selectors.standings.publications import current_publication
from tournaments.services.events.change_event import change_settings
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round
from tournaments.services.stages.plan_stages import begin_stage, plan_stage

PAGE = "/clubs/riverside/events/league"

pytestmark = pytest.mark.django_db

TWO_OF_FOUR = {"table_sizes": [4, 3], "each_round": {"each_table": 2, "wild_cards": 0}}


def close(round_: Round, *points: tuple[int, ...]) -> None:
    games = Game.objects.filter(table__round=round_).order_by("table__number")
    for game, of_table in zip(games, points, strict=True):
        finished(game, of_table)
    Round.objects.filter(pk=round_.pk).update(state=RoundState.CLOSED)
    publish(round_.event_id, now=NOW)
    look(round_.event)


def rows(client: Client) -> list[Json]:
    found: list[Json] = client.get(f"{E}/standings").json()["rows"]
    return found


def states(client: Client) -> list[str]:
    return [row.get("progress") or "" for row in rows(client)]


def test_those_who_are_through_are_above_those_who_are_out_once_a_round_is_closed(
    cast: Cast,
) -> None:
    dirk, event = cup(cast, 16, **TWO_OF_FOUR)
    first = post(dirk, planned(dirk))
    assert "progress" not in str(dirk.get(f"{E}/standings").content)
    play(first)
    assert states(dirk) == ["through"] * 8 + ["out"] * 8
    table = rows(dirk)
    assert {row["stage"] for row in table[:8]} == {"the next round of Cup"}
    assert table[7]["ahead"].endswith("was out in round 1") or "went on" in table[7]["ahead"]
    before = [row["player_id"] for row in table[:8]]
    second = post(dirk, planned(dirk))
    publish(event.pk, now=NOW)
    assert states(dirk) == ["through"] * 8 + ["out"] * 8
    assert [row["player_id"] for row in rows(dirk)[:8]] == before
    play(second)
    assert states(dirk) == ["final"] * 4 + ["out"] * 12
    assert {row["stage"] for row in rows(dirk)[:4]} == {"the final of Cup"}
    play(post(dirk, planned(dirk)))
    assert states(dirk) == ["winner"] + ["final"] * 3 + ["out"] * 12
    assert [row["rank"] for row in rows(dirk)[:4]] == [1, 2, 3, 4]


def test_tie_at_the_line_is_undecided_until_its_play_off(cast: Cast) -> None:
    dirk, event = cup(cast, 8, **TWO_OF_FOUR)
    first = post(dirk, planned(dirk))
    close(first, (1, 3, 3, 6), (1, 2, 4, 6))
    table = rows(dirk)
    assert states(dirk) == ["final"] * 3 + ["undecided"] * 2 + ["out"] * 3
    assert {row["stage"] for row in table[:3]} == {"the final of Cup"}
    assert all("stage" not in row for row in table[3:])
    assert table[3]["reason"].endswith("went on to the final of Cup")
    assert table[4]["ahead"].startswith(f"above {table[5]['player_id']}: ")
    assert post_json(dirk, f"{E}/playoffs/1/moves", {"to": "by_lot"}).status_code == 200
    look(event)
    publish(event.pk, now=NOW)
    assert states(dirk) == ["final"] * 4 + ["out"] * 4
    lost = {row["player_id"] for row in table[3:5]} - {row["player_id"] for row in rows(dirk)[:4]}
    assert len(lost) == 1


def test_round_that_is_open_again_decides_nothing_and_a_correction_is_seen(cast: Cast) -> None:
    dirk, event = cup(cast, 8, **TWO_OF_FOUR)
    first = post(dirk, planned(dirk))
    close(first, (1, 2, 4, 6), (1, 2, 4, 6))
    was = {row["player_id"] for row in rows(dirk)[:4]}
    Round.objects.filter(pk=first.pk).update(state=RoundState.PLAYING)
    changed(event)
    assert states(dirk) == [""] * 8
    hand(Game.objects.get(table__code="r1t1"), 1, (1, 6, 2, 4), 3, based_on=1, reason="Misread.")
    Round.objects.filter(pk=first.pk).update(state=RoundState.CLOSED)
    publish(event.pk, now=NOW)
    assert states(dirk) == ["final"] * 4 + ["out"] * 4
    assert len(was & {row["player_id"] for row in rows(dirk)[:4]}) == 3


def test_who_has_a_bye_is_through_without_a_game(cast: Cast) -> None:
    dirk, _event = cup(cast, 10, **{**TWO_OF_FOUR, "table_sizes": [4]})
    play(post(dirk, planned(dirk)))
    table = rows(dirk)
    assert [row["progress"] for row in table] == ["through"] * 6 + ["out"] * 4
    assert sorted(row["tables"] for row in table[:6]) == [0, 0, 1, 1, 1, 1]
    assert all(row["rank"] for row in table)


def test_who_has_a_bye_stays_in_the_standings_of_a_round_that_is_opened_again(
    cast: Cast,
) -> None:
    dirk, event = cup(cast, 10, **{**TWO_OF_FOUR, "table_sizes": [4]})
    first = post(dirk, planned(dirk))
    changed(event)
    assert everybody(dirk) == set(), "nobody has played"
    play(first)
    before = everybody(dirk)
    assert len(before) == 10
    move_round(by_tests(), Round.objects.get(), to="playing", reason="A hand is missing.")
    changed(event)
    assert everybody(dirk) == before
    assert SitOut.objects.filter(round=first, reason="bye").count() == 2
    move_round(by_tests(), Round.objects.get(), to="closed")
    changed(event)
    assert states(dirk) == ["through"] * 6 + ["out"] * 4


def everybody(client: Client) -> set[str]:
    document = client.get(f"{E}/standings").json()
    return {row["player_id"] for row in (*document["rows"], *document["provisional_rows"])}


def test_who_has_a_bye_in_a_later_round_is_not_out_of_the_round_before(cast: Cast) -> None:
    dirk, event = cup(cast, 12, **{**TWO_OF_FOUR, "table_sizes": [4]})
    play(post(dirk, planned(dirk)))
    second = post(dirk, planned(dirk))
    changed(event)
    assert (second.tables.count(), second.sit_outs.count()) == (1, 2)
    assert states(dirk) == ["through"] * 6 + ["out"] * 6
    play(second)
    assert states(dirk) == ["final"] * 4 + ["out"] * 8


def test_wild_card_is_decided_by_points_and_undecided_by_a_tie(cast: Cast) -> None:
    wild = {"table_sizes": [4, 3], "each_round": {"each_table": 2, "wild_cards": 1}}
    dirk, event = cup(cast, 12, **wild)
    first = post(dirk, planned(dirk))
    close(first, (1, 2, 4, 6), (1, 2, 4, 6), (0, 1, 6, 6))
    assert states(dirk) == ["through"] * 6 + ["undecided"] * 2 + ["out"] * 4
    assert post_json(dirk, f"{E}/playoffs/1/moves", {"to": "by_lot"}).status_code == 200
    look(event)
    publish(event.pk, now=NOW)
    assert states(dirk) == ["through"] * 7 + ["out"] * 5


def test_while_a_tie_at_a_table_is_open_every_candidate_for_a_wild_card_is_undecided(
    cast: Cast,
) -> None:
    wild = {"table_sizes": [4, 3], "each_round": {"each_table": 2, "wild_cards": 1}}
    dirk, _event = cup(cast, 12, **wild)
    close(post(dirk, planned(dirk)), (1, 3, 3, 6), (1, 2, 4, 6), (1, 2, 4, 6))
    assert states(dirk) == ["through"] * 5 + ["undecided"] * 7


def test_two_tables_have_no_wild_card_that_could_save_anybody(cast: Cast) -> None:
    wild = {"table_sizes": [4, 3], "each_round": {"each_table": 2, "wild_cards": 1}}
    dirk, _event = cup(cast, 8, **wild)
    close(post(dirk, planned(dirk)), (1, 3, 3, 6), (1, 2, 4, 6))
    assert states(dirk) == ["final"] * 3 + ["undecided"] * 2 + ["out"] * 3


def test_cut_that_is_due_says_who_is_through_before_and_after_it_is_made(cast: Cast) -> None:
    event = before_a_cut(players(cast.riverside, *NAMES))
    client = cast.client()
    assert states(client) == [""] * 8
    Stage.objects.update(planned_rounds=2)
    fields = {"name": "Final table", "movement": "individual", "advance": {"best": 4}}
    plan_stage(by_tests(), event, fields=fields)
    changed(event)
    assert states(client) == [""] * 8, "a round of the stage is to come"
    Stage.objects.filter(number=1).update(planned_rounds=1)
    changed(event)
    assert states(client) == ["through"] * 4 + ["out"] * 4
    begin_stage(by_tests(), get_stage(event, 2))
    changed(event)
    assert states(client) == ["through"] * 4 + ["out"] * 4


def play_in_last_stage(cast: Cast, event: Event, number: int) -> None:
    people = Player.objects.filter(
        player_id__in=[row["player_id"] for row in rows(cast.client())[:4]]
    )
    table(event, list(people), round_number=number)
    round_ = Round.objects.get(event=event, number=number)
    Round.objects.filter(pk=round_.pk).update(stage=Stage.objects.get(number=2))
    round_.refresh_from_db()
    play(round_)


@pytest.mark.parametrize(
    ("rounds", "after_first"),
    [(None, [""] * 4), (1, ["winner", "winner", "", ""]), (2, ["through"] * 4)],
)
def test_nobody_is_through_once_the_last_stage_is_over(
    cast: Cast, rounds: int | None, after_first: list[str]
) -> None:
    event = before_a_cut(players(cast.riverside, *NAMES))
    Stage.objects.update(planned_rounds=1)
    fields = {"movement": "individual", "advance": {"best": 4}, "rounds": rounds}
    plan_stage(by_tests(), event, fields=fields)
    begin_stage(by_tests(), get_stage(event, 2))
    changed(event)
    assert states(cast.client()) == ["through"] * 4 + ["out"] * 4
    play_in_last_stage(cast, event, 2)
    changed(event)
    assert states(cast.client()) == after_first + ["out"] * 4
    if rounds == 2:
        play_in_last_stage(cast, event, 3)
        changed(event)
        assert states(cast.client()) == ["winner", "", "", ""] + ["out"] * 4


def test_who_went_on_from_a_finished_stage_is_through_to_the_planned_one(cast: Cast) -> None:
    event = before_a_cut(players(cast.riverside, *NAMES))
    Stage.objects.update(planned_rounds=1)
    fields = {"movement": "individual", "advance": {"best": 4}, "rounds": 1}
    plan_stage(by_tests(), event, fields=fields)
    begin_stage(by_tests(), get_stage(event, 2))
    plan_stage(by_tests(), event, fields={"movement": "individual", "advance": {"best": 2}})
    play_in_last_stage(cast, event, 2)
    changed(event)
    assert states(cast.client()) == ["through"] * 2 + ["out"] * 6


@pytest.mark.parametrize(
    ("state", "expected"), [("open", "through"), ("closed", ""), ("final", "")]
)
def test_cup_that_is_closed_before_its_end_has_nobody_through(
    cast: Cast, state: str, expected: str
) -> None:
    dirk, event = cup(cast, 16, **TWO_OF_FOUR)
    play(post(dirk, planned(dirk)))
    Event.objects.filter(pk=event.pk).update(state=state)
    changed(event)
    assert states(dirk) == [expected] * 8 + ["out"] * 8


@pytest.mark.parametrize(("state", "expected"), [("closed", "through"), ("final", "")])
def test_stage_that_is_planned_follows_until_the_event_is_final(
    cast: Cast, state: str, expected: str
) -> None:
    event = before_a_cut(players(cast.riverside, *NAMES))
    Stage.objects.update(planned_rounds=1)
    plan_stage(by_tests(), event, fields={"movement": "individual", "advance": {"best": 4}})
    Event.objects.filter(pk=event.pk).update(state=state)
    changed(event)
    assert states(cast.client())[:4] == [expected] * 4


@pytest.mark.parametrize(
    ("playoff", "expected"),
    [
        ("extra_hands", ["through"] * 3 + ["undecided"] * 3 + ["out"] * 2),
        ("share", ["through"] * 6 + ["out"] * 2),
    ],
)
def test_tie_across_a_cut_is_undecided_or_shared(
    cast: Cast, playoff: str, expected: list[str]
) -> None:
    event = before_a_cut(players(cast.riverside, *NAMES))
    values = {"playoff": playoff, "tie_breaks": []}
    change_settings(by_tests(), event, values=values, reason="As agreed.")
    Stage.objects.update(planned_rounds=1)
    plan_stage(by_tests(), event, fields={"movement": "individual", "advance": {"best": 4}})
    correct(event, "r1t2", CHANGED)
    changed(event)
    assert states(cast.client()) == expected


def changed(event: Event) -> None:
    mark_changed(event=event, now=NOW)
    publish(event.pk, now=NOW)


def test_page_big_screen_chat_and_files_say_who_is_through(cast: Cast) -> None:
    dirk, event = cup(cast, 16, **TWO_OF_FOUR)
    play(post(dirk, planned(dirk)))
    names = [row["player"] for row in rows(dirk)]
    page = text_of(dirk.get(PAGE))
    screen = text_of(dirk.get(f"{PAGE}/projector?page=1"))
    for at, name in enumerate(names):
        word = "through" if at < 8 else "out"
        assert f"{name} {word}" in page
        assert at >= 8 or f"{name} {word}" in screen
    text = standings_text(event).replace("\n  ", " ")
    assert f"Through: {', '.join(names[:8])}" in text
    assert f"Out: {', '.join(names[8:])}" in text
    publication = current_publication(event)
    assert publication is not None
    sheet = published_table(publication, "Europe/Berlin")
    assert [row.note for row in sheet.rows] == ["through"] * 8 + ["out"] * 8
    head, *lines = dirk.get(f"{E}/standings.csv").content.decode().splitlines()
    assert head.endswith(",progress")
    assert [line.rpartition(",")[2] for line in lines] == ["through"] * 8 + ["out"] * 8
