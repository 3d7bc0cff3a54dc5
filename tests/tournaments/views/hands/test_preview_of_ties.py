"""A correction tells what it does to play-offs and cuts, and that is what happens then; on the page
and over REST."""

from collections.abc import Sequence

import pytest

from tests.support.answers import Answer, post_json, send_json
from tests.support.builders import by_tests, counts, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.text import text_of
from tests.support.scenarios.playoffs import close, look, playing
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Entry, Game
from tournaments.models.jobs import Dirty
from tournaments.models.playoffs import Playoff, PlayoffMember, PlayoffStep, StageEntrant
from tournaments.models.rounds import Sitting
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.reviews import review_cuts
from tournaments.services.stages.cuts import make_cut

EVENT = "/clubs/riverside/events/league"
FIRST = f"{EVENT}/tables/r1t1/hands/1"


@pytest.fixture
def event(cast: Cast) -> Event:
    """Ada, Ben and Cem tied at the top with 4 points each; the title is played off."""
    return three_level(cast)


def three_level(cast: Cast, **settings: object) -> Event:
    wanted = {"boundaries": {"title": 1}, "playoff": "extra_hands", **settings}
    event = league(cast.riverside, settings=wanted)
    game = table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 4, 4, 1], queen=3)
    close(event)
    return event


def finish(event: Event) -> None:
    game = playing(event)
    seats = Sitting.objects.filter(seat__table=game.table).order_by("seat__number")
    names = [seat.player.name for seat in seats.select_related("player")]
    hearts = {"Ada": 1, "Ben": 4, "Cem": 8}
    hand(game, 1, [hearts.get(name, 0) for name in names], queen=names.index("Cem"))
    look(event)


def asked(cast: Cast, hearts: Sequence[int], *, at: str = FIRST, queen: int = 3) -> Answer:
    body = {"entry": counts(list(hearts), queen)}
    return post_json(cast.client("dirk"), f"/api/v1{at}/preview", body, If_Match='"1"')


def saved(cast: Cast, hearts: Sequence[int], digest: str, *, queen: int = 3) -> Answer:
    body = {"entry": counts(list(hearts), queen), "reason": "Misread.", "previewed": digest}
    return send_json(cast.client("dirk"), "PUT", f"/api/v1{FIRST}", body, If_Match='"1"')


def everything() -> dict[str, list[tuple[object, ...]]]:
    models = (Dirty, Entry, Playoff, PlayoffMember, PlayoffStep, Stage, StageEntrant)
    return {model.__name__: list(model.objects.order_by("pk").values_list()) for model in models}


def states(event: Event) -> dict[int, str]:
    return dict(Playoff.objects.filter(event=event).values_list("number", "state"))


def what(answer: Answer) -> list[tuple[int, str, list[str]]]:
    return [
        (playoff["number"], playoff["what"], playoff["members"])
        for playoff in answer.json()["playoffs"]
    ]


LEVEL = ["RL01", "RL02", "RL03"]


@pytest.mark.parametrize(
    ("hearts", "told", "after"),
    [
        ([3, 4, 4, 2], [(1, "void", LEVEL)], {1: "void"}),
        (
            [4, 4, 5, 0],
            [(1, "void", LEVEL), (2, "detected", LEVEL[:2])],
            {1: "void", 2: "scheduled"},
        ),
        ([3, 3, 3, 4], [(1, "kept", LEVEL)], {1: "scheduled"}),
    ],
    ids=["broken", "two-of-three", "same"],
)
def test_correction_says_what_becomes_of_the_playoff_of_its_tie(
    cast: Cast,
    event: Event,
    hearts: Sequence[int],
    told: Sequence[tuple[int, str, Sequence[str]]],
    after: dict[int, str],
) -> None:
    rows = everything()
    answer = asked(cast, hearts)
    assert answer.status_code == 200
    assert everything() == rows
    assert what(answer) == told
    assert {playoff["boundaries"][0] for playoff in answer.json()["playoffs"]} == {"title"}
    assert saved(cast, hearts, answer.json()["digest"]).status_code == 200
    look(event)
    assert states(event) == after


def test_finished_playoff_is_asked_about_and_its_result_stays(cast: Cast, event: Event) -> None:
    finish(event)
    answer = asked(cast, [4, 4, 5, 0])
    (one,) = answer.json()["playoffs"]
    assert (one["what"], one["code"]) == ("asked", "playoff_would_change")
    assert one["before"] == one["after"]
    assert saved(cast, [4, 4, 5, 0], answer.json()["digest"]).status_code == 200
    look(event)
    assert states(event) == {1: "decided"}
    asked_now = Playoff.objects.values_list("asked", flat=True).get(event=event)
    assert asked_now is not None
    assert asked_now["code"] == one["code"]


@pytest.mark.parametrize(
    ("finished", "told"),
    [("keep", [(1, "kept")]), ("redo", [(1, "void"), (2, "detected")])],
    ids=["keep", "redo"],
)
def test_finished_playoff_is_kept_or_played_again_as_the_event_says(
    cast: Cast, finished: str, told: list[tuple[int, str]]
) -> None:
    event = three_level(cast, playoff_rules={"finished": finished})
    finish(event)
    answer = asked(cast, [4, 4, 5, 0])
    assert [(number, kind) for number, kind, _ in what(answer)] == told
    saved(cast, [4, 4, 5, 0], answer.json()["digest"])
    look(event)
    assert sorted(states(event)) == [number for number, _ in told]
    assert (states(event)[1] == "void") == (told[0][1] == "void")


def test_correction_of_a_hand_of_the_playoff_decides_it_otherwise(cast: Cast, event: Event) -> None:
    finish(event)
    game = playing(event)
    seats = Sitting.objects.filter(seat__table=game.table).order_by("seat__number")
    names = [seat.player.name for seat in seats.select_related("player")]
    hearts = [{"Ada": 4, "Ben": 1, "Cem": 8}.get(name, 0) for name in names]
    at = f"{EVENT}/tables/{game.table.code}/hands/1"
    answer = asked(cast, hearts, at=at, queen=names.index("Cem"))
    assert answer.status_code == 200
    (one,) = answer.json()["playoffs"]
    assert one["what"] == "decided"
    assert one["before"]["result"][0] == ["RL01"]
    assert one["after"]["result"][0] == ["RL02"]


def test_page_says_what_becomes_of_a_playoff(cast: Cast, event: Event) -> None:
    page = text_of(Host(cast.client("dirk"), f"{FIRST}/edit").send(typed([4, 4, 5, 0], queen=4)))
    assert "Play-off 1 (Ada · Ben · Cem): the play-off becomes void" in page
    assert "Play-off 2 (Ada and Ben): the players are tied at a cut-off" in page


def test_cut_from_which_others_would_have_gone_on_is_asked_about(cast: Cast) -> None:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [1, 3, 4, 5], queen=3)
    Game.objects.filter(pk=game.pk).update(state="complete")
    event.rounds.update(state="closed")
    publish(event.pk, now=NOW)
    stage = make_cut(by_tests(), event, cut=2, name="Final")
    publish(event.pk, now=NOW)
    rows = everything()
    kept = asked(cast, [1, 3, 5, 4]).json()["cuts"]
    assert kept == [{"stage": stage.number, "what": "kept", "code": None, "in": [], "out": []}]
    answer = asked(cast, [1, 5, 3, 4])
    assert everything() == rows
    assert answer.json()["cuts"] == [
        {"stage": stage.number, "what": "asked", "code": "cut_would_change", "in": [], "out": []}
    ]
    page = text_of(Host(cast.client("dirk"), f"{FIRST}/edit").send(typed([1, 5, 3, 4], queen=4)))
    assert "Final: others would have qualified." in page
    assert saved(cast, [1, 5, 3, 4], answer.json()["digest"]).status_code == 200
    publish(event.pk, now=NOW)
    review_cuts(event.pk, now=NOW)
    stage.refresh_from_db()
    assert stage.asked is not None
