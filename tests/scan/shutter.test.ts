import { expect, test } from "vitest";
import { type DepthArray, image } from "../../core/frame.ts";
import { compose, IDENTITY, invert, type Rigid, rigid, turned } from "../../core/pose.ts";
import { alignLooks } from "../../scan/place/icp.ts";
import type { Seen } from "../../scan/place/keyframe.ts";
import { Keyframes } from "../../scan/place/keyframes.ts";
import { lookOf } from "../../scan/place/look.ts";
import { shiftM } from "../../scan/place/way.ts";

// A rolling shutter: keyframes show in what time images are read out, and alignments take that into account.

const intrinsics = { fx: 130, fy: 130, cx: 79.5, cy: 59.5, width: 160, height: 120 };
/** Half of the room's width, height and depth, m. */
const ROOM = [1.6, 1.1, 1.6];
/** The time from one frame to the next, ms. */
const STEP_MS = 33;

/** A camera before a corner of the room, which turns to and fro by up to 70° a second. */
function poseAt(ms: number): Rigid {
  const t = ms / 1000;
  const turn = turned([0.25 * Math.sin(4.3 * t), 0.3 * Math.sin(3.1 * t), 0.1 * Math.sin(4 * t)], [0.1 * t, 0, 0]);
  return compose(rigid(), turned([-0.5, 0.7, 0]), turn);
}

/** What a camera sees of the empty room if its rows are read from `ms - readoutMs / 2` on. */
function depthAt(ms: number, readoutMs: number): DepthArray {
  const { width, height, fx, fy, cx, cy } = intrinsics;
  const depth = new Uint16Array(width * height);
  for (let v = 0, k = 0; v < height; v++) {
    const m = poseAt(ms + (v / height - 0.5) * readoutMs);
    for (let u = 0; u < width; u++, k++) {
      const [rx, ry] = [(u - cx) / fx, (v - cy) / fy];
      let z = Infinity;
      for (let axis = 0; axis < 3; axis++) {
        const way = m[4 * axis] * rx + m[4 * axis + 1] * ry + m[4 * axis + 2];
        z = Math.min(z, (Math.sign(way) * ROOM[axis] - m[4 * axis + 3]) / way);
      }
      depth[k] = Math.round(z * 10000);
    }
  }
  return image(depth, [height, width]);
}

/** A frame that is drawn when somebody looks at it: keyframes alone are. */
function seenAt(ms: number, readoutMs: number): Seen {
  let drawn: DepthArray | undefined;
  return {
    ...{ metresPerUnit: 1e-4, intrinsics, timestamp: ms },
    get depth() {
      drawn ??= depthAt(ms, readoutMs);
      return drawn;
    },
  };
}

function scanned(readoutMs: number): Keyframes {
  const keyframes = new Keyframes();
  for (let ms = 0; ms < 70 * STEP_MS; ms += STEP_MS) keyframes.follow(seenAt(ms, readoutMs), poseAt(ms), IDENTITY);
  return keyframes;
}

test("the time in which images are read out shows in the keyframes", () => {
  const { ms, sigmaMs } = scanned(30).readout;
  expect(Math.abs(ms - 30)).toBeLessThan(3);
  expect(sigmaMs).toBeLessThan(3);
});

test("with a global shutter the readout takes no time", () => {
  const { ms, sigmaMs } = scanned(0).readout;
  expect(ms).toBe(0);
  expect(sigmaMs).toBeLessThan(3);
});

test("looks that turned while they were read out are aligned as if they had not", () => {
  const [first, second] = [300, 700];
  const truth = compose(rigid(), invert(rigid(), poseAt(first)), poseAt(second));
  const turnAt = (ms: number, readoutMs: number) => {
    const m = compose(rigid(), invert(rigid(), poseAt(ms - 1)), poseAt(ms + 1));
    return [m[9], m[2], m[4]].map((x) => (x * readoutMs) / 2) as [number, number, number];
  };
  const off = (knownMs: number) => {
    const [a, b] = [first, second].map((ms) => ({ ...lookOf(seenAt(ms, 30)), turn: turnAt(ms, knownMs) }));
    return shiftM(alignLooks(b, a, IDENTITY)?.motion ?? rigid(), truth);
  };
  expect(off(30)).toBeLessThan(off(0) / 4);
});
