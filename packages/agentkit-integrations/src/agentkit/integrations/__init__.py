"""What connects agentkit to the rest of a product."""
