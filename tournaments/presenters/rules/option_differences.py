"""The options that an event or a table plays otherwise than its variant, in words."""

from collections.abc import Mapping

from scoring.errors import Refused
from tournaments.domain.option_text import OptionText, differing, option_label, value_text
from tournaments.services.rules.rule_sets import VariantChoices


def differing_in(
    offered: VariantChoices, variant: str, options: Mapping[str, object]
) -> tuple[OptionText, ...]:
    """Return what options change about a variant; all of them where it is offered no more."""
    try:
        base, rules = offered.rules(variant), offered.rules(variant, options)
    except Refused:
        named = ((name, option_label(name), value_text(name, options[name])) for name in options)
        return tuple(
            OptionText(name, label, value, f"{label}: {value}") for name, label, value in named
        )
    return differing(options, base, rules)
