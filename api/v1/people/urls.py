"""Addresses of people below `/api/v1/`."""

from django.urls import URLPattern, path

from api.openapi import together
from api.v1.people import me

urlpatterns: list[URLPattern] = [
    path("me", me.read_me, name="read_me"),
    *me.NOTIFICATIONS.paths("me/notifications"),
    path(
        "me/notifications/<name:club>/<name:kind>",
        together(me.read_notification, me.change_notification_view),
        name="read_notification",
    ),
]
