"""A message to a queue of RabbitMQ comes back."""

import kombu
import pytest

from tests.support.live.project import PATIENCE_S


@pytest.mark.rabbitmq
def test_message_to_the_own_queue_comes_back(rabbitmq_url: str, broker_queue: str) -> None:
    with kombu.Connection(rabbitmq_url) as connection:
        queue = connection.SimpleQueue(broker_queue)
        queue.put({"hint": 1})
        message = queue.get(timeout=PATIENCE_S)
        message.ack()
        queue.close()
    assert message.payload == {"hint": 1}
