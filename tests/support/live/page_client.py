"""A browser without a window: opens pages of an installation that really runs, and signs in."""

import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User

from tests.support.live.project import PATIENCE_S, LiveProject
from tests.support.live.rest_client import Answer

PASSWORD = "a-long-Password-1"
SIGN_IN = "/accounts/login/"


def give_password(name: str) -> None:
    """Give somebody of the cast a password; inside the installation."""
    user = User.objects.get(username=name)
    # Hashed as the installation does it; this process may have a cheaper way.
    user.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt-of-the-tests-alone")
    user.save()


class Browser:
    """One person's browser; it keeps cookies."""

    def __init__(self, project: LiveProject) -> None:
        self._url = project.url
        self._jar = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._jar))

    def at(self, project: LiveProject) -> "Browser":
        """The same browser, which asks another web process of the site."""
        other = Browser(project)
        other._jar, other._opener = self._jar, self._opener
        return other

    def open(self, path: str, typed: dict[str, str] | None = None) -> Answer:
        """Open a page, or send a form; redirects are followed."""
        data = None
        if typed is not None:
            token = next(str(one.value) for one in self._jar if one.name == "csrftoken")
            data = urllib.parse.urlencode(typed | {"csrfmiddlewaretoken": token}).encode()
        try:
            with self._opener.open(self._url + path, data, timeout=PATIENCE_S) as page:
                return Answer(page.status, {}, page.read())
        except urllib.error.HTTPError as refused:
            headers = {name.lower(): value for name, value in refused.headers.items()}
            return Answer(refused.code, headers, refused.read())

    def sign_in(self, name: str) -> Answer:
        """Sign in with the password; 401 where the form only came back."""
        self.open(SIGN_IN)
        answer = self.open(SIGN_IN, {"login": name, "password": PASSWORD})
        if answer.status == 200 and not any(one.name == "sessionid" for one in self._jar):
            return Answer(401, {}, answer.body)
        return answer
