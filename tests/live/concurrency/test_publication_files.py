"""The file of a publication is made once, whoever asks at once, and by another where one dies."""

import json
import signal
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.live.conftest import Inside
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.live.project import PATIENCE_S, LiveProject, wait_until
from tournaments.models.events import Event
from tournaments.models.standings import FileForm, Publication, PublicationFile
from tournaments.policy import ANYBODY
from tournaments.selectors.standings.publication_bytes import FoundFile, event_file
from tournaments.services.people.erase_player import erase_player
from tournaments.services.publishing import publication_files
from tournaments.services.publishing.publication_files import FileIsBeingMade, publication_file
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.pg
KIND = (FileForm.PDF, "a4", "layout")


@pytest.fixture
def project(live_project: Callable[..., LiveProject], migrated_pg_url: str) -> LiveProject:
    return live_project(DATABASE_URL=migrated_pg_url, ALLOWED_HOSTS="127.0.0.1")


def play() -> Cast:
    cast = enter_the_cast()
    event = league(cast.riverside)
    hand(table(event, players(cast.riverside, *"ABCD")), 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)
    return cast


def ask(project: LiveProject, name: str, *more: str) -> None:
    project.start("-m", "tests.support.live.ask_for_file", str(project.place), name, *more)


def answer_of(project: LiveProject, name: str) -> tuple[int, bytes]:
    path = project.place / f"{name}.answer"
    wait_until(path.exists, what=project.log)
    status, _, content = path.read_bytes().partition(b"\n")
    return int(status), content


def found_file() -> FoundFile:
    found = event_file(ANYBODY, "riverside", "league", None, KIND)
    assert found is not None
    return found


def test_two_processes_at_once_make_the_file_once(project: LiveProject, inside: Inside) -> None:
    with inside(project):
        play()
    ask(project, "first")
    wait_until((project.place / "first.makes").exists, what=project.log)
    ask(project, "second")
    wait_until((project.place / "second.asks").exists, what=project.log)
    (project.place / "go").touch()
    first, second = answer_of(project, "first"), answer_of(project, "second")
    assert first[0] == 200
    assert second == first
    assert not (project.place / "second.makes").exists()
    with inside(project):
        assert bytes(PublicationFile.objects.get().content or b"") == first[1]


@pytest.mark.tier_long
def test_file_of_a_killed_maker_is_made_by_another(project: LiveProject, inside: Inside) -> None:
    with inside(project):
        play()
    ask(project, "killed", "hold")
    wait_until((project.place / "killed.makes").exists, what=project.log)
    project.processes[-1].send_signal(signal.SIGKILL)
    assert project.processes[-1].wait(timeout=PATIENCE_S) == -signal.SIGKILL
    ask(project, "early")
    status, content = answer_of(project, "early")
    assert (status, json.loads(content)["errors"][0]["code"]) == (503, "file_is_being_made")
    with inside(project):
        later = timezone.now() + timedelta(seconds=publication_files.MOST_S)
        key = PublicationFile.objects.get()
        kind = (FileForm.PDF, "a4", key.layout)
        found = event_file(ANYBODY, "riverside", "league", None, kind)
        assert found is not None
        made = publication_file(found, kind, lambda _: b"whole", clock=lambda: later)
        assert made.content == b"whole"
        assert PublicationFile.objects.values_list("content", "etag").get() == (b"whole", made.etag)


def test_name_erased_while_a_file_is_made_is_in_no_stored_file(
    project: LiveProject, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publication_files, "WAIT_S", 0.0)
    with inside(project):
        cast = play()
        person = Event.objects.get(slug="league").entrants.get(code="RL01").members.get().player

        def make(publication: Publication) -> bytes:
            olga = cast.operation("olga")
            erase_player(olga, person, confirmed="RL01", reason="They asked for it.")
            return bytes(publication.body)

        with pytest.raises(FileIsBeingMade):
            publication_file(found_file(), KIND, make, clock=timezone.now)
        assert not PublicationFile.objects.exists()
        again = publication_file(
            found_file(), KIND, lambda one: bytes(one.body), clock=timezone.now
        )
        assert b'"player":"A"' not in (again.content or b"")
