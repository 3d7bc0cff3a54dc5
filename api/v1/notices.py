"""What waits for a person in a club, and the mails of a club, for its owners."""

from collections.abc import Sequence

from django.utils import timezone
from rest_framework import serializers

from api.lists import Filter
from api.resources import ResourceViewSet, performs
from api.serializers.fast_serialization import OutputSerializer
from api.v1.fields import MomentField
from tournaments.models.jobs import Outbox
from tournaments.selectors.jobs.mail_states import MAIL_STATES
from tournaments.selectors.notices.outbox import get_mail, mail_rows
from tournaments.selectors.waiting import KINDS, Waiting, list_waiting
from tournaments.services.notices.outbox import send_mail_again
from tournaments.services.operations import Operation


class WaitingSerializer(OutputSerializer):
    """A task that a person has to decide or to finish."""

    kind = serializers.ChoiceField(choices=[kind for kind, _right, _find in KINDS])
    event = serializers.CharField(
        source="event.slug", default=None, allow_null=True, help_text="Null for the club itself."
    )
    title = serializers.CharField()
    n_of_kind = serializers.IntegerField(
        help_text="Number of tasks of this kind, of which the list has 20; 200 = 200 or more."
    )
    path = serializers.CharField(help_text="Path of the page where it is decided.")
    since = MomentField(allow_null=True)
    due_at = MomentField(allow_null=True)
    day = serializers.DateField(
        allow_null=True, help_text="Local date of the last evening of a round or an event."
    )


class WaitingViewSet(ResourceViewSet):
    """Tasks that wait for a person in a club, those that the role of the caller may decide.

    Tasks with a deadline come first; the list has at most 20 of each kind. Those about addresses
    and accounts that came by a link are for tokens to `manage`.
    """

    resource = ("waiting", "waiting")
    read_right = "read_members"
    is_personal = True
    serializer_class = WaitingSerializer
    ordering = ()

    def get_queryset(self) -> Sequence[Waiting]:
        kinds = [
            kind
            for kind, right, _find in KINDS
            if right != "manage_contacts" or self.actor.is_within_scope(right)
        ]
        return list_waiting([(self.parent, self.parent.role)], now=timezone.now(), kinds=kinds)


class MailSerializer(OutputSerializer):
    """A mail of the club: waiting, held back, not sent, or sent in the last 30 days.

    `parked` failed permanently. `held` waits because 12 mails went to the address within a day;
    `dropped` was held and then out of date.
    """

    number = serializers.IntegerField()
    kind = serializers.CharField()
    to = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=MAIL_STATES)
    error = serializers.CharField(
        allow_blank=True, help_text="Error of the last failed attempt; empty once the mail is sent."
    )
    attempts = serializers.IntegerField()
    created_at = MomentField()
    due_at = MomentField(help_text="Time of the next attempt; of the last one if none follows.")
    sent_at = MomentField(allow_null=True)


class SentAgainSerializer(OutputSerializer):
    """The mail for which another attempt was scheduled."""

    number = serializers.IntegerField(source="pk")


class MailViewSet(ResourceViewSet):
    """The mails of a club: failed ones first, then held, waiting and sent ones; for its owners."""

    resource = ("mail", "mails")
    read_right = "read_mail"
    is_personal = True
    lookup_url_kwarg, lookup_value_converter = "number", "number"
    serializer_class = MailSerializer
    ordering = ()
    filters = (Filter("state", "Only mails in this state.", MAIL_STATES),)
    send = performs(send_mail_again, "send", body=None, answer=SentAgainSerializer)

    def get_queryset(self, state: str = "") -> Sequence[dict[str, object]]:
        rows = mail_rows(self.parent, with_site=self.actor.is_site_admin)
        return [row for row in rows if state in ("", row["state"])]

    def perform_send(self, op: Operation, _body: dict[str, object]) -> Outbox:
        mail = get_mail(self.parent, self.kwargs["number"], with_site=op.actor.is_site_admin)
        send_mail_again(op, self.parent, mail=mail)
        return mail
