"""Run the PTX of a CUDA kernel for one warp, without a GPU, and count what it issues.

PTX is the code that a kernel is compiled to before the driver translates it to a GPU's own
instructions. The threads of a warp run in step: the two sides of a branch run one after the other,
if threads take both, and go on together where the sides meet again. Only those instructions exist
that the kernels of playouts are compiled to.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

LANES = 32
TYPES = {
    **{f"{sign}{bits}": np.dtype(f"u{bits // 8}") for sign in "ub" for bits in (8, 16, 32, 64)},
    **{f"s{bits}": np.dtype(f"i{bits // 8}") for bits in (8, 16, 32, 64)},
    "pred": np.dtype(bool),
}
SPECIAL = {"%tid.x": range(LANES), "%laneid": range(LANES), "%ntid.x": LANES, "%ctaid.x": 0}
SPECIAL["%nctaid.x"] = 1
COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal}
COMPARISONS |= {"gt": np.greater, "ge": np.greater_equal}


def _divide(values: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Divide towards zero."""
    quotient = np.abs(values) // np.abs(by)
    return quotient * np.sign(values) * np.sign(by)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "div": _divide,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "mov": np.asarray,
    "cvta": np.asarray,
    "not": np.invert,
    "neg": np.negative,
    "abs": np.abs,
    "popc": np.bitwise_count,
}
BANKS = 32  # of shared memory, of four bytes each

Registers = dict[str, np.ndarray]
Step = Callable[[np.ndarray], None]


class Memory:
    """Shared and global memory as bytes; counts accesses to shared memory and their conflicts."""

    def __init__(self, shared: int, image: bytes) -> None:
        self.spaces = {
            "shared": np.zeros(shared, np.uint8),
            "global": np.frombuffer(image, np.uint8).copy(),
        }
        self.accesses = 0
        self.conflicts = 0

    def load(self, space: str, at: np.ndarray, dtype: np.dtype, mask: np.ndarray) -> np.ndarray:
        """Return a value for each thread."""
        self._count(space, at, dtype.itemsize, mask)
        return self.spaces[space].view(dtype)[np.where(mask, at, 0) // dtype.itemsize]

    def store(self, space: str, at: np.ndarray, values: np.ndarray, mask: np.ndarray) -> None:
        """Write a value for each thread of the mask."""
        size = values.dtype.itemsize
        if (at[mask] % size).any():
            raise ValueError("an address is not aligned")
        self._count(space, at, size, mask)
        self.spaces[space].view(values.dtype)[at[mask] // size] = values[mask]

    def add(self, space: str, at: np.ndarray, values: np.ndarray, mask: np.ndarray) -> None:
        """Add atomically."""
        words = self.spaces[space].view(values.dtype)
        np.add.at(words, at[mask] // values.dtype.itemsize, values[mask])

    def _count(self, space: str, at: np.ndarray, size: int, mask: np.ndarray) -> None:
        """Count the cycles that threads wait for others of the same bank."""
        if space != "shared":
            return
        self.accesses += 1
        parts = (slice(0, 16), slice(16, LANES)) if size == 8 else (slice(0, LANES),)
        for part in parts:
            words = at[part][mask[part]] // 4
            if size == 8:
                words = np.concatenate([words, words + 1])
            if len(words):
                self.conflicts += int(np.bincount(np.unique(words) % BANKS).max()) - 1


class Kernel:
    """The blocks of a PTX kernel, between branches, for one warp."""

    def __init__(self, text: str, parameters: list[int], memory: Memory) -> None:
        self._parameters, self._memory = parameters, memory
        self._registers: Registers = {}
        blocks, labels = self._parse(text)
        self._ends = [_parse_end(blocks, number, labels) for number in range(len(blocks))]
        self._steps = [[self._step(line) for line in block] for block in blocks]
        self.slots = np.array([1 + sum(map(issue_slots, block)) for block in blocks])
        self.issued = np.zeros(len(blocks), np.int64)
        self.lanes = np.zeros(len(blocks), np.int64)
        self._meetings = _meetings([end[1:3] for end in self._ends])

    def _parse(self, text: str) -> tuple[list[list[str]], dict[str, int]]:
        blocks: list[list[str]] = [[]]
        labels = {}
        body = text[text.index("{", text.index(".entry")) + 1 : text.rindex("}")]
        for raw in body.splitlines():
            line = " ".join(raw.split("//")[0].split()).rstrip(";")
            if found := re.match(r"\.reg \.(\w+) %(\w+)<(\d+)>", line):
                for number in range(int(found[3])):
                    self._registers[f"%{found[2]}{number}"] = np.zeros(LANES, TYPES[found[1]])
            elif line.endswith(":"):
                blocks += [[]] if blocks[-1] else []
                labels[line[:-1]] = len(blocks) - 1
            elif line and not line.startswith("."):
                blocks[-1].append(line)
                if re.match(r"(@\S+ )?(bra|ret)", line):
                    blocks.append([])
        return [block for block in blocks if block], labels

    def run(self) -> None:
        """Run until all threads have ended."""
        end = len(self._steps)
        waiting: list[tuple[int, np.ndarray, int]] = []
        block, mask, meeting = 0, np.ones(LANES, bool), end
        while True:
            while block == meeting:
                if not waiting:
                    return
                block, mask, meeting = waiting.pop()
            self.issued[block] += 1
            self.lanes[block] += np.count_nonzero(mask)
            for step in self._steps[block]:
                step(mask)
            condition, target, following = self._ends[block]
            taken = mask & (self._condition(condition) if condition else True)
            if taken.all() or np.array_equal(taken, mask):
                block = target
            elif not taken.any():
                block = following
            else:
                waiting.append((self._meetings[block], mask, meeting))
                waiting.append((following, mask & ~taken, self._meetings[block]))
                block, mask, meeting = target, taken, self._meetings[block]

    def _condition(self, text: str) -> np.ndarray:
        values = self._registers[text.lstrip("!")]
        return ~values if text.startswith("!") else values

    def _value(self, text: str, dtype: np.dtype) -> np.ndarray:
        """Return an operand: a register, seen as this type where it is as wide, or a constant."""
        if text in self._registers:
            values = self._registers[text]
            return values.view(dtype) if values.itemsize == dtype.itemsize else values
        if text in SPECIAL:
            return np.broadcast_to(np.array(SPECIAL[text], dtype), LANES)
        number = (
            0 if text.startswith("_cudapy_smem") else int(text, 0)
        )  # at the start of the memory
        number &= (1 << 8 * dtype.itemsize) - 1
        wide = np.array(number, np.uint64).astype(dtype)
        return np.broadcast_to(wide, LANES)

    def _step(self, line: str) -> Step:
        """Return the function that runs an instruction for the threads of a mask."""
        operation, _, rest = line.partition(" ")
        name, *parts = operation.split(".")
        texts = [text.strip() for text in rest.split(",")]
        dtype = TYPES[parts[-1]]
        if name in ("ld", "st", "atom"):
            return self._access(name, parts, texts, dtype)
        target = self._registers[texts[0]]
        compute = self._computation(name, parts, texts[1:], dtype)
        result = self._value(texts[0], dtype) if target.itemsize == dtype.itemsize else target
        if name in ("popc", "clz", "setp", "vote", "cvt") or "wide" in parts:
            result = target

        def step(mask: np.ndarray) -> None:
            np.copyto(result, compute(mask), where=mask, casting="unsafe")

        return step

    def _computation(
        self, name: str, parts: list[str], texts: list[str], dtype: np.dtype
    ) -> Callable[[np.ndarray], Any]:
        """Return the function that computes the result of an instruction."""
        if name == "selp":
            yes, no = (self._value(text, dtype) for text in texts[:2])
            condition = self._registers[texts[2]]
            return lambda mask: np.where(condition, yes, no)
        if name == "vote":
            votes = self._registers[texts[0]]
            return lambda mask: np.uint32(
                sum(1 << int(lane) for lane in np.flatnonzero(votes & mask))
            )
        if name in ("shl", "shr"):
            value, amount = self._value(texts[0], dtype), self._value(texts[1], TYPES["u32"])
            return lambda mask: _shift(name, value, amount)
        if name == "bfi":
            field, into = (self._value(text, dtype) for text in texts[:2])
            first, width = int(texts[2]), int(texts[3])
            bits = dtype.type(((1 << width) - 1) << first)
            return lambda mask: into & ~bits | field << dtype.type(first) & bits
        values = [self._value(text, dtype) for text in texts]
        if name == "setp":
            compare = COMPARISONS[parts[0]]
            return lambda mask: compare(*values)
        if name == "clz":
            bits = 8 * dtype.itemsize
            return lambda mask: [bits - int(value).bit_length() for value in values[0]]
        if name == "cvt":
            wider = TYPES[parts[0]]
            return lambda mask: values[0].astype(dtype).astype(wider)
        if "wide" in parts:
            double = np.dtype(f"{dtype.kind}{2 * dtype.itemsize}")
            return lambda mask: values[0].astype(double) * values[1].astype(double)
        if name not in OPERATIONS:
            raise NotImplementedError(".".join((name, *parts)))
        operate = OPERATIONS[name]
        return lambda mask: operate(*values)

    def _access(self, name: str, parts: list[str], texts: list[str], dtype: np.dtype) -> Step:
        """Return the function that loads, stores or adds atomically."""
        memory, space = self._memory, parts[0]
        if space == "param":
            target = self._registers[texts[0]]
            parameter = self._parameters[int(texts[1].rstrip("]").rpartition("_")[2])]
            return lambda mask: np.copyto(target, np.uint64(parameter), where=mask)
        address = texts[0] if name == "st" else texts[1]
        found = re.fullmatch(r"\[(\S+?)(?:\+(-?\d+))?\]", address)
        if found is None:
            raise NotImplementedError(address)
        base, offset = self._value(found[1], TYPES["s64"]), int(found[2] or 0)
        if name == "ld":
            target = self._registers[texts[0]]
            return lambda mask: np.copyto(
                target, memory.load(space, base + offset, dtype, mask), where=mask, casting="unsafe"
            )
        values = self._value(texts[-1], dtype)
        if name == "st":
            return lambda mask: memory.store(space, base + offset, values.astype(dtype), mask)
        return lambda mask: memory.add(space, base + offset, values, mask)


def issue_slots(line: str) -> int:
    """Return about how many instructions of a GPU a PTX instruction takes.

    Operations on 64 bits take two; shifts by a variable, products and counts more.
    """
    operation, _, rest = line.partition(" ")
    name, *parts = operation.split(".")
    wide = parts[-1].endswith("64") if parts else False
    if name in ("shl", "shr"):
        return 1 + wide * (2 if "%" in rest.split(",")[2] else 1)
    if name in ("ld", "st", "cvt", "vote", "atom", "cvta", "bra", "ret"):
        return 1
    if name == "mul":
        return 2 if "wide" in parts else 1 + 3 * wide
    if name == "div":
        return 60 if wide else 20
    if name in ("popc", "min", "max", "abs", "bfi"):
        return 1 + 2 * wide
    return 2 + 2 * wide if name == "clz" else 1 + wide


def _parse_end(
    blocks: list[list[str]], number: int, labels: dict[str, int]
) -> tuple[str, int, int]:
    """Remove the branch at the end of a block; return its condition, target and the block after."""
    block = blocks[number]
    found = re.fullmatch(r"(?:@(\S+) )?(?:bra(?:\.uni)? (\S+)|ret)", block[-1])
    if found is None:
        return "", number + 1, number + 1
    block.pop()
    target = labels[found[2]] if found[2] else len(blocks)
    return found[1] or "", target, number + 1 if found[1] else target


def _meetings(successors: list[tuple[int, ...]]) -> list[int]:
    """Return the immediate postdominator of each block: where its branches meet again."""
    end = len(successors)
    after = [{*range(end + 1)} for _ in successors] + [{end}]
    changed = True
    while changed:
        changed = False
        for block in reversed(range(end)):
            found = {block} | after[successors[block][0]] & after[successors[block][1]]
            changed |= found != after[block]
            after[block] = found
    return [
        next(one for one in after[block] - {block} if after[one] == after[block] - {block})
        for block in range(end)
    ]


def _shift(name: str, values: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    """Shift by any amount: bits beyond the width are 0, or copies of the sign."""
    bits = 8 * values.itemsize
    inside = np.minimum(amounts, bits - 1).astype(values.dtype)
    shifted = values << inside if name == "shl" else values >> inside
    if name == "shr" and values.dtype.kind == "i":
        return shifted
    return np.where(amounts < bits, shifted, values.dtype.type(0))
