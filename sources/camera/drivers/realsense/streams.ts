import type { Extrinsics } from "../../../../core/calibration/register.ts";
import type { DistortionModel, Intrinsics } from "../../../../core/frame.ts";
import type { Mode } from "../../../live/driver.ts";
import { numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { Api } from "./api.ts";

// The library's enumerations.
export const STREAM = { depth: 1, color: 2, infrared: 3 } as const;
export const FORMAT = { z16: 1, rgb8: 5, y8: 9 } as const;
const MODELS: readonly (DistortionModel | undefined)[] = [
  undefined,
  "modified-brown-conrady",
  "inverse-brown-conrady",
  undefined,
  "brown-conrady",
  "fisheye",
];
/** rs2_intrinsics: width and height, ppx, ppy, fx, fy, the model, and five coefficients. */
const LENS_BYTES = 48;

/** A stream that a sensor can give, or that a pipeline gives. */
export interface Profile extends Mode {
  readonly pointer: bigint;
  readonly stream: number;
  readonly format: number;
}

/** The video streams in a list of the library's. */
export function profilesIn(api: Api, list: bigint): readonly Profile[] {
  const count = numberOf(api.profileCount(list));
  return Array.from({ length: count }, (_, i) => pointerOf(api.profileAt(list, i))).flatMap((pointer) => {
    const [stream = 0, format = 0, , , fps = 0] = dataOf(api, pointer);
    // Streams of motion have no size.
    if (!Object.values<number>(STREAM).includes(stream)) return [];
    const size = new Int32Array(2);
    api.resolution(pointer, size.subarray(0, 1), size.subarray(1, 2));
    return [{ pointer, stream, format, fps, width: size[0] ?? 0, height: size[1] ?? 0 }];
  });
}

/** A stream's kind, format, index among those of its kind, id and rate. */
export function dataOf(api: Api, profile: bigint): Int32Array {
  const answer = new Int32Array(5);
  api.profileData(profile, ...[0, 1, 2, 3, 4].map((at) => answer.subarray(at, at + 1)));
  return answer;
}

/** A stream's intrinsics. The library's pixel centres lie at whole numbers, as here. */
export function lensOf(api: Api, profile: bigint): Intrinsics {
  const bytes = new Uint8Array(LENS_BYTES);
  api.intrinsics(profile, bytes);
  const view = new DataView(bytes.buffer);
  const [width, height, model] = [0, 4, 24].map((at) => view.getInt32(at, true));
  const [cx, cy, fx, fy, ...distortion] = [8, 12, 16, 20, 28, 32, 36, 40, 44].map((at) => view.getFloat32(at, true));
  const distortionModel = MODELS[model ?? 0];
  const bent = distortionModel !== undefined && distortion.some((value) => value !== 0);
  return { fx, fy, cx, cy, width, height, ...(bent && { distortion, distortionModel }) } as Intrinsics;
}

/**
 * Asks the library for the transform from the camera of stream `from` to that of stream `to`. The library stores a rotation by columns,
 * `Extrinsics` by rows.
 */
export function extrinsicsOf(api: Api, from: bigint, to: bigint): Extrinsics {
  const values = new Float32Array(12);
  api.extrinsics(from, to, values);
  const at = (row: number, column: number) => values[3 * column + row] ?? 0;
  const rows = [0, 1, 2];
  return {
    rotation: rows.flatMap((row) => rows.map((column) => at(row, column))),
    translation: [...values.subarray(9)],
  };
}
