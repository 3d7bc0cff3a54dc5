"""Addresses of people below `/api/v1/`."""

from django.urls import URLPattern, path

from api.openapi import together
from api.v1.people import me, notifications

urlpatterns: list[URLPattern] = [
    path("me", me.read_me, name="read_me"),
    *notifications.NOTIFICATIONS.paths("me/notifications"),
    path(
        "me/notifications/<name:club>/<name:kind>",
        together(notifications.read_notification, notifications.change_notification_view),
        name="read_notification",
    ),
]
