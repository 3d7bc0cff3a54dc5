"""Mail addresses and personal links of people without an account."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from api.resources import ResourceViewSet, creates, performs, reads, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import BooleanField, TextField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer
from api.v1.addresses import OfPlayerViewSet
from api.v1.fields import MomentField
from scoring.json_types import JsonDict
from tournaments.models.access import AddressOrigin, Contact, PersonalLink
from tournaments.models.clubs import Player
from tournaments.selectors.access.personal_links import get_contact, personal_path, site_address
from tournaments.selectors.clubs.made_by_links import KINDS_MADE, MadeByLink, list_made_by_links
from tournaments.services.clubs.personal_links import (
    confirm_contact,
    make_personal_links,
    renew_personal_link,
    revoke_personal_link,
    set_contact,
)
from tournaments.services.operations import Operation
from tournaments.services.people.made_by_links import end_made_by_links, keep_made_by_links


class ContactSerializer(OutputSerializer):
    """The mail address of a player, with the consent to use it."""

    player_id = serializers.CharField(source="player.player_id")
    email = serializers.CharField(allow_blank=True, help_text="Mail address; empty without one.")
    consent_at = MomentField(
        allow_null=True, help_text="Time of the person's consent; null without an address."
    )
    consent_by = serializers.CharField(
        source="consent_as",
        allow_blank=True,
        help_text="Name of who noted the consent; empty if the person gave it themselves.",
    )
    origin = serializers.ChoiceField(
        source="known_origin",
        choices=["", *AddressOrigin.values],
        help_text="Source of the address: `link` = it came by the personal link alone; `club` = a "
        "director stored or confirmed it; `mailbox` = the person, by a mail to the address "
        "before. Empty without an address.",
    )
    is_confirmed = serializers.BooleanField(
        source="is_vouched",
        help_text="Whether the address confirms more than mails: an account, an erasure, answers "
        "to challenges.",
    )
    refusals = serializers.IntegerField(
        help_text="Mails that the mail server refused in a row; no more are sent after three."
    )


class ReadContactSerializer(StrictSerializer):
    """The mail address that you read and confirm."""

    email = TextField(help_text="Mail address; with another one stored meanwhile: 409.")


class NewContactSerializer(StrictSerializer):
    """The mail address of a player."""

    email = TextField(help_text="Mail address; empty to remove it with its consent.")
    has_consent = BooleanField(
        required=False,
        help_text="Whether the person agreed to get mails at this address; asked for a new one.",
    )


class PersonalLinkSerializer(OutputSerializer):
    """A new personal link: it opens the evening of one player, without an account."""

    player_id = serializers.CharField()
    made_at = MomentField()
    url = serializers.CharField(help_text="Address to give to the player. Only this answer has it.")


class PersonalLinksSerializer(OutputSerializer):
    """The personal links that were made."""

    results = PersonalLinkSerializer(many=True)


class MadeByLinkSerializer(OutputSerializer):
    """An address, an account or a request that the personal link of a player made."""

    kind = serializers.ChoiceField(choices=KINDS_MADE)
    at = MomentField()
    name = serializers.CharField(
        allow_blank=True, help_text="The address, or the name of the account."
    )
    waits = serializers.BooleanField(
        help_text="Whether a director has to look: at an address that came by the link alone, or "
        "at an account that an earlier release made with it."
    )


class MadeByLinksSerializer(OutputSerializer):
    """The address, account and requests that the personal links of a player made."""

    results = MadeByLinkSerializer(many=True)


class RevokedPersonalLinkSerializer(OutputSerializer):
    """The result of revoking a personal link."""

    revoked = serializers.BooleanField(source="*", help_text="Whether there was one.")


class ContactViewSet(OfPlayerViewSet):
    """The mail address of a player."""

    is_single = True
    resource = ("contact", "contacts")
    is_personal = True
    serializer_class = ContactSerializer
    read_right, hidden_as = "read_contacts", "player"
    retrieve = reads("The mail address of a player and its consent, for directors and owners.")
    update = writes(set_contact, NewContactSerializer)
    destroy = writes(
        set_contact,
        None,
        name="remove_contact",
        text="Remove the mail address of a player, with its consent.",
    )

    confirm = performs(confirm_contact, "confirm", body=ReadContactSerializer)

    def get_row(self, result: Player | Contact) -> Contact:
        if isinstance(result, Contact):
            return result
        return get_contact(result)

    def perform_destroy(self, op: Operation, _body: JsonDict) -> Contact:
        return set_contact(op, self.get_object(), email="")


class PersonalLinkViewSet(OfPlayerViewSet):
    """The personal link of a player."""

    is_single = True
    resource = ("personal_link", "personal_links")
    is_personal = True
    submit = writes(renew_personal_link, EmptyBody, answer=PersonalLinkSerializer, has_secret=True)
    destroy = writes(revoke_personal_link, None, answer=RevokedPersonalLinkSerializer)

    serializer_class = MadeByLinksSerializer
    read_right, hidden_as = "read_contacts", "player"
    retrieve = reads(
        "The address, account and requests that the personal links of a player made, for directors "
        "and owners."
    )
    end_made = performs(end_made_by_links, "end-made")
    keep_made = performs(keep_made_by_links, "keep-made")

    def get_row(self, result: Player | Sequence[MadeByLink]) -> JsonDict:
        made = list_made_by_links(result) if isinstance(result, Player) else result
        return {"results": list(made)}

    def perform_submit(self, op: Operation, _body: JsonDict) -> JsonDict:
        return _with_address(renew_personal_link(op, self.get_object()))


class PersonalLinksViewSet(ResourceViewSet):
    """The personal links of a club."""

    resource = ("personal_link", "personal_links")
    ordering = ()
    create = creates(
        make_personal_links, EmptyBody, answer=PersonalLinksSerializer, has_secret=True, status=200
    )

    def perform_create(self, op: Operation, _body: JsonDict) -> JsonDict:
        return {"results": list(map(_with_address, make_personal_links(op, self.parent)))}


def _with_address(link: PersonalLink) -> dict[str, Any]:
    return {
        "player_id": link.player.player_id,
        "made_at": link.made_at,
        "url": site_address(personal_path(link)),
    }
