"""A file among the fields of a form."""

from django.core.files.uploadedfile import UploadedFile
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.serializers.strict_fields import StrictField
from scoring.errors import Problem, Refused


@extend_schema_field(OpenApiTypes.BINARY)
class UploadField(StrictField, serializers.FileField):
    """A file."""

    def to_internal_value(self, data: object) -> object:
        """Return the file.

        Raises:
            Refused: file_needed.
        """
        if not isinstance(data, UploadedFile):
            raise Refused(Problem("file_needed"))
        return data
