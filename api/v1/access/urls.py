"""Addresses of access below `/api/v1/`."""

from django.urls import URLPattern, path

from api.v1.access import table_links, tokens
from api.v1.addresses import CLUB, EVENT

urlpatterns: list[URLPattern] = [
    *tokens.TOKENS.paths("tokens", writes=tokens.create_token_view),
    path("tokens/<name:token>", tokens.revoke_token_view, name="revoke_token"),
    *tokens.CLUB_TOKENS.paths(f"{CLUB}/tokens"),
    path(f"{CLUB}/tokens/<name:token>", tokens.revoke_club_token_view, name="revoke_club_token"),
    *table_links.LINKS.paths(f"{EVENT}/links", writes=table_links.create_link_view),
    path(f"{EVENT}/links/revoke", table_links.revoke_links_view, name="revoke_links"),
    path(f"{EVENT}/links/<name:code>", table_links.revoke_link_view, name="revoke_link"),
    path(
        f"{EVENT}/rounds/<number:number>/links",
        table_links.create_round_links_view,
        name="create_round_links",
    ),
    path(
        f"{EVENT}/rounds/<number:number>/links/revoke",
        table_links.revoke_round_links_view,
        name="revoke_round_links",
    ),
]
