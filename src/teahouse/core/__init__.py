"""The game contract, and everything that depends on it alone. No I/O except the kernel cache."""
