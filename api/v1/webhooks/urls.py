"""Addresses of webhooks below `/api/v1/`."""

from django.urls import URLPattern, path

from api.openapi import together
from api.v1.addresses import CLUB, WEBHOOK
from api.v1.webhooks import webhooks

urlpatterns: list[URLPattern] = [
    *webhooks.WEBHOOKS.paths(f"{CLUB}/webhooks", writes=webhooks.create_webhook_view),
    path(
        WEBHOOK,
        together(webhooks.read_webhook, webhooks.change_webhook_view, webhooks.remove_webhook_view),
        name="read_webhook",
    ),
    path(f"{WEBHOOK}/rotate", webhooks.rotate_webhook_secret_view, name="rotate_webhook_secret"),
    path(f"{WEBHOOK}/test", webhooks.test_webhook_view, name="test_webhook"),
    *webhooks.DELIVERIES.paths(f"{WEBHOOK}/deliveries"),
    path(
        f"{WEBHOOK}/deliveries/<name:delivery>/repeat",
        webhooks.repeat_delivery_view,
        name="repeat_delivery",
    ),
]
