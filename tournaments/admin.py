"""The admin site: everything can be viewed, little can be changed here.

Derived, entered and audited rows are read-only for everybody. The few forms that write use
the services, so that their rules apply and the audit trail gets its line.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeVar
from zoneinfo import available_timezones

from django import forms
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from scoring.errors import Problem
from tournaments.domain.messages import sentence
from tournaments.domain.name_matching import name_problems, one_line
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import Entrant, Event, Season, Snapshot
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.imports import ColumnMap, ImportBatch, ImportProblem
from tournaments.models.jobs import Dirty, Heartbeat, Outbox
from tournaments.models.rounds import Meeting, Round, Sitting, Table
from tournaments.models.standings import Aggregate, Contribution, Publication
from tournaments.selectors.clubs.clubs import actor_of_session
from tournaments.selectors.events.meetings import with_state
from tournaments.services.clubs.clubs import (
    add_player,
    create_club,
    number_problems,
    slug_problems,
    taken_number_problem,
)
from tournaments.services.clubs.members import give_role, last_owner_problem
from tournaments.services.operations import Operation

M = TypeVar("M", bound=Model)


class ReadOnly(admin.ModelAdmin[M]):
    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)


class AddOnly(ReadOnly[M]):
    """Adds through a service; existing rows are read-only."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


@admin.register(Meeting)
class MeetingAdmin(ReadOnly[Meeting]):
    list_display = ("date", "event", "state_now")
    list_select_related = ("event",)
    date_hierarchy = "date"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Meeting]:
        return with_state(super().get_queryset(request))

    @admin.display(description="state")
    def state_now(self, meeting: Meeting) -> str:
        return str(meeting.state_now)  # type: ignore[attr-defined]  # annotated


@admin.register(Publication)
class PublicationAdmin(ReadOnly[Publication]):
    exclude = ("body", "csv")
    list_display = ("number", "event", "meeting", "version", "etag", "published_at")
    list_select_related = ("event", "meeting")
    date_hierarchy = "published_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Publication]:
        return super().get_queryset(request).defer("body", "csv")


@admin.register(AuditLine)
class AuditLineAdmin(ReadOnly[AuditLine]):
    list_display = ("number", "club", "at", "actor", "act", "subject")
    list_filter = ("act", "club")
    list_select_related = ("club",)
    search_fields = ("subject", "actor")
    date_hierarchy = "at"


def _seen_name(values: Mapping[str, str]) -> str:
    name = one_line(values["name"])
    if problems := name_problems(name):
        raise forms.ValidationError([sentence(problem) for problem in problems])
    return name


class ClubAdminForm(forms.ModelForm[Club]):
    class Meta:
        model = Club
        fields = ("slug", "name", "time_zone")

    def clean_name(self) -> str:
        return _seen_name(self.cleaned_data)

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if problems := slug_problems(slug):
            raise forms.ValidationError([sentence(problem) for problem in problems])
        return slug

    def clean_time_zone(self) -> str:
        zone: str = self.cleaned_data["time_zone"]
        if zone not in available_timezones():
            raise forms.ValidationError(
                sentence(Problem("bad_time_zone", ("time_zone",), {"zone": zone}))
            )
        return zone


@admin.register(Club)
class ClubAdmin(AddOnly[Club]):
    form = ClubAdminForm
    list_display = ("name", "slug", "time_zone", "is_public", "created_at")
    search_fields = ("name", "slug")

    def save_model(self, request: HttpRequest, obj: Club, form: object, change: bool) -> None:
        club = create_club(
            Operation(actor_of_session(request), timezone.now()),
            slug=obj.slug,
            name=obj.name,
            time_zone=obj.time_zone,
        )
        obj.__dict__.update(club.__dict__)


class MembershipForm(forms.ModelForm[Membership]):
    class Meta:
        model = Membership
        fields = ("club", "user", "role")

    def clean_role(self) -> str:
        role: str = self.cleaned_data["role"]
        if self.instance.pk and (problem := last_owner_problem(self.instance, role)):
            raise forms.ValidationError(sentence(problem))
        return role


@admin.register(Membership)
class MembershipAdmin(AddOnly[Membership]):
    form = MembershipForm
    fields = ("club", "user", "role")
    list_display = ("user", "club", "role")
    list_filter = ("role", "club")
    list_select_related = ("user", "club")
    search_fields = ("user__username", "user__email", "club__name")

    def has_change_permission(self, request: HttpRequest, obj: Membership | None = None) -> bool:
        return self.has_view_permission(request)

    def get_readonly_fields(
        self, request: HttpRequest, obj: Membership | None = None
    ) -> tuple[str, ...]:
        return ("club", "user") if obj else ()

    def save_model(self, request: HttpRequest, obj: Membership, form: object, change: bool) -> None:
        membership = give_role(
            Operation(actor_of_session(request), timezone.now()),
            obj.club,
            user_id=obj.user.pk,
            role=obj.role,
        )
        obj.__dict__.update(membership.__dict__)


class PlayerForm(forms.ModelForm[Player]):
    class Meta:
        model = Player
        fields = ("club", "player_id", "name", "joined")

    def clean_name(self) -> str:
        return _seen_name(self.cleaned_data)

    def clean(self) -> dict[str, object]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        club, code = values.get("club"), values.get("player_id")
        if club and code:
            for problem in filter(
                None, [*number_problems(club, code), taken_number_problem(club, code)]
            ):
                self.add_error("player_id", sentence(problem))
        return values


@admin.register(Player)
class PlayerAdmin(AddOnly[Player]):
    form = PlayerForm
    fields = ("club", "player_id", "name", "joined")
    list_display = ("player_id", "name", "club", "joined")
    list_filter = ("club",)
    list_select_related = ("club",)
    search_fields = ("name", "player_id")

    def save_model(self, request: HttpRequest, obj: Player, form: object, change: bool) -> None:
        player = add_player(
            Operation(actor_of_session(request), timezone.now()),
            obj.club,
            name=obj.name,
            player_id=obj.player_id,
            joined=obj.joined,
        )
        obj.__dict__.update(player.__dict__)


_LISTS: Final = {
    Season: ("name club starts_on ends_on", "club", "club", ""),
    Event: (
        *("name slug club kind state visibility variant", "club"),
        *("state kind visibility club", "name slug"),
    ),
    Snapshot: ("variant_name event content_hash", "event", "", "variant variant_name content_hash"),
    Entrant: ("code name event kind state", "event", "kind state", "code name"),
    Round: ("number event meeting state", "event meeting", "state", ""),
    Table: ("code event number", "event", "", "code"),
    Sitting: (
        *("player seat from_hand to_hand", "player seat"),
        *("", "player__name player__player_id"),
    ),
    Game: (
        *("table event snapshot state hands_counted", "table event snapshot"),
        *("state", "table__code"),
    ),
    Hand: ("number game state revision", "game", "state", "game__table__code"),
    Entry: (
        *("hand revision form verified source entered_as entered_at", "hand"),
        *("form source verified", "entered_as reason"),
    ),
    SeatScore: ("seat entry score total moons", "seat entry", "", ""),
    Contribution: ("entrant game hands points place moons", "entrant game", "", "entrant__code"),
    Aggregate: ("entrant event games hands points moons", "entrant event", "", "entrant__code"),
    ImportBatch: (
        *("number event file_name state rows hands accepted added", "event"),
        *("state", "file_name"),
    ),
    ColumnMap: ("number name club made_as changed_at", "club", "club", "name"),
    ImportProblem: (
        *("batch code severity round table hand message state", "batch"),
        *("state severity code", "message found expected"),
    ),
    Dirty: ("scope version done parked attempts due_at error", "", "parked", "scope"),
    Outbox: ("kind club created_at due_at attempts sent_at", "club", "kind", ""),
    Heartbeat: ("name seen_at", "", "", ""),
}
"""Model → columns of its list, rows that come with it, filters, columns that are searched."""

for _model, (_columns, _related, _filters, _searched) in _LISTS.items():
    admin.site.register(
        _model,
        ReadOnly,
        list_display=_columns.split(),
        list_select_related=_related.split() or False,
        list_filter=_filters.split(),
        search_fields=_searched.split(),
    )
