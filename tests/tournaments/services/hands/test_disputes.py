"""Disputes: they change no score, and keep an event from becoming final."""

from collections.abc import Callable

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.scenarios.mails import give_addresses
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Dispute, Game
from tournaments.models.jobs import Outbox
from tournaments.models.standings import Aggregate, Change
from tournaments.policy import Actor, OpenedTable
from tournaments.selectors.hands.disputes import get_dispute
from tournaments.selectors.jobs.queue import event_version
from tournaments.services.events.events import move_event
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.hands.disputes import open_dispute, rule_on_dispute, withdraw_dispute
from tournaments.services.operations import Operation
from tournaments.services.rounds.rounds import move_round

Say = Callable[..., Dispute]


@pytest.fixture
def game(cast: Cast) -> Game:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B."))
    hand(game, 1, [4, 1, 2, 6], 3)
    return game


@pytest.fixture
def say(cast: Cast, game: Game) -> Say:
    def made(who: str | Actor = "hanna", number: int = 1, words: str = "East had 2.") -> Dispute:
        actor = cast.actor(who) if isinstance(who, str) else who
        return open_dispute(Operation(actor, NOW), game, number=number, words=words)

    return made


def held(game: Game, table_id: int = 0) -> Actor:
    own = OpenedTable(7, game.event_id, table_id or game.table_id, game.table.code)
    return Actor("link", name="Uli", at=own)


def rule(cast: Cast, event: Event, to: str, ruling: str = "The sheet says 2.", n: int = 1) -> str:
    dirk = cast.actor("dirk")
    return rule_on_dispute(Operation(dirk, NOW), get_dispute(event, n), to=to, ruling=ruling).state


def test_dispute_keeps_the_score_and_is_in_the_record(cast: Cast, game: Game, say: Say) -> None:
    sums = list(Aggregate.objects.order_by("pk").values_list("points", flat=True))
    made = say()
    assert (made.number, made.revision, made.state, made.words) == (1, 1, "open", "East had 2.")
    assert (made.opened_as, made.opened_label) == ("host", f"user:{cast.users['hanna'].pk}")
    assert sums == list(Aggregate.objects.order_by("pk").values_list("points", flat=True))
    audited = AuditLine.objects.order_by("number").last()
    assert audited is not None
    assert (audited.act, audited.subject) == ("open_dispute", "event:league/dispute:1")
    assert audited.facts == {"table": "r1t1", "hand": 1, "revision": 1, "state": "open"}


def test_player_disputes_where_they_sat_only(cast: Cast, game: Game, say: Say) -> None:
    with pytest.raises(Forbidden):
        say("piet")
    cast.riverside.players.filter(player_id="RL02").update(user=cast.users["piet"])
    assert say("piet").opened_as == "player"
    people = players(cast.riverside, "A", "B", "C", "D")
    other = table(game.event, people, table_number=2)
    hand(other, 1, [4, 1, 2, 6], 3)
    with pytest.raises(Forbidden):
        open_dispute(cast.operation("piet"), other, number=1, words="No.")
    assert Dispute.objects.count() == 1


def test_link_disputes_at_its_own_table_only(game: Game, say: Say) -> None:
    assert say(held(game)).opened_as == "link"
    with pytest.raises(Forbidden):
        say(held(game, table_id=game.table_id + 1))


def test_one_person_says_it_once_of_a_revision(cast: Cast, game: Game, say: Say) -> None:
    say()
    with pytest.raises(Conflict) as refused:
        say()
    assert refused.value.problem.code == "dispute_exists"
    assert dict(refused.value.problem.facts) == {"number": 1, "hand": 1}
    assert say("dirk").number == 2
    hand(game, 1, [4, 2, 1, 6], 3, based_on=1, reason="East and South.")
    assert (say().number, say("dirk").revision) == (3, 2)


@pytest.mark.parametrize(
    ("words", "code"), [("  ", "reason_required"), ("x" * 501, "bad_text"), ("a\x00b", "bad_text")]
)
def test_dispute_needs_words_that_fit(say: Say, words: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        say(words=words)
    assert [(problem.code, problem.at) for problem in refused.value.problems] == [
        (code, ("words",))
    ]
    assert not Dispute.objects.exists()


@pytest.mark.parametrize("to", ["upheld", "rejected"])
def test_director_rules_with_a_reason(cast: Cast, game: Game, say: Say, to: str) -> None:
    say()
    before = event_version(game.event)
    assert rule(cast, game.event, to) == to
    dispute = Dispute.objects.get()
    assert (dispute.ruling, dispute.ruled_as, dispute.ruled_at) == (
        "The sheet says 2.",
        "director",
        NOW,
    )
    change = Change.objects.get()
    assert (change.kind, change.table, change.number, change.by, change.version) == (
        *("ruling", "r1t1", 1),
        *("director", before + 1),
    )
    assert change.facts == {"dispute": 1, "to": to, "revision": 1}
    with pytest.raises(Conflict, match="state_not_allowed"):
        rule(cast, game.event, "rejected")


def test_ruling_without_a_reason_or_word_is_refused(cast: Cast, game: Game, say: Say) -> None:
    say()
    for to, ruling, code in (
        ("upheld", "", "reason_required"),
        ("withdrawn", "x", "bad_ruling"),
        ("open", "x", "bad_ruling"),
    ):
        with pytest.raises(Refused) as refused:
            rule(cast, game.event, to, ruling)
        assert refused.value.problems[0].code == code
    assert Dispute.objects.get().state == "open"
    assert not Change.objects.exists()


def test_who_opened_it_or_a_director_withdraws_it(cast: Cast, game: Game, say: Say) -> None:
    say(held(game))
    say("dirk")
    say("olga")

    def withdrawn_by(who: Actor, number: int) -> str:
        return withdraw_dispute(Operation(who, NOW), get_dispute(game.event, number)).state

    for number in (1, 2):
        with pytest.raises(Forbidden):
            withdrawn_by(cast.actor("hanna"), number)
    assert withdrawn_by(held(game), 1) == "withdrawn"
    assert withdrawn_by(cast.actor("dirk"), 2) == "withdrawn"
    assert withdrawn_by(cast.actor("dirk"), 3) == "withdrawn"
    with pytest.raises(Conflict):
        withdrawn_by(cast.actor("dirk"), 3)
    assert say("dirk").number == 4


def test_event_does_not_become_final_with_an_open_dispute(cast: Cast, game: Game, say: Say) -> None:
    say()
    close_tables(by_tests(), game.table.round)
    move_round(by_tests(), game.table.round, to="closed")
    move_event(by_tests(), game.event, to="closed")
    with pytest.raises(Conflict) as refused:
        move_event(by_tests(), game.event, to="final")
    assert refused.value.problem.code == "disputes_open"
    assert dict(refused.value.problem.facts) == {"n": 1}
    assert Event.objects.get().state == "closed"
    rule(cast, game.event, "rejected")
    move_event(by_tests(), game.event, to="final")
    with pytest.raises(Conflict, match="event_is_final"):
        say("dirk")


@pytest.mark.parametrize("who", ["nora", Actor("public")])
def test_strangers_dispute_nothing(say: Say, who: str | Actor) -> None:
    with pytest.raises(Forbidden):
        say(who)
    assert not Dispute.objects.exists()


def many_hands(game: Game, n: int) -> None:
    for number in range(2, n + 1):
        hand(game, number, [4, 1, 2, 6], 3)


def test_person_has_ten_open_disputes_in_an_event_and_no_eleventh(
    cast: Cast, game: Game, say: Say
) -> None:
    many_hands(game, 12)
    for number in range(1, 11):
        say(number=number)
    with pytest.raises(Conflict, match="too_many_disputes"):
        say(number=11)
    assert Dispute.objects.count() == 10
    assert say("dirk", number=11).number == 11, "another person"
    withdraw_dispute(cast.operation("hanna"), get_dispute(game.event, 1))
    assert say(number=11).state == "open"


def test_disputes_of_another_event_are_not_counted(cast: Cast, game: Game, say: Say) -> None:
    many_hands(game, 10)
    for number in range(1, 11):
        say(number=number)
    other = table(league(cast.riverside, slug="other"), players(cast.riverside, *"ABCD"))
    hand(other, 1, [4, 1, 2, 6], 3)
    assert open_dispute(cast.operation("hanna"), other, number=1, words="No.").state == "open"


def test_holder_of_a_tables_link_has_ten_open_disputes(game: Game, say: Say) -> None:
    many_hands(game, 11)
    for number in range(1, 11):
        say(held(game), number=number)
    with pytest.raises(Conflict, match="too_many_disputes"):
        say(held(game), number=11)


def rule_on_all(cast: Cast, event: Event, to: str = "rejected", n: int = 1) -> None:
    dispute = get_dispute(event, n)
    rule_on_dispute(cast.operation("dirk"), dispute, to=to, ruling="Read it.", all_of_person=True)


def open_numbers(event: Event) -> list[int]:
    rows = Dispute.objects.filter(event=event, state="open").order_by("number")
    return list(rows.values_list("number", flat=True))


def test_one_ruling_is_that_of_all_open_disputes_of_a_person(
    cast: Cast, game: Game, say: Say
) -> None:
    many_hands(game, 4)
    for number in (1, 2, 3):
        say(number=number)
    say("olga", number=4)
    withdraw_dispute(cast.operation("hanna"), get_dispute(game.event, 3))
    rule_on_all(cast, game.event)
    assert open_numbers(game.event) == [4]
    states = dict(Dispute.objects.values_list("number", "state"))
    assert states == {1: "rejected", 2: "rejected", 3: "withdrawn", 4: "open"}
    lines = AuditLine.objects.filter(act="rule_on_dispute").values_list("subject", flat=True)
    assert sorted(lines) == ["event:league/dispute:1", "event:league/dispute:2"]
    assert Change.objects.filter(kind="ruling").count() == 2


def test_ruling_without_the_choice_is_that_of_one_dispute(cast: Cast, game: Game, say: Say) -> None:
    many_hands(game, 2)
    say(number=1)
    say(number=2)
    rule(cast, game.event, "rejected")
    assert open_numbers(game.event) == [2]


def test_ruling_on_all_is_refused_where_the_named_dispute_is_closed(
    cast: Cast, game: Game, say: Say
) -> None:
    many_hands(game, 2)
    say(number=1)
    say(number=2)
    rule(cast, game.event, "rejected")
    with pytest.raises(Conflict, match="state_not_allowed"):
        rule_on_all(cast, game.event)
    assert open_numbers(game.event) == [2]


def test_readers_are_told_once_of_a_ruling_on_many(cast: Cast, game: Game, say: Say) -> None:
    give_addresses()
    many_hands(game, 5)
    for number in range(1, 6):
        say(number=number)
    rule_on_all(cast, game.event)
    mails = Outbox.objects.filter(kind="dispute_decided", user=cast.users["hanna"])
    assert [mail.payload["facts"]["dispute"] for mail in mails] == [get_dispute(game.event, 1).pk]


def test_page_and_rest_rule_on_all_of_a_person(cast: Cast, game: Game, say: Say) -> None:
    many_hands(game, 4)
    for number in (1, 2):
        say(number=number)
        say("olga", number=number + 2)
    dirk = cast.client("dirk")
    page = "/clubs/riverside/events/league/disputes/1/rule"
    assert "1 other open dispute" in dirk.get(page).content.decode()
    fields = {"to": "rejected", "reason": "Read it.", "all_of_person": "on"}
    assert dirk.post(page, fields).status_code == 302
    assert open_numbers(game.event) == [2, 4]
    answer = dirk.post(
        "/api/v1/clubs/riverside/events/league/disputes/2/rule",
        {"to": "upheld", "reason": "Read it.", "all_of_person": True},
        content_type="application/json",
    )
    assert (answer.status_code, answer.json()["state"]) == (200, "upheld")
    assert open_numbers(game.event) == []


def test_eleventh_dispute_is_refused_by_page_and_rest(cast: Cast, game: Game, say: Say) -> None:
    many_hands(game, 11)
    for number in range(1, 11):
        say(number=number)
    hanna = cast.client("hanna")
    page = hanna.post(
        "/clubs/riverside/events/league/tables/r1t1/dispute", {"hand": 11, "words": "No."}
    )
    assert (page.status_code, "You have 10 open problems" in page.content.decode()) == (422, True)
    answer = hanna.post(
        "/api/v1/clubs/riverside/events/league/disputes",
        {"table": "r1t1", "hand": 11, "words": "No."},
        content_type="application/json",
    )
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "too_many_disputes")
    assert Dispute.objects.count() == 10
