"""PyTorch's CUDA devices are the CPU, for scripts that name one where there is none.

Scripts written for Isaac Gym and Isaac Sim put their tensors on ``cuda:0``. Without a card PyTorch
refuses; here such tensors are the CPU's. Two things do it: kernels under the CUDA key
of PyTorch's dispatcher that make memory, which all factories, modules and compiled scripts end in,
and replacements of the functions that ask for the device itself.

What was on the CPU and what was on the card is then one memory, with one exception: ``cpu()``
copies, as scripts go on to write to what they took a copy of.
"""

from __future__ import annotations

import functools
import os
import sys
import time
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

from unibody.cli import after_import
from unibody.core.engine.library.devices import REQUIRE_GPU_VARIABLE, cuda_devices
from unibody.notices import tell_once

_OLD_TYPES = ("Float", "Double", "Half", "Long", "Int", "Short", "Byte", "Bool")


@functools.cache
def prepare() -> None:
    """Let PyTorch, as soon as it is imported, do without CUDA devices if there are none."""
    required = os.environ.get(REQUIRE_GPU_VARIABLE, "0") not in ("", "0")
    if not required and "--require-gpu" not in sys.argv and cuda_devices() == 0:
        after_import.call("torch", replace)


def replace(torch: ModuleType) -> None:
    """Replace what refuses to work without a CUDA device.

    Args:
        torch: The module; nothing is done if it has a device.
    """
    if torch.cuda.is_available():
        return
    names = _Names(torch)
    _make_memory(torch, names)
    _take_devices(torch, names)
    _move(torch, names)
    _read_files(torch, names)
    _stand_in(torch)


class _Names:
    """Which devices scripts may name, and which they get.

    Attributes:
        used: A CUDA device was named.
        kinds: What devices are, but for numbers.
    """

    def __init__(self, torch: Any) -> None:
        self._type, self.cpu, self.used = torch.device, torch.device("cpu"), False
        self.kinds = (str, torch.device)

    def are_cuda(self, device: Any) -> bool:
        """Whether a device is one of CUDA; numbers are."""
        if isinstance(device, str):
            return device.startswith("cuda")
        if isinstance(device, self._type):
            return device.type == "cuda"
        return isinstance(device, int) and not isinstance(device, bool)

    def use(self, device: Any) -> None:
        """Say, once, what became of a device."""
        if not self.used:
            self.used = True
            tell_once(
                f"PyTorch device {str(device)!r}: no CUDA device was found, so its tensors are on "
                "the CPU"
            )

    def real(self, device: Any) -> Any:
        """The device in place of another one."""
        if not self.are_cuda(device):
            return device
        self.use(device)
        return self.cpu


def _make_memory(torch: Any, names: _Names) -> None:
    """Kernels of CUDA devices that make tensors on the CPU, from wherever they are called."""

    def empty(size: Any, *, dtype: Any = None, memory_format: Any = None, **rest: Any) -> Any:
        names.use(rest.get("device") or "cuda")
        layout = memory_format or torch.contiguous_format
        return torch.empty(size, dtype=dtype, memory_format=layout)

    def empty_strided(size: Any, stride: Any, *, dtype: Any = None, **rest: Any) -> Any:
        names.use(rest.get("device") or "cuda")
        return torch.empty_strided(size, stride, dtype=dtype)

    def indices(name: str) -> Callable[..., Any]:
        make = getattr(torch, name)

        def of_triangle(row: int, col: int, offset: int = 0, **rest: Any) -> Any:
            return make(row, col, offset, dtype=rest.get("dtype") or torch.long)

        return of_triangle

    library = torch.library.Library("aten", "IMPL", "CUDA")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # where PyTorch has kernels for cards
        library.impl("empty.memory_format", empty)
        library.impl("empty_strided", empty_strided)
        for name in ("tril_indices", "triu_indices"):
            library.impl(name, indices(name))
    torch.cuda._unibody_kernels = library  # they are there as long as it is
    torch.cuda._lazy_init = lambda: None


def _take_devices(torch: Any, names: _Names) -> None:
    """Functions that move their data to a device before anything is dispatched."""
    builtin = torch.jit._builtins._get_builtin_table()
    functions = ("tensor", "as_tensor", "asarray", "sparse_coo_tensor", "sparse_csr_tensor")
    for name in functions:
        function = getattr(torch, name)
        taking = _taking(function, names)
        if id(function) in builtin:  # a compiled script that calls it means PyTorch's own
            builtin[id(taking)] = builtin[id(function)]
        setattr(torch, name, taking)
    torch.Tensor.new_tensor = _taking(torch.Tensor.new_tensor, names)
    torch.set_default_device = _taking(torch.set_default_device, names)
    types = torch.set_default_tensor_type

    def set_default_tensor_type(t: Any) -> None:
        types(t.replace("torch.cuda.", "torch.") if isinstance(t, str) else t)

    torch.set_default_tensor_type = set_default_tensor_type


def _taking(function: Callable[..., Any], names: _Names) -> Callable[..., Any]:
    """The function, with any device among its arguments being one that is there."""

    @functools.wraps(function)
    def taking(*args: Any, **named: Any) -> Any:
        if "device" in named:
            named["device"] = names.real(named["device"])
        real = names.real
        return function(*[real(a) if isinstance(a, names.kinds) else a for a in args], **named)

    return taking


def _move(torch: Any, names: _Names) -> None:
    tensor, to, cpu = torch.Tensor, torch.Tensor.to, torch.Tensor.cpu
    device_type = torch.device

    @functools.wraps(to)
    def move(self: Any, *args: Any, **named: Any) -> Any:
        if args and isinstance(args[0], (str, device_type, int)):
            args = (names.real(args[0]), *args[1:])
        if "device" in named:
            named["device"] = names.real(named["device"])
        return to(self, *args, **named)

    @functools.wraps(tensor.cuda)
    def cuda(self: Any, device: Any = None, *_: Any, **__: Any) -> Any:
        names.use("cuda" if device is None else device)
        return self

    @functools.wraps(cpu)
    def copy(self: Any, *args: Any, **named: Any) -> Any:
        return self.clone() if names.used else cpu(self, *args, **named)

    tensor.to, tensor.cuda, tensor.cpu = move, cuda, copy
    tensor.pin_memory = lambda self, *_: self
    module = torch.nn.Module
    module_to = module.to

    @functools.wraps(module_to)
    def module_moves(self: Any, *args: Any, **named: Any) -> Any:
        if args and isinstance(args[0], int):
            args = (names.real(args[0]), *args[1:])
        return module_to(self, *args, **named)

    module.to = module_moves


def _read_files(torch: Any, names: _Names) -> None:
    """Files whose tensors were on a card."""
    load, jit_load = torch.load, torch.jit.load

    @functools.wraps(load)
    def read(f: Any, map_location: Any = None, *args: Any, **named: Any) -> Any:
        place = names.cpu if map_location is None else names.real(map_location)
        return load(f, place, *args, **named)

    @functools.wraps(jit_load)
    def read_script(f: Any, map_location: Any = None, *args: Any, **named: Any) -> Any:
        place = names.cpu if map_location is None else names.real(map_location)
        return jit_load(f, place, *args, **named)

    torch.load, torch.jit.load = read, read_script


class _Event:
    """A moment, as `torch.cuda.Event` takes them: all work is done when a call returns."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._time = 0.0

    def record(self, *_: Any) -> None:
        self._time = time.perf_counter()

    def elapsed_time(self, end_event: _Event) -> float:
        """Time to another moment [ms]."""
        return 1e3 * (end_event._time - self._time)

    def synchronize(self) -> None: ...

    def wait(self, *_: Any) -> None: ...

    def query(self) -> bool:
        return True


class _Stream:
    """An order of work, of which there is one."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *_: Any) -> None: ...

    def synchronize(self) -> None: ...

    def wait_stream(self, *_: Any) -> None: ...

    def wait_event(self, *_: Any) -> None: ...

    def record_event(self, event: Any = None) -> Any:
        event = event or _Event()
        event.record()
        return event

    def query(self) -> bool:
        return True


def _stand_in(torch: Any) -> None:
    """What of `torch.cuda` has a meaning without a device. The rest says that there is none."""
    cuda = torch.cuda
    for name in ("synchronize", "set_device", "reset_peak_memory_stats", "ipc_collect", "init"):
        setattr(cuda, name, lambda *_, **__: None)
    cuda.current_device = lambda: 0
    cuda.Event, cuda.Stream, cuda.device = _Event, _Stream, _Stream
    for name in ("stream", "current_stream", "default_stream"):
        setattr(cuda, name, lambda *_, **__: _Stream())
    cuda.get_rng_state = lambda *_, **__: torch.get_rng_state()
    cuda.set_rng_state = lambda state, *_, **__: torch.set_rng_state(state)
    for name in _OLD_TYPES:
        setattr(cuda, f"{name}Tensor", getattr(torch, f"{name}Tensor"))
