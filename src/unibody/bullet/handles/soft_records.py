"""Which body of a client is soft, without loading what moves soft bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unibody.bullet.handles.body import Body
    from unibody.bullet.state.client_state import ClientState
    from unibody.bullet.substeps.soft_bodies import SoftRecord


def soft_record(client: ClientState, body: Body | None) -> SoftRecord | None:
    """The soft body that a body stands for, its particles where its base is now."""
    if body is None or client.soft_bodies is None:
        return None
    record = client.soft_bodies.records.get(body.id)
    if record is not None:
        client.soft_bodies.follow_base(client, record)
    return record


def has_soft_bodies(client: ClientState) -> bool:
    """Whether a client has soft bodies."""
    return client.soft_bodies is not None and bool(client.soft_bodies.records)


def is_soft(client: ClientState, body: Body) -> bool:
    """Whether a body stands for a soft one."""
    return client.soft_bodies is not None and body.id in client.soft_bodies.records
