"""Names of people in a row on a page."""

from collections.abc import Iterable

from django import template
from django.utils.translation import gettext as _

from tournaments.domain.name_matching import listed_people

register = template.Library()


@register.filter
def people(names: Iterable[object]) -> str:
    """Print names with marks between them that stand in no name: "A and B", "A · B · C"."""
    return listed_people([str(name) for name in names], _("and"))
