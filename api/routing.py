"""Addresses of viewsets and of views that only read."""

from collections.abc import Mapping
from typing import Any, Final, cast

from django.urls import URLPattern, path
from rest_framework.routers import DynamicRoute, Route, SimpleRouter

from api.resources import ResourceViewSet

_ROW: Final = {
    "get": "retrieve", "post": "submit", "put": "update", "patch": "partial_update",
    "delete": "destroy",
}  # fmt: skip


class ResourceRouter(SimpleRouter):
    """Routes of viewsets: `.csv` beside each list, no slash at the end, operation ids as names."""

    routes = [  # noqa: RUF012 - as in the framework
        Route("{prefix}", {"get": "list", "post": "create"}, "", False, {}),
        DynamicRoute("{prefix}/{url_path}", "", False, {}),
        Route("{prefix}.csv", {"get": "list_csv"}, "", False, {}),
        Route("{prefix}/{lookup}", _ROW, "", True, {}),
        DynamicRoute("{prefix}/{lookup}/{url_path}", "", True, {}),
    ]

    def get_method_map(self, viewset: Any, method_map: Mapping[str, str]) -> dict[str, str]:
        actions = super().get_method_map(viewset, method_map)
        has_list = "get_queryset" in vars(viewset)
        return {key: name for key, name in actions.items() if has_list or "list" not in name}


class SingleRouter(ResourceRouter):
    """Routes of a viewset with one row, which has the address itself."""

    routes = [  # noqa: RUF012 - as in the framework
        Route("{prefix}", _ROW, "", True, {}),
        DynamicRoute("{prefix}/{url_path}", "", True, {}),
    ]


def routes(prefix: str, viewset: type[ResourceViewSet]) -> list[URLPattern]:
    """Return the addresses of a viewset; each view has its operations and rights by method."""
    kind = SingleRouter if viewset.is_single else ResourceRouter
    router = kind(trailing_slash=False, use_regex_path=False)
    lookup = router.get_lookup_regex(viewset)
    return [
        _address(viewset, route.url.format(prefix=prefix, lookup=lookup), mapping, route.detail)
        for route in router.get_routes(viewset)
        if (mapping := router.get_method_map(viewset, route.mapping))
    ]


def read_at(route: str, view: Any) -> URLPattern:
    """Return the address of a view with `@reading`, under the name of its operation."""
    return cast("URLPattern", path(route, view, name=view.cls.__name__))


def _address(viewset: Any, url: str, mapping: dict[str, str], detail: bool) -> URLPattern:
    view = viewset.as_view(mapping, detail=detail)
    declared = {method: viewset(action=name).declared for method, name in mapping.items()}
    view.operations = {method: each.operation_id for method, each in declared.items()}
    view.rights = {method: each.right for method, each in declared.items()}
    if "get" in mapping:
        view.rights["head"] = view.rights["get"]
    return cast("URLPattern", path(url, view, name=next(iter(view.operations.values()))))
