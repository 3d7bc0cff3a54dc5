"""A file that has a hand otherwise than the event: both side by side, kept or replaced, undone."""

import re
from pathlib import Path

import pytest
from django.test import Client

from tests.support.answers import Answer, send_json
from tests.support.builders import by_tests
from tests.support.cast import Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import hand_scores, imported, rows, written
from tests.support.imports.uploads import import_on_page, send_file
from tests.support.pages.text import text
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.imports import ImportProblem
from tournaments.models.rounds import Round
from tournaments.models.standings import Change
from tournaments.services.hands.change_players import change_players, undo_players
from tournaments.services.hands.plan_player_changes import PlayerChange

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
EVENT = "/clubs/riverside/events/league"
REST = f"/api/v1{EVENT}"
STORED = (4, 1, 2, 6)
OTHER = (3, 2, 2, 6)
SECOND = (2, 3, 2, 6)
THIRD = (1, 4, 2, 6)
FOURTH = (0, 5, 2, 6)


cast_once, cast = cast_with(*FOUR)


@pytest.fixture
def hanna(cast: Cast, event: Event, tmp_path: Path) -> Client:
    client = cast.client("hanna")
    first = written(tmp_path, rows(1, STORED), rows(2, SECOND), rows(3, THIRD), name="first.csv")
    import_on_page(client, first)
    return client


def changed_file(folder: Path, client: Client, *, confirm: bool = True) -> str:
    """Import the night again: hand 1 changed, 2 and 3 as they are, 4 new."""
    path = written(
        folder, rows(1, OTHER), rows(2, SECOND), rows(3, THIRD), rows(4, FOURTH), name="changed.csv"
    )
    return import_on_page(client, path) if confirm else send_file(client, path)


def conflict() -> ImportProblem:
    return ImportProblem.objects.get(code="hand_exists")


def page_of(address: str) -> str:
    return f"{address}/problems/{conflict().position}"


def answer(client: Client, address: str, do: str, **more: object) -> Answer:
    typed = {"do": do, "based_on": 1, "why": "The paper says 3 and 2.", **more}
    return client.post(page_of(address), typed, follow=True)


def correct(client: Client, revision: int = 1) -> None:
    body = {"entry": {"hearts": [2, 3, 2, 6], "taken": [[], [], [], ["QS"]]}, "reason": "Again."}
    hand = f"{REST}/tables/r11t1/hands/1"
    answer = send_json(client, "PUT", hand, body, If_Match=f'"{revision}"')
    assert answer.status_code == 200, answer.content


def stored() -> tuple[int, list[int]]:
    hand = Hand.objects.get(number=1)
    assert hand.entry is not None
    return hand.revision, hand.entry.typed["hearts"]


def test_both_hands_are_shown_with_what_differs_marked(hanna: Client, tmp_path: Path) -> None:
    address = changed_file(tmp_path, hanna)
    assert "Compare both hands" in text(hanna.get(address))
    page = hanna.get(page_of(address))
    shown = text(page)
    assert "Stored revision 1, hanna, from first.csv" in shown
    assert "In the file changed.csv, lines 2 to 5" in shown or "changed.csv, lines 2–5" in shown
    assert "Keep stored hand" in shown
    assert "Use file's hand" in shown
    own = page.content.decode().split('id="infile"')[1]
    marked = re.findall(r'<td class="num diff">(\d*)', own)
    assert len(re.findall(r"\(differs\)", own)) == 4, marked  # two seats: hearts and points
    listed = text(hanna.get(address))
    assert "in the file N 3♥, E 2♥ stored N 4♥, E 1♥" in listed
    assert "other content" not in listed
    # Where both hands stand side by side the line is left out.
    assert "N 3♥, E 2♥" not in shown
    assert (conflict().found, conflict().expected) == ("N 3♥, E 2♥", "N 4♥, E 1♥")


def test_import_is_the_filled_button_if_hands_are_ready(hanna: Client, tmp_path: Path) -> None:
    nothing = send_file(hanna, written(tmp_path, rows(1, OTHER), name="only.csv"))
    for page in (nothing, page_of(nothing)):
        assert "btn pri" not in hanna.get(page).content.decode()
    hanna.post(f"{nothing}/discard")
    ready = send_file(hanna, written(tmp_path, rows(1, OTHER), rows(4, FOURTH), name="more.csv"))
    for page in (ready, f"{ready}/problems/{ImportProblem.objects.latest('pk').position}"):
        assert hanna.get(page).content.decode().count("btn pri") == 1


def test_hands_there_already_are_counted_as_such(hanna: Client, tmp_path: Path) -> None:
    address = changed_file(tmp_path, hanna, confirm=False)
    assert "2 hands were already in the event." in text(hanna.get(address))
    hanna.post(f"{address}/confirm")
    assert "2 hands were already in the event." in text(hanna.get(address))
    again = imported(tmp_path / "changed.csv", dry_run=True)
    assert again.as_json()["already"] == 3
    assert "3 hands were already in the event." in "\n".join(again.lines())


def test_kept_hand_stays_and_its_problem_waits_no_more(hanna: Client, tmp_path: Path) -> None:
    address = changed_file(tmp_path, hanna)
    before = hand_scores()
    page = text(answer(hanna, address, "keep-stored"))
    assert "Stored hand kept." in page
    assert "1 hand imported" in page
    assert hand_scores() == before
    assert stored() == (1, list(STORED))
    assert Round.objects.get(number=11).state == "closed"


def test_files_hand_becomes_a_revision_with_its_reason(hanna: Client, tmp_path: Path) -> None:
    page = text(answer(hanna, changed_file(tmp_path, hanna), "use-file"))
    assert "The file's hand now counts as revision 2." in page
    assert "1 hand imported" in page
    assert stored() == (2, list(OTHER))
    newest = Entry.objects.get(hand__number=1, revision=2)
    assert (newest.reason, newest.source) == ("The paper says 3 and 2.", "import")
    line = Change.objects.get(kind="correct_hand")
    assert (line.by, line.reason) == ("host", "The paper says 3 and 2.")
    assert Round.objects.get(number=11).state == "closed"


def test_undoing_the_import_brings_the_stored_hand_back(hanna: Client, tmp_path: Path) -> None:
    before = hand_scores()
    address = changed_file(tmp_path, hanna)
    answer(hanna, address, "use-file")
    assert "1 replaced hand will be restored." in text(hanna.get(f"{address}/undo"))
    hanna.post(f"{address}/undo")
    assert hand_scores() == before
    assert stored() == (3, list(STORED))
    assert Entry.objects.get(hand__number=1, revision=3).reason == "Import undone."
    assert Round.objects.get(number=11).state == "closed"
    last = Change.objects.filter(kind="correct_hand").order_by("pk").last()
    assert last is not None
    assert last.reason == "Import undone."
    page = text(hanna.get(address))
    assert (
        "Import undone. The stored hand counts again, as revision 3: hanna entered it as "
        "revision 1."
    ) in page
    for words in ("Left out", "Resolved", "The paper says 3 and 2.", "was replaced"):
        assert words not in page
    body = hanna.get(f"{REST}/imports/2/problems/{conflict().position}").json()
    assert (body["state"], body["reason"][:14]) == ("dismissed", "Import undone.")


def test_what_was_corrected_since_stays_when_the_import_is_undone(
    dirk: Client, hanna: Client, tmp_path: Path
) -> None:
    address = changed_file(tmp_path, hanna)
    answer(hanna, address, "use-file")
    correct(dirk, revision=2)
    dirk.post(f"{address}/undo")
    assert stored() == (3, [2, 3, 2, 6])
    assert {row[3] for row in hand_scores()} == {"1", "2", "3"}
    assert "Revision 3, entered by dirk since, still counts." in text(dirk.get(address))


def test_hand_corrected_meanwhile_is_shown_not_overwritten(hanna: Client, tmp_path: Path) -> None:
    address = changed_file(tmp_path, hanna)
    correct(hanna)
    page = answer(hanna, address, "use-file")
    assert page.status_code == 422
    assert "revision 2" in text(page)
    assert 'name="based_on" value="2"' in page.content.decode()
    assert stored() == (2, [2, 3, 2, 6])
    answer(hanna, address, "use-file", based_on=2)
    assert stored() == (3, list(OTHER))


def test_before_the_import_the_file_is_imported_first(hanna: Client, tmp_path: Path) -> None:
    address = changed_file(tmp_path, hanna, confirm=False)
    shown = text(hanna.get(page_of(address)))
    assert "This file is not imported yet." in shown
    assert "Use file's hand" not in shown
    assert "Use file's hand" in text(answer(hanna, address, "import"))
    assert {row[3] for row in hand_scores()} == {"1", "2", "3", "4"}


def test_hand_that_cannot_be_is_shown_but_not_offered(hanna: Client, tmp_path: Path) -> None:
    address = import_on_page(hanna, written(tmp_path, rows(1, (4, 1, 2, 5)), name="short.csv"))
    shown = text(hanna.get(page_of(address)))
    assert "The file's hand cannot be used" in shown
    assert "Use file's hand" not in shown
    assert "Keep stored hand" in shown


def test_reason_is_required(hanna: Client, tmp_path: Path) -> None:
    assert answer(hanna, changed_file(tmp_path, hanna), "use-file", why=" ").status_code == 422
    assert stored() == (1, list(STORED))


class TestOverRest:
    """The same choice as PATCH of the problem."""

    def problem(self, client: Client) -> Answer:
        number = conflict().batch.number
        return client.get(f"{REST}/imports/{number}/problems/{conflict().position}")

    def patch(self, client: Client, body: object, tag: str | None) -> Answer:
        number = conflict().batch.number
        headers = {"If-Match": tag} if tag else {}
        return client.patch(
            f"{REST}/imports/{number}/problems/{conflict().position}", body,
            content_type="application/json", headers=headers,
        )  # fmt: skip

    def test_file_is_used_with_a_reason(self, hanna: Client, tmp_path: Path) -> None:
        changed_file(tmp_path, hanna)
        both = self.problem(hanna)
        assert both.json()["stored"]["revision"] == 1
        assert both.json()["stored"]["entry"]["hearts"] == list(STORED)
        assert both.json()["own"]["entry"]["hearts"] == list(OTHER)
        tag = both["ETag"]
        done = self.patch(hanna, {"use": "file", "reason": "As on paper."}, tag)
        assert done.status_code == 200, done.content
        assert (done.json()["state"], done.json()["stored"]["revision"]) == ("settled", 2)
        assert done["ETag"] != tag
        assert stored() == (2, list(OTHER))

    def test_stale_tag_is_refused_and_nothing_written(self, hanna: Client, tmp_path: Path) -> None:
        changed_file(tmp_path, hanna)
        assert self.patch(hanna, {"use": "file", "reason": "So."}, None).status_code == 428
        tag = self.problem(hanna)["ETag"]
        correct(hanna)
        assert self.patch(hanna, {"use": "file", "reason": "So."}, tag).status_code == 412
        assert stored() == (2, [2, 3, 2, 6])


def test_files_hand_is_not_used_where_others_sit_in_its_seats_by_now(
    dirk: Client, hanna: Client, tmp_path: Path
) -> None:
    """Its numbers belong to seats: Alma's would be Bruno's."""
    address = changed_file(tmp_path, hanna)
    game = Game.objects.select_related("event__club", "club", "table__round").get()
    wanted = PlayerChange("swap", 1, "RL02", "remap")
    done = change_players(by_tests(), game, change=wanted, reason="Mixed up.")
    shown = text(dirk.get(page_of(address)))
    assert "The entry has Alma D. in seat 1, where Bruno K. sits." in shown
    assert "Use file's hand" not in shown
    answer(dirk, address, "use-file", based_on=2)
    assert stored() == (2, [1, 4, 2, 6])
    assert conflict().state == "open"
    undo_players(by_tests(), game, line=done.line, reason="As written.")
    answer(dirk, address, "use-file", based_on=3)
    assert stored() == (4, list(OTHER))
