"""Stages on pages: what everybody reads, and the cuts that directors make, undo and answer."""

import re

import pytest

from tests.support.builders import by_tests, hand, table
from tests.support.cast import NOW
from tests.support.pages.text import beside, text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.clubs import Player
from tournaments.models.events import Stage
from tournaments.models.playoffs import StageEntrant
from tournaments.models.rounds import Round, Table
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import schedule_event_playoffs

STAGES = f"{ADDRESS}/stages"
CUT = {"cut": "4", "name": "Final"}


@pytest.fixture
def over(evenings: Evenings) -> Evenings:
    for round_ in Round.objects.filter(event=evenings.event).order_by("number"):
        close_tables(by_tests(), round_)
        round_.refresh_from_db()
        move_round(by_tests(), round_, to="closed")
    publish(evenings.event.pk, now=NOW)
    return evenings


def test_cut_is_made_on_a_page_and_read_by_everybody(over: Evenings) -> None:
    page = over.client("dirk").post(f"{STAGES}/new", CUT, follow=True)
    assert page.redirect_chain == [(STAGES, 302)]
    assert "The best 4 have qualified." in text_of(page)
    read = text_of(over.client().get(STAGES))
    assert "Final cut on " in read
    assert "stage 1 Round 1 Round 2 all" in read
    assert "Cleo S. · Elsa D. · Marit S. · Zoë K." in read
    assert "Create cut" not in read
    assert "Manage stage" not in read
    publish(over.event.pk, now=NOW)
    assert "went on to Final" in text_of(over.client().get(ADDRESS))
    assert "Cut created" in text_of(over.client().get(f"{ADDRESS}/changes"))


def test_who_is_tied_across_the_cut_off_has_names(over: Evenings) -> None:
    page = over.client("dirk").post(f"{STAGES}/new", {"cut": "3"})
    assert page.status_code == 422
    said = "Marit S. and Cleo S. are tied at the cut after place 3. Choose 2 or 4"
    assert beside(page, "cut").startswith(said)


def test_cut_is_undone_with_a_reason(over: Evenings) -> None:
    dirk = over.client("dirk")
    dirk.post(f"{STAGES}/new", CUT)
    refused = dirk.post(f"{STAGES}/2/direct", {"act": "undo", "reason": ""})
    assert beside(refused, "reason") == "Enter a reason in one sentence."
    page = dirk.post(f"{STAGES}/2/direct", {"act": "undo", "reason": "Too early."}, follow=True)
    assert page.redirect_chain == [(STAGES, 302)]
    assert Stage.objects.count() == 1
    assert dirk.get(f"{STAGES}/2/direct").status_code == 404
    assert dirk.get(f"{STAGES}/1/direct").status_code == 404


def test_correction_asks_the_director_and_is_answered(over: Evenings) -> None:
    dirk = over.client("dirk")
    dirk.post(f"{STAGES}/new", CUT)
    went_on = sorted(StageEntrant.objects.values_list("entrant__code", flat=True))
    game = Table.objects.get(event=over.event, code="r1t2").game
    hand(game, 1, [0, 0, 0, 13], queen=3, slam_choice="others", based_on=1, reason="Misread.")
    publish(over.event.pk, now=NOW)
    schedule_event_playoffs(over.event.pk)
    text = text_of(dirk.get(STAGES))
    assert "A correction affects Final" in text
    assert re.search(
        r"After the correction, [A-Z]\w+ .*would qualify and [A-Z]\w+ .*would not", text
    )
    assert "RL0" not in text
    assert "A correction affects this cut" not in text_of(over.client().get(STAGES))
    assert "A correction affects who goes on" in text_of(dirk.get(f"{ADDRESS}/direct"))
    manage_page = text_of(dirk.get(f"{STAGES}/2/direct"))
    assert "Keep qualifiers" in manage_page
    assert "Repeat cut" in manage_page
    # What each answer does is on the page by name, as over REST, before either is given.
    api = f"/api/v1{STAGES}/2"
    keep, redo = dirk.get(f"{api}/answers").json()["answers"]
    assert (keep["rows"]["changed"], keep["cuts"][0]["what"]) == (0, "answered")
    assert "If you keep the qualifiers The standings do not change." in manage_page
    names = dict(Player.objects.values_list("player_id", "name"))
    (now,) = redo["cuts"]
    said = " ".join(
        f"{side}: {' and '.join(names[code] for code in now[key])}"
        for side, key in (("In", "in"), ("Out", "out"))
    )
    assert f"If the cut is repeated Final: {said}" in manage_page
    places = {result["player_id"]: result["after"]["rank"] for result in redo["rows"]["results"]}
    assert set(now["in"]) <= set(places)
    assert f"Publication {redo['publication']['after']} follows immediately." in manage_page
    assert over.client("hanna").get(f"{api}/answers").status_code == 403
    assert over.client("dirk").get(f"/api/v1{STAGES}/1/answers").status_code == 404
    assert "A correction affects this cut" not in text_of(
        dirk.post(f"{STAGES}/2/direct", {"act": "keep", "reason": "They were told."}, follow=True)
    )
    assert dirk.get(f"{api}/answers").json() == {"answers": []}
    assert sorted(StageEntrant.objects.values_list("entrant__code", flat=True)) == went_on


def test_answer_that_cannot_be_given_says_why(over: Evenings) -> None:
    dirk = over.client("dirk")
    dirk.post(f"{STAGES}/new", CUT)
    ids = StageEntrant.objects.values_list("entrant__code", flat=True)
    four = Player.objects.filter(club=over.cast.riverside, player_id__in=ids)
    hand(table(over.event, list(four), round_number=3), 1, [1, 2, 4, 6], queen=3)
    game = Table.objects.get(event=over.event, code="r1t2").game
    hand(game, 1, [0, 0, 0, 13], queen=3, slam_choice="others", based_on=1, reason="Misread.")
    publish(over.event.pk, now=NOW)
    schedule_event_playoffs(over.event.pk)
    page = text_of(dirk.get(f"{STAGES}/2/direct"))
    assert "If the cut is repeated Hands have been entered in Final" in page
    assert "Repeat cut" not in page
    keep, redo = dirk.get(f"/api/v1{STAGES}/2/answers").json()["answers"]
    assert ("refused" in keep, redo) == (False, {"answer": "redo", "refused": "cut_is_played"})
