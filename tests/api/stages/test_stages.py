"""Stages over REST: planned, changed, begun, cut and read, and who may."""

import json
from typing import Any

from tests.api.conftest import Evening
from tests.support.answers import post_json
from tests.support.builders import hand, table
from tests.support.rest.requests import SignIn, codes
from tests.support.scenarios.cuts import close
from tournaments.models.events import Stage


def test_question_is_answered_and_cut_is_undone(over: Evening, signed_in: SignIn) -> None:
    dirk = signed_in("dirk")
    post_json(dirk, f"{over.at}/stages", {"cut": 2})
    nothing = post_json(dirk, f"{over.at}/stages/2/answer", {"answer": "keep", "reason": "So."})
    assert (nothing.status_code, codes(nothing)) == (409, ["nothing_asked"])
    stage = Stage.objects.get(number=2)
    stage.asked = {"facts": {"above": 2, "tie": False, "come": "RL04", "go": "RL01"}, "would": []}
    stage.save()
    assert (
        over.cast.client().get(f"{over.at}/stages").json()["results"][1]["asked"]["come"] == "RL04"
    )
    response = post_json(dirk, f"{over.at}/stages/2/answer", {"answer": "keep", "reason": "So."})
    assert (response.status_code, response.json()["asked"]) == (200, None)
    gone = post_json(dirk, f"{over.at}/stages/2/undo", {"reason": "Too early."})
    assert (gone.status_code, gone.json()["number"]) == (200, 2)
    assert len(over.cast.client().get(f"{over.at}/stages").json()["results"]) == 1


def sent(client: Any, method: str, path: str, body: object, tag: str = "*") -> Any:
    headers = {"If-Match": tag} if tag else {}
    return client.generic(method, path, json.dumps(body), "application/json", headers=headers)


def test_stage_is_planned_changed_moved_begun_and_undone(over: Evening, signed_in: SignIn) -> None:
    dirk = signed_in("dirk")
    response = post_json(
        dirk,
        f"{over.at}/stages",
        {"movement": "knockout", "name": "Final", "advance": {"best": 2}, "table_sizes": [4, 3]},
    )
    assert (response.status_code, response.json()["state"]) == (201, "planned")
    assert response.json()["advance"] == {"best": 2}
    post_json(dirk, f"{over.at}/stages", {"movement": "swiss"})
    changed = sent(dirk, "PATCH", f"{over.at}/stages/3", {"rounds": 2, "carry": "half"})
    assert (changed.status_code, changed.json()["planned_rounds"]) == (200, 2)
    moved = sent(dirk, "PATCH", f"{over.at}/stages/3", {"number": 2})
    assert (moved.json()["number"], moved.json()["kind"]) == (2, "swiss")
    gone = sent(dirk, "DELETE", f"{over.at}/stages/2", {})
    assert (gone.status_code, gone.json()["kind"]) == (200, "swiss")
    read = over.cast.client().get(f"{over.at}/stages/2").json()
    assert (read["name"], read["state"], read["from_stage"]) == ("Final", "planned", 1)
    begun = post_json(dirk, f"{over.at}/stages/2/begin", {})
    assert (begun.status_code, begun.json()["cut"], len(begun.json()["went_on"])) == (200, 2, 2)
    assert post_json(dirk, f"{over.at}/stages/2/undo", {"reason": "Too early."}).status_code == 200
    assert Stage.objects.get(number=2).plan == "planned"


def test_bracket_has_seeds_then_tables_and_who_went_on(over: Evening, signed_in: SignIn) -> None:
    dirk = signed_in("dirk")
    post_json(dirk, f"{over.at}/stages", {"movement": "knockout", "name": "Cup"})
    public = over.cast.client()
    first = public.get(f"{over.at}/stages/2/bracket").json()
    assert (first["rounds"], len(first["seeds"]), first["seeding"]) == ([], 4, "standings")
    lots = public.get(f"{over.at}/stages/2/bracket?seeding=lot").json()
    assert sorted(seed["player_id"] for seed in lots["seeds"]) == ["RL01", "RL02", "RL03", "RL04"]
    assert public.get(f"{over.at}/stages/2/bracket?seeding=age").status_code == 400
    assert public.get(f"{over.at}/stages/1/bracket").status_code == 404
    post_json(dirk, f"{over.at}/stages/2/begin", {})
    hand(table(over.event, over.people, round_number=2), 1, [1, 2, 4, 6], 3)
    close(over.event, 2)
    post_json(dirk, f"{over.at}/stages", {"advance": {"each_table": 2}, "movement": "knockout"})
    post_json(dirk, f"{over.at}/stages/3/begin", {})
    drawn = public.get(f"{over.at}/stages/3/bracket").json()
    assert drawn["seeds"] == []
    (round_,) = drawn["rounds"]
    (cup,) = round_["tables"]
    assert [(row["player_id"], row["place"], row["went_on"]) for row in cup["entrants"]] == [
        ("RL01", 1, True), ("RL02", 2, True), ("RL03", 3, False), ("RL04", 4, False),
    ]  # fmt: skip
    page = public.get(f"/clubs/riverside/events/{over.event.slug}/stages/3/bracket")
    assert page.status_code == 200
    assert page.content.decode().count("went on</span>") == 2
