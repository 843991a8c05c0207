import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { firstValueFrom } from "rxjs";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLive } from "../../sources/index.ts";
import { python, running, streamOf } from "./python.ts";

// Python programs of the docs, with what they want of a camera or a notebook pretended.

describe.skipIf(!python)("Python", () => {
  test("the camera's loop of docs/python.md shows depth with its colour, here of a pretended camera", async () => {
    const page = readFileSync(new URL("../../docs/python.md", import.meta.url), "utf8");
    const loop = [...page.matchAll(/^```python\n([\s\S]*?)^```/gm)][1]?.[1] ?? "";
    const camera = `
import sys, time, webbrowser, numpy as np
from unittest.mock import MagicMock
webbrowser.open = print
rs = sys.modules["pyrealsense2"] = MagicMock()
pipe, frames = rs.pipeline(), rs.align().process()
pipe.wait_for_frames.side_effect = lambda: time.sleep(0.03)
pipe.start().get_device().first_depth_sensor().get_depth_scale.return_value = 0.002
pipe.start().get_stream().as_video_stream_profile().get_intrinsics().configure_mock(fx=5, fy=6, ppx=2.5, ppy=1.5)
frames.get_depth_frame().get_data.return_value = np.full((4, 6), 700, np.uint16)
frames.get_color_frame().get_data.return_value = np.full((4, 6, 3), [1, 2, 3], np.uint8)
`;
    const source = await openLive(streamOf(await running(camera + loop).line()));
    onTestFinished(() => source.close());
    const frame = await firstValueFrom(source.frames$);
    expect([frame.metresPerUnit, frame.depth.get(1, 1), frame.intrinsics.fy]).toEqual([0.002, 700, 6]);
    expect([...(frame.color?.data.slice(0, 4) ?? [])]).toEqual([1, 2, 3, 255]);
  });

  test("takes the bytes that the notebook's page sends, as ipywidgets hands them over, for the filtered depth", async () => {
    // HasTraits in place of the widget, which wants a kernel.
    const program = `
import sys, types, numpy as np, traitlets
class Widget(traitlets.HasTraits):
    hold_sync = traitlets.HasTraits.hold_trait_notifications
sys.modules["anywidget"] = types.SimpleNamespace(AnyWidget=Widget)
from depth_view import DepthView
view = DepthView()
print(view.filtered_depth.shape)
view.show(np.array([[np.nan, 0, 1.5], [-1, np.inf, 200]]), metres_per_unit=0.002)
print(np.frombuffer(view.depth, "<u2").tolist())
view.show(np.full((2, 3), 1500, np.uint16), metres_per_unit=0.002)
sent = np.array([[0, 1501, 1502], [1503, 1504, 1505]], "<u2")
view.filtered_metres_per_unit = 0.001
view.filtered = view.traits()["filtered"].metadata["from_json"](memoryview(sent.tobytes()), view)
print(np.round(view.filtered_depth.astype(float), 3).tolist())
`;
    const cwd = fileURLToPath(new URL("../../docs/examples/notebook", import.meta.url));
    const { stdout, stderr } = await running(program, { cwd }).ended;
    expect(stderr).toBe("");
    expect(stdout).toBe("(0, 0)\n[0, 0, 750, 0, 0, 0]\n[[nan, 1.501, 1.502], [1.503, 1.504, 1.505]]\n");
  });
});
