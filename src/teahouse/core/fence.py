"""Memory order between threads that share records without locks, for kernels."""


def release_fence() -> None:
    """Let other threads see all writes before this call no later than any write after it.

    Interpreted kernels need nothing for that. On a CPU `core.jit` replaces this function by a
    fence, which x86 keeps by itself and ARM does not.
    """
