"""Accounts as the site's own pages make them, and signing in with one in a browser."""

from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page

from tests.support.cast import Cast

PASSWORD = "queen-of-spades-13"
ADMINISTRATOR = "site"


def account(cast: Cast, name: str, role: str) -> None:
    admin = Client()
    site = User.objects.filter(username=ADMINISTRATOR).first()
    admin.force_login(site or User.objects.create_superuser(ADMINISTRATOR))
    typed = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    admin.post("/admin/auth/user/add/", {**typed, "usable_password": "true"})
    user = User.objects.get(username=name)
    given = {"club": cast.riverside.pk, "user": user.pk, "role": role}
    assert admin.post("/admin/tournaments/membership/add/", given).status_code == 302


def sign_in(page: Page, name: str) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("User name or e-mail address").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    with page.expect_navigation():
        page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_load_state()
