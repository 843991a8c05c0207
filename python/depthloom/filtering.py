"""Runs Depthloom's filters on a program's frames: by the command `depthloom`, in a Node process of its own."""

import os
import re
import shutil
import subprocess
import threading
import warnings
from collections import deque
from pathlib import Path

import numpy as np

from .frames import Units, bend_of, lens_of, metres_of

LACK = "filtered needs Node and Depthloom's command: install its package by npm in this folder, or set DEPTHLOOM to the path of its dist/cli.js"


def _command():
    """The command: DEPTHLOOM, `depthloom` of the PATH, or that of a node_modules at or above this folder."""
    named = os.environ.get("DEPTHLOOM")
    if named:
        return ["node", named] if named.endswith(".js") else [named]
    here = Path.cwd()
    for folder in (here, *here.parents):
        local = folder / "node_modules" / "depthloom" / "dist" / "cli.js"
        if local.is_file() and shutil.which("node"):
            return ["node", str(local)]
    found = shutil.which("depthloom")
    if found:
        return [found]
    raise RuntimeError(LACK)


def filtered(frames, K=None, unit=None, preset=None, options=(), distortion=None):
    """Filters frames as `depthloom filter` does: every frame, in order; noise and motion are followed over time.

    frames: images of one size, as `Viewer.show` takes them. K, unit and distortion: as there too; the result has no distortion, by the
    same K, unless options name stages without undistort. preset: "realsense", "azure-kinect" … (docs/presets.md).
    options: more options of `depthloom filter`, such as ["--stages", "median"]. Yields an image for each: float32, in metres, NaN where
    nothing is measured. Raises a RuntimeError where the command is missing or fails; its message is the command's.
    """
    if getattr(frames, "ndim", None) == 2:
        raise ValueError("frames must be images, one after the other: of a single one, [depth]")
    if isinstance(options, str):
        raise ValueError(f'options must be a list of texts, such as ["--stages", "median"], not {options!r}')
    frames = iter(frames)
    units = Units()
    for first in frames:
        break
    else:
        return
    depth, metres = units.of(first, unit)
    height, width = depth.shape
    about = ["--size", f"{width}x{height}", "--depth-scale", repr(metres), "--fps", "30"]
    about += ["--intrinsics", ",".join(map(repr, lens_of(K, width, height) + bend_of(distortion)))]
    about += ["--preset", preset] if preset else []
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    try:
        process = subprocess.Popen([*_command(), "filter", "-", "--to", "-", *about, *options], **pipes)
    except FileNotFoundError as error:
        raise RuntimeError(f"{error.filename} is not there: {LACK}") from None
    said, wrong, told, warned = deque(maxlen=40), [], [], deque()
    is_told = threading.Event()

    def hear():
        for line in process.stderr:
            said.append(line.decode(errors="replace").rstrip())
            if found := re.match(r"(?:-: )?warning: (.*)", said[-1]):
                warned.append(found[1])
            if not told and (found := re.search(r"raw frames of (\d+)x(\d+).* in units of ([\d.e-]+) m", said[-1])):
                told.extend(map(float, found.groups()))
                is_told.set()
        process.stderr.close()
        is_told.set()

    def warn():
        # Warnings may be errors, which are for the program's own thread.
        while warned:
            warnings.warn(warned.popleft(), stacklevel=3)

    def feed():
        try:
            image = depth
            while image is not None:
                process.stdin.write(image.tobytes())
                process.stdin.flush()
                image = _next(frames, units, unit, (height, width), metres)
        except BrokenPipeError:
            pass
        except Exception as error:  # The program's thread raises it.
            wrong.append(error)
        finally:
            try:
                process.stdin.close()
            except BrokenPipeError:
                pass

    for work in (hear, feed):
        threading.Thread(target=work, daemon=True).start()
    try:
        is_told.wait()
        # A stage may change the size.
        across, down, step = told or (0, 0, 1)
        shape = int(down), int(across)
        while told and len(data := process.stdout.read(2 * shape[0] * shape[1])) == 2 * shape[0] * shape[1]:
            warn()
            yield metres_of(np.frombuffer(data, "<u2").reshape(shape), step)
        warn()
        if wrong:
            raise wrong[0]
        if process.wait() != 0:
            raise RuntimeError("\n".join(said) or LACK)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def _next(frames, units, unit, shape, metres):
    """The next image in the first one's unit."""
    try:
        depth = next(frames)
    except StopIteration:
        return None
    # None, of a camera that has no frame yet, is no end: it is refused as anything else that is no image.
    numbers, own = units.of(depth, unit)
    if numbers.shape != shape:
        raise ValueError(f"all frames must have the first one's size, {shape}, not {numbers.shape}")
    if own == metres:
        return numbers
    # Float depth that outgrew the first frame's step.
    coarser = np.rint(numbers * (own / metres))
    if (coarser > 65535).any():
        warnings.warn(f"depth beyond {65535 * metres:.1f} m is left out: the first frame was nearer, and decides how far depth can be told")
    return np.where(coarser > 65535, 0, coarser).astype("<u2")

