import { BETWEEN, COLOR_LENS, DEPTH_LENS, disparityTable, NOTHING } from "../../../../core/calibration/kinect.ts";
import { type Registration, registration } from "../../../../core/calibration/register.ts";
import type { Intrinsics } from "../../../../core/frame.ts";
import { packedColor } from "../../../decode/pixels.ts";

const WIDTH = 640;
const HEIGHT = 480;
/** freenect_depth_format: 11-bit disparity, and millimetres registered to colour. */
export const FORMAT = { disparity: 0, registered: 4, mm: 5 } as const;

/** ROS' intrinsics for a Kinect's colour camera, in whose view libfreenect puts registered depth. */
const COLOR_VIEW: Intrinsics = { fx: 525, fy: 525, cx: 319.5, cy: 239.5, width: WIDTH, height: HEIGHT };

/** How a Kinect's images become depth and registered colour. */
export interface Images {
  readonly intrinsics: Intrinsics;
  readonly note: string;
  /** Fills `out` with millimetres. */
  depth(data: Uint8Array, out: Uint16Array): void;
  color(rgb: Uint8Array, depth: Uint16Array): Uint8Array;
}

/** Images as libfreenect gives them: millimetres, in the view of the colour camera, or of the depth camera if colour is not wanted. */
export const millimetres = (color: boolean): Images => ({
  intrinsics: color ? COLOR_VIEW : DEPTH_LENS,
  note: color ? "registered by libfreenect; the lens is ROS' for a Kinect's colour camera" : "none",
  depth: (data, out) => new Uint8Array(out.buffer).set(data.subarray(0, out.byteLength)),
  color: (rgb) => packedColor("rgb8", rgb, WIDTH, HEIGHT, "colour"),
});

/** Images of a recording by fakenect: disparity, and colour as the camera saw it. Both are read as the format `fakenect` reads them. */
export function recorded(): Images {
  const table = disparityTable("libfreenect");
  let tables: Registration | undefined;
  return {
    intrinsics: DEPTH_LENS,
    note: "registered by the lenses of NYU v2's Kinect",
    depth(data, out) {
      const values = new Uint16Array(data.buffer, data.byteOffset, data.length >> 1);
      for (let i = 0; i < out.length; i++) out[i] = table[Math.min(values[i] ?? NOTHING, NOTHING)] ?? 0;
    },
    color(rgb, depth) {
      tables ??= registration(DEPTH_LENS, COLOR_LENS, BETWEEN);
      return tables.register(depth, 0.001, packedColor("rgb8", rgb, WIDTH, HEIGHT, "colour"));
    },
  };
}
