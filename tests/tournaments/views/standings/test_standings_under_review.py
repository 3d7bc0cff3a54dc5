"""A correction that touches a finished play-off: readers see "Under review", directors decide, and
only then the standings are published; on pages and over REST."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from tests.support.answers import Answer, Json
from tests.support.cast import Cast
from tests.support.comparisons.stored_rows import rows_of_everything
from tests.support.pages.hand_entry import hidden
from tests.support.pages.text import text_of
from tests.support.scenarios.playoffs import look
from tests.support.scenarios.standings_under_review import API, EVENT, ONE, TOTALS, decided
from tournaments.models.events import Event


@pytest.fixture
def event(cast: Cast) -> Event:
    """Totals of four hands: A, B and C tied with 20; A has won the play-off, B is second."""
    return decided(cast)


class Director:
    def __init__(self, client: Client) -> None:
        self.client = client
        self.form: Answer = client.get(TOTALS)

    def look_at(self, *totals: int, reason: str = "Misread.") -> Answer:
        kept = {name: values[0] for name, values in hidden(self.form).items()}
        typed = {f"points-{seat}": total for seat, total in enumerate(totals, start=1)}
        self.shown = self.client.post(TOTALS, kept | typed | {"hands": "4", "reason": reason})
        return self.shown

    def save(self, reason: str = "Misread.") -> Answer:
        kept = {name: values[0] for name, values in hidden(self.shown).items()}
        return self.client.post(TOTALS, kept | {"go": "save", "reason": reason}, follow=True)


def standings() -> Json:
    body: dict[str, Any] = json.loads(Client().get(f"{API}/standings").content)
    return body


def places(body: Json) -> dict[str, tuple[object, object]]:
    return {row["player"]: (row["rank"], row["points"]) for row in body["rows"]}


def number() -> int:
    return int(standings()["publication"]["number"])


def under_review() -> Json | None:
    found: Json | None = Client().get(API).json()["under_review"]
    return found


def on_the_page() -> dict[str, str]:
    page = Client().get(EVENT).content.decode()
    matches = re.findall(r'<tr id="RL0(\d)"><td class="pl">([^<]*)</td>', page)
    return {"ABCD"[int(seat) - 1]: place for seat, place in matches}


def test_totals_are_previewed_as_a_hand_is_and_nothing_is_written(cast: Cast, event: Event) -> None:
    dirk, before = Director(cast.client("dirk")), rows_of_everything()
    shown = dirk.look_at(20, 20, 24, 40)
    page = text_of(shown)
    assert shown.status_code == 200
    assert "Correct totals Not saved yet" in page
    assert "Play-off 1 (A · B · C): the play-off is finished, but the tie has changed." in page
    assert (
        f"Readers see publication {number()} and “Under review” until a director decides." in page
    )
    assert "C 20 → then 24" in page
    assert rows_of_everything() == before
    response = cast.client("dirk").post(
        f"{API}/tables/r1t1/hands/0/preview",
        {"entry": {"points": [20, 20, 24, 40]}, "hands": 4},
        content_type="application/json",
        headers={"If-Match": '"1"'},
    )
    assert response.status_code == 200, response.content
    assert response.json()["publication"] == {
        "before": number(),
        "after": number(),
        "under_review": True,
    }
    assert response.json()["playoffs"][0]["what"] == "asked"
    digest = {name: one[0] for name, one in hidden(shown).items()}["previewed"]
    assert response.json()["digest"] == digest
    # Without a reason nothing is saved; "Back to the numbers" keeps what was typed.
    assert dirk.save(reason="").status_code == 422
    kept = {name: values[0] for name, values in hidden(shown).items()}
    back = dirk.client.post(TOTALS, kept | {"go": "back", "reason": ""})
    assert 'value="24"' in back.content.decode()
    assert rows_of_everything() == before


def test_preview_under_review_compares_with_what_readers_see(cast: Cast, event: Event) -> None:
    first = Director(cast.client("dirk"))
    first.look_at(20, 20, 24, 40)
    first.save()
    look(event)
    again = Director(cast.client("dirk"))
    page = text_of(again.look_at(20, 20, 25, 39))
    assert "Points 20 → then 25" in page, "readers see 20, whatever is saved since"
    assert f"Readers see publication {number()} and “Under review”" in page
    back = text_of(again.look_at(20, 20, 20, 44))
    assert f"Publication {number()} stays the newest publication." in back


@pytest.mark.parametrize("answer", ["keep", "redo"])
def test_director_decides_before_it_is_published(cast: Cast, event: Event, answer: str) -> None:
    first, was = number(), places(standings())
    assert was == {"A": (1, 20), "B": (2, 20), "C": (3, 20), "D": (4, 44)}
    dirk = Director(cast.client("dirk"))
    dirk.look_at(20, 20, 24, 40)
    assert "saved as revision 2" in text_of(dirk.save())
    look(event)
    # Readers see what was published, and that it is under review; REST says the same.
    assert (number(), places(standings())) == (first, was)
    read = text_of(Client().get(EVENT))
    assert "Under review since" in read
    assert "Under review: play-off 1" in read
    assert "Decide play-off 1" not in read
    assert "Under review" in text_of(Client().get(f"{EVENT}/playoffs"))
    assert "Under review" in text_of(Client().get(ONE))
    assert on_the_page() == {name: str(place) for name, (place, _) in was.items()}
    review = under_review() or {}
    assert (review["playoffs"], review["stages"]) == ([1], [])
    # Directors get the question with what each answer does, on the page as over REST.
    assert "Decide play-off 1" in text_of(dirk.client.get(f"{EVENT}/direct"))
    text = text_of(dirk.client.get(ONE))
    assert "If you keep the result" in text
    assert "The tie is not broken" not in text
    assert "If it is replayed Play-off 1 (A · B · C): the play-off becomes void" in text
    assert "Play-off 2 (A and B): the players are tied" in text
    told = {
        one["answer"]: one for one in dirk.client.get(f"{API}/playoffs/1/answers").json()["answers"]
    }
    assert list(told) == ["keep", "redo"]
    assert Client().get(f"{API}/playoffs/1/answers").status_code in (401, 403)
    assert cast.client("hanna").get(f"{API}/playoffs/1/answers").status_code == 403
    # Nothing is published however often the workers look.
    look(event)
    assert number() == first
    typed = {"act": "answer", "answer": answer, "reason": "The sheet was misread."}
    dirk.client.post(f"{ONE}/direct", typed)
    look(event)
    assert under_review() is None
    assert "Under review" not in text_of(Client().get(EVENT))
    now = standings()
    assert now["publication"]["number"] == told[answer]["publication"]["after"]
    foretold = {row["player_id"]: row["after"]["rank"] for row in told[answer]["rows"]["results"]}
    for row in now["rows"]:
        assert row["rank"] == foretold.get(row["player_id"], was[row["player"]][0])
    assert on_the_page() == {
        row["player"]: f"{row['rank']}{'=' if row['tied'] else ''}" for row in now["rows"]
    }
    log = text_of(Client().get(f"{EVENT}/changes"))
    assert "“The sheet was misread.”" in log
    assert {"keep": "Play-off result kept", "redo": "Play-off voided"}[answer] in log
    assert Client().get(f"{API}/changes").json()["results"][0]["reason"] == "The sheet was misread."


def test_correction_that_is_undone_asks_nobody(dirk: Client, event: Event) -> None:
    first = number()
    put = {"entry": {"points": [20, 20, 24, 40]}, "hands": 4, "reason": "Misread."}
    at = f"{API}/tables/r1t1/hands/0"
    done = dirk.put(at, put, content_type="application/json", headers={"If-Match": '"1"'})
    assert done.status_code == 200, done.content
    look(event)
    assert (under_review() or {})["playoffs"] == [1]
    back = put | {"entry": {"points": [20, 20, 20, 44]}, "reason": "It was right."}
    dirk.put(at, back, content_type="application/json", headers={"If-Match": '"2"'})
    look(event)
    assert under_review() is None
    assert number() == first


def test_corrections_that_wait_with_the_question_are_counted(cast: Cast, event: Event) -> None:
    first, dirk = number(), Director(cast.client("dirk"))
    dirk.look_at(20, 20, 24, 40)
    dirk.save()
    look(event)
    late = {"entrant": "RL04", "kind": "penalty", "amount": "2", "reason": "Late."}
    dirk.client.post(f"{API}/ledger", late, content_type="application/json")
    look(event)
    assert (number(), (under_review() or {})["waiting"]) == (first, 2)
    for page in (EVENT, ONE):
        read = text_of(Client().get(page))
        assert "unrelated corrections are not published either" in read
        assert "2 corrections are not published yet" in read
    dirk.client.post(f"{ONE}/direct", {"act": "answer", "answer": "keep", "reason": "They played."})
    look(event)
    assert (number(), under_review()) == (first + 1, None)
    assert {row["player"]: len(row["ledger"]) for row in standings()["rows"] if row["ledger"]} == {
        "D": 1
    }


def test_result_that_leaves_a_tie_is_said_where_others_are_tied(cast: Cast, event: Event) -> None:
    dirk = Director(cast.client("dirk"))
    dirk.look_at(26, 26, 26, 26)
    dirk.save()
    look(event)
    page = text_of(cast.client("dirk").get(ONE))
    keep, _, redo = page.partition("If you keep the result")[2].partition("If it is replayed")
    said = "The tie is not broken: all 4 share place 1, because D did not play in this play-off."
    assert said in keep
    assert said not in redo
    answered = cast.client("dirk").post(
        f"{API}/playoffs/1/answer",
        {"answer": "keep", "reason": "They went home."},
        content_type="application/json",
        headers={"Idempotency-Key": "k"},
    )
    assert answered.json()["is_asked"] is False
    look(event)
    assert {place for place, _points in places(standings()).values()} == {1}
