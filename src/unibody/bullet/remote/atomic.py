"""Memory that two processes share: reading and writing it in an order that both see."""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir

from unibody.machine_code import intrinsic, types
from unibody.machine_code.jit import inlined_kernel, kernel

_ALIGNED = 8  # bytes
_IS_X86 = platform.machine() in ("x86_64", "AMD64")


def _word(context: Any, builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, context.get_value_type(types.int64.real).as_pointer())


@intrinsic
def load_word(typing_context: Any, address: Any) -> Any:
    """The word at an address, read before all that is read afterwards."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_word(context, builder, args[0]), "acquire", _ALIGNED)

    return types.int64(types.int64), codegen


@intrinsic
def store_word(typing_context: Any, address: Any, value: Any) -> Any:
    """Write a word at an address, after all that was written before."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _word(context, builder, args[0])
        builder.store_atomic(args[1], place, "seq_cst", _ALIGNED)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def fence(typing_context: Any) -> Any:
    """Have all that was written before seen, before anything is read."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def _pause(typing_context: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if _IS_X86:
            kind: Any = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), kind), [])
        return context.get_dummy_value()

    return types.void(), codegen


@kernel
def differs_soon(address: int, known: int, tries: int) -> bool:
    """Whether a word becomes another than a known one while it is looked at some times."""
    for _ in range(tries):
        if load_word(address) != known:
            return True
        _pause()
    return load_word(address) != known


@inlined_kernel
def pause() -> None:
    """Leave the processor's other thread some room while waiting."""
    _pause()
