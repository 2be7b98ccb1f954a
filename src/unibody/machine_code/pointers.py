"""Reading and writing C memory by address inside numba-compiled functions."""

from __future__ import annotations

import importlib
from typing import Any, TypeAlias

from unibody.machine_code import intrinsic, types
from unibody.machine_code.jit import inlined

Pointer: TypeAlias = Any  # C memory inside a compiled function: indexed, without a length


def _pointer_view(element: Any) -> Any:
    @intrinsic
    def view(typing_context: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

        return types.CPointer(element)(types.int64), codegen

    return view


pointer_f64: Any = _pointer_view(types.float64)
pointer_f32: Any = _pointer_view(types.float32)
pointer_i32: Any = _pointer_view(types.int32)
pointer_i64: Any = _pointer_view(types.int64)
pointer_u8: Any = _pointer_view(types.uint8)


def _pointer_of_kind() -> Any:
    @intrinsic
    def view(typing_context: Any, address: Any, like: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

        return types.CPointer(like)(types.int64, like), codegen

    return view


pointer_as: Any = _pointer_of_kind()
"""The numbers at an address, of the type that a second number has."""


def _pointer_address() -> Any:
    @intrinsic
    def address(typing_context: Any, pointer: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ptrtoint(args[0], context.get_value_type(signature.return_type))

        return types.int64(pointer), codegen

    return address


address_of: Any = _pointer_address()
"""The address that a pointer holds, as an integer."""


@intrinsic
def borrowed(typing_context: Any, array: Any) -> Any:
    """An array whose users are not counted; whoever has the array itself keeps it alive.

    numba counts the users of an array at every call that takes it and every part that is taken of
    it, by instructions that lock a line of the cache: most of the time of a kernel that calls small
    functions of arrays, more so if several threads count users of the same one.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.return_type
        held = context.make_array(kind)(context, builder, value=args[0])
        ours = context.make_array(kind)(context, builder)
        for field in ("data", "nitems", "itemsize", "shape", "strides"):
            setattr(ours, field, getattr(held, field))
        for field in ("meminfo", "parent"):
            setattr(ours, field, getattr(held, field).type(None))  # no counter
        return ours._getvalue()

    return array(array), codegen


def symbol_address(name: str) -> Any:
    """A compiled function of no arguments: the address that a symbol has in this process."""

    @intrinsic
    def address(typing_context: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            ir: Any = importlib.import_module("llvmlite.ir")
            word = context.get_value_type(signature.return_type)
            found = builder.module.globals.get(name)
            return builder.ptrtoint(found or ir.GlobalVariable(builder.module, word, name), word)

        return types.int64(), codegen

    return address


@inlined
def int_at(base: int, offset: int) -> int:
    """The ``int`` at ``base + offset``."""
    return pointer_i32(base + offset)[0]


@inlined
def address_at(base: int, offset: int) -> int:
    """The pointer (or mjtSize) at ``base + offset``, as an integer."""
    return pointer_i64(base + offset)[0]


@inlined
def f64_array(base: int, offset: int) -> Pointer:
    """The ``mjtNum*`` stored at ``base + offset``."""
    return pointer_f64(pointer_i64(base + offset)[0])


@inlined
def i32_array(base: int, offset: int) -> Pointer:
    """The ``int*`` stored at ``base + offset``."""
    return pointer_i32(pointer_i64(base + offset)[0])
