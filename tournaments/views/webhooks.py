"""Webhooks of a club: the list, a new one, and one with its messages."""

from typing import Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Club
from tournaments.models.webhooks import TEST_KIND, Webhook, WebhookFormat, WebhookKind
from tournaments.selectors.webhooks import get_webhook, list_deliveries, shown_url, webhooks_of
from tournaments.services.webhooks.manage import (
    CreatedWebhook,
    change_webhook,
    create_webhook,
    remove_webhook,
    repeat_delivery,
    rotate_secret,
    test_webhook,
)
from tournaments.views.http.decorators import club_form_page
from tournaments.views.http.layout import Link, PageRequest
from tournaments.views.http.pages import done, go_to, render_club
from tournaments.views.http.service_form import ServiceForm, attempt, posted, submit

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


@club_form_page("manage_webhooks")
def webhooks(request: PageRequest, club: Club) -> HttpResponse:
    initial = {"kinds": [WebhookKind.PUBLICATION_CREATED]}
    form = WebhookForm(posted(request), initial=initial)
    created = submit(request, form, create_webhook, club=club)
    context = {
        "form": WebhookForm(initial=initial) if created else form,
        "created": created,
        "webhooks": [_row(row) for row in webhooks_of(club)],
    }
    return render_club(request, "webhooks/webhooks.html", club, context, form)


@club_form_page("manage_webhooks")
def webhook(request: PageRequest, club: Club, webhook: UUID) -> HttpResponse:
    row, now = get_webhook(club, webhook), timezone.now()
    rotated: CreatedWebhook | None = None
    form = ChangeWebhookForm(initial={"kinds": row.kinds})
    if "rotate" in request.POST:
        rotated = rotate_secret(actor=request.actor, club=club, public_id=webhook, now=now)
        row = rotated.webhook
    elif "change" in request.POST:
        form = ChangeWebhookForm(request.POST)
        changed = None
        if form.is_valid():
            changed = attempt(
                form,
                lambda: change_webhook(
                    actor=request.actor,
                    club=club,
                    public_id=webhook,
                    url=form.cleaned_data["url"] or None,
                    kinds=form.cleaned_data["kinds"],
                    now=now,
                ),
            )
        if changed is not None:
            return done(request, gettext("Webhook changed."), "webhook", club, webhook=webhook)
    elif request.method == "POST":
        return _act(request, club, webhook)
    context = {
        "row": _row(row),
        "form": form,
        "rotated": rotated,
        "deliveries": [
            (delivery, KIND_LABELS.get(delivery.occurrence.kind, delivery.occurrence.kind))
            for delivery in list_deliveries(row)[:SHOWN]
        ],
    }
    crumbs = (Link(gettext("Webhooks"), f"/clubs/{club.slug}/webhooks"),)
    return render_club(request, "webhooks/webhook.html", club, context, form, crumbs=crumbs)


def _row(webhook: Webhook) -> dict[str, object]:
    return {
        "webhook": webhook,
        "url": shown_url(webhook),
        "receiver": RECEIVERS[webhook.format],
        "kinds": [KIND_LABELS.get(kind, kind) for kind in webhook.kinds],
    }


def _act(request: PageRequest, club: Club, public_id: UUID) -> HttpResponse:
    try:
        if notice := _act_notice(request, club, public_id):
            messages.success(request, notice)
    except Conflict as conflict:
        messages.error(request, sentence(conflict.problem))
    if "remove" in request.POST and not {"test", "state", "repeat"} & request.POST.keys():
        return go_to("webhooks", club)
    return go_to("webhook", club, webhook=public_id)


def _act_notice(request: PageRequest, club: Club, public_id: UUID) -> str:
    """Perform a button's action, and return its notice; "" if no button was pressed."""
    actor, pressed, now = request.actor, request.POST, timezone.now()
    if "test" in pressed:
        test_webhook(actor=actor, club=club, public_id=public_id, now=now)
        return gettext(
            "The test message is sent in a moment. Load this page again to see the answer."
        )
    if "state" in pressed:
        state = "disabled" if pressed["state"] == "disabled" else "active"
        change_webhook(actor=actor, club=club, public_id=public_id, state=state, now=now)
        return gettext("Webhook disabled.") if state == "disabled" else gettext("Webhook enabled.")
    if "repeat" in pressed:
        try:
            delivery = UUID(pressed["repeat"])
        except ValueError as odd:
            raise Missing("delivery") from odd
        repeat_delivery(actor=actor, club=club, webhook=public_id, public_id=delivery, now=now)
        return gettext("The message is sent again in a moment.")
    if "remove" in pressed:
        remove_webhook(actor=actor, club=club, public_id=public_id, now=now)
        return gettext("Webhook removed.")
    return ""
