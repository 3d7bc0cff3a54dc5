"""The season of tests/sheets/ladder through every input: players, results, a correction."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from scoring.ladders.rating import in_order, replay
from scoring.ladders.rules import LadderRules
from tests.support.answers import Json
from tests.support.cast import NOW
from tests.support.scenarios.ladder_files import ladder_of_files
from tests.support.scoring.ladder_season import END, SHEETS, names, season
from tournaments.models.events import Event
from tournaments.models.ladders import LadderMove, LadderState, LadderStep, RatingChange
from tournaments.models.standings import Publication
from tournaments.policy import command
from tournaments.services.publishing import ladders as ladders_publish
from tournaments.services.publishing.publications import publish
from tournaments.tasks import publish_ladder

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TESTS = command("tests")


@pytest.fixture
def event() -> Event:
    return ladder_of_files(SHEETS)


def imported(path: Path) -> None:
    call_command("import_results", "--club", "riverside", "--event", "ladder", str(path))


def published(event: Event) -> Json:
    publish(event.pk, now=NOW)
    publish_ladder(event.pk)
    newest = Publication.objects.filter(ladder=event).latest("number")
    found: dict[str, Any] = json.loads(bytes(newest.body))
    return found


def rows(event: Event) -> list[list[tuple[object, ...]]]:
    state = LadderState.objects.filter(event=event)
    moves = LadderMove.objects.filter(event=event).order_by("number", "entrant__code")
    ratings = RatingChange.objects.filter(event=event).order_by("sequence", "entrant__code")
    return [
        list(state.values_list("number", "order", "dropped", "ratings", "rules", "inputs")),
        list(
            moves.values_list("number", "entrant__code", "before", "after", "on", "kind", "facts")
        ),
        list(
            ratings.values_list(
                "sequence", "game__table__code", "entrant__code", "games", "before", "after"
            )
        ),
    ]


def test_season_ends_as_the_page_shows_its_corrected_result_included(event: Event) -> None:
    imported(SHEETS / "results.csv")
    body = published(event)
    assert " ".join(row["player"] for row in body["rows"]) == END
    assert body["as_of"] == {"on": "2025-06-24", "steps": 201, "games": 200}
    first = body["rows"][0]
    assert (first["up"], first["story"], first["moved_on"]) == (
        8, "up 8: won a table with Bette, Piet and Wout on 10 June", "2025-06-10",
    )  # fmt: skip
    right = replay(season(corrected=True), LadderRules())[0]
    found = {row["player_id"]: row["rating"] for row in body["rows"]}
    assert found == {code: round(one.values[0], 3) for code, one in right.items()}
    assert LadderStep.objects.filter(event=event).count() == 201
    assert names()[first["player_id"]] == first["player"]


def test_stored_ratings_are_those_of_the_pure_replay_bit_for_bit(event: Event) -> None:
    imported(SHEETS / "results.csv")
    published(event)
    games = in_order(season(corrected=True))
    changes = replay(games, LadderRules())[1]
    number = {game.at[1]: at for at, game in enumerate(games)}
    wanted = {
        (number[game.at[1]], member): (before.values[0], after.values[0])
        for game, member, before, after in changes
    }
    stored = RatingChange.objects.filter(event=event)
    found = {(sequence, code): (before, after) for sequence, code, before, after in
             stored.values_list("sequence", "entrant__code", "before", "after")}  # fmt: skip
    assert found == wanted


def test_result_that_is_corrected_later_ends_in_the_same_rows(event: Event, tmp_path: Path) -> None:
    lines = (SHEETS / "results.csv").read_text(encoding="utf-8").splitlines()
    first = tmp_path / "first.csv"
    wrong = [line for line in lines if not line.startswith("C001")]
    first.write_text("\n".join(wrong) + "\n", encoding="utf-8")
    imported(first)
    before = published(event)
    imported(SHEETS / "results.csv")
    body = published(event)
    assert body["publication"]["number"] == before["publication"]["number"] + 1
    assert " ".join(row["player"] for row in body["rows"]) == END
    stored = rows(event)
    LadderState.objects.filter(event=event).delete()
    ladders_publish._store(*ladders_publish.read_and_compute_ladder(event), 0, NOW)
    assert rows(event) == stored


def test_replay_of_the_season_finds_no_difference(event: Event) -> None:
    imported(SHEETS / "results.csv")
    published(event)
    out = io.StringIO()
    call_command("replay", "--check", "--club", "riverside", stdout=out, stderr=io.StringIO())
    assert "riverside/ladder: ladder: no difference; publication: same" in out.getvalue()
    LadderState.objects.filter(event=event).update(number=1)
    with pytest.raises(SystemExit):
        call_command("replay", "--check", "--club", "riverside", stdout=out, stderr=io.StringIO())
    assert "ladder: differing: 0 moves, 0 ratings, 1 state" in out.getvalue()


def test_places_to_start_from_come_before_the_first_game(event: Event, tmp_path: Path) -> None:
    late = tmp_path / "late.csv"
    late.write_text("player_id,name,start_position\nL01,Abel,1\nL31,Zelda,31\nL32,Yann,\n")
    imported(SHEETS / "results.csv")
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command(
            "import_players", "--club", "riverside", "--event", "ladder", str(late), "--json",
            stdout=out, stderr=io.StringIO(),
        )  # fmt: skip
    problems = json.loads(out.getvalue())["problems"]
    assert [(problem["code"], problem["lines"]) for problem in problems] == [("ladder_begun", [3])]
    assert published(event)["rows"][-1]["player_id"] == "L32"


def test_players_of_a_ladder_are_on_it_before_anything_is_played(event: Event) -> None:
    publish_ladder(event.pk)
    body = json.loads(bytes(Publication.objects.get(ladder=event).body))
    assert [row["player_id"] for row in body["rows"]] == list(names())
    assert (body["ratings"], body["as_of"]["games"]) == ([], 0)
