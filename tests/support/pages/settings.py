"""The settings page of a league: its people, its event, its form as it is shown."""

from tests.support.builders import by_tests
from tournaments.domain.event_settings import Settings, settings_of, tag_of
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.services.hands.record_entry import record_totals
from tournaments.views.events.settings_form import fields_of

AT = "/clubs/riverside/events/league/settings"
CHANGE = f"{AT}/change"


def typed(event: Event, **more: str) -> dict[str, str]:
    """The form as shown, with `more` typed otherwise; `tie_breaks_1` is `tie_breaks-1`."""
    event = Event.objects.get(pk=event.pk)
    fields = fields_of(settings_of(event))
    shown = {name: str(value) for name, value in fields.items() if value is not False}
    named = {name.replace("tie_breaks_", "tie_breaks-"): value for name, value in more.items()}
    return shown | {"based_on": tag_of(settings_of(event))} | named


def now(event: Event) -> Settings:
    return settings_of(Event.objects.get(pk=event.pk))


def totals_only(game: Game, *points: int) -> None:
    record_totals(
        by_tests(), game, entry={"points": list(points or (20, 33, 33, 44))}, source="host", hands=5
    )
