"""Addresses of standings below `/api/v1/`."""

from django.urls import URLPattern, path

from api.v1.addresses import EVENT, LADDER, PUBLICATION, SEASON
from api.v1.standings import files, history, standings

urlpatterns: list[URLPattern] = [
    path(f"{EVENT}/standings", standings.read_standings, name="read_standings"),
    path(f"{EVENT}/standings.csv", standings.read_standings_csv, name="read_standings_csv"),
    *files.paths(files.SEASON, f"{SEASON}/standings", f"{SEASON}/publications/<number:number>"),
    *standings.PUBLICATIONS.paths(f"{EVENT}/publications"),
    path(PUBLICATION, standings.read_publication, name="read_publication"),
    path(f"{PUBLICATION}.csv", standings.read_publication_csv, name="read_publication_csv"),
    *files.paths(files.STANDINGS, f"{EVENT}/standings", PUBLICATION),
    path(
        f"{PUBLICATION}/difference/<number:other>", history.read_difference, name="read_difference"
    ),
    path(f"{EVENT}/history", history.read_history, name="read_history"),
    path(f"{EVENT}/history.csv", history.read_history_csv, name="read_history_csv"),
    *history.HEAD_TO_HEAD.paths(f"{EVENT}/head-to-head"),
    *history.MET.paths(f"{EVENT}/players/<name:player_id>/head-to-head"),
    *files.paths(files.LADDER, LADDER, f"{LADDER}/publications/<number:number>"),
    *standings.METRICS.paths("metrics"),
]
