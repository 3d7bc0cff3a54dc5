"""What was sent to a form, and its page where nothing was sent yet or it was refused."""

from collections.abc import Mapping

from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from tournaments.forms.http.service_form import ServiceForm
from tournaments.views.http.decorators import REFUSED
from tournaments.views.http.layout import PageRequest


def posted(request: PageRequest) -> QueryDict | None:
    """Return what was sent to a form, which may be nothing at all; None where it was not sent."""
    return request.POST if request.method == "POST" else None


def render_form(
    request: PageRequest, template: str, context: Mapping[str, object], *forms: ServiceForm
) -> HttpResponse:
    """Return a page with its forms; its status is 422 where one of them has problems."""
    is_refused = any(form.has_problems for form in forms)
    return render(request, template, context, status=REFUSED if is_refused else 200)
