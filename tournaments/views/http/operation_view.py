"""Pages that change something: a form, or buttons, over operations."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.views.generic import FormView

from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import get_event
from tournaments.services.operations import DeclaredOperation, Operation
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import Layout, Link, PageRequest, club_layout, event_layout
from tournaments.views.http.pages import go_to
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    attempt,
    operation_of,
    render_form,
)


class OperationFormView(FormView[ServiceForm]):
    """Shows a form and runs an operation with its fields, or with a button that was pressed.

    What the operation refuses is an error of its field. `press_<name>` runs what the button `name`
    is for, with its value, and returns the answer.
    """

    request: PageRequest
    operation: ClassVar[DeclaredOperation[..., Any]]
    message: ClassVar[str | Promise] = ""
    buttons: ClassVar[Sequence[str]] = ()
    crumbs: ClassVar[Sequence[Link]] = ()

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Callable[..., HttpResponse]:
        """Return the view, for those with the right to its operation."""
        view: Callable[..., Any] = super().as_view(**initkwargs)
        return form_page(cls.operation)(view)

    @cached_property
    def home(self) -> Any:
        """The club or the event of the address, as the reader may see it."""
        address = self.kwargs
        if "event" in address:
            return get_event(self.request.actor, address["club"], address["event"])
        return get_club(self.request.actor, address["club"])

    @property
    def op(self) -> Operation:
        return operation_of(self.request)

    def get_object(self) -> Any:
        return self.home

    def get_layout(self) -> Layout:
        if isinstance(self.home, Event):
            return event_layout(self.request, self.home, self.crumbs)
        return club_layout(self.request, self.home, self.crumbs)

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        """Return what the template shows; further members come from the caller."""
        kind = "event" if isinstance(self.home, Event) else "club"
        return super().get_context_data(**{"layout": self.get_layout(), kind: self.home, **context})

    def post(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Run what was pressed, or the operation; a conflict over a button is a message."""
        pressed = next((name for name in self.buttons if name in request.POST), None)
        if pressed is None:
            return super().post(request, *args, **kwargs)
        with RefusalMessages(request):
            answer: HttpResponse = getattr(self, f"press_{pressed}")(request.POST[pressed])
            return answer
        return redirect(request.get_full_path())

    def form_valid(self, form: ServiceForm) -> HttpResponse:
        subject = self.get_object()
        result = attempt(form, lambda: self.operation(self.op, subject, **self.get_arguments(form)))
        return self.form_invalid(form) if form.errors else self.done(result)

    def get_arguments(self, form: ServiceForm) -> Mapping[str, Any]:
        return form.arguments

    def done(self, result: Any) -> HttpResponse:
        return self.leave(self.message)

    def leave(self, notice: str | Promise, page: str = "", **address: object) -> HttpResponse:
        """Redirect with a message, to this page or to another one of the club or event."""
        messages.success(self.request, str(notice))
        home: Club | Event = self.home
        return go_to(page, home, **address) if page else redirect(self.request.get_full_path())

    def render_to_response(self, context: dict[str, Any], **_: Any) -> HttpResponse:
        return render_form(self.request, self.get_template_names()[0], context, context["form"])
