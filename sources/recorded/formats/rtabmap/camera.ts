import { product } from "../../../../core/matrix.ts";
import { SourceError } from "../../../../core/source.ts";
import type { FormatLens } from "../../../format/depthFormat.ts";
import type { Pose } from "../../../format/format.ts";

/** A node's camera: its lens, and its place on the robot. */
export interface NodeCamera {
  readonly lens: FormatLens;
  readonly place: Pose;
}

/** The numbers of a header, and those of them that say the kind, the images' size, and how many numbers each part has. */
const HEADER = 11;
const TYPE = 3;
const WIDTH = 4;

/**
 * Reads a node's calibration (RTAB-Map's CameraModel::serialize, since 0.18): whole numbers (version, kind, width, height, the lengths of
 * the parts), then in doubles K, distortion, R and P, and in floats the place on the robot; before 0.18 floats alone: fx, fy, cx, cy,
 * width, height, place. Images count as rectified: P's lens comes before K's. Throws a `SourceError` for stereo and for several cameras.
 */
export function cameraIn(bytes: Uint8Array, where: string): NodeCamera {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const floats = (at: number, count: number) =>
    Array.from({ length: count }, (_, i) => view.getFloat32(at + 4 * i, true));
  if (bytes.length === 4 * 18) {
    const [fx, fy, cx, cy, width, height] = floats(0, 6);
    return checked({ fx, fy, cx, cy, width, height }, floats(24, 12), where);
  }
  if (bytes.length < 4 * HEADER) throw damaged(where);
  const header = Array.from({ length: HEADER }, (_, i) => view.getInt32(4 * i, true));
  const [k, d, r, p, local] = header.slice(HEADER - 5);
  const size = 4 * HEADER + 8 * (k + d + r + p) + 4 * local;
  if (header[TYPE] !== 0)
    throw new SourceError(
      `${where}: it has the two images of a stereo camera in place of depth, which are not matched`,
    );
  if (bytes.length > size && size > 0)
    throw new SourceError(`${where}: its images are those of several cameras, side by side, which are not read`);
  if ((k !== 0 && k !== 9) || (p !== 0 && p !== 12) || local !== 12 || k + p === 0 || bytes.length !== size)
    throw damaged(where);
  const from = 4 * HEADER + (p === 12 ? 8 * (k + d + r) : 0);
  const wide = p === 12 ? 4 : 3;
  const [fx, cx, fy, cy] = [0, 2, wide + 1, wide + 2].map((i) => view.getFloat64(from + 8 * i, true));
  const [width, height] = header.slice(WIDTH, WIDTH + 2);
  return checked({ fx, fy, cx, cy, width, height }, floats(size - 48, 12), where);
}

function checked(
  lens: Required<Pick<FormatLens, "fx" | "fy" | "cx" | "cy" | "width" | "height">>,
  place: readonly number[],
  where: string,
) {
  const { fx, fy, cx, cy, width, height } = lens;
  if (!(fx > 0 && fy > 0 && width > 0 && height > 0 && Number.isFinite(fx + fy + cx + cy + width + height)))
    throw damaged(where);
  return { lens, place: [...place, 0, 0, 0, 1] };
}

const damaged = (where: string) => new SourceError(`${where}: its calibration is damaged; copy it again`);

/** The camera's pose: that of the robot (3×4 floats, row by row) and the camera's place on it; `undefined` where there is none. */
export function poseIn(bytes: Uint8Array | undefined, { place }: NodeCamera): Pose | undefined {
  if (bytes?.length !== 48) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const robot = [...Array.from({ length: 12 }, (_, i) => view.getFloat32(4 * i, true)), 0, 0, 0, 1];
  const pose = [...product(robot, place, 4)];
  // A node whose place is not known has zeros.
  return pose.every(Number.isFinite) && Math.abs(Math.hypot(pose[0], pose[4], pose[8]) - 1) < 0.02 ? pose : undefined;
}
