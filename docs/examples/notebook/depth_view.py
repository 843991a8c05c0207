"""Filtered depth in a notebook: Jupyter, JupyterLab, VS Code, Colab, marimo.

    pip install anywidget numpy

    from depth_view import DepthView
    view = DepthView(compare=0.5)
    view                                  # in a cell of its own
    view.show(depth, metres_per_unit=0.001, intrinsics=[525, 525, 319.5, 239.5])
    view.filtered_depth                   # metres, NaN where there is no measurement
"""

import anywidget
import numpy as np
import traitlets


class DepthView(anywidget.AnyWidget):
    # One file, from a CDN or from node_modules/depthloom/dist/browser/widget.js.
    _esm = "https://cdn.jsdelivr.net/npm/depthloom@0.1.0/dist/browser/widget.js"

    # In. The widget takes a frame when `depth` changes, so `show` sets that last.
    shape = traitlets.List(traitlets.Int(), [0, 0]).tag(sync=True)
    metres_per_unit = traitlets.Float(0.001).tag(sync=True)
    intrinsics = traitlets.List(traitlets.Float(), []).tag(sync=True)
    color = traitlets.Bytes(b"").tag(sync=True)
    depth = traitlets.Bytes(b"").tag(sync=True)
    color_by = traitlets.Unicode("camera").tag(sync=True)
    compare = traitlets.Float(None, allow_none=True).tag(sync=True)
    backend = traitlets.Unicode("auto").tag(sync=True)

    # Out.
    # ipywidgets hands over bytes of the page as a memoryview, which the trait refuses.
    filtered = traitlets.Bytes(b"").tag(sync=True, from_json=lambda value, _: bytes(value))
    filtered_metres_per_unit = traitlets.Float(0.001).tag(sync=True)
    error = traitlets.Unicode("").tag(sync=True)

    def show(self, depth, metres_per_unit=0.001, intrinsics=(), color=None):
        """Shows depth: height × width, 16-bit numbers in units of metres_per_unit, or floats in metres; 0 or NaN is no measurement.

        intrinsics: fx, fy, cx, cy in pixels. color: 8 bits, height × width × 3 (or 4), red first, registered to the depth.
        """
        if np.asarray(depth).dtype.kind == "f":
            depth = np.rint(np.nan_to_num(depth, posinf=0, neginf=0) / metres_per_unit)
            depth = np.where(depth > 65535, 0, np.maximum(depth, 0))
        depth = np.ascontiguousarray(depth, "<u2")
        with self.hold_sync():
            self.shape = list(depth.shape)
            self.metres_per_unit = metres_per_unit
            self.intrinsics = [float(number) for number in intrinsics]
            self.color = b"" if color is None else np.ascontiguousarray(color, "u1").tobytes()
            self.depth = depth.tobytes()

    @property
    def filtered_depth(self):
        """The filtered depth of the newest frame in metres, once the page has sent it; NaN where there is no measurement."""
        depth = np.frombuffer(self.filtered, "<u2").reshape(self.shape if self.filtered else (0, 0))
        return np.where(depth > 0, depth * np.float32(self.filtered_metres_per_unit), np.nan)
