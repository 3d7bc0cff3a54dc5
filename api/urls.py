"""Addresses below `/api/v1/`, of each subject from its package: no trailing slash, `.csv` beside
every list."""

from django.urls import URLPattern, path, re_path

from api import schema_views
from api.v1.boards import urls as boards
from api.v1.hands import urls as hands
from api.v1.imports import urls as imports
from api.v1.ladders import urls as ladders
from api.v1.playoffs import urls as playoffs
from api.v1.rounds import urls as rounds
from api.v1.standings import urls as standings
from api.v1.urls import club_addresses

urlpatterns: list[URLPattern] = [
    # What is asked most comes first: an address is compared with one pattern after the other.
    *standings.urlpatterns,
    *hands.urlpatterns,
    *club_addresses,
    *ladders.urlpatterns,
    *rounds.urlpatterns,
    *boards.urlpatterns,
    *imports.urlpatterns,
    *playoffs.urlpatterns,
    path("schema", schema_views.schema, name="schema"),
    path("docs", schema_views.reference, name="reference"),
    path("docs/errors.md", schema_views.error_codes, name="error_codes"),
    re_path("", schema_views.unknown_address, name="unknown_address"),
]
