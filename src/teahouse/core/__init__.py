"""The game contract and what follows from it alone. No I/O except the kernel cache."""
