"""Webhooks of a club: the list, a new one, and one with its messages."""

from functools import cached_property
from typing import Any, Final
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from tournaments.errors import Missing
from tournaments.models.webhooks import TEST_KIND, Webhook, WebhookFormat, WebhookKind
from tournaments.selectors.webhooks import (
    get_delivery,
    get_webhook,
    list_deliveries,
    shown_url,
    webhooks_of,
)
from tournaments.services.webhooks.manage import (
    change_webhook,
    create_webhook,
    remove_webhook,
    repeat_delivery,
    rotate_webhook_secret,
    test_webhook,
)
from tournaments.views.http.layout import Layout, Link, club_layout
from tournaments.views.http.operation_view import OperationFormView
from tournaments.views.http.service_form import ServiceForm

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


class WebhookForm(ChangeWebhookForm):
    required_fields = ("format",)
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
    TEST_KIND: _("Test message"),
}


class WebhooksView(OperationFormView):
    """List a club's webhooks and create one; its secret is shown once."""

    operation = create_webhook
    form_class = WebhookForm
    template_name = "webhooks/webhooks.html"

    def get_initial(self) -> dict[str, Any]:
        return {"kinds": [WebhookKind.PUBLICATION_CREATED]}

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        rows = [_row(webhook) for webhook in webhooks_of(self.home)]
        return super().get_context_data(webhooks=rows, **context)

    def done(self, result: Webhook) -> HttpResponse:
        form = WebhookForm(initial=self.get_initial())
        return self.render_to_response(self.get_context_data(form=form, created=result))


class WebhookView(OperationFormView):
    """Show a webhook with its messages; test it, change it, rotate its secret, or remove it."""

    operation = change_webhook
    form_class = ChangeWebhookForm
    template_name = "webhooks/webhook.html"
    message = _("Webhook changed.")
    buttons = ("rotate", "test", "state", "repeat", "remove")

    @cached_property
    def webhook(self) -> Webhook:
        return get_webhook(self.home, self.kwargs["webhook"])

    def get_object(self) -> Webhook:
        return self.webhook

    def get_initial(self) -> dict[str, Any]:
        return {"kinds": self.webhook.kinds}

    def get_arguments(self, form: ServiceForm) -> dict[str, Any]:
        return {**form.cleaned_data, "url": form.cleaned_data["url"] or None}

    def get_layout(self) -> Layout:
        to_list = Link(gettext("Webhooks"), f"/clubs/{self.home.slug}/webhooks")
        return club_layout(self.request, self.home, (to_list,))

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        deliveries = [
            (delivery, KIND_LABELS.get(delivery.occurrence.kind, delivery.occurrence.kind))
            for delivery in list_deliveries(self.webhook)[:SHOWN]
        ]
        return super().get_context_data(row=_row(self.webhook), deliveries=deliveries, **context)

    def press_rotate(self, _value: str) -> HttpResponse:
        self.webhook = rotate_webhook_secret(self.op, self.webhook)
        form = ChangeWebhookForm(initial=self.get_initial())
        return self.render_to_response(self.get_context_data(form=form))

    def press_test(self, _value: str) -> HttpResponse:
        test_webhook(self.op, self.webhook)
        return self.leave(
            _("The test message is sent in a moment. Load this page again to see the answer.")
        )

    def press_state(self, state: str) -> HttpResponse:
        state = "disabled" if state == "disabled" else "active"
        change_webhook(self.op, self.webhook, state=state)
        return self.leave(_("Webhook disabled.") if state == "disabled" else _("Webhook enabled."))

    def press_repeat(self, delivery: str) -> HttpResponse:
        try:
            public_id = UUID(delivery)
        except ValueError as odd:
            raise Missing("delivery") from odd
        repeat_delivery(self.op, get_delivery(self.webhook, public_id))
        return self.leave(_("The message is sent again in a moment."))

    def press_remove(self, _value: str) -> HttpResponse:
        remove_webhook(self.op, self.webhook)
        return self.leave(_("Webhook removed."), "webhooks")


def _row(webhook: Webhook) -> dict[str, object]:
    return {
        "webhook": webhook,
        "url": shown_url(webhook),
        "receiver": RECEIVERS[webhook.format],
        "kinds": [KIND_LABELS.get(kind, kind) for kind in webhook.kinds],
    }
