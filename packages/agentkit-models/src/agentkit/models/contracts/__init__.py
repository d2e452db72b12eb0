"""The model-neutral contract, under the name that the specification gives it."""
