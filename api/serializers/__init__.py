"""What is read from a request and written into an answer: fields, serializers, documents."""
