"""Frames, and their form on the wire: the subprotocol depthloom.depth.v1 (docs/live.md)."""

import json
import math
import struct
from dataclasses import dataclass
from typing import Optional

import numpy as np

#: Steps of depth in metres that float depth is rounded to: the first one whose reach covers a frame.
STEPS = (0.00025, 0.001, 0.004, 0.016)
#: The horizontal field of view of a lens that nobody has told, in degrees.
USUAL_FOV = 58


@dataclass(frozen=True)
class Frame:
    """One frame. depth: uint16, height × width, in metres times 1 / unit, 0 where there is no measurement. K: fx, fy, cx, cy in pixels.
    timestamp: when it was captured, in seconds. distortion: the numbers of distortion_model, by which the lens bends rays, as docs/live.md
    names them; empty where the image is rectified."""

    depth: np.ndarray
    unit: float
    K: tuple
    color: Optional[np.ndarray] = None
    timestamp: Optional[float] = None
    index: int = 0
    distortion: tuple = ()
    distortion_model: str = "brown-conrady"

    @property
    def metres(self):
        """Depth in metres as float32, NaN where there is no measurement."""
        return metres_of(self.depth, self.unit)


def metres_of(depth, unit):
    return np.where(depth > 0, depth * np.float32(unit), np.float32(np.nan))


def lens_of(K, width, height):
    """fx, fy, cx, cy of a 3 × 3 matrix or of four numbers; without K those of a lens of 58° across."""
    if K is None:
        focal = width / 2 / math.tan(math.radians(USUAL_FOV / 2))
        return (focal, focal, (width - 1) / 2, (height - 1) / 2)
    numbers = np.asarray(K, float)
    if numbers.shape == (3, 3):
        numbers = numbers[[0, 1, 0, 1], [0, 1, 2, 2]]
    if numbers.shape != (4,) or not np.isfinite(numbers).all() or not (numbers[:2] > 0).all():
        raise ValueError(f"K must be a 3 × 3 matrix, or fx, fy, cx and cy in pixels, not {K!r}")
    return tuple(float(number) for number in numbers)


def bend_of(distortion):
    """OpenCV's coefficients as a tuple; an empty one of None."""
    numbers = np.ravel([] if distortion is None else np.asarray(distortion, float))
    if len(numbers) not in (0, 4, 5, 8, 12, 14) or not np.isfinite(numbers).all():
        raise ValueError(f"distortion must be 4, 5, 8, 12 or 14 numbers k1, k2, p1, p2 … as OpenCV gives them, not {distortion!r}")
    return tuple(map(float, numbers))


class Units:
    """Makes 16-bit depth of what programs have: uint16 as it is, floats rounded to a step that never becomes finer in a stream."""

    def __init__(self):
        self._step = 0

    def of(self, depth, unit=None):
        """Returns uint16 depth and its unit in metres. `unit` is metres per number: 0.001 of integers and 1 of floats if not given."""
        depth = depth.filled(0) if isinstance(depth, np.ma.MaskedArray) else np.asarray(depth)
        if depth.ndim != 2 or depth.size == 0:
            raise ValueError(f"depth must be an image of height × width, not of shape {depth.shape}")
        if depth.dtype == np.uint16:
            return np.ascontiguousarray(depth, "<u2"), _positive(unit, 0.001)
        if depth.dtype.kind not in "fiu":
            raise ValueError(f"depth must be numbers, not {depth.dtype}")
        with np.errstate(invalid="ignore", over="ignore"):
            metres = np.multiply(depth, _positive(unit, 1.0 if depth.dtype.kind == "f" else 0.001), dtype=np.float32)
            valid = (metres > 0) & (metres < 65535.5 * STEPS[-1])
        farthest = metres.max(where=valid, initial=0)
        while self._step + 1 < len(STEPS) and farthest > 65535 * STEPS[self._step]:
            self._step += 1
        step = STEPS[self._step]
        # What is beyond the reach is no measurement; what is nearer than half a step is the nearest that can be told.
        numbers = np.rint(np.where(valid, metres, 0) * np.float32(1 / step))
        numbers[numbers > 65535] = 0
        return np.maximum(numbers, valid & (numbers == 0) & (metres < step), out=numbers).astype("<u2"), step


def _positive(unit, usual):
    if unit is None:
        return usual
    try:
        number = float(unit)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise ValueError(f"unit must be metres per number of depth, such as 0.001, not {unit!r}")
    return number


def colour_of(color, height, width):
    """Three or four bytes for each pixel of depth."""
    color = np.ascontiguousarray(color)
    if color.dtype != np.uint8 or color.shape not in ((height, width, 3), (height, width, 4)):
        raise ValueError(
            f"color must be uint8 of shape ({height}, {width}, 3 or 4), registered to depth, not {color.dtype} of {color.shape}"
        )
    return color


def pack(frame):
    """The message of a frame."""
    height, width = frame.depth.shape
    header = dict(zip(("fx", "fy", "cx", "cy"), frame.K), width=width, height=height, metresPerUnit=frame.unit)
    header |= {"timestamp": 1000 * frame.timestamp, "index": frame.index} | ({"distortion": frame.distortion} if frame.distortion else {})
    if frame.color is not None:
        header["color"] = "rgba8" if frame.color.shape[2] == 4 else "rgb8"
    text = json.dumps(header).encode()
    color = b"" if frame.color is None else frame.color.tobytes()
    return struct.pack("<I", len(text)) + text + frame.depth.tobytes() + color


class CannotUnpack(ValueError):
    """Says what can read packed depth that is sound and cannot be read here."""


def unpack(message, unpack_depth=None):
    """The frame of a message; `unpack_depth` reads packed depth (depthloom.depth.v2). Raises a ValueError for what is no frame."""
    try:
        return _unpacked(message, unpack_depth)
    except CannotUnpack:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, struct.error) as error:
        raise ValueError(f"the server sent what is no frame: {error!r}") from error


def _unpacked(message, unpack_depth):
    (length,) = struct.unpack_from("<I", message)
    header = json.loads(bytes(message[4 : 4 + length]))
    height, width = header["height"], header["width"]
    size = header.get("depthBytes", 2 * width * height)
    body = memoryview(message)[4 + length :]
    if unpack_depth and "depthBytes" in header:
        depth = unpack_depth(bytes(body[:size]))
    else:
        depth = np.frombuffer(body[:size], "<u2").reshape(height, width)
    channels = {"rgb8": 3, "rgba8": 4}.get(header.get("color"), 0)
    count = width * height * channels
    color = np.frombuffer(body[size : size + count], np.uint8).reshape(height, width, channels) if channels else None
    lens = tuple(header[name] for name in ("fx", "fy", "cx", "cy"))
    stamp = header.get("timestamp")
    bent = tuple(header.get("distortion") or ()), header.get("distortionModel") or "brown-conrady"
    seconds = None if stamp is None else stamp / 1000
    return Frame(depth, header.get("metresPerUnit", 0.001), lens, color, seconds, header.get("index", 0), *bent)
