"""Addresses of rules below `/api/v1/`."""

from django.urls import URLPattern, path

from api.openapi import together
from api.v1.addresses import CLUB, HOUSE, VERSION
from api.v1.rules import house_rules, score, variants

urlpatterns: list[URLPattern] = [
    *house_rules.HOUSE_RULES.paths(f"{CLUB}/variants", writes=house_rules.make_house_rules_view),
    path(HOUSE, house_rules.read_house_rules, name="read_house_rules"),
    path(f"{HOUSE}/archive", house_rules.archive_house_rules_view, name="archive_house_rules"),
    path(
        f"{HOUSE}/unarchive", house_rules.unarchive_house_rules_view, name="unarchive_house_rules"
    ),
    path(
        f"{HOUSE}/entry-schema", house_rules.read_house_entry_schema, name="read_house_entry_schema"
    ),
    *house_rules.VERSIONS.paths(f"{HOUSE}/versions", writes=house_rules.add_house_version_view),
    path(
        VERSION,
        together(house_rules.read_house_version, house_rules.delete_house_version_view),
        name="read_house_version",
    ),
    path(f"{VERSION}.toml", house_rules.read_house_version_toml, name="read_house_version_toml"),
    path(
        f"{VERSION}/entry-schema",
        house_rules.read_house_version_entry_schema,
        name="read_house_version_entry_schema",
    ),
    *variants.VARIANTS.paths("variants"),
    path("variants/<name:variant>", variants.read_variant, name="read_variant"),
    path("variants/<name:variant>/card", variants.read_rules_card, name="read_rules_card"),
    path(
        "variants/<name:variant>/entry-schema", variants.read_entry_schema, name="read_entry_schema"
    ),
    path("score", score.score, name="score"),
]
