"""What a browser sends of a form that nobody has touched."""

from django import forms


def as_shown(form: forms.BaseForm) -> dict[str, str]:
    values = {name: form[name].value() for name in form.fields}
    return {name: str(value) for name, value in values.items() if value not in (None, False)}
