"""A webhook to create or to change."""

from typing import Final

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.http.service_form import ServiceForm
from tournaments.models.webhooks import WebhookFormat, WebhookKind

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
