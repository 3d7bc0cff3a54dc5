"""The paper sheets of tables: printed, photographed, checked against the entries."""

from collections.abc import Sequence
from typing import Final

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from api.authentication import caller, known_caller
from api.idempotency import fingerprint_of_file, json_answer
from api.media_types import JPEG, PDF
from api.openapi import reading
from api.query_parameters import choice_parameter, whole_number
from api.resources import ResourceViewSet, creates, reads, writes
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import TextField, UploadField
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import MISSING_HANDS, IntegerListField, MomentField, ReasonSerializer
from api.v1.rules.variants import SEATS, named
from scoring.json_types import JsonDict
from scoring.rules.rules import Rules
from tournaments.documents.round_documents import blank_sheet, round_document
from tournaments.documents.typesetting import pdf_response, typeset_pdf
from tournaments.domain.sheets.images import LARGEST
from tournaments.domain.sheets.sheet_fields import (
    CARDS,
    LAYOUTS,
    LIST,
    PAPERS,
    SHEETS,
    PrintOptions,
)
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import SheetPhoto
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import get_event, get_round
from tournaments.selectors.hands.score_sheet import get_game, table_sheet
from tournaments.selectors.rounds.table_sheets import (
    get_photo,
    photos_at,
    picture_at,
    printed_tables,
    sheet_digest,
    sheet_verification_of,
)
from tournaments.selectors.rules.house_rules import get_house_rules, get_version_at
from tournaments.selectors.rules.rule_sets import variants
from tournaments.selectors.rules.rules_cards import usual_seats
from tournaments.services.hands.close_tables import confirm_sheet
from tournaments.services.operations import Operation, require
from tournaments.services.rounds.photos import add_photo, remove_photo, store_photo

_PAPERS: Final = tuple(key for key, _label in PAPERS)
_LAYOUTS: Final = tuple(key for key, _label in LAYOUTS)
PAPER: Final = OpenApiParameter(
    "paper", OpenApiTypes.STR, enum=_PAPERS, description="Paper size; `a4` by default."
)
LAYOUT: Final = OpenApiParameter(
    "layout", OpenApiTypes.STR, enum=_LAYOUTS, description="Layout; `boxes` by default."
)


class PhotoSerializer(OutputSerializer):
    """A photo of a sheet; one that was deleted stays in the list, without its picture."""

    number = serializers.IntegerField(help_text="Number at the table; it is never used again.")
    width = serializers.IntegerField(help_text="Width in pixels.")
    height = serializers.IntegerField(help_text="Height in pixels.")
    size = serializers.IntegerField(help_text="Size of the JPEG in bytes.")
    added_at = MomentField()
    added_by = serializers.CharField(source="added_as")
    removed_at = MomentField(allow_null=True, help_text="Time of deletion; null if not deleted.")
    removed_by = serializers.CharField(source="removed_as")
    reason = serializers.CharField(source="removed_because", help_text="Reason for deleting it.")


class NewPhotoSerializer(StrictSerializer):
    """A picture of a sheet."""

    photo = UploadField(help_text=f"JPEG, PNG or WebP, up to {LARGEST // 1024 // 1024} MB.")


class PhotoRemovalSerializer(ReasonSerializer):
    """The reason for deleting a photo."""


class SheetViewSet(ResourceViewSet):
    """What belongs to the sheet of a table; for those who may enter hands there."""

    read_right = "enter_hand"

    @property
    def game(self) -> Game:
        return get_game(self.parent, self.kwargs["code"])


class SheetCheckSerializer(OutputSerializer):
    """A table's sheet, and who last checked it against the paper."""

    table = serializers.CharField()
    state = serializers.CharField(help_text="State of the table.")
    sheet = serializers.CharField(
        help_text="Mark of all hands with their revisions; send it with the check."
    )
    checked = serializers.BooleanField(help_text="Whether this sheet was checked as it is now.")
    checked_by = serializers.CharField(allow_null=True, help_text="Name of the checker, or null.")
    checked_at = MomentField(allow_null=True)
    missing_hands = IntegerListField(help_text=MISSING_HANDS)


class NewSheetCheckSerializer(StrictSerializer):
    """The sheet that was compared with the paper."""

    sheet = TextField(help_text="Mark (`sheet`) of the hands that you compared.")


@reading("print_seating_list", media_type=PDF, parameters=(PAPER,), right="enter_hand")
def print_seating_list(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """The seating list of a round by name and by table, as a PDF; for hosts and directors."""
    return _printed(request, club, event, number, LIST)


@reading("print_table_cards", media_type=PDF, parameters=(PAPER,), right="manage_links")
def print_table_cards(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """The table cards of a round with the links, as a PDF; for directors."""
    return _printed(request, club, event, number, CARDS)


@reading("print_score_sheets", media_type=PDF, parameters=(PAPER, LAYOUT), right="enter_hand")
def print_score_sheets(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """The score sheets of a round, one for each table, as a PDF; for hosts and directors."""
    return _printed(request, club, event, number, SHEETS)


@reading("print_blank_sheet", media_type=PDF, parameters=(SEATS, PAPER, LAYOUT))
def print_blank_sheet(request: Request, variant: str) -> HttpResponseBase:
    """A blank score sheet of a variant, as a PDF."""
    variant_id = named(variant).id
    return _blank(request, variants().rules(variant_id), variant_id)


@reading("print_house_blank_sheet", media_type=PDF, parameters=(SEATS, PAPER, LAYOUT))
def print_house_blank_sheet(
    request: Request, club: str, house: str, number: int
) -> HttpResponseBase:
    """A blank score sheet of one version of house rules, as a PDF."""
    variant = get_house_rules(get_club(caller(request), club), house)
    rules = Rules.from_json(get_version_at(variant, number).rules)
    return _blank(request, rules, f"{variant.slug}-{number}")


def _printed(request: Request, club: str, event: str, number: int, part: str) -> HttpResponseBase:
    the_event = get_event(caller(request), club, event)
    actor = known_caller(request)
    require(actor, the_event.club, "manage_links" if part == CARDS else "enter_hand")
    round_ = get_round(the_event, number)
    options = _options(request)
    if not printed_tables(the_event, round_):
        raise Missing("table", {"table": f"r{number}t1"})
    document = round_document(
        the_event,
        round_,
        (part,),
        options=options,
        entrance=request.build_absolute_uri(reverse("tournaments:enter-code")),
        now=timezone.now(),
    )
    return pdf_response(typeset_pdf(document), f"{the_event.slug}-round-{number}-{part}.pdf")


def _blank(request: Request, rules: Rules, name: str) -> HttpResponseBase:
    least, most = rules.keys.players
    usual = usual_seats(rules)
    seats = whole_number(request, "seats", least=least, most=most, default=usual)
    pdf = typeset_pdf(blank_sheet(rules, seats, options=_options(request)))
    return pdf_response(pdf, f"{name}-{seats}-score-sheet.pdf")


def _options(request: Request) -> PrintOptions:
    paper = choice_parameter(request, "paper", _PAPERS, default=_PAPERS[0])
    layout = choice_parameter(request, "layout", _LAYOUTS, default=_LAYOUTS[0])
    return PrintOptions(paper, layout)


@reading("read_photo", media_type=JPEG, right="enter_hand")
def read_photo(request: Request, club: str, event: str, code: str, number: int) -> HttpResponseBase:
    """A photo of a table's sheet as a JPEG; for those who may enter hands there."""
    the_event = _event_of_table(caller(request), club, event, code)
    answer = HttpResponse(picture_at(the_event, code, number), content_type=JPEG)
    name = f"{the_event.slug}-{code}-photo-{number}.jpg"
    answer["Content-Disposition"] = f'inline; filename="{name}"'
    return answer


class PhotoViewSet(SheetViewSet):
    """The photos of a table's sheet by number; for those who may enter hands there."""

    resource = ("photo", "photos")
    lookup_url_kwarg = lookup_value_converter = "number"
    serializer_class = PhotoSerializer
    ordering = ()
    create = creates(
        store_photo,
        NewPhotoSerializer,
        name="add_photo",
        also=200,
        parser=MultiPartParser,
        fingerprint=fingerprint_of_file("photo"),
    )
    destroy = writes(remove_photo, PhotoRemovalSerializer)

    def get_queryset(self) -> Sequence[SheetPhoto]:
        return photos_at(self.parent, self.game.table.code)

    def get_object(self) -> SheetPhoto:
        return get_photo(self.parent, self.kwargs["code"], self.kwargs["number"])

    def perform_create(self, op: Operation, body: JsonDict) -> SheetPhoto | HttpResponse:
        photo, is_new = add_photo(op, self.game, content=body["photo"].read(LARGEST + 1))
        if is_new:
            return photo
        return json_answer(plain(PhotoSerializer)(photo))


def _event_of_table(actor: Actor, club: str, event: str, code: str) -> Event:
    """Return the event of a table where the actor may enter hands."""
    the_event = get_event(actor, club, event, code=code)
    if actor.kind == "public":
        raise NotAuthenticated
    require(actor, the_event.club, "enter_hand", table_id=get_game(the_event, code).table_id)
    return the_event


class SheetCheckViewSet(SheetViewSet):
    """The check of a table's sheet against the paper."""

    is_single = True
    resource = ("sheet_check", "sheet_checks")
    serializer_class = SheetCheckSerializer
    retrieve = reads(
        "Whether a table's sheet was checked against the paper; for those who may enter hands "
        "there."
    )
    submit = writes(confirm_sheet, NewSheetCheckSerializer, name="check_sheet")

    def get_object(self) -> Game:
        return self.game

    def get_arguments(self, body: JsonDict) -> JsonDict:
        return {"compared_digest": body["sheet"]}

    def get_row(self, result: object) -> JsonDict:
        sheet = table_sheet(self.parent, self.kwargs["code"])
        last = sheet_verification_of(self.parent, sheet)
        return {
            "table": sheet.code,
            "state": sheet.state,
            "sheet": sheet_digest(sheet),
            "checked": last is not None and last["is_current"],
            "checked_by": last["by"] if last is not None else None,
            "checked_at": last["at"] if last is not None else None,
            "missing_hands": sheet.missing_numbers,
        }
