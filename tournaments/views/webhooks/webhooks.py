"""Webhooks of a club: the list, a new one, and one with its messages."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Club
from tournaments.models.webhooks import TEST_KIND, Webhook, WebhookFormat, WebhookKind
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.webhooks.webhooks import (
    get_webhook,
    list_deliveries,
    shown_url,
    webhooks_of,
)
from tournaments.services.webhooks.manage import (
    CreatedWebhook,
    change_webhook,
    create_webhook,
    remove_webhook,
    repeat_delivery,
    rotate_secret,
    test_webhook,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.service_form import (
    ServiceForm,
    attempt,
    posted,
    render_club,
    render_form,
)

KINDS: Final = (
    (WebhookKind.PUBLICATION_CREATED, _("Standings published")),
    (WebhookKind.LADDER_CHANGED, _("Ladder published")),
    (WebhookKind.HAND_CORRECTED, _("Hand corrected, deleted or restored")),
    (WebhookKind.ROUND_POSTED, _("Round posted")),
    (WebhookKind.PLAYOFF_CHANGED, _("Play-off changed")),
    (WebhookKind.CHALLENGE_CHANGED, _("Challenge changed")),
)
FORMATS: Final = (
    (WebhookFormat.STANDARD, _("Program")),
    (WebhookFormat.DISCORD, "Discord"),
    (WebhookFormat.SLACK, "Slack"),
    (WebhookFormat.MATTERMOST, "Mattermost"),
    (WebhookFormat.TELEGRAM, "Telegram"),
)


class ChangeWebhookForm(ServiceForm):
    """Another address or other kinds for a webhook."""

    url = forms.CharField(
        label=_("Address"),
        required=False,
        help_text=_("Empty: the address is kept."),
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "spellcheck": "false", "class": "wide"}
        ),
    )
    kinds = forms.MultipleChoiceField(
        label=_("Messages"),
        required=False,
        choices=KINDS,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": _("Choose messages from the list.")},
    )


class WebhookForm(ChangeWebhookForm):
    """A webhook to create."""

    format = forms.ChoiceField(
        label=_("Receiver"),
        choices=FORMATS,
        help_text=_(
            "A program gets signed messages with ids only. A chat gets a notice with the first "
            "places of standings and ladders that are public, and nothing else."
        ),
        error_messages={"invalid_choice": _("Choose one of the receivers in the list.")},
    )
    field_order = ("format", "url", "kinds")

    def __init__(self, *args: object, **more: object) -> None:
        super().__init__(*args, **more)
        self.fields["url"].help_text = _("Copy it from the settings of the chat or the program.")


SHOWN: Final = 50
"""So many messages are on the page of a webhook."""
RECEIVERS: Final[dict[str, StrOrPromise]] = {str(key): label for key, label in FORMATS}
KIND_LABELS: Final[dict[str, StrOrPromise]] = {
    **{str(kind): label for kind, label in KINDS},
    TEST_KIND: gettext_lazy("Test message"),
}


@form_page("manage_webhooks")
def webhooks(request: PageRequest, club: str) -> HttpResponse:
    current_club = get_club(request.actor, club)
    initial = {"kinds": [WebhookKind.PUBLICATION_CREATED]}
    form = WebhookForm(posted(request), initial=initial)
    created = None
    if form.is_valid():
        cleaned_data = form.cleaned_data
        created = attempt(
            form,
            lambda: create_webhook(
                actor=request.actor, club=current_club, now=timezone.now(), **cleaned_data
            ),
        )
    context = {
        "form": WebhookForm(initial=initial) if created else form,
        "created": created,
        "webhooks": [_row(one) for one in webhooks_of(current_club)],
    }
    return render_club(request, "webhooks/webhooks.html", current_club, context, form)


@form_page("manage_webhooks")
def webhook(request: PageRequest, club: str, webhook: UUID) -> HttpResponse:
    current_club = get_club(request.actor, club)
    there = get_webhook(current_club, webhook)
    rotated: CreatedWebhook | None = None
    form = ChangeWebhookForm(initial={"kinds": there.kinds})
    if "rotate" in request.POST:
        rotated = rotate_secret(
            actor=request.actor, club=current_club, public_id=webhook, now=timezone.now()
        )
        there = rotated.webhook
    elif "change" in request.POST:
        form = ChangeWebhookForm(request.POST)
        act = partial(_change, request, current_club, there, form)
        if form.is_valid() and attempt(form, act) is not None:
            messages.success(request, gettext("Webhook changed."))
            return _back(current_club, there)
    elif request.method == "POST":
        return _act(request, current_club, there)
    context = {
        "layout": layout.club_layout(
            request,
            current_club,
            (
                layout.club_link(current_club),
                Link(gettext("Webhooks"), f"/clubs/{current_club.slug}/webhooks"),
            ),
        ),
        "club": current_club,
        "row": _row(there),
        "form": form,
        "rotated": rotated,
        "deliveries": [
            {
                "sent": delivery,
                "label": KIND_LABELS.get(delivery.occurrence.kind, delivery.occurrence.kind),
            }
            for delivery in list_deliveries(there)[:SHOWN]
        ],
    }
    return render_form(request, "webhooks/webhook.html", context, form)


def _row(one: Webhook) -> dict[str, object]:
    return {
        "webhook": one,
        "url": shown_url(one),
        "receiver": RECEIVERS[one.format],
        "kinds": [KIND_LABELS.get(kind, kind) for kind in one.kinds],
    }


def _change(request: PageRequest, club: Club, there: Webhook, form: ChangeWebhookForm) -> Webhook:
    return change_webhook(
        actor=request.actor,
        club=club,
        public_id=there.public_id,
        url=form.cleaned_data["url"] or None,
        kinds=form.cleaned_data["kinds"],
        now=timezone.now(),
    )


def _act(request: PageRequest, club: Club, there: Webhook) -> HttpResponse:
    acts: Mapping[str, Callable[[PageRequest, Club, Webhook], str]] = {
        "test": _test,
        "state": _set_state,
        "repeat": _repeat,
        "remove": _remove,
    }
    act = next((acts[name] for name in acts if name in request.POST), None)
    if act is None:
        return _back(club, there)
    try:
        messages.success(request, act(request, club, there))
    except Conflict as conflict:
        messages.error(request, sentence(conflict.problem))
    if act is _remove:
        return redirect("tournaments:webhooks", club=club.slug)
    return _back(club, there)


def _back(club: Club, there: Webhook) -> HttpResponse:
    return redirect("tournaments:webhook", club=club.slug, webhook=there.public_id)


def _test(request: PageRequest, club: Club, there: Webhook) -> str:
    test_webhook(actor=request.actor, club=club, public_id=there.public_id, now=timezone.now())
    return gettext("The test message is sent in a moment. Load this page again to see the answer.")


def _set_state(request: PageRequest, club: Club, there: Webhook) -> str:
    state = "disabled" if request.POST["state"] == "disabled" else "active"
    change_webhook(
        actor=request.actor, club=club, public_id=there.public_id, state=state, now=timezone.now()
    )
    return gettext("Webhook disabled.") if state == "disabled" else gettext("Webhook enabled.")


def _repeat(request: PageRequest, club: Club, there: Webhook) -> str:
    try:
        public_id = UUID(request.POST["repeat"])
    except ValueError as odd:
        raise Missing("delivery") from odd
    repeat_delivery(
        actor=request.actor, club=club, webhook=there.public_id, public_id=public_id,
        now=timezone.now(),
    )  # fmt: skip
    return gettext("The message is sent again in a moment.")


def _remove(request: PageRequest, club: Club, there: Webhook) -> str:
    remove_webhook(actor=request.actor, club=club, public_id=there.public_id, now=timezone.now())
    return gettext("Webhook removed.")
