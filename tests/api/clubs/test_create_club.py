"""Clubs made over REST."""

import pytest
from pytest_django import Settings

from tests.support.answers import post_json
from tests.support.cast import Cast
from tests.support.rest.requests import errors, token
from tournaments.models.clubs import Club, Membership

CLUBS = "/api/v1/clubs"


def test_account_makes_a_club_and_owns_it(cast: Cast) -> None:
    piet = cast.client("piet")
    answer = post_json(piet, CLUBS, {"name": " Café  Łódź ", "time_zone": "Europe/Warsaw"})
    assert (answer.status_code, answer["Location"]) == (201, f"{CLUBS}/cafe-lodz")
    there = piet.get(answer["Location"])
    assert (there.json(), there["ETag"]) == (answer.json(), answer["ETag"])
    assert (there.json()["name"], there.json()["time_zone"]) == ("Café Łódź", "Europe/Warsaw")
    made = Club.objects.get(slug="cafe-lodz")
    member = Membership.objects.get(club=made)
    assert (member.user, member.role) == (cast.users["piet"], "owner")


def test_everything_wrong_is_in_one_answer(cast: Cast) -> None:
    answer = post_json(
        cast.client("piet"),
        CLUBS,
        {"name": "", "slug": "A b", "time_zone": "Mars/Base", "language": "xx"},
    )
    assert answer.status_code == 422
    assert {place for _code, place in errors(answer)} == {
        "/name", "/slug", "/time_zone", "/language",
    }  # fmt: skip


def test_address_that_is_taken_is_refused(cast: Cast) -> None:
    body = {"name": "Riverside", "slug": "riverside"}
    taken = post_json(cast.client("piet"), CLUBS, body)
    assert (taken.status_code, errors(taken)) == (409, [("slug_taken", "/slug")])


@pytest.mark.parametrize(
    ("more", "scope", "status"),
    [((), "manage", 201), ((), "enter", 403), (("--club", "riverside"), "manage", 403)],
)
def test_token_makes_a_club_where_it_is_bound_to_none(
    cast: Cast, more: tuple[str, ...], scope: str, status: int
) -> None:
    headers = {"Authorization": f"Bearer {token('olga', scope, *more)}"}
    answer = post_json(cast.client(), CLUBS, {"name": "Lakeside"}, **headers)
    assert answer.status_code == status, answer.content


def test_site_may_reserve_clubs_for_its_administrators(cast: Cast, settings: Settings) -> None:
    settings.RESERVE_CLUBS = True
    assert post_json(cast.client("olga"), CLUBS, {"name": "Lakeside"}).status_code == 403
    assert post_json(cast.client(), CLUBS, {"name": "Lakeside"}).status_code == 401
