"""All that the services do is watched for the order of their locks."""

from tests.support.lock_order import locks_in_order

__all__ = ["locks_in_order"]
