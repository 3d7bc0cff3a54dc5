"""The admin site: everything can be viewed, little can be changed here.

What is derived, typed or audited is read-only, whoever asks. The few forms that write go through
the services, so that their rules hold and the audit trail has its line.
"""

from collections.abc import Mapping
from typing import Any, TypeVar
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
from tournaments.models.meetings import Meeting, Round, Sitting, Table
from tournaments.models.outbox import Dirty, Heartbeat, Outbox
from tournaments.models.standings import Aggregate, Contribution, Publication
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.events.meetings import with_state
from tournaments.services.clubs.clubs import (
    add_player,
    create_club,
    number_problems,
    slug_problems,
    taken_number_problem,
)
from tournaments.services.clubs.members import give_role, last_owner_problem

M = TypeVar("M", bound=Model)


class ReadOnly(admin.ModelAdmin[M]):
    """Lists and shows; adds, changes and deletes nothing."""

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
    """Adds through a service; what is there is read-only."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


def _seen_name(found: Mapping[str, str]) -> str:
    name = one_line(found["name"])
    if problems := name_problems(name):
        raise forms.ValidationError([sentence(problem) for problem in problems])
    return name


class ClubAdminForm(forms.ModelForm[Club]):
    """A club's address and name, judged by the service's own rules."""

    class Meta:
        model = Club
        fields = ("slug", "name", "time_zone")

    def clean_name(self) -> str:
        return _seen_name(self.cleaned_data)

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        problems = slug_problems(slug)
        if problems:
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
        made = create_club(
            actor=actor_of(request.user),
            slug=obj.slug,
            name=obj.name,
            time_zone=obj.time_zone,
            now=timezone.now(),
        )
        obj.__dict__.update(made.__dict__)


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
        made = give_role(
            actor=actor_of(request.user),
            club=obj.club,
            user_id=obj.user.pk,
            role=obj.role,
            now=timezone.now(),
        )
        obj.__dict__.update(made.__dict__)


class PlayerForm(forms.ModelForm[Player]):
    class Meta:
        model = Player
        fields = ("club", "player_id", "name", "joined")

    def clean_name(self) -> str:
        return _seen_name(self.cleaned_data)

    def clean(self) -> dict[str, object]:
        found: dict[str, Any] = super().clean() or self.cleaned_data
        club, code = found.get("club"), found.get("player_id")
        if club and code:
            taken = taken_number_problem(club, code)
            for problem in [*number_problems(club, code), *([taken] if taken else [])]:
                self.add_error("player_id", sentence(problem))
        return found


@admin.register(Player)
class PlayerAdmin(AddOnly[Player]):
    form = PlayerForm
    fields = ("club", "player_id", "name", "joined")
    list_display = ("player_id", "name", "club", "joined")
    list_filter = ("club",)
    list_select_related = ("club",)
    search_fields = ("name", "player_id")

    def save_model(self, request: HttpRequest, obj: Player, form: object, change: bool) -> None:
        made = add_player(
            actor=actor_of(request.user),
            club=obj.club,
            name=obj.name,
            player_id=obj.player_id,
            joined=obj.joined,
            now=timezone.now(),
        )
        obj.__dict__.update(made.__dict__)


@admin.register(Season)
class SeasonAdmin(ReadOnly[Season]):
    list_display = ("name", "club", "starts_on", "ends_on")
    list_filter = ("club",)
    list_select_related = ("club",)


@admin.register(Event)
class EventAdmin(ReadOnly[Event]):
    list_display = ("name", "slug", "club", "kind", "state", "visibility", "variant")
    list_filter = ("state", "kind", "visibility", "club")
    list_select_related = ("club",)
    search_fields = ("name", "slug")


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnly[Snapshot]):
    list_display = ("variant_name", "event", "content_hash")
    list_select_related = ("event",)
    search_fields = ("variant", "variant_name", "content_hash")


@admin.register(Entrant)
class EntrantAdmin(ReadOnly[Entrant]):
    list_display = ("code", "name", "event", "kind", "state")
    list_filter = ("kind", "state")
    list_select_related = ("event",)
    search_fields = ("code", "name")


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


@admin.register(Round)
class RoundAdmin(ReadOnly[Round]):
    list_display = ("number", "event", "meeting", "state")
    list_filter = ("state",)
    list_select_related = ("event", "meeting")


@admin.register(Table)
class TableAdmin(ReadOnly[Table]):
    list_display = ("code", "event", "number")
    list_select_related = ("event",)
    search_fields = ("code",)


@admin.register(Sitting)
class SittingAdmin(ReadOnly[Sitting]):
    list_display = ("player", "seat", "from_hand", "to_hand")
    list_select_related = ("player", "seat")
    search_fields = ("player__name", "player__player_id")


@admin.register(Game)
class GameAdmin(ReadOnly[Game]):
    list_display = ("table", "event", "snapshot", "state", "hands_counted")
    list_filter = ("state",)
    list_select_related = ("table", "event", "snapshot")
    search_fields = ("table__code",)


@admin.register(Hand)
class HandAdmin(ReadOnly[Hand]):
    list_display = ("number", "game", "state", "revision")
    list_filter = ("state",)
    list_select_related = ("game",)
    search_fields = ("game__table__code",)


@admin.register(Entry)
class EntryAdmin(ReadOnly[Entry]):
    list_display = ("hand", "revision", "form", "verified", "source", "entered_as", "entered_at")
    list_filter = ("form", "source", "verified")
    list_select_related = ("hand",)
    search_fields = ("entered_as", "reason")


@admin.register(SeatScore)
class SeatScoreAdmin(ReadOnly[SeatScore]):
    list_display = ("seat", "entry", "score", "total", "moons")
    list_select_related = ("seat", "entry")


@admin.register(Contribution)
class ContributionAdmin(ReadOnly[Contribution]):
    list_display = ("entrant", "game", "hands", "points", "place", "moons")
    list_select_related = ("entrant", "game")
    search_fields = ("entrant__code",)


@admin.register(Aggregate)
class AggregateAdmin(ReadOnly[Aggregate]):
    list_display = ("entrant", "event", "games", "hands", "points", "moons")
    list_select_related = ("entrant", "event")
    search_fields = ("entrant__code",)


@admin.register(Publication)
class PublicationAdmin(ReadOnly[Publication]):
    exclude = ("body", "csv")
    list_display = ("number", "event", "version", "etag", "published_at")
    list_select_related = ("event",)
    date_hierarchy = "published_at"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Publication]:
        return super().get_queryset(request).defer("body", "csv")


@admin.register(ImportBatch)
class ImportBatchAdmin(ReadOnly[ImportBatch]):
    list_display = ("number", "event", "file_name", "state", "rows", "hands", "accepted", "added")
    list_filter = ("state",)
    list_select_related = ("event",)
    search_fields = ("file_name",)


@admin.register(ColumnMap)
class ColumnMapAdmin(ReadOnly[ColumnMap]):
    list_display = ("number", "name", "club", "made_as", "changed_at")
    list_filter = ("club",)
    list_select_related = ("club",)
    search_fields = ("name",)


@admin.register(ImportProblem)
class ImportProblemAdmin(ReadOnly[ImportProblem]):
    list_display = ("batch", "code", "severity", "round", "table", "hand", "message", "state")
    list_filter = ("state", "severity", "code")
    list_select_related = ("batch",)
    search_fields = ("message", "found", "expected")


@admin.register(AuditLine)
class AuditLineAdmin(ReadOnly[AuditLine]):
    list_display = ("number", "club", "at", "actor", "act", "subject")
    list_filter = ("act", "club")
    list_select_related = ("club",)
    search_fields = ("subject", "actor")
    date_hierarchy = "at"


@admin.register(Dirty)
class DirtyAdmin(ReadOnly[Dirty]):
    list_display = ("scope", "version", "done", "parked", "attempts", "due_at", "error")
    list_filter = ("parked",)
    search_fields = ("scope",)


@admin.register(Outbox)
class OutboxAdmin(ReadOnly[Outbox]):
    list_display = ("kind", "club", "created_at", "due_at", "attempts", "sent_at")
    list_filter = ("kind",)
    list_select_related = ("club",)


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnly[Heartbeat]):
    list_display = ("name", "seen_at")
