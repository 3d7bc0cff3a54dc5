"""Addresses of events below `/api/v1/`."""

from django.urls import URLPattern, path

from api.openapi import together
from api.v1.addresses import CLUB, EVENT, SEASON
from api.v1.events import create_event, entrants, events, seasons, settings

urlpatterns: list[URLPattern] = [
    *seasons.SEASONS.paths(f"{CLUB}/seasons", writes=seasons.create_season_view),
    path(SEASON, together(seasons.read_season, seasons.change_season_view), name="read_season"),
    path(f"{SEASON}/retry", seasons.retry_season_view, name="retry_season"),
    path(f"{SEASON}/standings", seasons.read_season_standings, name="read_season_standings"),
    path(
        f"{SEASON}/standings.csv",
        seasons.read_season_standings_csv,
        name="read_season_standings_csv",
    ),
    path(
        f"{SEASON}/publications/<number:number>",
        seasons.read_season_publication,
        name="read_season_publication",
    ),
    path(
        f"{SEASON}/publications/<number:number>.csv",
        seasons.read_season_publication_csv,
        name="read_season_publication_csv",
    ),
    *events.EVENTS.paths(f"{CLUB}/events", writes=create_event.create_event_view),
    path(
        EVENT,
        together(events.read_event, events.change_event_view, events.delete_event_view),
        name="read_event",
    ),
    path(f"{EVENT}/state", events.move_event_view, name="move_event"),
    path(f"{EVENT}/use-version", events.use_house_version_view, name="use_house_version"),
    path(f"{EVENT}/copy", create_event.copy_event_view, name="copy_event"),
    path(f"{EVENT}/archive", events.archive_event_view, name="archive_event"),
    path(f"{EVENT}/unarchive", events.unarchive_event_view, name="unarchive_event"),
    path(
        f"{EVENT}/settings",
        together(settings.read_settings, settings.change_settings_view),
        name="read_settings",
    ),
    *entrants.ENTRANTS.paths(f"{EVENT}/entrants", writes=entrants.add_entrant_view),
    path(f"{EVENT}/entrants/<name:entrant>", entrants.change_entrant_view, name="change_entrant"),
    path(f"{EVENT}/entrants/<name:entrant>/state", entrants.move_entrant_view, name="move_entrant"),
    path(f"{EVENT}/rosters", entrants.add_entrants_view, name="add_entrants"),
    *entrants.LEDGER.paths(f"{EVENT}/ledger", writes=entrants.add_ledger_line),
    path(
        f"{EVENT}/ledger/<number:number>/withdraw",
        entrants.withdraw_ledger_line,
        name="withdraw_ledger_line",
    ),
    *settings.CHANGES.paths(f"{EVENT}/changes"),
    *events.JOBS.paths(f"{EVENT}/jobs"),
    path(f"{EVENT}/jobs/retry", events.retry_jobs_view, name="retry_jobs"),
]
