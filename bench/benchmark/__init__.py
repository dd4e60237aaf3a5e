"""What bench/run and scripts/instructions are made of."""
