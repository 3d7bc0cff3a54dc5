"""The product's addresses and, beside them, what its reads are measured against."""

from django.urls import include, path

from benchmarks.views import annotated_standings, bytes_from_memory

urlpatterns = [
    path("bench/bytes/<int:size>", bytes_from_memory),
    path("bench/annotated/<slug:club>/<slug:event>", annotated_standings),
    path("", include("config.urls")),
]
