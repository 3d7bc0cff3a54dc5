"""Pairs and teams: entered, renamed, withdrawn; results stay with who made them."""

from collections.abc import Callable
from typing import Any

import pytest

from scoring.errors import Refused
from tests.support.builders import hand, penalize, players, table
from tests.support.cast import Cast
from tournaments.errors import Conflict, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantMember, Event
from tournaments.models.rounds import Round, SitOut
from tournaments.models.standings import Aggregate, Change
from tournaments.selectors.events.entrants import EntrantLine, get_entrant
from tournaments.selectors.jobs.queue import event_version
from tournaments.services.events.adjustments import sit_out
from tournaments.services.events.entrants import add_entrant, add_entrants, change_entrant
from tournaments.services.ladders.members import move_entrant
from tournaments.services.operations import Operation

pytestmark = pytest.mark.both_databases


NAMES = ("Elsa D.", "Xenia S.", "Ruth K.", "Omar B.", "Marit S.", "Jörg S.")


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *NAMES)


@pytest.fixture
def op(cast: Cast) -> Operation:
    return cast.operation("dirk")


def entered(cast: Cast, event: Event, seated: list[Player], **more: Any) -> Entrant:
    typed: dict[str, Any] = {"kind": "pair", **more}
    return add_entrant(cast.operation("dirk"), event, players=seated, **typed)


def who_competes(event: Event) -> dict[str, list[str]]:
    members = EntrantMember.objects.filter(event=event).order_by("player__player_id")
    found: dict[str, list[str]] = {entrant.code: [] for entrant in event.entrants.order_by("code")}
    for code, player in members.values_list("entrant__code", "player__player_id"):
        found[code].append(player)
    return found


def told(refused: pytest.ExceptionInfo[Refused]) -> list[tuple[str, object]]:
    return [(problem.code, problem.at) for problem in refused.value.problems]


def test_pairs_and_teams_are_numbered_where_no_code_is_given(
    cast: Cast, event: Event, people: list[Player]
) -> None:
    entered(cast, event, people[:2], name=" Die  Asse ")
    entered(cast, event, people[2:5], kind="team", code="red")
    assert who_competes(event) == {"pair-1": ["RL01", "RL02"], "red": ["RL03", "RL04", "RL05"]}
    assert Entrant.objects.get(code="pair-1").name == "Die Asse"


def test_player_with_no_result_joins_a_pair(cast: Cast, event: Event, people: list[Player]) -> None:
    game = table(event, people[:4])
    entered(cast, event, people[:2])
    assert who_competes(event) == {"RL03": ["RL03"], "RL04": ["RL04"], "pair-1": ["RL01", "RL02"]}
    hand(game, 1, [4, 1, 2, 6], 3)
    points = Aggregate.objects.filter(event=event).order_by("entrant__code")
    assert list(points.values_list("entrant__code", "points")) == [
        ("RL03", 2 * 360360),
        ("RL04", 19 * 360360),
        ("pair-1", 5 * 360360),
    ]


def test_player_with_a_result_stays_alone(cast: Cast, event: Event, people: list[Player]) -> None:
    hand(table(event, people[:4]), 1, [4, 1, 2, 6], 3)
    before, audited = who_competes(event), AuditLine.objects.count()
    with pytest.raises(Refused) as refused:
        entered(cast, event, [people[4], people[0]])
    assert told(refused) == [("entrant_has_results", ("players", 1))]
    assert (who_competes(event), AuditLine.objects.count()) == (before, audited)


def test_player_with_a_penalty_stays_alone(cast: Cast, event: Event, people: list[Player]) -> None:
    entered(cast, event, people[:1], kind="player")
    penalize(event, "RL01", "2", "Late.")
    with pytest.raises(Refused) as refused:
        entered(cast, event, people[:2])
    assert told(refused) == [("entrant_has_results", ("players", 0))]


@pytest.mark.parametrize(
    ("state", "reason", "is_free"),
    [("draft", "bye", True), ("posted", "late", True), ("posted", "bye", False)],
)
def test_player_who_only_waits_in_a_round_joins_a_pair_and_has_no_place_in_it_any_more(
    cast: Cast,
    op: Operation,
    event: Event,
    people: list[Player],
    state: str,
    reason: str,
    is_free: bool,
) -> None:
    entered(cast, event, people[4:5], kind="player")
    round_ = table(event, people[:4]).table.round
    Round.objects.update(state=state)
    sit_out(op, round_, entrant="RL05", reason=reason)
    if is_free:
        assert entered(cast, event, people[4:]).code == "pair-1"
    else:
        with pytest.raises(Refused, match="entrant_has_results"):
            entered(cast, event, people[4:])
    assert SitOut.objects.exists() != is_free


def test_player_of_a_pair_enters_nowhere_else_and_is_told_with_whom(
    cast: Cast, event: Event, people: list[Player]
) -> None:
    entered(cast, event, people[:2], name="Die Asse")
    for kind, seated in (("pair", people[1:3]), ("player", people[1:2])):
        with pytest.raises(Refused) as refused:
            entered(cast, event, seated, kind=kind)
        (problem,) = refused.value.problems
        assert problem.code == "competes_already"
        assert problem.facts == {
            "player": "Xenia S.", "player_id": "RL02", "entrant": "Die Asse (pair-1)",
        }  # fmt: skip
    assert who_competes(event) == {"pair-1": ["RL01", "RL02"]}


@pytest.mark.parametrize(
    ("more", "count", "codes"),
    [
        ({"kind": "trio"}, 3, [("bad_entrant_kind", ("kind",))]),
        ({}, 1, [("members_count", ("players",))]),
        ({}, 3, [("members_count", ("players",))]),
        ({"kind": "team"}, 1, [("members_count", ("players",))]),
        ({"kind": "player"}, 0, [("members_count", ("players",))]),
        ({"name": "x" * 121}, 2, [("name_too_long", ("name",))]),
        ({"code": "RL05"}, 2, [("entrant_code_taken", ("code",))]),
        ({"code": "a/b"}, 2, [("entrant_code_not_usable", ("code",))]),
        ({"code": ".."}, 2, [("entrant_code_not_usable", ("code",))]),
        ({"code": "x" * 41}, 2, [("entrant_code_not_usable", ("code",))]),
    ],
)
def test_entrant_that_cannot_be_is_refused(
    cast: Cast,
    event: Event,
    people: list[Player],
    more: dict[str, str],
    count: int,
    codes: list[tuple[str, object]],
) -> None:
    with pytest.raises(Refused) as refused:
        entered(cast, event, people[:count], **more)
    assert told(refused) == codes
    assert who_competes(event) == {}


def test_one_player_is_no_pair_alone(cast: Cast, event: Event, people: list[Player]) -> None:
    with pytest.raises(Refused) as refused:
        entered(cast, event, [people[0], people[0]])
    assert told(refused) == [("same_player_twice", ("players", 1))]


def test_members_change_before_the_first_result_and_who_is_seated_competes_alone(
    cast: Cast, op: Operation, event: Event, people: list[Player]
) -> None:
    pair = entered(cast, event, people[:2])
    game = table(event, people[:4])
    change_entrant(op, pair, name="New ones", players=[people[1], people[4]])
    assert who_competes(event) == {
        "RL01": ["RL01"],
        "RL03": ["RL03"],
        "RL04": ["RL04"],
        "pair-1": ["RL02", "RL05"],
    }
    hand(game, 1, [4, 1, 2, 6], 3)
    assert Aggregate.objects.filter(event=event).count() == 4


def test_members_stay_after_a_result_but_the_name_may_change(
    cast: Cast, op: Operation, event: Event, people: list[Player]
) -> None:
    pair = entered(cast, event, people[:2])
    hand(table(event, people[:4]), 1, [4, 1, 2, 6], 3)
    before = event_version(event)
    with pytest.raises(Refused) as refused:
        change_entrant(op, pair, name="Other", players=[people[0], people[4]])
    assert told(refused) == [("entrant_has_results", ())]
    assert event_version(event) == before
    assert Entrant.objects.get(code="pair-1").name == ""
    change_entrant(op, pair, name="Other", players=people[:2])
    assert Entrant.objects.get(code="pair-1").name == "Other"
    assert event_version(event) == before + 1


def test_player_alone_is_not_renamed_here(
    cast: Cast, op: Operation, event: Event, people: list[Player]
) -> None:
    alone = entered(cast, event, people[:1], kind="player")
    with pytest.raises(Refused) as refused:
        change_entrant(op, alone, name="X", players=[])
    assert told(refused) == [("player_alone_has_no_name", ("name",))]


def test_entrant_is_withdrawn_and_returns_with_a_reason(
    cast: Cast, op: Operation, event: Event, people: list[Player]
) -> None:
    hand(table(event, people[:4]), 1, [4, 1, 2, 6], 3)
    sums = list(Aggregate.objects.order_by("entrant__code").values_list("points", flat=True))

    def moved(to: str, reason: str) -> str:
        return move_entrant(op, get_entrant(event, "RL02"), to=to, reason=reason).state

    with pytest.raises(Refused):
        moved("withdrawn", " ")
    assert moved("withdrawn", "Moved to Kassel.") == "withdrawn"
    with pytest.raises(Conflict):
        moved("withdrawn", "Again.")
    assert sums == list(
        Aggregate.objects.order_by("entrant__code").values_list("points", flat=True)
    )
    assert moved("active", "Back again.") == "active"
    assert [
        (change.kind, change.reason, change.by, change.facts)
        for change in Change.objects.order_by("pk")
    ] == [
        (
            *("withdraw_entrant", "Moved to Kassel.", "director"),
            {"entrant": "RL02", "from": "active", "to": "withdrawn"},
        ),
        (
            *("return_entrant", "Back again.", "director"),
            {"entrant": "RL02", "from": "withdrawn", "to": "active"},
        ),
    ]


def test_list_of_pairs_teams_and_players_is_entered_with_new_players(
    cast: Cast, op: Operation, event: Event, people: list[Player]
) -> None:
    elsa, xenia, ruth, omar, marit, joerg = people
    table(event, [ruth, omar, marit, joerg])
    lines = [
        EntrantLine(1, (elsa, xenia)),
        EntrantLine(2, (ruth, omar, marit), "Spades"),
        EntrantLine(3, ("Tom", "Rita"), "Aces"),
        EntrantLine(4, (joerg,)),
    ]
    assert add_entrants(op, event, lines=lines) == 3
    assert who_competes(event) == {
        "RL06": ["RL06"],
        "pair-1": ["RL01", "RL02"],
        "pair-2": ["P0001", "P0002"],
        "team-1": ["RL03", "RL04", "RL05"],
    }
    named = Entrant.objects.exclude(name="").values_list("code", "name")
    assert dict(named) == {"pair-2": "Aces", "team-1": "Spades"}
    again = [EntrantLine(1, (xenia, elsa)), EntrantLine(2, (joerg,))]
    assert add_entrants(op, event, lines=again) == 0


def test_refused_line_of_a_list_enters_nobody(
    cast: Cast, op: Operation, event: Event, people: list[Player]
) -> None:
    entered(cast, event, people[:2])
    lines = [
        EntrantLine(1, (people[2], "Tom")),
        EntrantLine(2, (people[0], people[3])),
        EntrantLine(3, (people[4],), "Alone"),
        EntrantLine(4, (), "Nobody"),
    ]
    with pytest.raises(Refused) as refused:
        add_entrants(op, event, lines=lines)
    assert told(refused) == [
        ("competes_already", ("lines", 1)),
        *(("members_count", ("lines", line)) for line in (2, 3)),
    ]
    assert who_competes(event) == {"pair-1": ["RL01", "RL02"]}
    assert not Player.objects.filter(name="Tom").exists()


OPERATIONS: dict[str, Callable[[Operation, Entrant, list[Player]], object]] = {
    "enter": lambda op, pair, people: add_entrant(op, pair.event, kind="pair", players=people[2:4]),
    "list": lambda op, pair, people: add_entrants(
        op, pair.event, lines=[EntrantLine(1, tuple(people[2:4]), "")]
    ),
    "change": lambda op, pair, people: change_entrant(op, pair, players=people[2:4]),
}


@pytest.mark.parametrize("change", ["event_is_over", "player_is_merged", "player", "entrant"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_entrants_stay_where_the_event_or_a_player_is_gone(
    op: Operation, cast: Cast, event: Event, people: list[Player], operation: str, change: str
) -> None:
    pair = entered(cast, event, people[:2])
    if change == "event_is_over":
        Event.objects.filter(pk=event.pk).update(state="closed")
    elif change == "player_is_merged":
        Player.objects.filter(pk=people[2].pk).update(merged_into=people[5])
    elif change == "player":
        Player.objects.filter(pk=people[2].pk).delete()
    elif operation == "change":
        Entrant.objects.filter(pk=pair.pk).delete()
    else:
        return
    with pytest.raises((Conflict, Missing), match=change):
        OPERATIONS[operation](op, pair, people)


@pytest.mark.parametrize(
    ("at", "name", "code"),
    [
        ([2], "", "members_count"),
        ([2, 2], "", "same_player_twice"),
        ([2, 3], "x" * 121, "name_too_long"),
        ([3, 4], "", "competes_already"),
    ],
)
def test_pair_is_not_changed_into_what_is_no_pair(
    op: Operation,
    cast: Cast,
    event: Event,
    people: list[Player],
    at: list[int],
    name: str,
    code: str,
) -> None:
    pair = entered(cast, event, people[:2])
    entered(cast, event, people[4:])
    with pytest.raises(Refused, match=code):
        change_entrant(op, pair, players=[people[index] for index in at], name=name)


@pytest.mark.parametrize(
    ("people_of_line", "name", "code"),
    [
        (["RL05", "RL05"], "", "same_player_twice"),
        (["RL05", "RL06"], "x" * 121, "name_too_long"),
        (["RL01", "RL05"], "", "entrant_has_results"),
        (["RL05", ""], "", "no_name"),
    ],
)
def test_list_of_entrants_is_refused_whole(
    op: Operation,
    event: Event,
    people: list[Player],
    people_of_line: list[str],
    name: str,
    code: str,
) -> None:
    hand(table(event, people[:4]), 1, [4, 1, 2, 6], 3)
    by_id = {player.player_id: player for player in people}
    line = EntrantLine(1, tuple(by_id.get(text, text) for text in people_of_line), name)
    with pytest.raises(Refused, match=code):
        add_entrants(op, event, lines=[line])
    assert not event.entrants.exclude(kind="player").exists()


@pytest.mark.parametrize(
    ("change", "code"), [("merge", "player_is_merged"), ("delete", "entrant"), ("", "bad_text")]
)
def test_entrant_does_not_leave(
    op: Operation, cast: Cast, event: Event, people: list[Player], change: str, code: str
) -> None:
    pair = entered(cast, event, people[:2])
    if change == "merge":
        Player.objects.filter(pk=people[0].pk).update(merged_into=people[5])
    elif change == "delete":
        Entrant.objects.filter(pk=pair.pk).delete()
    reason = "Ill." if change else "x" * 501
    with pytest.raises((Refused, Conflict, Missing), match=code):
        move_entrant(op, pair, to="withdrawn", reason=reason, check_out=True)
