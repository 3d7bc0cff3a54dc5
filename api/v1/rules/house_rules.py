"""A club's own variants: its house rules, version by version, read, made and deleted."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.fast_serialization import plain
from api.idempotency import KEY, REPLAYED_HEADER, answered_once
from api.openapi import TOML, reading, writing
from api.option_schema import OptionsField
from api.pagination import Flat, Listing
from api.preconditions import if_match
from api.query_parameters import allow_only
from api.v1.rules.variants import SEATS, EntrySchemaSerializer, entry_schema
from scoring.errors import Problem, Refused, shown
from scoring.rules.rules import Rules
from tournaments.errors import Conflict
from tournaments.exporters.rule_files import rule_file
from tournaments.models.clubs import Club
from tournaments.models.variants import HouseVersion
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import club_at
from tournaments.selectors.rules.house_rules import (
    house_rules_at,
    house_rules_of,
    newest,
    version_at,
    versions,
)
from tournaments.services.rules.house_rules import (
    HouseRulesDraft,
    add_version,
    choose,
    chosen_for,
    chosen_in,
    delete_version,
    make_house_rules,
    read_house_file,
)
from tournaments.services.rules.rule_sets import variants

FILE_NAME: Final = "toml"
"""What a file that came in a field of JSON is called in what is said about it."""

_VERSION: Final = ("base", "options", "summary", "toml")
_NEW: Final = ("name", "slug", *_VERSION)

IF_MATCH: Final = OpenApiParameter(
    "If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, required=False,
    description='The number of the newest version that you looked at, as in `"1"`; without it 428.',
)  # fmt: skip
ETAG: Final = OpenApiParameter(
    "ETag", OpenApiTypes.STR, OpenApiParameter.HEADER, response=[201],
    description="The number of the version, for the next one.",
)  # fmt: skip
LOCATION: Final = OpenApiParameter(
    "Location", OpenApiTypes.URI_REF, OpenApiParameter.HEADER, response=[201],
    description="The address of the version.",
)  # fmt: skip


class HouseVersionSerializer(serializers.Serializer[Any]):
    """A version of house rules in short."""

    id = serializers.CharField(help_text="What sheets, events and hands call this version.")
    slug = serializers.CharField()
    version = serializers.IntegerField()
    name = serializers.CharField()
    title = serializers.CharField(help_text="The name with the version.")
    summary = serializers.CharField(allow_blank=True)
    base = serializers.CharField(allow_blank=True, help_text="Id of the variant it began with.")
    archived = serializers.BooleanField(help_text="Whether it is offered no more.")
    made_at = serializers.DateTimeField()


class HouseRulesSerializer(HouseVersionSerializer):
    """House rules as their newest version has them, in short."""


class HouseVersionDetailSerializer(HouseVersionSerializer):
    """A version of house rules, whole."""

    options = OptionsField(help_text="What the club chose over it.")
    rules = serializers.DictField(help_text="The resolved rules; keys as in docs/rules-engine.md.")


class NewVersionSerializer(serializers.Serializer[Any]):
    """What a version is made of: options, or a file of rules as a text."""

    base = serializers.CharField(
        required=False, help_text="A variant to begin with; as the newest version without it."
    )
    options = OptionsField(required=False, help_text="As docs/scoring/options.md says.")
    summary = serializers.CharField(required=False, help_text="One sentence.")
    toml = serializers.CharField(required=False, help_text="A variant file, instead of the others.")


class NewHouseRulesSerializer(NewVersionSerializer):
    """New house rules and what their first version is made of."""

    name = serializers.CharField(required=False, help_text="Needed where no file has one.")
    slug = serializers.CharField(required=False, help_text="Made from the name without it.")


class DeletedSerializer(serializers.Serializer[Any]):
    """What was deleted."""

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


def _newest_of(actor: Actor, club: str) -> Sequence[Flat]:
    """The club's house rules, each with its newest version."""
    return [_row(newest(one)) for one in house_rules_of(club_at(actor, club))]


def _versions_of(actor: Actor, club: str, house: str) -> Sequence[Flat]:
    """The versions of house rules, the newest first."""
    return [_row(one) for one in versions(house_rules_at(club_at(actor, club), house))]


COLUMNS: Final = ("id", "slug", "version", "name", "title", "summary", "base", "archived")
HOUSE_RULES: Final = Listing(
    name="house_rules", shape=HouseRulesSerializer, rows=_newest_of, columns=COLUMNS
)
VERSIONS: Final = Listing(
    name="house_versions", shape=HouseVersionSerializer, rows=_versions_of, columns=COLUMNS
)


@reading("read_house_rules", HouseVersionDetailSerializer)
def read_house_rules(request: Request, club: str, house: str) -> HttpResponseBase:
    """House rules as their newest version has them."""
    allow_only(request)
    return _shown(newest(house_rules_at(club_at(caller(request), club), house)))


@reading("read_house_version", HouseVersionDetailSerializer)
def read_house_version(request: Request, club: str, house: str, number: int) -> HttpResponseBase:
    """One version of house rules."""
    allow_only(request)
    return _shown(version_at(house_rules_at(club_at(caller(request), club), house), number))


@reading("read_house_version_toml", None, media_type=TOML)
def read_house_version_toml(
    request: Request, club: str, house: str, number: int
) -> HttpResponseBase:
    """One version of house rules as a variant file."""
    allow_only(request)
    own = house_rules_at(club_at(caller(request), club), house)
    text = rule_file(version_at(own, number), variants())
    headers = {"Content-Disposition": f'inline; filename="{own.slug}.toml"'}
    return HttpResponse(text, content_type=f"{TOML}; charset=utf-8", headers=headers)


@reading("read_house_entry_schema", EntrySchemaSerializer, parameters=(SEATS,))
def read_house_entry_schema(request: Request, club: str, house: str) -> HttpResponseBase:
    """Which boxes a sheet of house rules has, as their newest version is played."""
    own = newest(house_rules_at(club_at(caller(request), club), house))
    return entry_schema(request, Rules.from_json(own.rules))


@reading("read_house_version_entry_schema", EntrySchemaSerializer, parameters=(SEATS,))
def read_house_version_entry_schema(
    request: Request, club: str, house: str, number: int
) -> HttpResponseBase:
    """Which boxes a sheet of one version of house rules has."""
    own = version_at(house_rules_at(club_at(caller(request), club), house), number)
    return entry_schema(request, Rules.from_json(own.rules))


def _make_house_rules(request: Request, club: str) -> HttpResponse:
    """Make house rules from a variant and options, or from a variant file.

    Everything that cannot stand is said at once (422), and nothing is kept of it.
    """
    allow_only(request)
    actor, sent = known_caller(request), _sent(request.data, _NEW)
    found = club_at(actor, club)
    name, slug = sent.get("name", ""), sent.get("slug", "")
    if "toml" in sent:
        read = read_house_file(sent["toml"].encode(), FILE_NAME)
        name, slug = name or read.variant.name, slug or read.variant.id
        chosen = chosen_in(read)
    else:
        chosen = _chosen(sent.get("base", ""), sent)
    made = make_house_rules(
        actor=actor, club=found, name=name, slug=slug, chosen=chosen, now=timezone.now()
    )
    return _made(found, made)


def _add_house_version(request: Request, club: str, house: str) -> HttpResponse:
    """Make the next version of house rules; tables keep the version that they are played under.

    `If-Match` says which version you looked at. Without it the answer is 428; if somebody made
    another one meanwhile it is 412, with the newest (`there`).
    """
    allow_only(request)
    actor = known_caller(request)
    found = club_at(actor, club)
    own = house_rules_at(found, house)
    based_on = if_match(request, of="newest version")
    sent = _sent(request.data, _VERSION)
    if "toml" in sent:
        chosen = chosen_for(own, read_house_file(sent["toml"].encode(), FILE_NAME))
    else:
        chosen = _chosen(sent["base"] if "base" in sent else newest(own), sent)
    try:
        made = add_version(
            actor=actor, house=own, chosen=chosen, based_on=based_on, now=timezone.now()
        )
    except Conflict as conflict:
        if isinstance(conflict.there, HouseVersion):
            there = plain(HouseVersionDetailSerializer)(_row(conflict.there))
            raise Conflict(conflict.problem, there=there) from conflict
        raise
    return _made(found, made)


def _delete_house_version(request: Request, club: str, house: str, number: int) -> HttpResponse:
    """Delete a version that no event plays; with the last one the house rules go.

    A version that is in use stays: 409, with the events that play it.
    """
    allow_only(request)
    actor = known_caller(request)
    version = version_at(house_rules_at(club_at(actor, club), house), number)
    stays = delete_version(actor=actor, version=version, now=timezone.now())
    return _json({"id": version.code, "stays": stays})


def _fingerprint(request: Request) -> bytes:
    return json.dumps(request.data, sort_keys=True).encode()


def _written(
    view: Callable[..., HttpResponse], method: str, shape: Any, sent: Any, *more: OpenApiParameter
) -> Any:
    """Declare a view that is answered once under a key; 201 where it makes something."""
    name = view.__name__.removeprefix("_")
    status, headers = (200, ()) if method == "DELETE" else (201, (LOCATION, ETAG))
    declared = writing(
        name, method, shape, sent, status=status, parameters=(*more, KEY, REPLAYED_HEADER, *headers)
    )
    return declared(answered_once(view, fingerprint=_fingerprint))


make_house_rules_view = _written(
    _make_house_rules, "POST", HouseVersionDetailSerializer, NewHouseRulesSerializer
)
"""`POST /clubs/{club}/variants`."""
add_house_version_view = _written(
    _add_house_version, "POST", HouseVersionDetailSerializer, NewVersionSerializer, IF_MATCH
)
"""`POST /clubs/{club}/variants/{house}/versions`."""
delete_house_version_view = _written(_delete_house_version, "DELETE", DeletedSerializer, None)
"""`DELETE /clubs/{club}/variants/{house}/versions/{number}`."""


def _shown(version: HouseVersion) -> Response:
    """Return a version; its ETag is the number of the newest, which a new version goes by."""
    number = newest(version.variant).number
    return Response(
        plain(HouseVersionDetailSerializer)(_row(version)), headers={"ETag": f'"{number}"'}
    )


def _made(club: Club, version: HouseVersion) -> HttpResponse:
    answer = _json(plain(HouseVersionDetailSerializer)(_row(version)), status=201)
    at = [club.slug, version.variant.slug, version.number]
    answer["Location"] = reverse("read_house_version", args=at)
    answer["ETag"] = f'"{version.number}"'
    return answer


def _json(body: Any, status: int = 200) -> HttpResponse:
    text = json.dumps(body, ensure_ascii=False)
    return HttpResponse(text, status=status, content_type="application/json")


def _chosen(begin: str | HouseVersion, sent: Mapping[str, Any]) -> HouseRulesDraft:
    return choose(begin, sent.get("options", {}), sent.get("summary", ""))


def _sent(body: Any, known: Sequence[str]) -> Mapping[str, Any]:
    """Return the body, its shape checked.

    Raises:
        Refused: every field that cannot be read.
    """
    if problems := list(_problems(body, known)):
        raise Refused(*problems)
    sent: Mapping[str, Any] = body
    return sent


def _problems(body: Mapping[str, Any], known: Sequence[str]) -> Iterator[Problem]:
    for name in sorted(set(body) - set(known)):
        facts = {"found": shown(name), "expected": ", ".join(known)}
        yield Problem("unknown_member", (name,), facts)
    for name in known:
        value = body.get(name)
        if name == "options" and not isinstance(value, Mapping | None):
            facts = {"key": name, "found": shown(value), "expected": "an object of options"}
            yield Problem("bad_setting", (name,), facts)
        elif name != "options" and name in body and not isinstance(value, str):
            facts = {"key": name, "found": shown(value), "expected": "a text"}
            yield Problem("bad_setting", (name,), facts)
    if "toml" in body and {"base", "options", "summary"} & set(body):
        facts = {"found": "toml", "expected": "a file alone, or base, options and summary"}
        yield Problem("unknown_member", ("toml",), facts)
