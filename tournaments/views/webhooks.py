"""Webhooks of a club: the list, a new one, and one with its messages."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.webhooks import TEST_KIND, Webhook, WebhookFormat, WebhookKind
from tournaments.selectors.jobs.outgoing import KNOWN, get_outgoing
from tournaments.selectors.webhooks import (
    get_delivery,
    get_webhook,
    list_deliveries,
    shown_url,
    webhooks_of,
)
from tournaments.services.operations import Operation
from tournaments.services.webhooks.manage import (
    change_webhook,
    create_webhook,
    remove_webhook,
    repeat_delivery,
    rotate_webhook_secret,
    test_webhook,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import club_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_club
from tournaments.views.http.service_form import (
    RefusalMessages,
    ServiceForm,
    gives,
    operation_of,
    posted,
    submit,
)

KINDS: Final = (
    (WebhookKind.EVENING_CLOSED, _("Result of an evening")),
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
    url = forms.CharField(
        label=_("Address"),
        help_text=_("Empty: the address is kept."),
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "spellcheck": "false", "class": "wide"}
        ),
    )
    kinds = forms.MultipleChoiceField(
        label=_("Messages"),
        choices=KINDS,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": _("Choose messages from the list.")},
    )

    @gives("url", "kinds")
    def get_arguments(self) -> Mapping[str, object]:
        return {**self.cleaned_data, "url": self.cleaned_data["url"] or None}


class WebhookForm(ChangeWebhookForm):
    required_fields = ("format",)
    format = forms.ChoiceField(
        label=_("Receiver"),
        choices=FORMATS,
        help_text=_(
            "A program gets signed messages with ids only. A chat gets the texts of “Copy for "
            "the chat” as the public reads them, and nothing else."
        ),
        error_messages={"invalid_choice": _("Choose one of the receivers in the list.")},
    )
    field_order = ("format", "url", "kinds")
    get_arguments = ServiceForm.get_arguments

    def __init__(self, *args: object, **more: object) -> None:
        super().__init__(*args, **more)
        self.fields["url"].help_text = _("Copy it from the settings of the chat or the program.")


SHOWN: Final = 50
"""Number of messages on the page of a webhook."""
RECEIVERS: Final = {str(key): label for key, label in FORMATS}
KIND_LABELS: Final = {**{str(kind): label for kind, label in KINDS}, TEST_KIND: _("Test message")}


@club_form_page((create_webhook, WebhookForm))
def webhooks(request: PageRequest, club: Club) -> HttpResponse:
    """List a club's webhooks and create one; its secret is shown once."""
    initial = {"kinds": [WebhookKind.EVENING_CLOSED]}
    form = WebhookForm(posted(request), initial=initial)
    created = submit(request, form, create_webhook, club)
    if created is not None:
        form = WebhookForm(initial=initial)
    rows = [_row(row) for row in webhooks_of(club)]
    context = {"form": form, "created": created, "webhooks": rows, "outgoing": get_outgoing()}
    return render_club(request, "webhooks/webhooks.html", club, context, form)


@club_form_page((change_webhook, ChangeWebhookForm))
def webhook(request: PageRequest, club: Club, webhook: UUID) -> HttpResponse:
    """Show a webhook with its messages; test it, change it, rotate its secret, or remove it."""
    row = get_webhook(club, webhook)
    is_rotated = "rotate" in request.POST
    if is_rotated:
        row = rotate_webhook_secret(operation_of(request), row)
    elif button := next((name for name in BUTTONS if name in request.POST), ""):
        with RefusalMessages(request):
            notice = BUTTONS[button](operation_of(request), row, request.POST[button])
            messages.success(request, notice)
        if button == "remove":
            return go_to("webhooks", club)
        return redirect(request.path)
    form = ChangeWebhookForm(None if is_rotated else posted(request), initial={"kinds": row.kinds})
    if submit(request, form, change_webhook, row):
        return done(request, gettext("Webhook changed."), "webhook", club, webhook=webhook)
    deliveries = [
        (delivery, KIND_LABELS.get(delivery.occurrence.kind, delivery.occurrence.kind))
        for delivery in list_deliveries(row)[:SHOWN]
    ]
    context = {
        "form": form,
        "row": _row(row),
        "deliveries": deliveries,
        "outgoing": get_outgoing(),
    }
    crumbs = (layout.link_to(gettext("Webhooks"), "webhooks", club),)
    return render_club(request, "webhooks/webhook.html", club, context, form, crumbs=crumbs)


def _test(op: Operation, row: Webhook, _value: str) -> str:
    test_webhook(op, row)
    if KNOWN.is_outgoing_off():
        return gettext("The test message waits: sending is switched off.")
    return gettext("The test message is sent in a moment. Load this page again to see the answer.")


def _change_state(op: Operation, row: Webhook, state: str) -> str:
    is_disabled = state == "disabled"
    change_webhook(op, row, state="disabled" if is_disabled else "active")
    return gettext("Webhook disabled.") if is_disabled else gettext("Webhook enabled.")


def _repeat(op: Operation, row: Webhook, delivery: str) -> str:
    try:
        public_id = UUID(delivery)
    except ValueError as odd:
        raise Missing("delivery") from odd
    repeat_delivery(op, get_delivery(row, public_id))
    if KNOWN.is_outgoing_off():
        return gettext("The message waits: sending is switched off.")
    return gettext("The message is sent again in a moment.")


def _remove(op: Operation, row: Webhook, _value: str) -> str:
    remove_webhook(op, row)
    return gettext("Webhook removed.")


BUTTONS: Final = {"test": _test, "state": _change_state, "repeat": _repeat, "remove": _remove}


def _row(webhook: Webhook) -> dict[str, object]:
    return {
        "webhook": webhook,
        "url": shown_url(webhook),
        "receiver": RECEIVERS[webhook.format],
        "kinds": [KIND_LABELS.get(kind, kind) for kind in webhook.kinds],
    }
