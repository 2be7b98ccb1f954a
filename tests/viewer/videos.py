"""Reading videos back."""

from __future__ import annotations

import numpy as np


def frames_of(file):
    """Pictures (n, height, width, 3), frames a second and duration [s] of a file."""
    import av

    with av.open(str(file)) as video:
        stream = video.streams.video[0]
        pictures = [frame.to_ndarray(format="rgb24") for frame in video.decode(stream)]
        return np.array(pictures), float(stream.average_rate), video.duration / av.time_base
