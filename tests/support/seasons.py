"""Seasons and the events that belong to them."""

from datetime import datetime

from tournaments.models.events import Event, Season
from tournaments.policy import Actor
from tournaments.services.events.seasons import change_season, preset_of


def assign_event(*, actor: Actor, event: Event, season: Season, now: datetime) -> None:
    there = Event.objects.filter(season=season).values_list("slug", flat=True)
    season.refresh_from_db()
    change_season(
        actor=actor,
        season=season,
        name=season.name,
        starts_on=str(season.starts_on),
        ends_on=str(season.ends_on),
        preset=preset_of(season),
        events=[*there, event.slug],
        now=now,
    )
    event.refresh_from_db(fields=["season"])
