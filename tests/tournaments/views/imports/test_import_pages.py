"""The page of an import: what it offers in a closed event, to whom, and in what words."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league
from tests.support.cast import NOW, Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import CAST, HEADS, imported, rows, written
from tests.support.imports.uploads import IMPORTS, post_file, send_file
from tests.support.pages.filled_buttons import filled_buttons
from tests.support.pages.text import text_of
from tournaments import tasks
from tournaments.models.clubs import Membership
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.models.jobs import Deadline, Dirty, import_scope
from tournaments.services.publishing.publications import publish
from tournaments.tasks import run_deadline_job
from tournaments.views.imports.imports import import_steps

EVENT = "/clubs/riverside/events/league"


IMPORT = f"{IMPORTS}/1"


MISSPELT = {**CAST, "N": ",Alma X."}


STATES = pytest.mark.parametrize("state", ["draft", "closed", "final"])


cast_once, cast = cast_with(*FOUR)


@pytest.fixture(autouse=True)
def event(cast: Cast) -> Event:
    return league(cast.riverside, settings={"correction_window_h": 1})


@STATES
def test_undo_is_not_offered_and_is_explained_once(cast: Cast, tmp_path: Path, state: str) -> None:
    imported(written(tmp_path, rows(1), rows(2, cast=MISSPELT)))
    hanna = cast.client("hanna")
    assert "Undo import" in text_of(hanna.get(IMPORT))
    assert "Resolve" in text_of(hanna.get(IMPORT))
    Event.objects.update(state=state)
    why = f"The event is {state}. An import is undone while its event is open"
    for page in (
        hanna.get(IMPORT),
        hanna.get(f"{IMPORT}/undo", follow=True),
        hanna.post(f"{IMPORT}/undo", follow=True),
    ):
        assert text_of(page).count(why) == 1
        assert "Undo import" not in text_of(page)
        assert "Resolve" not in text_of(page)
    assert ImportBatch.objects.get().state == "done"


def test_page_leads_to_all_rounds_and_undo_is_plain(cast: Cast, tmp_path: Path) -> None:
    imported(written(tmp_path, *(rows(1, round_=number) for number in range(1, 9))))
    page = cast.client("hanna").get(IMPORT).content.decode()
    assert all(f'href="{EVENT}/rounds/{number}"' in page for number in range(1, 9))
    assert [button.label for button in filled_buttons(page, IMPORT)] == ["Standings"]
    assert "Undo import" in page


@STATES
def test_file_is_not_asked_for_and_it_says_why_once(cast: Cast, tmp_path: Path, state: str) -> None:
    Event.objects.update(state=state)
    hanna = cast.client("hanna")
    why = f"The event is not open: {state}. Hands can be entered while it is open."
    response = hanna.get(f"{IMPORTS}/new")
    sent = post_file(hanna, written(tmp_path, rows(1)))
    assert (response.status_code, sent.status_code) == (200, 422)
    for page in (response, sent, hanna.get(IMPORTS)):
        assert text_of(page).count(why) == 1
        assert "File" not in text_of(page)
        content = page.content.decode().partition('id="main"')[2].partition("</main>")[0]
        assert f"{IMPORTS}/new" not in content
    assert not ImportBatch.objects.exists()


def test_file_that_waits_can_be_thrown_away_only(cast: Cast, tmp_path: Path) -> None:
    hanna = cast.client("hanna")
    send_file(hanna, written(tmp_path, rows(1)))
    offered = ("Import 1 hand", "Change the mapping")
    assert all(one in text_of(hanna.get(IMPORT)) for one in offered)
    Event.objects.update(state="closed")
    page = text_of(hanna.get(IMPORT))
    assert not any(one in page for one in offered)
    closed = "The event is not open: closed. Hands can be entered while it is open."
    assert page.count(closed) == 1
    assert closed in text_of(hanna.post(f"{IMPORT}/confirm", follow=True))
    assert not Hand.objects.exists()
    hanna.post(f"{IMPORT}/discard")
    assert not ImportBatch.objects.exists()


def test_only_a_director_undoes_a_final_import(cast: Cast, event: Event, tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1)))
    deadline = Deadline.objects.get(event=event, kind="finalise_round")
    assert run_deadline_job(deadline.pk, now=deadline.due_at + timedelta(minutes=1))
    host, director = cast.client("hanna"), cast.client("dirk")
    page = text_of(host.get(f"{IMPORT}/undo", follow=True))
    assert "Tables of this import are final. A director can undo it." in page
    assert "Undo import" not in page
    assert "Undo import" in text_of(director.get(IMPORT))
    assert "Your role does not allow this." in text_of(host.post(f"{IMPORT}/undo"), 403)
    assert Hand.objects.get().state == "accepted"
    director.post(f"{IMPORT}/undo")
    assert ImportBatch.objects.get().state == "undone"


FOREIGN = HEADS.replace("hearts,queen_spades", "a,b")


def hanna_leaves(cast: Cast) -> None:
    Membership.objects.filter(user=cast.users["hanna"]).delete()


def settle(cast: Cast) -> str:
    problem = ImportProblem.objects.get(state="open")
    said = {"do": "player", "player": "RL01"}
    return text_of(
        cast.client("dirk").post(f"{IMPORT}/problems/{problem.position}", said, follow=True)
    )


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_problem_of_somebody_who_left_is_resolved_in_the_name_of_who_resolves_it(
    cast: Cast, tmp_path: Path, *, is_confirmed: bool
) -> None:
    send_file(cast.client("hanna"), written(tmp_path, rows(1), rows(1, round_=12, cast=MISSPELT)))
    if is_confirmed:
        cast.client("hanna").post(f"{IMPORT}/confirm")
        assert Hand.objects.count() == 1
    hanna_leaves(cast)
    page = settle(cast)
    assert "may no longer import" not in page
    assert "Import 1 by dirk" in page
    if not is_confirmed:
        assert "Import 2 hands" in page
        return
    who = dict(Entry.objects.values_list("hand__game__table__round__number", "entered_as"))
    assert who == {11: "hanna", 12: "dirk"}


def test_file_that_the_workers_gave_up_is_tried_again_by_somebody_else(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dirk: Client
) -> None:
    send_file(cast.client("hanna"), written(tmp_path, rows(1)))
    with monkeypatch.context() as patch:
        patch.setattr("tournaments.views.imports.imports.ROWS", 0)
        cast.client("hanna").post(f"{IMPORT}/confirm")
    batch = ImportBatch.objects.get()
    Dirty.objects.filter(scope=import_scope(batch.pk)).update(parked=True, error="OSError")
    hanna_leaves(cast)
    assert "Try again" in text_of(dirk.get(IMPORT))
    dirk.post(f"{IMPORT}/again")
    tasks.work_on_import(batch.pk)
    assert "Import 1 by dirk" in text_of(dirk.get(IMPORT))
    assert Entry.objects.get().entered_as == "dirk"


def test_columns_of_a_file_of_somebody_who_left_are_said_by_somebody_else(
    cast: Cast, tmp_path: Path, dirk: Client
) -> None:
    send_file(cast.client("hanna"), written(tmp_path, rows(1), heads=FOREIGN))
    hanna_leaves(cast)
    means = (
        *("date", "round", "table", "variant", "hand", "seat", "player_id", "player"),
        *("hearts", "queen_spades", "ignore", "ignore", "ignore"),
    )
    typed = {f"column-{index}": one for index, one in enumerate(means)}
    page = dirk.post(f"{IMPORT}/columns", {**typed, "rows": "seats"}, follow=True)
    assert "Import 1 hand" in text_of(page)
    assert "Import 1 by dirk" in text_of(page)


def test_import_says_how_many_lines_were_left_out(cast: Cast, tmp_path: Path) -> None:
    total = "2025-11-13,11,1,,Total,,,,13,,,,"
    imported(written(tmp_path, rows(1), [total, total]))
    assert "Skipped lines 2" in text_of(cast.client("hanna").get(IMPORT))


def test_import_leads_on_to_its_rounds_and_the_standings(cast: Cast, tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1), rows(1, round_=12)))
    hanna = cast.client("hanna")
    page = hanna.get(IMPORT)
    assert "Rounds Round 11 · Round 12" in text_of(page)
    for way in (f"{EVENT}/rounds/11", f"{EVENT}/rounds/12", EVENT):
        assert f'href="{way}"' in page.content.decode().partition("<main")[2]
        assert hanna.get(way).status_code == 200
    hanna.post(f"{IMPORT}/undo")
    assert "Round 11 Round 12" not in text_of(hanna.get(IMPORT))
    assert "Import 1 undone" in text_of(Client().get(f"{EVENT}/changes"))


def test_what_changed_links_an_import_for_hosts(cast: Cast, event: Event, tmp_path: Path) -> None:
    publish(event.pk, now=NOW)
    imported(written(tmp_path, rows(1)))
    publish(event.pk, now=NOW)
    at = f"{EVENT}/publications/1/difference/2"
    for who, is_linked in (("", False), ("piet", False), ("hanna", True)):
        page = cast.client(who).get(at)
        assert "Import 1 : 1 hand" in text_of(page).replace("Import 1:", "Import 1 :")
        assert (f'href="{IMPORT}"' in page.content.decode()) == is_linked
    assert Client().get(IMPORT).status_code == 404


def test_missing_hand_of_a_sheet_with_one_hand_is_said_in_the_singular(tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1)))
    page = Client().get(f"{EVENT}/tables/r11t1/hands/40").content.decode()
    assert "Its sheet has 1 hand." in page


def test_finding_of_an_unread_round_names_its_table_alone(cast: Cast, tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1), ["total of the evening,x,3"]))
    assert ImportProblem.objects.values_list("round", "table").get() == (None, 3)
    page = text_of(cast.client("hanna").get(IMPORT))
    assert "Table 3" in page
    assert "None" not in page


@pytest.mark.parametrize(
    ("now", "states"),
    [
        (0, ["now", "", "", ""]),
        (2, ["done", "done", "now", ""]),
        (4, ["done", "done", "done", "done"]),
    ],
)
def test_steps_say_which_is_done_and_which_is_on(now: int, states: list[str]) -> None:
    assert [state for _name, _n, state in import_steps(now)] == states
