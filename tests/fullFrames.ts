import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { decode } from "fast-png";
import { test } from "vitest";
import type { DepthArray } from "../core/frame.ts";
import { image } from "./gpu.ts";
import { LEFT, LONG, MISSING, QUICK } from "./mode.ts";
import { normal } from "./random.ts";

const recordings = fileURLToPath(new URL("../../shared/data/", import.meta.url));
const haveRecordings = existsSync(recordings);
/** Real cameras' recordings, one of each kind; they are there on some machines only. */
const REAL = ["tum_fr1_xyz", "gotpd_kinect2_overhead", "redwood_noisy", "aims_realsense", "sr305_hand"];
/** The name of the frame that `madeUp` gives. */
const MADE_UP = "a camera that is made up";

/** How many real recordings, the first of `REAL`, give full frames to test. */
const MOST = LONG ? REAL.length : 2;

/**
 * A test on full frames, whose camera `title` names by %s: on a generated frame, and on the first frame of at most `most` real recordings,
 * in the quick run of none. If the recordings are absent, their tests are shown as skipped.
 */
export function testOnFrames(title: string, body: (name: string) => void | Promise<void>, most = MOST): void {
  test.each([MADE_UP])(title, body);
  const why = haveRecordings ? LEFT : MISSING;
  const isSkipped = QUICK || !haveRecordings;
  test.skipIf(isSkipped).each(REAL.slice(0, most))(`${title}${isSkipped ? why : ""}`, body);
}

/** Metres that a frame's unit of depth stands for. */
export const unitOf = (name: string): number =>
  name === "tum_fr1_xyz" ? 1 / 5000 : name === "sr305_hand" ? 1 / 8000 : 0.001;

/** The first frame of a recording, in its own unit. */
export function firstFrame(name: string): DepthArray {
  if (name === MADE_UP) return madeUp();
  const folder = `${recordings}${name}/depth/`;
  const [file] = readdirSync(folder).sort();
  const { data, width } = decode(readFileSync(folder + file));
  return image(
    Uint16Array.from(data, (value) => (value === 65535 ? 0 : value)),
    width,
  );
}

/** A full frame; in the quick run every second pixel of its rows and columns. */
export function eased(depth: DepthArray): DepthArray {
  const width = depth.shape[1];
  if (!QUICK) return depth;
  return image(
    depth.data.filter((_, i) => i % 2 === 0 && Math.floor(i / width) % 2 === 0),
    width / 2,
  );
}

const [WIDTH, HEIGHT] = [640, 480];
/** A Kinect v1's focal length in pixels times baseline in mm, and its step of disparity. */
const [DISPARITY, STEP] = [580 * 75, 1 / 8];

/**
 * A Kinect's frame of a room, in mm: a floor and a slanted wall, a ball, a shelf and thin rods before them. Disparity has noise and steps,
 * so both grow with the square of the distance; left of each edge lies a shadow, and single pixels and blots have no measurement.
 */
export function madeUp(): DepthArray {
  const noise = normal(7);
  const depth = image(new Uint16Array(WIDTH * HEIGHT), WIDTH);
  const scene = Float64Array.from({ length: WIDTH * HEIGHT }, (_, i) => distanceMm(i % WIDTH, Math.floor(i / WIDTH)));
  for (let i = 0; i < scene.length; i++) {
    const ahead = scene[i + 12] ?? 0;
    const inShadow = (i % WIDTH) + 12 < WIDTH && ahead < 0.8 * (scene[i] ?? 0);
    const blot = Math.sin((i % WIDTH) / 23) * Math.sin(i / WIDTH / 17) > 0.97;
    const disparity = DISPARITY / (scene[i] ?? 1) + 0.08 * noise();
    if (!inShadow && !blot && i % 211 !== 0)
      depth.data[i] = Math.round(DISPARITY / (STEP * Math.round(disparity / STEP)));
  }
  return depth;
}

function distanceMm(x: number, y: number): number {
  const ball = 1 - ((x - 200) / 70) ** 2 - ((y - 260) / 70) ** 2;
  if (ball > 0) return 1200 - 180 * Math.sqrt(ball);
  if (x > 400 && x < 520 && y > 150 && y < 330) return 1600 + (y % 60 < 8 ? 0 : 220);
  if (x > 560 && x % 20 < 3) return 900;
  const floor = y > 300 ? 420_000 / (y - 200) : Number.POSITIVE_INFINITY;
  return Math.min(floor, 2600 + 2 * x);
}
