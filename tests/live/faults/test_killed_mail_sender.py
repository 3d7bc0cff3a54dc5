"""A worker killed while it sends: each mail leaves once or twice, and none is lost."""

import random
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from django.utils import timezone

from tests.live.conftest import Inside
from tests.support.lengths import short_or_long
from tests.support.live.events import enter, evening, is_published
from tests.support.live.project import PATIENCE_S, LiveProject, wait_until
from tests.support.mail_server import Behaviour, MailServer
from tournaments.models.outbox import Outbox
from tournaments.services.notices.outbox import enqueue_sign_in_mail

pytestmark = pytest.mark.worker

MAILS = short_or_long(20, 200)
KILLS = short_or_long(2, 20)
SEED = 20251106


@pytest.fixture
def slow_server() -> Iterator[MailServer]:
    """A mail server that takes its time for each answer."""
    made = MailServer(Behaviour(pause_s=0.01))
    yield made
    made.end()


def write_mails() -> None:
    for number in range(MAILS):
        enqueue_sign_in_mail(
            to=f"member{number}@riverside.example", subject="Hello", text=f"Mail {number}.",
            now=timezone.now(),
        )  # fmt: skip


def all_left() -> bool:
    return not Outbox.objects.filter(sent_at=None).exists()


def require_once_or_twice(server: MailServer, kills: int) -> None:
    """Each of the mails came in, few of them twice; prints the counts."""
    by_address = Counter(str(one["To"]) for one in server.mails)
    assert len(server.counted()) == len(by_address), "a mail that comes twice has one Message-ID"
    times = Counter(by_address.values())
    lost = MAILS - len(by_address)
    print(f"mails {MAILS}, kills {kills}: once {times[1]}, twice {times[2]}, lost {lost}")
    assert lost == 0
    assert set(times) <= {1, 2}
    assert times[2] <= kills


def test_each_mail_leaves_once_or_twice_however_often_the_worker_is_killed(
    project: LiveProject, inside: Inside, slow_server: MailServer
) -> None:
    chance = random.Random(SEED)  # noqa: S311  # chance is the point
    project.environment["EMAIL_URL"] = slow_server.url
    project.environment["EMAIL_TIMEOUT"] = "5"
    with inside(project):
        write_mails()
        for kill in range(KILLS):
            worker = project.start_worker(f"a{kill}@tests")
            # Every other time it dies when its mail is taken and nobody has said so.
            slow_server.may_answer.clear()
            slow_server.behaviour.holds_data = kill % 2 == 0
            wanted = len(slow_server.mails) + chance.randint(1, MAILS // KILLS - 2)
            if kill % 2 == 0:
                wanted = len(slow_server.mails) + 1
            assert slow_server.wait_for(wanted), project.log
            worker.kill()
            worker.wait(PATIENCE_S)
            slow_server.behaviour.holds_data = False
            slow_server.may_answer.set()
        project.start_worker("last@tests")
        wait_until(all_left, what=f"the last mail\n{project.log}")
    require_once_or_twice(slow_server, KILLS)
    assert set(Counter(slow_server.counted().values())) == {1, 2}, "the kills hit mails"


@pytest.mark.tier_long
@pytest.mark.pg
def test_second_worker_sends_what_a_killed_one_had_begun(
    live_project: Callable[..., LiveProject],
    migrated_pg_url: str,
    inside: Inside,
    slow_server: MailServer,
) -> None:
    project = live_project(
        DATABASE_URL=migrated_pg_url, EMAIL_URL=slow_server.url, EMAIL_TIMEOUT="3"
    )
    slow_server.behaviour.holds_data = True
    with inside(project):
        write_mails()
        workers = [project.start_worker(f"{name}@tests") for name in "ab"]
        assert slow_server.wait_for(2), f"one mail of each worker\n{project.log}"
        workers[0].kill()
        workers[0].wait(PATIENCE_S)
        slow_server.behaviour.holds_data = False
        slow_server.may_answer.set()
        wait_until(all_left, what=f"the last mail\n{project.log}")
    require_once_or_twice(slow_server, 1)


def test_standings_do_not_wait_for_a_mail_server_that_says_nothing(
    project: LiveProject, inside: Inside
) -> None:
    server = MailServer(Behaviour(greeting=b""))
    project.environment["EMAIL_URL"] = server.url
    project.environment["EMAIL_TIMEOUT"] = "60"
    try:
        with inside(project):
            game = evening()
            write_mails()
            project.start_worker("a@tests")
            wait_until(lambda: server.connections, what=f"the first mail\n{project.log}")
            for number in range(1, 6):
                enter(game, number)
                took = wait_until(lambda: is_published(game.event_id), what="standings")
                print(f"published after {took:.2f} s while a mail waits")
            assert Outbox.objects.filter(sent_at=None).count() == MAILS
            assert server.connections == 1, "it waited for the same answer all the while"
    finally:
        server.end()
