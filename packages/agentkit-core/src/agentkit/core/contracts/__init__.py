"""What a message, a request, a result, a cost and an outside system are: values, ports, errors."""
