"""Stores and checkpoints on Redis and Valkey."""

__all__: list[str] = []
