"""The next season from this one: what goes over, what does not, and who may."""

import pytest

from tests.support.answers import Answer
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import beside, text_of
from tournaments.domain.event_settings import settings_of
from tournaments.models.audit import AuditLine
from tournaments.models.events import Entrant, EntrantMember, Event, Stage
from tournaments.models.standings import Aggregate

NEXT = "/clubs/riverside/events/league/next"
SETTINGS = {"primary": "wins", "tie_breaks": ["h2h", "lot"], "min_games": 3}


@pytest.fixture
def event(cast: Cast) -> Event:
    """A league of four in which one withdrew after the first hand."""
    event = league(cast.riverside, settings=SETTINGS, visibility="members")
    game = table(event, players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S."))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    Entrant.objects.filter(event=event, code="RL03").update(state="withdrawn")
    return event


def competing(event: Event) -> list[tuple[str, str]]:
    """Code of each entrant with the id of its player."""
    members = EntrantMember.objects.filter(event=event).order_by("entrant__code")
    return list(members.values_list("entrant__code", "player__player_id"))


def made(cast: Cast, **typed: str) -> Answer:
    form = {"name": "League 2026", "slug": "", "players": "on"} | typed
    return cast.client("dirk").post(NEXT, form, follow=True)


def test_next_season_has_the_game_the_settings_and_the_players_and_no_result(
    cast: Cast, event: Event
) -> None:
    page = made(cast)
    assert page.redirect_chain == [("/clubs/riverside/events/league-2026/direct", 302)]
    assert "League 2026 created with 3 entrants." in text_of(page)
    after = Event.objects.get(slug="league-2026")
    assert (after.state, after.kind, after.visibility) == ("draft", "league", "members")
    assert (after.variant, settings_of(after)) == (event.variant, settings_of(event))
    assert after.seed != event.seed
    assert competing(after) == [("RL01", "RL01"), ("RL02", "RL02"), ("RL04", "RL04")]
    assert Aggregate.objects.filter(event=after).count() == 0
    assert AuditLine.objects.get(act="make_next_event").facts == {"after": "league", "entrants": 3}


def test_next_season_has_the_stages_and_none_has_begun(cast: Cast, event: Event) -> None:
    club = event.club
    Stage.objects.filter(event=event).update(kind="swiss", planned_rounds=5, table_sizes=[4, 3])
    first = Stage.objects.get(event=event)
    Stage.objects.create(club=club, event=event, number=2, kind="playoff")
    Stage.objects.create(
        club=club, event=event, number=3, name="Final", kind="individual", cut=4, cut_at=NOW,
        advance={"best": 4}, from_stage=first, carry="half", seeding="lot", plan="begun",
        also_from=first, also_best=2,
    )  # fmt: skip
    made(cast)
    copies = Stage.objects.filter(event__slug="league-2026").order_by("number")
    assert [(one.number, one.name, one.kind, one.plan, one.cut) for one in copies] == [
        (1, "", "swiss", "", None),
        (2, "Final", "individual", "planned", None),
    ]
    one, final = copies
    assert (one.planned_rounds, one.table_sizes) == (5, [4, 3])
    assert (final.advance, final.carry, final.seeding) == ({"best": 4}, "half", "lot")
    assert (final.from_stage, final.cut_at) == (one, None)
    assert (final.also_from, final.also_best) == (one, 2)


def test_next_season_may_begin_without_players(cast: Cast, event: Event) -> None:
    made(cast, players="")
    assert competing(Event.objects.get(slug="league-2026")) == []


def test_name_is_asked_for_and_not_the_old_one_again(cast: Cast, event: Event) -> None:
    shown = cast.client("dirk").get(NEXT).content.decode()
    assert f'value="{event.name}"' not in shown
    assert 'name="name"' in shown


def test_name_that_is_missing_makes_nothing(cast: Cast, event: Event) -> None:
    refused = made(cast, name="")
    assert refused.status_code == 422
    assert (
        beside(refused, "name") == "Enter a name with at least one visible letter, digit or symbol."
    )
    assert Event.objects.count() == 1


@pytest.mark.parametrize(("who", "status"), [("", 302), ("piet", 403), ("nora", 403)])
def test_only_directors_make_the_next_season(
    cast: Cast, event: Event, who: str, status: int
) -> None:
    assert cast.client(who).get(NEXT).status_code == status
    assert cast.client(who).post(NEXT, {"name": "League 2026"}).status_code == status
    assert Event.objects.count() == 1
