"""Create and change house rules: the choice is shown in full before anything is stored."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem, Refused
from scoring.rules.options import Option, every_option
from scoring.rules.rules import Rules
from tournaments.errors import Conflict
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.rules import HouseVariant, HouseVersion
from tournaments.selectors.rules import house_rules as selectors
from tournaments.selectors.rules.rule_sets import variants
from tournaments.selectors.rules.rules_cards import card_view
from tournaments.services.events.change_event import use_house_version
from tournaments.services.rules.house_rules import (
    MOST_RULES_BYTES,
    HouseRulesDraft,
    add_version,
    archive_house_rules,
    chosen_for,
    chosen_in,
    chosen_rules,
    delete_version,
    make_house_rules,
    options_open,
    read_house_file,
    rules_before,
)
from tournaments.views.http import layout
from tournaments.views.http.decorators import club_form_page, event_form_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.pages import go_to, render_club
from tournaments.views.http.service_form import (
    ServiceForm,
    operation_of,
    posted,
    submit,
    text_field,
)
from tournaments.views.rules.variant_options import (
    OptionsForm,
    option_text,
    option_value,
    posted_cycles,
)


class HouseRulesForm(OptionsForm):
    """A variant with its options, one field each (`options-target`), and a name where it is new."""

    name = forms.CharField(
        label=_("Name of your rules"), help_text=_("For example Thursday rules.")
    )
    slug = text_field(
        _("Address within the club"),
        _("Lowercase letters a to z, digits and hyphens. If empty, it is made from the name."),
        autocapitalize="none",
        spellcheck="false",
    )
    summary = forms.CharField(
        label=_("Summary"), help_text=_("One sentence. Shown in the list of games.")
    )
    base = text_field(
        _("Start from"), _("Enter any name of the game."), list="variants", autocomplete="off"
    )
    based_on = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(
        self,
        data: object = None,
        *,
        options: Sequence[Option] = (),
        rules: Rules | None = None,
        is_new: bool = True,
        **more: object,
    ) -> None:
        super().__init__(data, **more)
        if is_new:
            del self.fields["based_on"]
        else:
            del self.fields["name"], self.fields["slug"], self.fields["base"]
        self.ask_options(options, rules)

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem; a new version that changes nothing is about all of it."""
        if problem.at == ("options",):
            return None
        return super().field_of(problem)

    def sentence_of(self, problem: Problem) -> str:
        """Return the sentence of a problem; an empty first field is named as on the page."""
        if problem.code == "unknown_variant" and not self.data.get("base"):
            return gettext("“Start from” is empty. Enter the name of a variant.")
        return super().sentence_of(problem)

    @property
    def own_fields(self) -> list[forms.BoundField]:
        names = ("name", "slug", "summary", "base")
        return [self[name] for name in names if name in self.fields]


class RuleFileForm(ServiceForm):
    required_fields = ("file",)
    prefix = "upload"
    file = forms.FileField(
        label=_("Rules file"),
        help_text=_("A TOML file of house rules, up to %(most)s bytes.")
        % {"most": MOST_RULES_BYTES},
        max_length=255,
        allow_empty_file=True,  # the scorer says in a sentence what is wrong with it
        widget=forms.ClearableFileInput(attrs={"accept": ".toml,application/toml,text/plain"}),
    )


class VersionsForm(forms.Form):
    left = forms.IntegerField(min_value=1)
    right = forms.IntegerField(min_value=1)


@club_form_page(make_house_rules)
def new(request: PageRequest, club: Club) -> HttpResponse:

    def save(draft: HouseRulesDraft, name: str, slug: str) -> HouseVersion:
        return make_house_rules(operation_of(request), club, name=name, slug=slug, chosen=draft)

    def save_form(form: HouseRulesForm) -> HouseVersion:
        return save(_draft(form, None), form.cleaned_data["name"], form.cleaned_data["slug"])

    def save_file(content: bytes, file_name: str) -> HouseVersion:
        checked = read_house_file(content, file_name)
        return save(chosen_in(checked), checked.variant.name, checked.variant.id)

    return _form_page(request, club, None, save_form, save_file)


@club_form_page(add_version)
def change(request: PageRequest, club: Club, slug: str) -> HttpResponse:
    house = selectors.get_house_rules(club, slug)

    def save(draft: HouseRulesDraft, based_on: int | None = None) -> HouseVersion:
        return add_version(operation_of(request), house, chosen=draft, based_on=based_on)

    def save_form(form: HouseRulesForm) -> HouseVersion:
        return save(_draft(form, house), form.cleaned_data["based_on"])

    def save_file(content: bytes, file_name: str) -> HouseVersion:
        return save(chosen_for(house, read_house_file(content, file_name)))

    return _form_page(request, club, house, save_form, save_file)


@club_form_page((delete_version, ServiceForm))
def delete(request: PageRequest, club: Club, slug: str, number: int) -> HttpResponse:
    house = selectors.get_house_rules(club, slug)
    version = selectors.get_version_at(house, number)
    form = ServiceForm(posted(request))
    stays = submit(request, form, delete_version, version)
    if stays is not None:
        messages.success(request, gettext("%(title)s deleted.") % {"title": version.title})
        if stays:
            return go_to("house-rule", club, slug=slug)
        return go_to("house-rules", club)
    crumbs = (layout.house_rules_link(club), layout.house_link(house))
    context = {
        "house": house,
        "version": version,
        "is_last": len(selectors.list_versions(house)) == 1,
        "form": form,
    }
    return render_club(request, "rules/delete_version.html", club, context, form, crumbs=crumbs)


@club_form_page(archive_house_rules)
def archive_page(request: PageRequest, club: Club, slug: str) -> HttpResponse:
    house = selectors.get_house_rules(club, slug)
    if request.method == "POST":
        archived = request.POST.get("archived") == "yes"
        archive_house_rules(operation_of(request), house, archived=archived)
        notice = gettext("%(name)s archived.") if archived else gettext("%(name)s unarchived.")
        messages.success(request, notice % {"name": house.name})
    return go_to("house-rule", club, slug=slug)


@event_form_page((use_house_version, ServiceForm, "version"))
def use(request: PageRequest, event: Event) -> HttpResponse:
    version = selectors.find_newer_house_version(event)
    if request.method == "POST" and version is not None:
        form = ServiceForm({})
        submit(request, form, use_house_version, event, version=version)
        for error in form.non_field_errors():
            messages.error(request, str(error))
        if not form.has_problems:
            notice = gettext("New tables play %(title)s. Existing tables keep their rules.")
            messages.success(request, notice % {"title": version.title})
    return go_to("manage-event", event)


def _form(request: PageRequest, house: HouseVariant | None) -> HouseRulesForm:
    data = request.POST if request.method == "POST" and "upload" not in request.POST else None
    initial: dict[str, Any] = {"base": request.GET.get("base", "")}
    if house is not None:
        newest = selectors.newest(house)
        initial = {
            "summary": newest.about.get("summary", ""),
            "based_on": newest.number,
            **{f"options-{name}": option_text(value) for name, value in newest.options.items()},
        }
    begin, options = _begun(data if data is not None else initial, house)
    return HouseRulesForm(
        data,
        options=options_open(begin, options),
        rules=rules_before(begin),
        is_new=house is None,
        initial=initial,
    )


def _begun(
    data: Mapping[str, object], house: HouseVariant | None
) -> tuple[str | HouseVersion, dict[str, object]]:
    options = {
        option.name: option_value(option, text)
        for option in every_option()
        if (text := posted_cycles(data, f"options-{option.name}").strip())
    }
    if house is None:
        return str(data.get("base", "")), options
    return selectors.newest(house), options


def _draft(form: HouseRulesForm, house: HouseVariant | None) -> HouseRulesDraft:
    if house is None:
        begin = form.cleaned_data["base"]
    else:
        begin = selectors.newest(house)
    return chosen_rules(begin, form.chosen_options, form.cleaned_data["summary"])


def _form_page(
    request: PageRequest,
    club: Club,
    house: HouseVariant | None,
    save_form: Callable[[HouseRulesForm], HouseVersion],
    save_file: Callable[[bytes, str], HouseVersion],
) -> HttpResponse:
    is_upload = request.method == "POST" and "upload" in request.POST
    if is_upload:
        upload = RuleFileForm(request.POST, request.FILES)
    else:
        upload = RuleFileForm()
    form = _form(request, house)
    version, card = None, None
    if upload.is_valid():
        version = _saved_from_file(upload, save_file)
    elif form.is_valid():
        with form.placing():
            card = card_view(_draft(form, house).rules)
            if not ("look" in request.POST or request.htmx):
                version = save_form(form)
    elif not form.is_bound:
        with suppress(Refused):
            card = card_view(chosen_rules(*_begun(form.initial, house)).rules)
    if version is not None:
        messages.success(request, gettext("%(title)s created.") % {"title": version.title})
        return go_to("house-rule", club, slug=version.variant.slug)
    crumbs = [layout.house_rules_link(club)]
    if house is not None:
        crumbs.append(layout.house_link(house))
    keys = {key for key in request.POST if key.startswith("options-")}
    context = {
        "house": house,
        "newest": selectors.newest(house) if house is not None else None,
        "form": form,
        "upload": upload,
        "card": card,
        "variants": [variants().variant(key) for key in variants().ids],
        "swaps_verdict": bool(request.htmx),
        # Other options are open now than those on the page.
        "swaps_options": request.htmx and keys != {field.name for field in form.option_fields},
    }
    if request.htmx:
        return render(request, "rules/_house_meaning.html", context)
    page = "rules/edit_house_rules.html"
    return render_club(request, page, club, context, form, upload, crumbs=crumbs)


def _saved_from_file(
    upload: RuleFileForm, save_file: Callable[[bytes, str], HouseVersion]
) -> HouseVersion | None:
    file = upload.cleaned_data["file"]
    if file.size <= MOST_RULES_BYTES:
        content = file.read(MOST_RULES_BYTES + 1)
    else:
        content = bytes(MOST_RULES_BYTES + 1)
    try:
        return save_file(content, file.name)
    except Refused as refused:
        lines = content.decode(errors="replace").splitlines()
        for problem in refused.problems:
            line, notice = problem.facts.get("line"), upload.sentence_of(problem)
            if isinstance(line, int) and 0 < line <= len(lines):
                place = gettext("Line %(line)s, “%(text)s”:")
                notice = f"{place % {'line': line, 'text': lines[line - 1].strip()[:80]}} {notice}"
            upload.add_error("file", notice)
    except Conflict as conflict:
        upload.place([conflict.problem])
    return None
