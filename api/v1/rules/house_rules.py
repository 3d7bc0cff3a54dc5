"""A club's own variants: its house rules, version by version: read, created and deleted."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import (
    NUMBER_OR_ANY,
    etag_parameter,
    if_match_number,
    if_match_parameter,
    location_parameter,
)
from api.idempotency import created, idempotent_write, json_answer
from api.lists import Flat, listing
from api.media_types import TOML
from api.openapi import reading
from api.openapi_document import OptionsField
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import StrictField, bad_setting
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.addresses import requested_club
from api.v1.fields import RuleOptionsField
from api.v1.rules.variants import SEATS, EntrySchemaSerializer, entry_schema
from scoring.errors import Problem, shown
from scoring.json_types import JsonDict, JsonObject
from scoring.rules.rules import Rules
from tournaments.documents.rule_files import rule_file
from tournaments.domain.etags import etag
from tournaments.errors import Conflict
from tournaments.models.clubs import Club
from tournaments.models.variants import HouseVersion
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.rules.house_rules import (
    get_house_rules,
    get_version_at,
    house_rules_of,
    list_versions,
    newest,
)
from tournaments.selectors.rules.rule_sets import variants
from tournaments.services.operations import Operation
from tournaments.services.rules.house_rules import (
    ACT,
    HouseRulesDraft,
    add_version,
    archive_house_rules,
    chosen_for,
    chosen_in,
    chosen_rules,
    delete_version,
    make_house_rules,
    read_house_file,
)

FILE_NAME: Final = "toml"
"""The name of a file in messages, where it came in a field of JSON."""


IF_MATCH: Final = if_match_parameter(
    'The number of the newest version that you read, such as `"1"`, or `*`', form=NUMBER_OR_ANY
)
ETAG: Final = etag_parameter("Number of the new version, for the next `If-Match`.", 201)
ETAG_OF_NEWEST: Final = etag_parameter("Number of the newest version, for `If-Match`.", 200)
LOCATION: Final = location_parameter("The address of the version.")


class HouseVersionSerializer(OutputSerializer):
    """A version of house rules, without its options and rules."""

    id = serializers.CharField(help_text="Id of the version, for use in sheets, events and hands.")
    slug = serializers.CharField()
    version = serializers.IntegerField()
    name = serializers.CharField()
    title = serializers.CharField(help_text="Name of the house rules with the version.")
    summary = serializers.CharField(allow_blank=True)
    base = serializers.CharField(allow_blank=True, help_text="Id of the variant it is based on.")
    archived = serializers.BooleanField(help_text="Whether the house rules are no longer offered.")
    made_at = serializers.DateTimeField()


class HouseRulesSerializer(HouseVersionSerializer):
    """House rules with the data of their newest version, without options and rules."""


class HouseVersionDetailSerializer(HouseVersionSerializer):
    """A version of house rules with its options and rules."""

    options = OptionsField(help_text="Options that the club chose for the variant.")
    rules = serializers.DictField(help_text="Complete rules; docs/rules-engine.md lists the keys.")


class RuleTextField(StrictField, serializers.CharField):
    """A text of any length; services validate it."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, str):
            raise bad_setting(self, shown(data), "a text")
        return data


class ChosenOptionsField(RuleOptionsField):
    """Options of rules; null is none."""

    takes_null = True


class NewVersionSerializer(StrictSerializer):
    """The content of a version: a variant with options, or a variant file as text."""

    base = RuleTextField(
        required=False,
        help_text="Id of the variant to start from; by default that of the newest version.",
    )
    options = ChosenOptionsField(
        required=False, help_text="Options of the variant; docs/variant-options.md lists them."
    )
    summary = RuleTextField(required=False, help_text="One sentence about the house rules.")
    toml = RuleTextField(required=False, help_text="Text of a variant file, instead of options.")

    def body_problems(self, body: Mapping[str, object]) -> Iterator[Problem]:
        if "toml" in body and {"base", "options", "summary"} & set(body):
            facts = {"found": "toml", "expected": "a file alone, or base, options and summary"}
            yield Problem("unknown_member", ("toml",), facts)


class NewHouseRulesSerializer(NewVersionSerializer):
    """New house rules, with the content of their first version."""

    order = ("name", "slug", "base", "options", "summary", "toml")

    name = RuleTextField(required=False, help_text="Name; required without a file.")
    slug = RuleTextField(required=False, help_text="Slug; by default made from the name.")


class DeletedSerializer(OutputSerializer):
    """The deleted version."""

    id = serializers.CharField()
    stays = serializers.BooleanField(help_text="Whether the house rules have a version left.")


def _row(version: HouseVersion) -> Flat:
    house = version.variant
    return {
        "id": version.code,
        "slug": house.slug,
        "version": version.number,
        "name": house.name,
        "title": version.title,
        "summary": version.about.get("summary", ""),
        "base": version.base,
        "archived": house.is_archived,
        "made_at": version.made_at,
        "options": version.options,
        "rules": version.rules,
    }


COLUMNS: Final = ("id", "slug", "version", "name", "title", "summary", "base", "archived")


@listing("house_rules", HouseRulesSerializer, columns=COLUMNS)
def list_house_rules(actor: Actor, club: str) -> Sequence[Flat]:
    """The house rules of a club, each with its newest version."""
    return [_row(newest(house_variant)) for house_variant in house_rules_of(get_club(actor, club))]


@listing("house_versions", HouseVersionSerializer, columns=COLUMNS)
def list_house_versions(actor: Actor, club: str, house: str) -> Sequence[Flat]:
    """The versions of house rules, the newest first."""
    return [
        _row(house_version)
        for house_version in list_versions(get_house_rules(get_club(actor, club), house))
    ]


@reading("read_house_rules", HouseVersionDetailSerializer)
def read_house_rules(request: Request, club: str, house: str) -> HttpResponseBase:
    """The newest version of house rules."""
    return _shown(newest(get_house_rules(get_club(caller(request), club), house)))


@reading("read_house_version", HouseVersionDetailSerializer)
def read_house_version(request: Request, club: str, house: str, number: int) -> HttpResponseBase:
    """One version of house rules."""
    return _shown(get_version_at(get_house_rules(get_club(caller(request), club), house), number))


@reading("read_house_version_toml", None, media_type=TOML)
def read_house_version_toml(
    request: Request, club: str, house: str, number: int
) -> HttpResponseBase:
    """One version of house rules as a variant file."""
    house_variant = get_house_rules(get_club(caller(request), club), house)
    text = rule_file(get_version_at(house_variant, number), variants())
    headers = {"Content-Disposition": f'inline; filename="{house_variant.slug}.toml"'}
    return HttpResponse(text, content_type=f"{TOML}; charset=utf-8", headers=headers)


@reading("read_house_entry_schema", EntrySchemaSerializer, parameters=(SEATS,))
def read_house_entry_schema(request: Request, club: str, house: str) -> JsonDict:
    """The boxes of a score sheet under the newest version of house rules."""
    house_version = newest(get_house_rules(get_club(caller(request), club), house))
    return entry_schema(request, Rules.from_json(house_version.rules))


@reading("read_house_version_entry_schema", EntrySchemaSerializer, parameters=(SEATS,))
def read_house_version_entry_schema(
    request: Request, club: str, house: str, number: int
) -> JsonDict:
    """The boxes of a score sheet under one version of house rules."""
    house_version = get_version_at(get_house_rules(get_club(caller(request), club), house), number)
    return entry_schema(request, Rules.from_json(house_version.rules))


@idempotent_write(
    HouseVersionDetailSerializer,
    NewHouseRulesSerializer,
    status=201,
    tells=(LOCATION, ETAG),
    operation=make_house_rules,
)
def make_house_rules_view(request: Request, club: str) -> HttpResponse:
    """Create house rules from a variant and options, or from a variant file.

    If there are problems, the answer lists all of them (422) and nothing is stored.
    """
    actor, content = known_caller(request), validated(request, NewHouseRulesSerializer)
    current_club = get_club(actor, club)
    name, slug = content.get("name", ""), content.get("slug", "")
    if "toml" in content:
        read = read_house_file(content["toml"].encode(), FILE_NAME)
        name, slug = name or read.variant.name, slug or read.variant.id
        chosen = chosen_in(read)
    else:
        chosen = _chosen(content.get("base", ""), content)
    house_version = make_house_rules(
        Operation(actor, timezone.now()), current_club, name=name, slug=slug, chosen=chosen
    )
    return _made(current_club, house_version)


@idempotent_write(
    HouseVersionDetailSerializer,
    NewVersionSerializer,
    status=201,
    asks=(IF_MATCH,),
    tells=(LOCATION, ETAG),
    operation=add_version,
)
def add_house_version_view(request: Request, club: str, house: str) -> HttpResponse:
    """Create the next version of house rules; existing tables keep their version.

    `If-Match` is the number of the newest version that you read. Without it the answer is 428; if
    somebody created another version meanwhile it is 412, with the newest version (`there`).
    """
    actor, current_club = requested_club(request, club)
    house_variant = get_house_rules(current_club, house)
    based_on = if_match_number(request, of="newest version")
    body = validated(request, NewVersionSerializer)
    if "toml" in body:
        chosen = chosen_for(house_variant, read_house_file(body["toml"].encode(), FILE_NAME))
    else:
        chosen = _chosen(body["base"] if "base" in body else newest(house_variant), body)
    try:
        house_version = add_version(
            Operation(actor, timezone.now()), house_variant, chosen=chosen, based_on=based_on
        )
    except Conflict as conflict:
        if isinstance(conflict.there, HouseVersion):
            there = plain(HouseVersionDetailSerializer)(_row(conflict.there))
            raise Conflict(conflict.problem, there=there) from conflict
        raise
    return _made(current_club, house_version)


@idempotent_write(DeletedSerializer, None, method="DELETE", operation=delete_version)
def delete_house_version_view(request: Request, club: str, house: str, number: int) -> JsonDict:
    """Delete a version of house rules; with the last version the house rules are deleted.

    If events use the version, the answer is 409 and names them.
    """
    actor = known_caller(request)
    version = get_version_at(get_house_rules(get_club(actor, club), house), number)
    stays = delete_version(Operation(actor, timezone.now()), version)
    return {"id": version.code, "stays": stays}


def _set_archived(request: Request, club: str, house: str, *, archived: bool) -> HttpResponse:
    actor, home = requested_club(request, club, act=ACT)
    house_variant = get_house_rules(home, house)
    validated(request, EmptyBody)
    archive_house_rules(Operation(actor, timezone.now()), house_variant, archived=archived)
    version = newest(get_house_rules(home, house))
    return json_answer(plain(HouseVersionDetailSerializer)(_row(version)), tag=etag(version.number))


@idempotent_write(
    HouseVersionDetailSerializer, EmptyBody, tells=(ETAG_OF_NEWEST,), operation=archive_house_rules
)
def archive_house_rules_view(request: Request, club: str, house: str) -> HttpResponse:
    """Archive house rules, so that they are no longer offered; events that use them go on."""
    return _set_archived(request, club, house, archived=True)


@idempotent_write(
    HouseVersionDetailSerializer, EmptyBody, tells=(ETAG_OF_NEWEST,), operation=archive_house_rules
)
def unarchive_house_rules_view(request: Request, club: str, house: str) -> HttpResponse:
    """Offer archived house rules again."""
    return _set_archived(request, club, house, archived=False)


def _shown(version: HouseVersion) -> Response:
    number = newest(version.variant).number
    return Response(
        plain(HouseVersionDetailSerializer)(_row(version)), headers={"ETag": etag(number)}
    )


def _made(club: Club, version: HouseVersion) -> HttpResponse:
    body = plain(HouseVersionDetailSerializer)(_row(version))
    at = (club.slug, version.variant.slug, version.number)
    return created(body, "read_house_version", *at, tag=etag(version.number))


def _chosen(begin: str | HouseVersion, content: JsonObject) -> HouseRulesDraft:
    return chosen_rules(begin, content.get("options", {}), content.get("summary", ""))
