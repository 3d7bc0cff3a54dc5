"""Two decisions about one thing, challenge or play-off at one moment: one holds, or both count."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from scoring.ladders.positions import replay
from tests.support.answers import Answer
from tests.support.builders import by_tests, finished, league, players, publish_all, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.imports.imports import imported
from tests.support.lengths import only_long, short_or_long
from tests.support.live.at_once import Action, Within, sheets, tables
from tests.support.pages.hand_entry import hidden
from tests.support.pages.text import summary, text_of
from tests.support.scenarios.challenges import LATER, answer, issue
from tests.support.scenarios.ladders import ladder, member, order, seated
from tests.support.scenarios.playoffs import close, look, play, tied
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.access import TableLink
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.imports import ImportProblem, Replacement
from tournaments.models.ladders import Challenge, LadderStep
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Round, Sitting
from tournaments.models.standings import Publication
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.selectors.ladders.log import events_of
from tournaments.selectors.playoffs.playoffs import get_playoff
from tournaments.selectors.standings.publications import review_of
from tournaments.services.access.table_links import make_link, make_links
from tournaments.services.clubs.clubs import create_club
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.ladders.challenges import answer_challenge, enter_result, issue_challenge
from tournaments.services.operations import Operation
from tournaments.services.playoffs.director_actions import seat_neutrals
from tournaments.services.playoffs.tables import add_round
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.schedule_playoffs import schedule_playoffs
from tournaments.services.rounds.seating import clear_table
from tournaments.services.verification.event import verify_event, verify_publication

pytestmark = pytest.mark.pg

TURNS = short_or_long(2, 20)
FILE = [3, 2, 2, 6]
"""Hearts of the hand in the file; the stored one has others."""
CORRECTED = [2, 3, 2, 6]
SAVED, REFUSED, DIFFERS = 302, 422, 409


@dataclass(frozen=True)
class Post:
    """A form that somebody sends from the page they have open."""

    who: str
    address: str
    fields: dict[str, str]


def send_at_once(within: Within, posts: Sequence[Post]) -> list[Answer]:
    """Send these at one moment, each by its own signed-in browser."""
    answers: dict[int, Answer] = {}

    def send(at: int) -> None:
        client = Client()
        client.force_login(User.objects.get(username=posts[at].who))
        answers[at] = client.post(posts[at].address, posts[at].fields)

    assert within.at_once(*(partial(send, at) for at in range(len(posts)))) == []
    return [answers[at] for at in range(len(posts))]


def under_review(club: Club) -> Event:
    """A league whose play-off is finished, and whose totals were corrected after that."""
    settings = {"boundaries": {"title": 1}, "playoff": "extra_hands"}
    event = league(club, settings=settings)
    game = table(event, players(club, *"ABCD"))
    for based_on, totals in ((None, [20, 20, 20, 44]), (1, [20, 20, 24, 40])):
        game.refresh_from_db()
        record_totals(
            by_tests(), game, entry={"points": totals}, hands=4, source="host",
            based_on=based_on, reason="Misread." if based_on else "",
        )  # fmt: skip
        if based_on is None:
            close(event)
            play(event, 1, {"A": 1, "B": 4, "C": 21})
        look(event)
    return event


@pytest.mark.parametrize(
    "answers", [("keep", "redo"), only_long(("keep", "keep")), only_long(("redo", "redo"))]
)
def test_two_directors_answer_a_review_and_one_is_told_that_it_is_decided(
    within: Within, answers: tuple[str, str]
) -> None:
    with within():
        cast = enter_the_cast()
    for turn in range(TURNS):
        with within():
            club = create_club(by_tests(), slug=f"club-{turn}", name=f"Club {turn}")
            for name in ("dirk", "olga"):
                Membership.objects.create(club=club, user=cast.users[name], role="director")
            event = under_review(club)
            review = review_of(event)
            assert review is not None
            assert review.playoffs == (1,)
            published = Publication.objects.filter(event=event).count()
        address = f"/clubs/{club.slug}/events/{event.slug}/playoffs/1/direct"
        posts = [
            Post(who, address, {"act": "answer", "answer": answer, "reason": f"{who} says so."})
            for who, answer in zip(("dirk", "olga"), answers, strict=True)
        ]
        done = send_at_once(within, posts)
        assert sorted(one.status_code for one in done) == [SAVED, REFUSED]
        won = [one.status_code for one in done].index(SAVED)
        assert "Play-off 1 needs no decision." in summary(done[1 - won])
        with within():
            assert AuditLine.objects.filter(club=club, act="answer_playoff").count() == 1
            look(event)
            states = dict(Playoff.objects.filter(event=event).values_list("number", "state"))
            is_kept = answers[won] == "keep"
            assert states == ({1: "decided"} if is_kept else {1: "void", 2: "scheduled"})
            reason = Playoff.objects.get(event=event, number=1).reason
            assert reason == f"{posts[won].who} says so."
            now = Event.objects.select_related("club", "season").get(pk=event.pk)
            assert review_of(now) is None
            assert verify_publication(now, repair=False, now=NOW) == "same"
            numbers = Publication.objects.filter(event=event).order_by("number")
            listed = list(numbers.values_list("number", flat=True))
            assert listed == list(range(1, len(listed) + 1))
            assert len(listed) >= published


def night(within: Within, people: Sequence[Player], number: int) -> list[Post]:
    """A round of two tables with a hand each, and a file that has each of them otherwise."""
    event = "/clubs/riverside/events/league"
    with within():
        tables(Event.objects.select_related("club").get(slug="league"), people, number)
        path = within.project.place / f"changed-{number}.csv"
        path.write_text(sheets(people, {number: [1]}, FILE))
        imported(path, now=NOW)
        problems = ImportProblem.objects.select_related("batch").filter(
            code="hand_exists", state="open", round=number
        )
        assert len(problems) == len(people) // 4
        dirk = Client()
        dirk.force_login(User.objects.get(username="dirk"))
        posts = []
        for problem in problems:
            batch = f"{event}/imports/{problem.batch.number}"
            fields = {"do": "use-file", "based_on": "1", "why": "As on paper."}
            posts.append(Post("dirk", f"{batch}/problems/{problem.position}", fields))
            table_ = f"{event}/tables/r{number}t{problem.table}"
            posts.append(_on_the_grid(table_) if problem.table == 1 else _on_the_page(dirk, table_))
    return posts


def _on_the_grid(address: str) -> Post:
    cells = zip(range(1, 5), CORRECTED, ("", "", "", "q"), strict=True)
    fields = {
        "go": "save", "not_twice": "1", "key-1": "k", "way-1": "counts", "based_on-1": "1",
        "reason": "Read again.", **{f"c-1-{seat}": f"{n}{queen}" for seat, n, queen in cells},
    }  # fmt: skip
    return Post("olga", f"{address}/grid", fields)


def _on_the_page(client: Client, address: str) -> Post:
    page = f"{address}/hands/1/edit"
    kept = {name: values[-1] for name, values in hidden(client.get(page)).items()}
    hearts = {f"hearts-{seat}": str(n) for seat, n in enumerate(CORRECTED, start=1)}
    fields = {**kept, **hearts, "card-QS": "4", "reason": "Read again.", "go": "save"}
    return Post("olga", page, fields)


def test_files_hand_is_used_while_the_stored_one_is_corrected_twice(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(1, 9)))
    for number in range(1, TURNS + 1):
        posts = night(within, people, number)
        done = send_at_once(within, posts)
        for at in (0, 2):
            both = done[at : at + 2]
            statuses = [one.status_code for one in both]
            assert statuses.count(SAVED) == 1, statuses
            lost = both[1 - statuses.index(SAVED)]
            assert lost.status_code in (REFUSED, DIFFERS), statuses
            assert "changed" in text_of(lost) or "already" in text_of(lost), text_of(lost)
        with within():
            hands = Hand.objects.filter(game__event=event, game__table__round__number=number)
            assert [hand.revision for hand in hands] == [2, 2]
            hearts = list(hands.values_list("entry__typed__hearts", flat=True))
            assert all(heart in (FILE, CORRECTED) for heart in hearts)
            assert Entry.objects.filter(hand__in=hands).count() == 4
            assert Replacement.objects.filter(entry__hand__in=hands).count() == hearts.count(FILE)
            found = Event.objects.select_related("club").get(pk=event.pk)
            checked = verify_event(found, repair=False, now=NOW, report=lambda words: None)
            assert checked.found.differences == []


def test_two_posts_at_one_moment_make_one_challenge_and_one_refusal(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        ladder(cast, "ABCDEF", now=NOW)

    def action(
        service: Callable[..., object],
        name: str,
        find: Callable[[Event], object] = lambda event: event,
        **more: object,
    ) -> Action:
        op, events = Operation(member(cast, name), NOW), Event.objects.select_related("club")
        return lambda: service(op, find(events.get()), **more)

    sends = [action(issue_challenge, name, challenged="C") for name in "DE"]
    first = partial(challenge_at, number=1)
    answers = [action(answer_challenge, "C", first, to=to) for to in ("accepted", "declined")]
    twice = [action(issue_challenge, "B", challenged="A")] * 2
    assert within.at_once(*sends) == ["challenge_in_open"]
    assert within.at_once(*answers) == ["challenge_state"]
    assert within.at_once(*twice) == ["challenge_out_open, challenge_in_open"]
    with within():
        assert sorted(Challenge.objects.values_list("number", flat=True)) == [1, 2]


TABLES = 4
ROUNDS = short_or_long(3, 8)
REMOVALS = short_or_long(3, 40)


def test_second_director_makes_no_link_where_the_first_one_just_did(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(4 * TABLES)))
        for at in range(ROUNDS * TABLES):
            seats = people[4 * (at % TABLES) :][:4]
            number, of_round = 1 + at % TABLES, 1 + at // TABLES
            table(event, seats, round_number=of_round, table_number=number)
        rounds = list(Round.objects.select_related("club").filter(event=event))

    def make(round_: Round) -> str:
        return str(len(make_links(by_tests(), round_)))

    for round_ in rounds:
        assert sorted(within.together(*[partial(make, round_)] * 2)) == ["0", str(TABLES)]
    with within():
        assert TableLink.objects.count() == ROUNDS * TABLES


def test_table_is_removed_while_somebody_makes_its_link(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        people = players(event.club, *(f"Player {at}" for at in range(4)))
        for at in range(REMOVALS):
            table(event, people, round_number=1 + at)
        games = list(Game.objects.select_related("event__club", "club", "snapshot", "table__club"))
    for game in games:
        refused = within.at_once(
            partial(make_link, by_tests(), game.table), partial(clear_table, by_tests(), game)
        )
        assert refused in ([], ["unknown_table"])
    with within():
        assert TableLink.objects.count() == Game.objects.count() == 0


def test_two_challenges_of_one_game_are_confirmed_at_one_moment(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        event = ladder(cast, now=NOW)
        for number, (low, high) in enumerate((("H", "E"), ("D", "B")), 1):
            issue(cast, event, low, high)
            answer(cast, event, high, "accepted", number=number)
        finished(seated(event, "HDEB"), [1, 2, 4, 6])
        for number, who in enumerate("HD", 1):
            enter_result(
                Operation(member(cast, who), LATER), challenge_at(event, number), table="r1t1"
            )
    refused = within.at_once(
        partial(answer, cast, event, "E", "confirmed", number=1),
        partial(answer, cast, event, "B", "confirmed", number=2),
    )
    assert refused == []
    with within():
        steps = LadderStep.objects.filter(kind="challenge").order_by("number")
        assert sorted(steps.values_list("challenge__number", flat=True)) == [1, 2]
        publish_all(event, now=LATER)
        assert order(event) == "ADBCHEFGIJ", "in either order"
        replayed = replay(events_of(event), ladder_rules_of(event)).ladder
        assert "".join(replayed.order) == order(event)


LOOKS = short_or_long(3, 6)
PAIRS = short_or_long(3, 20)
LINES = {"title": 1, "promotion": 3}


def test_two_workers_that_look_at_one_moment_make_one_playoff(within: Within) -> None:
    with within():
        event = tied(enter_the_cast().riverside, (4, 4, 4, 1))
        Playoff.objects.all().delete()
        Sitting.objects.filter(round__number__gt=1).delete()
        Round.objects.filter(number__gt=1).delete()

    def worker() -> None:
        for _ in range(LOOKS):
            schedule_playoffs(event.pk, now=NOW)

    assert within.at_once(worker, worker) == []
    with within():
        assert list(Playoff.objects.values_list("number", "state")) == [(1, "scheduled")]
        assert list(Round.objects.order_by("number").values_list("number", flat=True)) == [1, 2]


def test_two_playoffs_that_need_a_round_at_one_moment_get_a_number_each(within: Within) -> None:
    with within():
        event = tied(enter_the_cast().riverside, (2, 2, 3, 3, 8, 8, 0), boundaries=LINES)
        stages = [playoff.stage for playoff in Playoff.objects.order_by("number")]

    def leg(stage: Stage | None) -> None:
        assert stage is not None
        with transaction.atomic():
            add_round(stage, None)

    for _ in range(PAIRS):
        assert within.at_once(*(partial(leg, stage) for stage in stages)) == []
    with within():
        rounds = Round.objects.filter(event=event).order_by("number")
        numbers = list(rounds.values_list("number", flat=True))
        assert numbers == list(range(1, 1 + 1 + 2 + 2 * PAIRS))


def test_neutral_players_are_seated_while_a_hand_is_entered_at_their_table(within: Within) -> None:
    with within():
        event = tied(enter_the_cast().riverside)
        players(event.club, "Kim", "Lou")
        play(event, 1, {"A": 3, "B": 3, "C": 20})

    def host() -> None:
        play(Event.objects.select_related("club").get(), 2, {"A": 3, "B": 3})

    def director() -> None:
        found = Event.objects.select_related("club").get()
        seat_neutrals(by_tests(), found, number=1, players=["Kim", "Lou"])

    assert within.at_once(host, director) == []
    with within():
        sat = Sitting.objects.filter(round__number=3, player__name__in=["Kim", "Lou"])
        assert sat.values_list("from_hand", flat=True).distinct().get() in (1, 2)
        found = get_playoff(event, 1)
        assert [chair["player"] for chair in found.chairs] == ["Kim", "Lou"]
        assert [one.made for one in found.members[:2]] == [("3", "3"), ("3", "3")]


def test_two_heats_that_end_at_one_moment_meet_once(within: Within) -> None:
    with within():
        event = tied(
            enter_the_cast().riverside, (4, 4, 4, 4, 4, 4, 2), playoff_rules={"many": "heats"}
        )
        names = {one.player_id: one.player for one in get_playoff(event, 1).members}
        heats = [
            [names[code] for code in table["members"]] for table in get_playoff(event, 1).tables
        ]

    def heat(at: int) -> None:
        found = Event.objects.select_related("club").get()
        scores = dict(zip(heats[at], (3, 10, 13), strict=True))
        play(found, 1, scores, code=f"r2t{at + 1}")

    def worker() -> None:
        for _ in range(LOOKS):
            publish(event.pk, now=NOW)
            schedule_playoffs(event.pk, now=NOW)

    assert within.at_once(partial(heat, 0), partial(heat, 1), worker) == []
    with within():
        look(event)
        found = get_playoff(event, 1)
        assert (found.state, [table["code"] for table in found.open_tables]) == (
            "in_play",
            ["r3t1"],
        )
        assert sorted(names[code] for code in found.open_tables[0]["members"]) == sorted(
            [heats[0][0], heats[1][0]]
        )
