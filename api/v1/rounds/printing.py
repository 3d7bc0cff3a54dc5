"""What is printed for a round, and blank score sheets: PDF files as the pages give them."""

from typing import Final

from django.http import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from api.authentication import caller, known_caller
from api.media_types import PDF
from api.openapi import reading
from api.problems import BadRequest
from api.query_parameters import allow_only, text_parameter, whole_number
from api.v1.rules.variants import SEATS, named
from scoring.errors import Problem, shown
from scoring.rules.rules import Rules
from tournaments.domain.sheets.print_options import CARDS, LIST, SHEETS, PrintOptions
from tournaments.errors import Missing
from tournaments.forms.rounds.printing import LAYOUTS, PAPERS
from tournaments.presenters.rules.rules_cards import usual_seats
from tournaments.printing.round_documents import blank_sheet, round_document
from tournaments.printing.typesetting import typeset_pdf
from tournaments.selectors.clubs.clubs import club_at
from tournaments.selectors.events.events import event_at, round_at
from tournaments.selectors.rounds.printed_tables import printed_tables
from tournaments.selectors.rules.house_rules import house_rules_at, version_at
from tournaments.services.access.permissions import require
from tournaments.services.rules.rule_sets import variants
from tournaments.views.http.pdf_response import pdf_response

_PAPERS: Final = tuple(key for key, _label in PAPERS)
_LAYOUTS: Final = tuple(key for key, _label in LAYOUTS)
PAPER: Final = OpenApiParameter(
    "paper", OpenApiTypes.STR, enum=_PAPERS, description="`a4` where it is left out."
)
LAYOUT: Final = OpenApiParameter(
    "layout", OpenApiTypes.STR, enum=_LAYOUTS, description="`boxes` where it is left out."
)


@reading("print_seating_list", media_type=PDF, parameters=(PAPER,))
def print_seating_list(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """The seating list of a round by name and by table, as a PDF; for hosts and directors."""
    allow_only(request, "paper")
    return _printed(request, club, event, number, LIST)


@reading("print_table_cards", media_type=PDF, parameters=(PAPER,))
def print_table_cards(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """The table cards of a round with the links, as a PDF; for directors."""
    allow_only(request, "paper")
    return _printed(request, club, event, number, CARDS)


@reading("print_score_sheets", media_type=PDF, parameters=(PAPER, LAYOUT))
def print_score_sheets(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """The score sheets of a round, one for each table, as a PDF; for hosts and directors."""
    allow_only(request, "paper", "layout")
    return _printed(request, club, event, number, SHEETS)


@reading("print_blank_sheet", media_type=PDF, parameters=(SEATS, PAPER, LAYOUT))
def print_blank_sheet(request: Request, variant: str) -> HttpResponseBase:
    """A blank score sheet of a variant, as a PDF."""
    found = named(variant).id
    return _blank(request, variants().rules(found), found)


@reading("print_house_blank_sheet", media_type=PDF, parameters=(SEATS, PAPER, LAYOUT))
def print_house_blank_sheet(
    request: Request, club: str, house: str, number: int
) -> HttpResponseBase:
    """A blank score sheet of one version of house rules, as a PDF."""
    own = house_rules_at(club_at(caller(request), club), house)
    rules = Rules.from_json(version_at(own, number).rules)
    return _blank(request, rules, f"{own.slug}-{number}")


def _printed(request: Request, club: str, event: str, number: int, part: str) -> HttpResponseBase:
    found = event_at(caller(request), club, event)
    actor = known_caller(request)
    require(actor, found.club, "manage_links" if part == CARDS else "enter_hand")
    round_ = round_at(found, number)
    options = _options(request)
    if not printed_tables(found, round_):
        raise Missing("table", {"table": f"r{number}t1"})
    document = round_document(
        found,
        round_,
        (part,),
        options=options,
        entrance=request.build_absolute_uri(reverse("tournaments:enter-code")),
        now=timezone.now(),
    )
    return pdf_response(typeset_pdf(document), f"{found.slug}-round-{number}-{part}.pdf")


def _blank(request: Request, rules: Rules, name: str) -> HttpResponseBase:
    allow_only(request, "seats", "paper", "layout")
    least, most = rules.keys.players
    usual = usual_seats(rules)
    seats = whole_number(request, "seats", least=least, most=most, default=usual)
    made = typeset_pdf(blank_sheet(rules, seats, options=_options(request)))
    return pdf_response(made, f"{name}-{seats}-score-sheet.pdf")


def _options(request: Request) -> PrintOptions:
    """Return paper and layout.

    Raises:
        BadRequest: bad_parameter.
    """
    paper = _choice(request, "paper", _PAPERS)
    return PrintOptions(paper, _choice(request, "layout", _LAYOUTS))


def _choice(request: Request, name: str, known: tuple[str, ...]) -> str:
    found = text_parameter(request, name) or known[0]
    if found not in known:
        facts = {"parameter": name, "found": shown(found), "expected": ", ".join(known)}
        raise BadRequest(Problem("bad_parameter", facts=facts))
    return found
