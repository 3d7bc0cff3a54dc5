"""Names of people in a row on a page, and whether mails reach them."""

from collections.abc import Iterable, Sequence

from django import template
from django.template import Context
from django.utils.translation import gettext as _

from tournaments.domain.event_settings import SHARED_SEATS, settings_of
from tournaments.domain.imports.import_report import HAND_EXISTS, SHEET_ELSEWHERE
from tournaments.domain.name_matching import listed_people
from tournaments.models.events import Event
from tournaments.models.imports import ImportProblem
from tournaments.policy import Actor
from tournaments.selectors.clubs.find_players import names_in
from tournaments.selectors.clubs.members import account_name, get_linked_name
from tournaments.selectors.jobs.outgoing import get_site_mail, unsent_note

register = template.Library()


@register.simple_tag
def site_mail() -> str:
    """Return what becomes of the mails of this site: "on", "off" or "none"."""
    return get_site_mail().value


@register.simple_tag
def unsent_mail_note() -> str:
    return unsent_note()


@register.filter
def people(names: Iterable[object]) -> str:
    """Print names with marks between them that stand in no name: "A and B", "A · B · C"."""
    return listed_people([str(name) for name in names], _("and"))


@register.filter
def shared_seat_rule(event: Event) -> str:
    """Return who gets the place of a seat that two shared, as the event's settings say."""
    return str(SHARED_SEATS[settings_of(event).table_owners])


@register.filter
def picks(labels: Sequence[str]) -> list[tuple[str, str]]:
    """Return labels of players, each with the text of its button."""
    return list(zip(labels, names_in(labels), strict=True))


@register.filter
def offers(problem: ImportProblem) -> list[tuple[bool, str]]:
    """Return the offers of a problem: whether a player is offered, and the text of the button."""
    rows = [offer for offer in problem.offers if "text" in offer]
    names = names_in([offer["text"] if "player" in offer else "" for offer in rows])
    return [("player" in row, name or row["text"]) for row, name in zip(rows, names, strict=True)]


@register.filter
def is_compared(problem: ImportProblem) -> bool:
    """Whether a problem is a choice between a stored hand and that of a file."""
    return problem.code == HAND_EXISTS


@register.filter
def same_sheet(problem: ImportProblem) -> str:
    """Return the code of the table that may have the sheet of a problem; "" of another problem."""
    if problem.code != SHEET_ELSEWHERE:
        return ""
    return problem.found


@register.simple_tag(takes_context=True)
def reader_name(context: Context) -> str:
    """Return the name of a page's reader for the header; "" without one."""
    layout, user = context.get("layout"), context.get("user")
    if name := getattr(layout, "signed_in_as", ""):
        return str(name)
    if user is None or not user.is_authenticated:
        return ""
    actor = Actor("user", user_id=user.pk)
    return get_linked_name(actor) or account_name(user)
