"""The base of all forms: input is preserved, and each refusal is an error of its field."""

from collections.abc import Callable, Collection, Iterable, Mapping
from http import HTTPStatus
from typing import Any, ClassVar, TypeVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem, Refused, one_stop
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Missing, problems_of
from tournaments.services.operations import DeclaredOperation, Operation
from tournaments.views.http.decorators import REFUSED, SUBMITTED
from tournaments.views.http.layout import PageRequest

F = TypeVar("F", bound=Callable[..., Mapping[str, Any]])
T = TypeVar("T")


def text_field(
    label: str | Promise, hint: str | Promise = "", **attrs: str | bool
) -> forms.CharField:
    """Return a field for a text that the service judges; `attrs` are those of its box."""
    widget = forms.TextInput(attrs=attrs)
    return forms.CharField(label=label, help_text=hint, widget=widget)  # type: ignore[arg-type]


def hidden_field() -> forms.CharField:
    """Return a field that the page fills in, such as the state that a reader has seen."""
    return forms.CharField(widget=forms.HiddenInput)


def day_input() -> forms.DateInput:
    """Return the browser's box for a day; its values are ISO dates."""
    return forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


def day_field(
    label: str | Promise, hint: str | Promise = "", **messages: str | Promise
) -> forms.DateField:
    """Return a field for a day; `messages` are its sentences by the kind of the error."""
    texts = {"label": label, "help_text": hint, "error_messages": messages}
    return forms.DateField(widget=day_input(), **texts)  # type: ignore[arg-type]


class ServiceForm(forms.Form):
    """A form whose rules are the services': the browser holds nothing back.

    A field may be empty unless `required_fields` names it. `placed` are the refusals of services in
    the order they came.
    """

    required_fields: Collection[str] = ()
    sentences: ClassVar[Mapping[str, str | Promise]] = {}
    """Sentences of this form for refusals, by their codes; others have those of every page."""
    argument_names: ClassVar[Mapping[str, str]] = {}
    """Field → name of the operation's argument, where they differ."""
    use_required_attribute = False
    refused_of = ""
    """Whom a refusal is about, where a page has many of the same form."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.placed: list[Problem] = []

    def full_clean(self) -> None:
        for name, field in self.fields.items():
            field.required = name in self.required_fields
        super().full_clean()

    def place(self, problems: Iterable[Problem]) -> None:
        """Add each problem to the field that its `at` starts with, or to the form."""
        for problem in problems:
            self.placed.append(problem)
            self.add_error(self.field_of(problem), self.sentence_of(problem))

    def field_of(self, problem: Problem) -> str | None:
        names = ["-".join(map(str, problem.at[:n])) for n in range(len(problem.at), 0, -1)]
        return next((name for name in names if name in self.fields), None)

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem, with the closest names where it knows them."""
        if problem.code in self.sentences:
            return str(self.sentences[problem.code]) % problem.facts
        closest = [
            str(suggestion.facts["name"])
            for suggestion in problem.suggestions
            if suggestion.code == "closest"
        ]
        near = _("Closest: %(names)s.") % {"names": ", ".join(closest)} if closest else ""
        field = self.fields.get(self.field_of(problem) or "")
        label = str(field.label or "") if field else ""
        return one_stop(f"{sentence(problem, label=label)} {near}".strip())

    def get_arguments(self) -> Mapping[str, Any]:
        """Return the arguments for the form's operation, by name; see `gives`."""
        names = self.argument_names
        return {names.get(name, name): value for name, value in self.cleaned_data.items()}

    def placing(self) -> "PlacedRefusals":
        return PlacedRefusals(self)

    @property
    def has_problems(self) -> bool:
        return self.is_bound and bool(self.errors)


class ReasonForm(ServiceForm):
    """Why something is done; one sentence that stays in the club's record."""

    # A missing reason is not one of a correction only.
    sentences: ClassVar = {"reason_required": gettext_lazy("Enter a reason in one sentence.")}
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("One sentence. Shown in the change log."),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


def gives(*names: str) -> Callable[[F], F]:
    """Name the arguments that a form's own `get_arguments` returns."""

    def named(get_arguments: F) -> F:
        get_arguments.names = names  # type: ignore[attr-defined]  # read by `form_page`
        return get_arguments

    return named


class PlacedRefusals:
    """A context that places what an operation is refused with in a form, and goes on after it."""

    def __init__(self, form: ServiceForm) -> None:
        self.form = form

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, refusal: BaseException | None, _trace: object) -> bool:
        if not isinstance(refusal, Refused | Conflict):
            return False
        self.form.place(problems_of(refusal))
        return True


class RefusalMessages:
    """A context that shows what an operation is refused with as messages, and goes on after it."""

    def __init__(self, request: HttpRequest, *more: type[Missing]) -> None:
        self.request = request
        self.refusals: tuple[type[Refused | Conflict | Missing], ...] = (Refused, Conflict, *more)

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, refusal: BaseException | None, _trace: object) -> bool:
        if not isinstance(refusal, self.refusals):
            return False
        for problem in problems_of(refusal):
            messages.error(self.request, sentence(problem))
        return True


def operation_of(request: PageRequest) -> Operation:
    return Operation(request.actor, timezone.now())


def submit(
    request: PageRequest,
    form: ServiceForm,
    operation: DeclaredOperation[..., T],
    *subject: object,
    **about: object,
) -> T | None:
    """Return the result of an operation for a submitted, valid form, else None.

    It gets the subject, the form's arguments, and `about`; the page declares that in `form_page`.
    """
    if (operation, type(form), frozenset(about)) not in SUBMITTED:
        raise TypeError(f"the page does not declare {operation.name} of {type(form).__name__}")
    if form.is_valid():
        with form.placing():
            return operation(operation_of(request), *subject, **{**form.get_arguments(), **about})
    return None


def posted(request: HttpRequest) -> QueryDict | None:
    """Return what was sent to a form, which may be nothing at all; None where it was not sent."""
    return request.POST if request.method == "POST" else None


def render_form(
    request: HttpRequest,
    template: str,
    context: Mapping[str, object],
    *forms: ServiceForm | None,
    status: int | None = None,
) -> HttpResponse:
    """Return a page with its forms; its status is 422 where one of them has problems.

    The title of a page says so too where something was to be saved and was not.
    """
    has_problems = any(form is not None and form.has_problems for form in forms)
    status = status or (REFUSED if has_problems else 200)
    is_refused = request.method == "POST" and status >= HTTPStatus.BAD_REQUEST
    return render(request, template, {**context, "is_refused": is_refused}, status=status)
