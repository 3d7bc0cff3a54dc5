"""The settings of a club: one page, changed by its owners."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final, cast

from django import forms
from django.db.models import Q
from django.http import HttpResponse, QueryDict
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict
from tournaments.domain import colours
from tournaments.domain.club_settings import CLUB_SETTINGS, ON_FRONT, SECTIONS
from tournaments.domain.seating_preferences import KEYS as SEATING
from tournaments.domain.setting_kinds import Card
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import count_export_contents
from tournaments.selectors.events import events
from tournaments.selectors.events.settings_checks import club_settings
from tournaments.selectors.jobs.outgoing import SiteMail, get_site_mail
from tournaments.services.clubs.change_club import change_club, club_tag
from tournaments.services.clubs.clubs import remove_logo, set_logo
from tournaments.services.clubs.deletion import (
    EXPORT_COUNTS,
    GRACE,
    archive_response,
    delete_club,
    is_export_recent,
    note_export,
    undo_delete_club,
)
from tournaments.views.clubs.clubs import zone_choices
from tournaments.views.events.settings_form import DeclaredSettingsForm, setting_field
from tournaments.views.http.decorators import club_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import done, go_to, render_club
from tournaments.views.http.service_form import (
    ServiceForm,
    gives,
    operation_of,
    posted,
    submit,
    text_field,
)

STANDARD: Final = "standard"
OWN: Final = "own"
FIRST: Final = ("when_where", "welcomes_visitors")
FIELDS: Final[Mapping[str, Sequence[str]]] = {
    **{
        section: [key for key, setting in CLUB_SETTINGS.items() if setting.section == section]
        for section in SECTIONS
    },
    "front": (*FIRST, *(key for key in ON_FRONT if key not in FIRST)),
    "seating": SEATING,
    "colour": ("accent", "colour"),
}
"""Section → its fields, in their order."""


CARDS: Final = {
    **{key: setting.choices for key, setting in CLUB_SETTINGS.items() if setting.kind == "choice"},
    "prefer": (
        Card("threes", _("Tables of three"), _("17 people: 4, 4, 3, 3 and 3.")),
        Card("fives", _("Tables of five"), _("17 people: 4, 4, 4 and 5.")),
        Card("sit_outs", _("Sit-outs"), _("17 people: four tables of 4, and one sits out.")),
    ),
    "accent": (
        Card(STANDARD, _("Standard colour"), _("Blue-green, as on the pages of this site.")),
        Card(OWN, _("Own colour"), _("For buttons and links on all pages of the club.")),
    ),
}
"""The choices of a field as cards."""


class ClubSettingsForm(DeclaredSettingsForm):
    """The settings of a club; the page draws those with cards.

    `events` are those that the club's page can show first.
    """

    field_order = ("based_on", *chain(*FIELDS.values()))
    based_on = forms.CharField(widget=forms.HiddenInput())
    how_to_join = forms.CharField(
        label=_("How to join"),
        strip=False,
        help_text=_("One step a line, five at most. Three are best."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    front_event = forms.CharField(
        label=_("Event shown first"),
        help_text=_("Visitors who cannot read this event are shown the running league."),
    )
    threes = forms.BooleanField(label=_("Tables of three"))
    fives = forms.BooleanField(label=_("Tables of five"))
    prefer = forms.CharField(label=_("Preferred"))
    accent = forms.CharField(label=_("Colour of buttons and links"))

    def __init__(self, *given: Any, events: Sequence[Event] = (), **more: Any) -> None:
        super().__init__(*given, **more)
        for key, setting in CLUB_SETTINGS.items():
            if setting.kind != "other" and key != "language":
                self.fields[key] = setting_field(setting)
        if get_site_mail() != SiteMail.ON:
            self.fields["reminder_days"].help_text = ""
        self.order_fields(self.field_order)
        choices = [("", _("The running league")), *((event.slug, event.name) for event in events)]
        self.fields["front_event"].widget = forms.Select(choices=choices)
        self.fields["time_zone"].widget = forms.Select(
            choices=zone_choices(self.initial["time_zone"])
        )
        self.fields["slug"].widget.attrs |= {"autocapitalize": "none", "spellcheck": "false"}
        self.fields["colour"].widget = forms.TextInput(attrs={"type": "color"})

    def sections(self, now: JsonDict) -> list[JsonDict]:
        """Return the sections of the page; `value` is what the club has now."""
        return [
            {
                "key": key,
                "title": title,
                "hint": UNSENT_HINTS.get((key, get_site_mail()), hint),
                "value": _value(key, now),
                "fields": [(self[name], CARDS.get(name)) for name in FIELDS[key]],
                "is_refused": self.is_bound and not set(FIELDS[key]).isdisjoint(self.errors),
            }
            for key, (title, hint) in SECTIONS.items()
        ]

    @gives("wanted", "based_on")
    def get_arguments(self) -> dict[str, Any]:
        typed: Mapping[str, Any] = self.cleaned_data
        apart = ("based_on", "accent", *SEATING)
        settings = {key: typed[key] for key in typed if key not in apart}
        if typed["prefer"]:
            settings["seating"] = {key: typed[key] for key in SEATING}
        settings["how_to_join"] = typed["how_to_join"].splitlines()
        settings["colour"] = typed["colour"] if typed["accent"] == OWN else ""
        return {"wanted": settings, "based_on": typed["based_on"]}


UNSENT_HINTS: Final[Mapping[tuple[str, SiteMail], object]] = {
    ("reminders", SiteMail.NONE): _(
        "This site sends no mail, so nobody is reminded. Open the attendance of an evening and "
        "choose “Messages to copy” to pass the question on yourself."
    ),
    ("reminders", SiteMail.OFF): _(
        "Reminders wait until an administrator of this site switches sending on. Those of an "
        "evening that is over are dropped."
    ),
}
"""Section and what becomes of mails → the hint where they are not sent."""


class LogoForm(ServiceForm):
    required_fields = ("logo",)
    logo = forms.FileField(
        label=_("Picture"),
        error_messages={"required": _("Choose a picture first.")},
        help_text=_("PNG, JPEG or WebP, up to 2 MB. It is made smaller and saved as PNG."),
        widget=forms.FileInput(attrs={"accept": "image/png,image/jpeg,image/webp"}),
    )

    @gives("content")
    def get_arguments(self) -> dict[str, object]:
        return {"content": self.cleaned_data["logo"].read()}


class DeleteClubForm(ServiceForm):
    confirm = text_field(_("Address of the club"), autocapitalize="none", autocomplete="off")


def _value(section: str, now: JsonDict) -> str:
    if section == "reminders" and get_site_mail() == SiteMail.NONE:
        return gettext("Not sent: this site sends no mail")
    if section == "seating":
        preferred = {card.value: card.label for card in CARDS["prefer"]}
        return gettext("Preferred: %(sizes)s") % {"sizes": preferred[now["seating"]["prefer"]]}
    if section == "front":
        names = FIELDS[section][:1]
    else:
        names = FIELDS[section]
    values = [CLUB_SETTINGS[name].value_of(now[name]) for name in names if name in CLUB_SETTINGS]
    return " · ".join(filter(None, values))


@club_form_page((change_club, ClubSettingsForm))
def club_settings_page(request: PageRequest, club: Club) -> HttpResponse:
    form = _settings_form(request, club, club_settings(club), posted(request))
    changed = submit(request, form, change_club, club)
    if changed is None:
        return _page(request, club, settings=form)
    return done(request, gettext("Club settings saved."), "club-settings", changed)


@club_form_page((set_logo, LogoForm))
def logo(request: PageRequest, club: Club) -> HttpResponse:
    if request.method != "POST":
        return go_to("club-settings", club)
    if "remove" in request.POST:
        remove_logo(operation_of(request), club)
        return done(request, gettext("Logo removed."), "club-settings", club)
    form = LogoForm(request.POST, request.FILES)
    if submit(request, form, set_logo, club) is None:
        return _page(request, club, logo_form=form)
    return done(request, gettext("Logo saved."), "club-settings", club)


@club_form_page(note_export)
def export(request: PageRequest, club: Club) -> HttpResponse:
    """Give the data of a club as a ZIP; that is noted, as a club is deleted after it only."""
    # A page is typed as an answer with a content; nothing on its way looks at that of this one.
    return cast(HttpResponse, archive_response(operation_of(request), club))


@club_form_page((delete_club, DeleteClubForm), (undo_delete_club, ServiceForm))
def delete(request: PageRequest, club: Club) -> HttpResponse:
    if request.method != "POST":
        return go_to("club-settings", club)
    if "undo" in request.POST:
        form = ServiceForm({})
        if submit(request, form, undo_delete_club, club) is not None:
            return done(request, gettext("The club is not deleted."), "club-settings", club)
    else:
        form = DeleteClubForm(request.POST)
        if submit(request, form, delete_club, club) is not None:
            return go_to("club-settings", club)
    return _page(request, club, delete_form=form)


def _page(request: PageRequest, club: Club, **sent: Any) -> HttpResponse:
    now = club_settings(club)
    (form,) = sent.values()
    settings = sent.get("settings") or _settings_form(request, club, now)
    context: dict[str, Any] = {
        "form": form,
        "settings": settings,
        "sections": settings.sections(now),
        "logo_form": sent.get("logo_form") or LogoForm(),
        "delete_form": sent.get("delete_form") or DeleteClubForm(),
        "contents": count_export_contents(club),
        "archived": events.events_of(request.actor, club).filter(archived_at__isnull=False),
        "is_exported": is_export_recent(club, timezone.now()),
        "export_days": EXPORT_COUNTS.days,
        "grace_days": GRACE.days,
    }
    return render_club(request, "clubs/settings.html", club, context, form)


def _settings_form(
    request: PageRequest, club: Club, now: JsonDict, typed: QueryDict | None = None
) -> ClubSettingsForm:
    begin = {
        **now,
        **now["seating"],
        "based_on": club_tag(now),
        "accent": OWN if now["colour"] else STANDARD,
        "colour": now["colour"] or colours.STANDARD,  # the field cannot be empty
        "how_to_join": "\n".join(now["how_to_join"]),
    }
    listed = events.events_of(request.actor, club)
    choices = listed.filter(Q(archived_at__isnull=True) | Q(slug=now["front_event"]))
    return ClubSettingsForm(typed, initial=begin, events=list(choices))
