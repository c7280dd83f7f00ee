"""One warp of a kernel's PTX, run without a GPU."""

import numpy as np
import pytest
from ptx import LANES, Kernel, Memory

# Each thread adds the numbers below its own; odd ones add 100. Results go to shared memory and,
# all together, to the global address 8.
TEXT = """
.visible .entry kernel(.param .u64 kernel_param_0)
{
	.reg .pred 	%p<4>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<6>;

	ld.param.u64 	%rd1, [kernel_param_0];
	mov.u32 	%r1, %tid.x;
	mov.u32 	%r2, 0;
	mov.u32 	%r3, %r1;
	setp.eq.s32 	%p1, %r1, 0;
	@%p1 bra 	$L__BB0_2;
$L__BB0_1:
	add.s32 	%r3, %r3, -1;
	add.s32 	%r2, %r2, %r3;
	setp.ne.s32 	%p2, %r3, 0;
	@%p2 bra 	$L__BB0_1;
$L__BB0_2:
	and.b32  	%r4, %r1, 1;
	setp.eq.s32 	%p3, %r4, 0;
	@%p3 bra 	$L__BB0_4;
	add.s32 	%r2, %r2, 100;
$L__BB0_4:
	mul.wide.u32 	%rd2, %r1, 8;
	cvt.u64.u32 	%rd3, %r2;
	st.shared.u64 	[%rd2], %rd3;
	ld.shared.u64 	%rd4, [%rd2];
	atom.global.add.u64 	%rd5, [%rd1], %rd4;
	ret;
}
"""


def run() -> tuple[Kernel, Memory]:
    memory = Memory(1024, bytes(64))
    kernel = Kernel(TEXT, [8], memory)
    kernel.run()
    return kernel, memory


def test_threads_take_their_own_branches() -> None:
    _, memory = run()
    expected = [n * (n - 1) // 2 + 100 * (n % 2) for n in range(LANES)]
    assert memory.spaces["shared"].view(np.int64)[:LANES].tolist() == expected
    assert memory.spaces["global"].view(np.int64)[1] == sum(expected)


def test_branches_are_counted_and_meet_again() -> None:
    """The loop runs as often as the thread that needs it most; what follows is run once."""
    kernel, memory = run()
    assert kernel.issued.tolist() == [1, LANES - 1, 1, 1, 1]
    assert kernel.lanes.tolist() == [LANES, sum(range(LANES)), LANES, LANES // 2, LANES]
    assert (memory.accesses, memory.conflicts) == (2, 0)


@pytest.mark.parametrize(("bytes_apart", "waits"), [(4, 0), (8, 1), (128, LANES - 1), (0, 0)])
def test_bank_conflicts(bytes_apart: int, waits: int) -> None:
    memory = Memory(8192, b"")
    memory.load("shared", np.arange(LANES) * bytes_apart, np.dtype(np.uint32), np.ones(LANES, bool))
    assert memory.conflicts == waits


def test_unknown_instructions_are_refused() -> None:
    with pytest.raises(NotImplementedError, match=r"brev\.b32"):
        Kernel(
            TEXT.replace("add.s32 	%r2, %r2, 100", "brev.b32 	%r2, %r2"),
            [8],
            Memory(1024, b""),
        )
