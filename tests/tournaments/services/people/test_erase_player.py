"""Erased persons are a number in the place of a name; expired sessions are deleted."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone

from scoring.errors import Refused
from tests.support.builders import (
    by_tests,
    finished,
    league,
    link,
    penalize,
    players,
    season,
    table,
)
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tests.support.people import rows_with
from tests.support.scenarios.ladders import climbing
from tests.support.verification import require_clean
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.clubs import Erasure, Membership, Player
from tournaments.models.events import Event, Season, Stage
from tournaments.models.hands import Entry
from tournaments.models.imports import ImportBatch, Upload
from tournaments.models.ladders import Challenge, LadderAbsence, LadderState
from tournaments.models.standings import Publication, StoredHistory
from tournaments.selectors.people.merges import eraser_of, find_names_left
from tournaments.services.events.entrants import add_entrant
from tournaments.services.hands.disputes import open_dispute
from tournaments.services.people.accounts import delete_expired_sessions
from tournaments.services.people.erase_player import (
    ask_erasure,
    decline_erasure,
    erase_player,
    withdraw_erasure,
)
from tournaments.services.publishing import publications
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.rank_and_render import render_draft

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

CANARY = "Zéphyrine Canari"


def erase(cast: Cast, player: Player) -> tuple[Player, int, int, Sequence[tuple[str, str]]]:
    op, reason = cast.operation("olga"), f"{CANARY} asked for it."
    return erase_player(op, player, confirmed=player.player_id, reason=reason)


def without_name(one: Publication) -> bytes:
    body = bytes(one.body).decode()
    for typed in (CANARY, "zéphyrine  CANARI"):
        body = body.replace(typed, "Player RL01")
    return body.encode()


def test_name_is_in_no_row_and_the_results_stay(cast: Cast) -> None:
    zee, *_others = people = players(cast.riverside, CANARY, "Bert", "Cora", "Dora")
    event = league(cast.riverside, settings={"primary": "raw_total"})
    game = finished(table(event, people))
    season(event)
    penalize(event, "RL01", "2", "zéphyrine  CANARI was late")
    publish(event.pk, now=NOW)
    link(zee, cast.users["piet"])
    Player.objects.filter(pk=zee.pk).update(nickname="Zouzou")
    open_dispute(
        cast.operation("dirk"), game, number=1,
        words="Canari, Zéphyrine had the queen; ask Zouzou",
    )  # fmt: skip
    Entry.objects.update(entered_by=cast.users["piet"], entered_as="Piet", note=CANARY)
    before = [
        (publication.number, publication.digest, without_name(publication))
        for publication in Publication.objects.order_by("pk")
    ]
    n_publications = erase(cast, zee)[1]
    assert rows_with(CANARY, "Canari", "Zouzou") == {}
    assert n_publications == 3
    for (number, digest, body), one in zip(before, Publication.objects.order_by("pk"), strict=True):
        assert (one.number, one.is_redacted) == (number, True)
        assert one.digest != digest
        assert body.split(b"}", 1)[1] == bytes(one.body).split(b"}", 1)[1]
    assert Entry.objects.get().entered_as == "Player RL01"
    newest = publish(event.pk, now=NOW)
    assert newest is not None
    assert newest.number == 2, "the names are those of the erasure already"
    require_clean(event)
    zee.refresh_from_db()
    assert (zee.name, zee.public_name, zee.user) == ("Player RL01", "Player RL01", None)
    assert Membership.objects.filter(user=cast.users["piet"]).exists()
    assert game.hands.count() == 1


def test_name_goes_from_the_reason_of_a_penalty_in_the_table_of_its_evening(cast: Cast) -> None:
    zee, *_others = people = players(cast.riverside, CANARY, "Bert", "Cora", "Dora")
    event = league(cast.riverside)
    day = NOW.date()
    finished(table(event, people, on=day))
    line = penalize(event, "RL02", "2", f"{CANARY} was kept waiting", meeting=day)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    evening = StoredHistory.objects.get(event=event, kind="evening")
    assert CANARY in bytes(evening.body).decode()
    erase(cast, zee)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    assert rows_with(CANARY, "Canari") == {}
    line.refresh_from_db()
    assert (line.reason, line.meeting and line.meeting.date) == (
        "Player RL01 was kept waiting",
        day,
    )
    evening = StoredHistory.objects.get(event=event, kind="evening")
    assert "Player RL01 was kept waiting" in bytes(evening.body).decode()
    require_clean(event)


def test_somebody_in_a_final_event_and_in_a_pair_is_erased(cast: Cast) -> None:
    zee, bert, cora, dora = players(cast.riverside, CANARY, "Bert", "Cora", "Dora")
    event = league(cast.riverside, slug="pairs")
    add_entrant(by_tests(), event, kind="pair", players=[zee, cora], name=f"{CANARY} and friend")
    finished(table(event, [zee, bert, cora, dora]))
    publish(event.pk, now=NOW)
    Event.objects.filter(pk=event.pk).update(state="final")
    erase(cast, zee)
    assert rows_with(CANARY, "Canari") == {}
    names = set(event.entrants.exclude(name="").values_list("name", flat=True))
    assert names == {"Player RL01 and friend"}
    publish(event.pk, now=NOW)
    require_clean(event)


def test_challenges_of_who_is_erased_end_and_days_away_go(cast: Cast) -> None:
    event = climbing(cast)
    erase(cast, Player.objects.get(player_id="C"))
    states = dict(Challenge.objects.values_list("number", "state"))
    assert states == {1: "cancelled", 2: "declined", 3: "issued"}
    erase(cast, Player.objects.get(player_id="F"))
    assert not LadderAbsence.objects.exists()
    publish(event.pk, now=NOW)
    publish_ladder(event.pk, now=NOW)
    require_clean(event)
    assert rows_with("Member C", "Member F") == {}
    assert LadderState.objects.get(event=event).order == list("ADBEHIGJ")


def test_names_of_others_stay(cast: Cast) -> None:
    anna, other, first, second = people = players(
        cast.riverside, "Anna K.", "Anna K. Holm", "Twin T.", "Twin T."
    )
    event = league(cast.riverside)
    for person in people:
        add_entrant(by_tests(), event, kind="player", players=[person])
    note = penalize(event, anna.player_id, "1", "Anna K. and Anna K. Holm", kind="bonus")
    text = penalize(event, first.player_id, "1", "Twin T. was late", kind="bonus")
    erase(cast, anna)
    erase(cast, first)
    for row in (note, text, second):
        row.refresh_from_db()
    assert note.reason == "Player RL01 and Anna K. Holm"
    assert text.reason == "Twin T. was late", "nobody knows which of the two is meant"
    assert (other.name, second.name) == ("Anna K. Holm", "Twin T.")


def test_files_of_imports_lose_the_name(cast: Cast) -> None:
    (zee,) = players(cast.riverside, CANARY)
    event = league(cast.riverside)
    batch = ImportBatch.objects.create(
        club=cast.riverside, event=event, number=1, file_name=f"{CANARY}.csv", file_digest="",
        started_at=NOW,
    )  # fmt: skip
    for encoding in ("utf-8", "utf-16", "cp1252"):
        content = f"player_id,player\nRL01,{CANARY}\n".encode(encoding)
        upload = Upload.objects.create(club=cast.riverside, batch=batch, content=content)
        erase(cast, zee)
        upload.refresh_from_db()
        assert bytes(upload.content).decode(encoding) == "player_id,player\nRL01,Player RL01\n"
        upload.delete()
        Player.objects.update(name=CANARY, erased_at=None)


def test_person_asks_and_an_owner_decides(cast: Cast) -> None:
    (zee,) = players(cast.riverside, CANARY)
    piet, olga = (cast.operation(name) for name in ("piet", "olga"))
    with pytest.raises(Forbidden):
        ask_erasure(piet, zee)
    link(zee, cast.users["piet"])
    ask_erasure(piet, zee)
    with pytest.raises(Conflict, match="erasure_asked"):
        ask_erasure(piet, zee)
    decline_erasure(olga, zee)
    with pytest.raises(Missing):
        decline_erasure(olga, zee)
    ask_erasure(piet, zee)
    erase(cast, zee)
    rows = Erasure.objects.order_by("pk").values_list("erased_at", "declined_at")
    assert list(rows) == [(None, NOW), (NOW, None)]


def test_publication_read_before_the_erasure_is_stored_without_the_name(cast: Cast) -> None:
    people = players(cast.riverside, CANARY, "Bert", "Cora", "Dora")
    event = league(cast.riverside)
    finished(table(event, people))
    read = publications._read(event.pk, now=NOW)
    assert read is not None
    erase(cast, people[0])
    publications._store(read, render_draft(read.table), NOW)
    assert rows_with(CANARY, "Canari") == {}
    publish(event.pk, now=NOW)
    require_clean(event)


def test_expired_sessions_go_and_others_stay(cast: Cast) -> None:
    clients = [cast.client(name) for name in ("olga", "piet")]
    for client, name in zip(clients, ("olga", "piet"), strict=True):
        key = client.session.session_key
        assert key is not None
        UserSession.objects.create(user=cast.users[name], ip="192.0.2.1", session_key=key)
    now = timezone.now()
    gone = Session.objects.filter(session_key=clients[0].session.session_key)
    gone.update(expire_date=now - timedelta(seconds=1))
    delete_expired_sessions(now=now)
    assert Session.objects.count() == 1
    assert [session.user_id for session in UserSession.objects.all()] == [cast.users["piet"].pk]
    assert clients[1].get("/account").status_code == 200


def test_erasing_needs_the_number_and_a_reason_and_is_done_once(cast: Cast) -> None:
    (zee,) = players(cast.riverside, CANARY)
    with pytest.raises(Refused) as refused:
        erase_player(by_tests(), zee, confirmed="RL1", reason=" ")
    codes = [problem.code for problem in refused.value.problems]
    assert codes == ["erasure_not_confirmed", "reason_required"]
    erase(cast, zee)
    with pytest.raises(Conflict, match="player_is_erased"):
        erase(cast, zee)


@pytest.mark.parametrize("change", ["player_is_erased", "player_is_merged", "player"])
def test_player_who_is_gone_is_not_erased(cast: Cast, change: str) -> None:
    zee, bert = players(cast.riverside, CANARY, "Bert")
    row = Player.objects.filter(pk=zee.pk)
    if change == "player_is_erased":
        row.update(erased_at=NOW)
    elif change == "player_is_merged":
        row.update(merged_into=bert)
    else:
        row.delete()
    with pytest.raises((Conflict, Missing), match=change):
        erase(cast, zee)


def test_reason_of_an_erasure_has_a_length_and_a_request_is_withdrawn_once(cast: Cast) -> None:
    (zee,) = players(cast.riverside, CANARY)
    with pytest.raises(Refused, match="bad_text"):
        erase_player(cast.operation("olga"), zee, confirmed=zee.player_id, reason="x" * 501)
    link(zee, cast.users["piet"])
    piet = cast.operation("piet")
    zee.refresh_from_db()
    with pytest.raises(Missing, match="erasure"):
        withdraw_erasure(piet, zee)
    Player.objects.filter(pk=zee.pk).update(erased_at=NOW)
    with pytest.raises(Conflict, match="player_is_erased"):
        ask_erasure(piet, zee)


def test_names_that_stay_are_listed_with_the_page_that_changes_each(cast: Cast) -> None:
    zee, *_others = players(cast.riverside, CANARY, "Bert", "Cora", "Dora")
    autumn = season(league(cast.riverside, name=f"Cup of {CANARY}"))
    Season.objects.filter(pk=autumn.pk).update(name=f"{CANARY.upper()}’s year")
    Stage.objects.update(name=f"Final of {CANARY}")
    zee.refresh_from_db()
    found = find_names_left(cast.riverside, eraser_of(zee))
    at = "/clubs/riverside"
    assert found == [
        (f"Cup of {CANARY}", f"{at}/events/league/name"),
        (f"{CANARY.upper()}’s year", f"{at}/seasons/{autumn.slug}/change"),
    ]
    assert erase(cast, zee)[3] == found
    assert set(Stage.objects.values_list("name", flat=True)) <= {"", "Final of Player RL01"}


def test_page_lists_what_stays_before_and_after_with_the_user_name(cast: Cast) -> None:
    zee, *_others = players(cast.riverside, CANARY, "Bert", "Cora", "Dora")
    league(cast.riverside, name=f"Cup of {CANARY}")
    piet, olga = cast.users["piet"], cast.client("olga")
    User.objects.filter(pk=piet.pk).update(username="zephyrine-canari2")
    link(zee, piet)
    text = text_of(cast.client("piet").get("/clubs/riverside/erasure-request/RL01"))
    assert f"until somebody renames them: Cup of {CANARY}" in text
    assert "user name “zephyrine-canari2”" in text
    assert "Change user name" in text
    address = "/clubs/riverside/erase-player/RL01"
    before = olga.get(address)
    after: Any = olga.post(address, {"player_id": "RL01", "reason": "Asked."}, follow=True)
    for page in (before, after):
        link_to = f'href="/clubs/riverside/events/league/name">Cup of {CANARY}</a>'
        assert link_to in page.content.decode()
    assert "The account keeps the user name “zephyrine-canari2”." in text_of(before)
    assert "Change user name" not in text_of(before)
    assert "Link account" not in text_of(after)
    names = cast.client("piet")
    taken = names.post("/account/names", {"user_name": "OLGA"})
    assert (taken.status_code, User.objects.get(pk=piet.pk).username) == (422, "zephyrine-canari2")
    names.post("/account/names", {"user_name": "kestrel"})
    assert User.objects.get(pk=piet.pk).username == "kestrel"


def test_challenge_that_was_withdrawn_is_not_said_to_have_ended_by_an_erasure(cast: Cast) -> None:
    event = climbing(cast)
    Challenge.objects.update(state="withdrawn", closed_at=NOW)
    challenge = Challenge.objects.select_related("challenged").order_by("number")[0]
    erase(cast, Player.objects.get(player_id=challenge.challenged.code))
    address = f"/clubs/riverside/events/{event.slug}/challenges/{challenge.number}"
    page = text_of(cast.client("dirk").get(address))
    assert "Withdrawn on " in page
    assert "has left" not in page


def test_namesake_in_another_club_keeps_no_name_here(cast: Cast) -> None:
    (anna,) = players(cast.riverside, "Anna K.")
    (namesake,) = players(cast.hilltop, "Anna K.")
    event = league(cast.riverside)
    add_entrant(by_tests(), event, kind="player", players=[anna])
    note = penalize(event, anna.player_id, "1", "Anna K. was late")
    erase(cast, anna)
    note.refresh_from_db()
    namesake.refresh_from_db()
    assert note.reason == "Player RL01 was late"
    assert namesake.name == "Anna K."
