"""All writing is watched for the order of its locks."""

from tests.support.lock_order import locks_in_order

__all__ = ["locks_in_order"]
