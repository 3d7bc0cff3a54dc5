"""Who sits out in a round is not seated in it, and the other way round."""

import pytest

from scoring.errors import Refused
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, SitOut, Sitting
from tournaments.selectors.jobs.queue import event_version
from tournaments.services.events.adjustments import end_sit_out, sit_out
from tournaments.services.events.entrants import add_entrant
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.operations import Operation
from tournaments.services.rounds.rounds import move_round

NAMES = ("Elsa D.", "Xenia S.", "Ruth K.", "Omar B.", "Marit S.", "Jörg S.")


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *NAMES)


@pytest.fixture
def event(cast: Cast, people: list[Player]) -> Event:
    event = league(cast.riverside)
    add_entrant(cast.operation("dirk"), event, kind="pair", players=people[4:], code="T1")
    return event


def rests(cast: Cast, round_: Round, entrant: str = "T1", reason: str = "bye") -> SitOut:
    return sit_out(cast.operation("dirk"), round_, entrant=entrant, reason=reason)


def code_of(refused: pytest.ExceptionInfo[Conflict]) -> str:
    return refused.value.problem.code


@pytest.mark.parametrize("reason", ["bye", "late", "left", "rest"])
def test_entrant_sits_out_and_the_event_is_marked(
    cast: Cast, event: Event, people: list[Player], reason: str
) -> None:
    game = table(event, people[:4])
    before = event_version(event)
    rests(cast, game.table.round, reason=reason)
    kept = SitOut.objects.values_list("round__number", "entrant__code", "reason")
    assert list(kept) == [(1, "T1", reason)]
    assert event_version(event) == before + 1
    audited = AuditLine.objects.order_by("number").last()
    assert audited is not None
    assert (audited.act, audited.subject, audited.facts) == (
        *("sit_out", "event:league/round:1"),
        {"entrant": "T1", "reason": reason},
    )


def test_seat_lifts_the_sit_out_and_the_partner_without_one_rests(
    cast: Cast, event: Event, people: list[Player]
) -> None:
    round_ = table(event, people[:4]).table.round
    rests(cast, round_)
    before = event_version(event)
    others = players(cast.riverside, "A", "B", "C")
    table(event, [people[5], *others], table_number=2)
    assert list(SitOut.objects.values_list("entrant__code", "reason")) == [("T1", "rest")]
    assert event_version(event) == before + 1
    line = AuditLine.objects.get(act="end_sit_out")
    assert (line.subject, line.facts) == (
        "event:league/round:1",
        {"entrant": "T1", "reason": "bye"},
    )
    table(event, [people[4], *players(cast.riverside, "D", "E", "F")], table_number=3)
    assert not SitOut.objects.exists()


def test_sheet_does_not_seat_who_sits_out(cast: Cast, event: Event, people: list[Player]) -> None:
    rests(cast, table(event, people[:4]).table.round)
    Sitting.objects.all().delete()
    bare = Game.objects.select_related("event", "club", "snapshot", "table__round").get()
    with pytest.raises(Conflict, match="entrant_sits_out"):
        record_entry(
            cast.operation("hanna"),
            bare,
            number=1,
            entry={"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]},
            source="api",
            players=["RL01", "RL02", "RL03", "RL05"],
        )
    assert not Sitting.objects.exists()


def test_seated_entrant_does_not_sit_out(cast: Cast, event: Event, people: list[Player]) -> None:
    game = table(event, [people[0], people[1], people[2], people[4]])
    for entrant in ("RL01", "T1"):
        with pytest.raises(Conflict) as refused:
            rests(cast, game.table.round, entrant)
        assert code_of(refused) == "entrant_is_seated"
        assert refused.value.problem.facts["table"] == "r1t1"
        name = {"RL01": "Elsa D.", "T1": "Jörg S. & Marit S."}[entrant]
        assert sentence(refused.value.problem) == f"Seated at table 1 in round 1: {name}"
    assert not SitOut.objects.exists()


def test_entrant_sits_out_and_withdraws_it(cast: Cast, event: Event, people: list[Player]) -> None:
    round_ = table(event, people[:4]).table.round
    rests(cast, round_)
    with pytest.raises(Conflict) as refused:
        rests(cast, round_, reason="late")
    assert code_of(refused) == "sits_out_already"
    already = "Already sitting out in round 1: Jörg S. & Marit S."
    assert sentence(refused.value.problem) == already
    end_sit_out(cast.operation("dirk"), round_, entrant="T1")
    with pytest.raises(Missing):
        end_sit_out(cast.operation("dirk"), round_, entrant="T1")
    assert not SitOut.objects.exists()
    table(event, [people[4], *players(cast.riverside, "A", "B", "C")], table_number=2)


def test_unknown_entrant_and_reason_are_refused_together(
    cast: Cast, event: Event, people: list[Player]
) -> None:
    round_ = table(event, people[:4]).table.round
    with pytest.raises(Refused) as refused:
        rests(cast, round_, "RL99", "tired")
    assert [(problem.code, problem.at) for problem in refused.value.problems] == [
        ("unknown_entrant", ("entrant",)),
        ("bad_sit_out_reason", ("reason",)),
    ]


def test_closed_round_keeps_who_sat_out(cast: Cast, event: Event, people: list[Player]) -> None:
    game = table(event, people[:4])
    round_ = game.table.round
    rests(cast, round_)
    hand(game, 1, [4, 1, 2, 6], 3)
    dirk = cast.actor("dirk")
    close_tables(Operation(dirk, NOW), round_)
    move_round(Operation(dirk, NOW), round_, to="closed")
    with pytest.raises(Conflict, match="round_is_closed"):
        end_sit_out(Operation(dirk, NOW), round_, entrant="T1")
    assert SitOut.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [("close_event", "event_is_over"), ("close", "round_is_closed"), ("delete", "round")],
)
def test_sit_outs_of_a_round_that_is_over_stay(
    cast: Cast, event: Event, change: str, code: str
) -> None:
    stage = Stage.objects.get(event=event)
    round_ = Round.objects.create(club=event.club, event=event, stage=stage, number=9)
    if change == "close_event":
        Event.objects.filter(pk=event.pk).update(state="closed")
    elif change == "close":
        Round.objects.filter(pk=round_.pk).update(state="closed")
    else:
        Round.objects.filter(pk=round_.pk).delete()
    with pytest.raises((Conflict, Missing), match=code):
        rests(cast, round_)
    with pytest.raises((Conflict, Missing), match=code):
        end_sit_out(cast.operation("dirk"), round_, entrant="T1")
