"""``isaacgym.torch_utils``: rotations, poses and small helpers on batches of tensors.

Quaternions are unit quaternions in the order x, y, z, w, with shape (..., 4); vectors have shape
(..., 3) and the same leading dimensions. Everything that takes tensors can be called from a
function under ``torch.jit.script``. A star import also gives ``torch``, ``np`` and ``F``, on which
scripts rely.
"""

import functools
from collections.abc import Callable
from typing import Any, List, ParamSpec, Tuple, TypeVar  # noqa: UP035 - what TorchScript resolves on all versions

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - what a star import gives
from torch import Tensor

from unibody.core.engine.library.devices import use_gpu
from unibody.errors import InvalidArgumentError, UnibodyError
from unibody.isaacgym.errors import ArgumentTypeError

__all__ = [
    "F",
    "copysign",
    "get_axis_params",
    "get_basis_vector",
    "get_euler_xyz",
    "my_quat_rotate",
    "normalise_quat_in_pose",
    "normalize",
    "normalize_angle",
    "np",
    "quat_apply",
    "quat_axis",
    "quat_conjugate",
    "quat_from_angle_axis",
    "quat_from_euler_xyz",
    "quat_mul",
    "quat_rotate",
    "quat_rotate_inverse",
    "quat_unit",
    "scale",
    "tensor_clamp",
    "tf_apply",
    "tf_combine",
    "tf_inverse",
    "tf_vector",
    "to_torch",
    "torch",
    "torch_rand_float",
    "torch_random_dir_2",
    "unscale",
    "unscale_np",
]

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


class TensorError(InvalidArgumentError, RuntimeError):
    """Tensors that do not fit: torch raises RuntimeError."""


# TorchScript compiles the function inside; it looks for its names in the module of the outer one.
def _checked(function: Callable[_Params, _Result]) -> Callable[_Params, _Result]:
    """A function that names what is no tensor, and says what does not fit."""
    names = tuple(name for name in function.__annotations__ if name != "return")
    tensors = [
        place for place, name in enumerate(names) if function.__annotations__[name] is Tensor
    ]

    @functools.wraps(function)
    def checked(*args: _Params.args, **named: _Params.kwargs) -> _Result:
        for place in tensors:
            if place < len(args):
                value = args[place]
            elif names[place] in named:
                value = named[names[place]]
            else:
                continue  # Python says so itself
            if not isinstance(value, Tensor):
                raise ArgumentTypeError(names[place], value, "a torch.Tensor")
        try:
            return function(*args, **named)
        except (UnibodyError, torch.cuda.OutOfMemoryError):
            raise
        except (
            RuntimeError, IndexError, TypeError, ValueError, OverflowError, MemoryError,
        ) as problem:  # fmt: skip
            given = [*args, *named.values()]
            shapes = [tuple(one.shape) if isinstance(one, Tensor) else one for one in given]
            raise TensorError(", ".join(names), shapes, f"what fits: {problem}") from problem

    return checked


@_checked
def to_torch(
    x: Any,
    dtype: torch.dtype = torch.float,
    device: Any = "cuda:0",
    requires_grad: bool = False,
) -> Tensor:
    """Return a new tensor of these values.

    Args:
        x: Numbers, sequences, arrays or a tensor.
        dtype: Element type.
        device: Where it is; a CUDA device that is not there is the CPU.
        requires_grad: Whether gradients are recorded.
    """
    if str(device).startswith("cuda") and not torch.cuda.is_available():
        use_gpu(f"device={device!r}")
        device = "cpu"
    if isinstance(x, Tensor):
        return x.detach().to(device, dtype, copy=True).requires_grad_(requires_grad)
    return torch.tensor(x, dtype=dtype, device=device, requires_grad=requires_grad)


@_checked
def normalize(x: Tensor, eps: float = 1e-9) -> Tensor:
    """Return vectors of length one; what is shorter than ``eps`` is divided by ``eps``."""
    return x / x.norm(p=2, dim=-1).clamp(min=eps).unsqueeze(-1)


@_checked
def quat_mul(a: Tensor, b: Tensor) -> Tensor:
    """Return the products: the rotation by ``b``, then by ``a``."""
    dtype = torch.result_type(a, b)  # a cross product takes no two types
    a, b = a.to(dtype), b.to(dtype)
    av, aw = a[..., :3], a[..., 3:]
    bv, bw = b[..., :3], b[..., 3:]
    vector = aw * bv + bw * av + torch.cross(av, bv, dim=-1)
    scalar = aw * bw - (av * bv).sum(-1, keepdim=True)
    return torch.cat([vector, scalar], dim=-1)


@_checked
def quat_conjugate(a: Tensor) -> Tensor:
    """Return the inverse rotations."""
    return torch.cat([-a[..., :3], a[..., 3:]], dim=-1)


@_checked
def quat_unit(a: Tensor) -> Tensor:
    """Return unit quaternions of these directions."""
    return normalize(a)


@_checked
def quat_apply(a: Tensor, b: Tensor) -> Tensor:
    """Return vectors ``b`` rotated by ``a``, in the shape of ``b``.

    Leading dimensions may differ in shape where the counts agree.
    """
    shape = b.shape
    q = a.reshape(-1, 4)
    v = b.reshape(-1, 3)
    axis = q[:, :3]
    t = 2.0 * torch.cross(axis, v, dim=-1)
    return (v + q[:, 3:] * t + torch.cross(axis, t, dim=-1)).view(shape)


@_checked
def quat_rotate(q: Tensor, v: Tensor) -> Tensor:
    """Return vectors ``v`` rotated by ``q``."""
    axis, w = q[..., :3], q[..., 3:]
    along = axis * (axis * v).sum(-1, keepdim=True) * 2.0
    return v * (2.0 * w * w - 1.0) + torch.cross(axis, v, dim=-1) * w * 2.0 + along


@_checked
def quat_rotate_inverse(q: Tensor, v: Tensor) -> Tensor:
    """Return vectors ``v`` rotated by the inverse of ``q``."""
    axis, w = q[..., :3], q[..., 3:]
    along = axis * (axis * v).sum(-1, keepdim=True) * 2.0
    return v * (2.0 * w * w - 1.0) - torch.cross(axis, v, dim=-1) * w * 2.0 + along


@_checked
def my_quat_rotate(q: Tensor, v: Tensor) -> Tensor:
    """Return vectors ``v`` rotated by ``q``: another name of ``quat_rotate``."""
    return quat_rotate(q, v)


@_checked
def quat_axis(q: Tensor, axis: int = 0) -> Tensor:
    """Return an axis of the rotated frames: the ``axis``-th column of their matrices."""
    basis = torch.zeros_like(q[..., :3])
    basis[..., axis] = 1.0
    return quat_rotate(q, basis)


@_checked
def get_basis_vector(q: Tensor, v: Tensor) -> Tensor:
    """Return vectors ``v`` of the rotated frames in the frame outside."""
    return quat_rotate(q, v)


@_checked
def quat_from_angle_axis(angle: Tensor, axis: Tensor) -> Tensor:
    """Return rotations by ``angle`` [rad] of shape (...) about ``axis``, of any length."""
    half = (angle / 2.0).unsqueeze(-1)
    return quat_unit(torch.cat([normalize(axis) * half.sin(), half.cos()], dim=-1))


@_checked
def quat_from_euler_xyz(roll: Tensor, pitch: Tensor, yaw: Tensor) -> Tensor:
    """Return the rotations Rz(yaw) Ry(pitch) Rx(roll) of angles [rad]."""
    cr, sr = torch.cos(roll * 0.5), torch.sin(roll * 0.5)
    cp, sp = torch.cos(pitch * 0.5), torch.sin(pitch * 0.5)
    cy, sy = torch.cos(yaw * 0.5), torch.sin(yaw * 0.5)
    return torch.stack(
        [
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
            cr * cp * cy + sr * sp * sy,
        ],
        dim=-1,
    )


@_checked
def get_euler_xyz(q: Tensor) -> Tuple[Tensor, Tensor, Tensor]:  # noqa: UP006
    """Return roll, pitch and yaw [rad], each in [0, 2 pi): the inverse of the above.

    A pitch below zero is therefore one above pi.
    """
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    turn = 6.283185307179586
    roll = torch.atan2(2.0 * (w * x + y * z), w * w - x * x - y * y + z * z)
    pitch = torch.asin(torch.clamp(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = torch.atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z)
    return roll % turn, pitch % turn, yaw % turn


@_checked
def normalize_angle(x: Tensor) -> Tensor:
    """Return the same angles in [-pi, pi] [rad]."""
    return torch.atan2(torch.sin(x), torch.cos(x))


@_checked
def normalise_quat_in_pose(pose: Tensor) -> Tensor:
    """Return poses (n, 7) whose quaternions have length one."""
    return torch.cat([pose[:, :3], quat_unit(pose[:, 3:7])], dim=-1)


@_checked
def tf_inverse(q: Tensor, t: Tensor) -> Tuple[Tensor, Tensor]:  # noqa: UP006
    """Return the poses that undo the poses ``(q, t)``."""
    back = quat_conjugate(q)
    return back, -quat_apply(back, t)


@_checked
def tf_apply(q: Tensor, t: Tensor, v: Tensor) -> Tensor:
    """Return points ``v`` of the frames ``(q, t)`` in the frame outside."""
    return quat_apply(q, v) + t


@_checked
def tf_vector(q: Tensor, v: Tensor) -> Tensor:
    """Return directions ``v`` of the frames ``q`` in the frame outside."""
    return quat_apply(q, v)


@_checked
def tf_combine(q1: Tensor, t1: Tensor, q2: Tensor, t2: Tensor) -> Tuple[Tensor, Tensor]:  # noqa: UP006
    """Return the poses ``(q2, t2)``, given in frames ``(q1, t1)``, in the frame outside."""
    return quat_mul(q1, q2), quat_apply(q1, t2) + t1


@_checked
def tensor_clamp(t: Tensor, min_t: Tensor, max_t: Tensor) -> Tensor:
    """Return ``t`` within limits of its own shape, the lower one first where they cross."""
    return torch.max(torch.min(t, max_t), min_t)


@_checked
def scale(x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """Map [-1, 1] to [lower, upper]."""
    return 0.5 * (x + 1.0) * (upper - lower) + lower


@_checked
def unscale(x: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """Map [lower, upper] to [-1, 1]."""
    return (2.0 * x - upper - lower) / (upper - lower)


@_checked
def unscale_np(x: Any, lower: Any, upper: Any) -> Any:
    """Map [lower, upper] to [-1, 1], for NumPy arrays."""
    return (2.0 * x - upper - lower) / (upper - lower)


@_checked
def copysign(a: float, b: Tensor) -> Tensor:
    """Return the size of ``a`` with the signs of ``b`` (n,); zero where ``b`` is."""
    return abs(a) * torch.sign(b)


@_checked
def get_axis_params(
    value: float,
    axis_idx: int,
    x_value: float = 0.0,
    dtype: Any = float,
    n_dims: int = 3,
) -> List[Any]:  # noqa: UP006
    """Return a vector with ``value`` on one axis, as a list.

    Args:
        value: What stands there.
        axis_idx: The axis.
        x_value: What stands on the first axis, whatever ``axis_idx`` is.
        dtype: Element type.
        n_dims: Length of the vector.

    Raises:
        InvalidArgumentError: There is no such axis.
    """
    if not 0 <= axis_idx < n_dims:
        raise InvalidArgumentError("axis_idx", axis_idx, f"0 to {n_dims - 1}")
    params = np.zeros(n_dims)
    params[axis_idx] = value
    params[0] = x_value
    return list(params.astype(dtype))


@_checked
def torch_rand_float(
    lower: float,
    upper: float,
    shape: Tuple[int, int],  # noqa: UP006
    device: str,
) -> Tensor:
    """Return numbers drawn evenly from [lower, upper)."""
    return (upper - lower) * torch.rand(shape, device=device) + lower


@_checked
def torch_random_dir_2(shape: Tuple[int, int], device: str) -> Tensor:  # noqa: UP006
    """Return directions in the plane, drawn evenly: (n, 2) for a shape (n, 1)."""
    half_turn = 3.141592653589793
    angle = torch_rand_float(-half_turn, half_turn, shape, device).squeeze(-1)
    return torch.stack([torch.cos(angle), torch.sin(angle)], dim=-1)
