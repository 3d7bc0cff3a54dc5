"""An evening in an installation's own database, and how its event stands."""

import json

from tests.support.builders import hand, league, players, table
from tests.support.cast import enter_the_cast
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.standings import Publication
from tournaments.services.publishing import rank_and_render


def evening() -> Game:
    """Seat a table of the Riverside league; no hand is entered yet."""
    riverside = enter_the_cast().riverside
    seated = players(riverside, "Elsa D.", "Ilse K.", "Leo K.", "Anton S.")
    return table(league(riverside), seated)


def enter(game: Game, number: int) -> None:
    """Enter a hand; its scores follow from its number."""
    gift = number % 12 + 1
    hand(game, number, [gift, 13 - gift, 0, 0], queen=number % 4)


def is_published(event_id: int) -> bool:
    row = Dirty.objects.get(scope=event_scope(event_id))
    return row.done == row.version


def newest(event_id: int) -> Publication:
    return Publication.objects.filter(event=event_id).latest("number")


def remainder(publication: Publication) -> bytes:
    """The publication's bytes without its member `publication`."""
    body = json.loads(bytes(publication.body))
    del body["publication"]
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def computed_anew(event_id: int) -> bytes:
    event = Event.objects.select_related("club", "season").get(pk=event_id)
    return rank_and_render.render_draft(rank_and_render.draft_standings(event)).body


def numbers(event_id: int) -> list[int]:
    publications = Publication.objects.filter(event=event_id).order_by("number")
    return list(publications.values_list("number", flat=True))
