"""A club's own variants: its house rules, version by version: read, created and deleted."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import caller
from api.lists import Flat
from api.media_types import TOML
from api.openapi import reading
from api.openapi_document import OptionsField
from api.resource_schema import IfMatch
from api.resources import ResourceViewSet, creates, performs, reads, writes
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import StrictField, bad_setting
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import RuleOptionsField
from api.v1.rules.variants import (
    SEATS,
    CardSerializer,
    EntrySchemaSerializer,
    card_of,
    entry_schema,
)
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict, JsonObject
from scoring.rules.rules import Rules
from tournaments.documents.rule_files import rule_file
from tournaments.errors import Conflict
from tournaments.models.rules import HouseVariant, HouseVersion
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.rules.house_rules import (
    get_house_rules,
    get_version_at,
    house_rules_of,
    list_versions,
    newest,
)
from tournaments.selectors.rules.rule_sets import variants
from tournaments.selectors.rules.rules_cards import CardView
from tournaments.services.operations import Operation
from tournaments.services.rules.house_rules import (
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


COLUMNS: Final = ("id", "slug", "version", "name", "title", "summary", "base", "archived")


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


@reading("read_house_rules_card", CardSerializer, parameters=(SEATS,))
def read_house_rules_card(request: Request, club: str, house: str) -> CardView:
    """The newest version of house rules as sentences for players, with an example."""
    house_version = newest(get_house_rules(get_club(caller(request), club), house))
    return card_of(request, Rules.from_json(house_version.rules))


@reading("read_house_version_card", CardSerializer, parameters=(SEATS,))
def read_house_version_card(request: Request, club: str, house: str, number: int) -> CardView:
    """One version of house rules as sentences for players, with an example that is scored."""
    house_version = get_version_at(get_house_rules(get_club(caller(request), club), house), number)
    return card_of(request, Rules.from_json(house_version.rules))


class VersionsViewSet(ResourceViewSet):
    """House rules by their versions."""

    detail_serializer_class = HouseVersionDetailSerializer
    ordering = ()
    columns = COLUMNS
    location_text = "The address of the version."
    etag_text = "Number of the newest version, for `If-Match`."

    def get_row(self, result: HouseVersion) -> Flat:
        return {**_row(result), "newest": newest(result.variant).number}

    def get_tag(self, row: Flat) -> str:
        return str(row["newest"])

    def get_location(self, result: HouseVersion) -> str:
        address = {"club": self.parent.slug, "house": result.variant.slug}
        return reverse("read_house_version", kwargs={**address, "number": result.number})


class HouseRulesViewSet(VersionsViewSet):
    """The house rules of a club, each with its newest version."""

    resource = ("house_rules", "house_rules")
    lookup_url_kwarg = "house"
    serializer_class = HouseRulesSerializer
    create = creates(make_house_rules, NewHouseRulesSerializer)
    retrieve = reads("The newest version of house rules.")
    archive = performs(archive_house_rules, "archive")
    unarchive = performs(archive_house_rules, "unarchive", name="unarchive_house_rules")

    def get_queryset(self) -> Sequence[Flat]:
        return [_row(newest(house_variant)) for house_variant in house_rules_of(self.parent)]

    def get_object(self) -> HouseVersion:
        return newest(get_house_rules(self.parent, self.kwargs["house"]))

    def perform_create(self, op: Operation, body: JsonDict) -> HouseVersion:
        """Create house rules from a variant and options, or from a variant file.

        If there are problems, the answer lists all of them (422) and nothing is stored.
        """
        name, slug = body.get("name", ""), body.get("slug", "")
        if "toml" in body:
            read = read_house_file(body["toml"].encode(), FILE_NAME)
            name, slug = name or read.variant.name, slug or read.variant.id
            chosen = chosen_in(read)
        else:
            chosen = _chosen(body.get("base", ""), body)
        return make_house_rules(op, self.parent, name=name, slug=slug, chosen=chosen)

    def perform_archive(self, op: Operation, body: JsonDict) -> HouseVersion:
        """Archive house rules, so that they are no longer offered; events that use them go on."""
        return self._archived(op, archived=True)

    def perform_unarchive(self, op: Operation, body: JsonDict) -> HouseVersion:
        """Offer archived house rules again."""
        return self._archived(op, archived=False)

    def _archived(self, op: Operation, *, archived: bool) -> HouseVersion:
        version = self.get_object()
        archive_house_rules(op, version.variant, archived=archived)
        return version


class HouseVersionViewSet(VersionsViewSet):
    """The versions of house rules, the newest first."""

    resource = ("house_version", "house_versions")
    lookup_url_kwarg, lookup_value_converter = "number", "number"
    serializer_class = HouseVersionSerializer
    create = creates(
        add_version,
        NewVersionSerializer,
        name="add_house_version",
        if_match=IfMatch(
            text='The number of the newest version that you read, such as `"1"`, or `*`',
            of="newest version",
            is_number=True,
        ),
    )
    retrieve = reads("One version of house rules.")
    destroy = writes(delete_version, None, name="delete_house_version", answer=DeletedSerializer)

    def get_queryset(self) -> Sequence[Flat]:
        return [_row(version) for version in list_versions(self._house)]

    def get_object(self) -> HouseVersion:
        return get_version_at(self._house, self.kwargs["number"])

    def get_parent(self) -> Any:
        club = super().get_parent()
        self.house = get_house_rules(club, self.kwargs["house"])
        return club

    @property
    def _house(self) -> HouseVariant:
        _ = self.parent  # reads the house rules
        return self.house

    def get_refusal(self, refusal: Refused | Conflict) -> Exception:
        if isinstance(refusal, Conflict) and isinstance(refusal.there, HouseVersion):
            document = plain(HouseVersionDetailSerializer)(_row(refusal.there))
            return Conflict(refusal.problem, there=document)
        return refusal

    def perform_create(self, op: Operation, body: JsonDict) -> HouseVersion:
        """Create the next version of house rules; existing tables keep their version.

        `If-Match` is the number of the newest version that you read. Without it the answer is 428;
        if somebody created another version meanwhile it is 412, with the newest version (`there`).
        """
        house = self._house
        if "toml" in body:
            chosen = chosen_for(house, read_house_file(body["toml"].encode(), FILE_NAME))
        else:
            chosen = _chosen(body["base"] if "base" in body else newest(house), body)
        return add_version(op, house, chosen=chosen, based_on=body["based_on"])

    def perform_destroy(self, op: Operation, body: JsonDict) -> JsonDict:
        """Delete a version of house rules; with the last version the house rules are deleted.

        If events use the version, the answer is 409 and names them.
        """
        version = self.get_object()
        return {"id": version.code, "stays": delete_version(op, version)}


def _chosen(begin: str | HouseVersion, content: JsonObject) -> HouseRulesDraft:
    return chosen_rules(begin, content.get("options", {}), content.get("summary", ""))
