import { between, type Rule, whole } from "../../../core/check.ts";
import { isGeometry, isNotes, lensFaultOf } from "../../../core/checkFrame.ts";
import type { DepthFrame, Intrinsics, PairGeometry } from "../../../core/frame.ts";
import { controlsIn } from "../../live/controls.ts";
import { type CameraInfo, type CameraState, DRIVERS, type GreyForm } from "../../live/driver.ts";

// Messages of the process that reads a camera are checked as a file's contents are: a vendor's library may write over that process's
// memory.

/** Messages from the reading process. */
export type CameraAnswer =
  | { readonly kind: "listed"; readonly library: string; readonly cameras: readonly CameraInfo[] }
  /** The camera is open, or a control was changed. */
  | { readonly kind: "opened"; readonly state: CameraState }
  /** The camera has another state than was told, unasked: its frames tell their clock. */
  | { readonly kind: "changed"; readonly state: CameraState }
  /** The driver, the camera or its library refuses to open, or to change a control. */
  | { readonly kind: "failed"; readonly why: string }
  /** The camera gives no frame any more. */
  | { readonly kind: "lost"; readonly why: string };

export interface FrameHeader {
  readonly stampMs: number;
  readonly number: number;
  /** When the driver handed the frame over, in ms since 1970 by this computer's clock. */
  readonly readMs: number;
  readonly metresPerUnit: number;
  readonly intrinsics: Intrinsics;
  /** See `DepthFrame.metadata`. */
  readonly metadata?: DepthFrame["metadata"];
  readonly infrared?: GreyForm;
  /** How the two cameras stand, if the frame has a pair: the right camera's image comes last. */
  readonly right?: PairGeometry;
}

type Test = (value: unknown) => boolean;
type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const text: Test = (value) => typeof value === "string";
const number: Test = Number.isFinite;
const by =
  ({ holds }: Rule): Test =>
  (value) =>
    holds(value);
const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && Array.from(value).every(test);
const fields =
  (tests: Readonly<Record<string, Test>>): Test =>
  (value) =>
    isFields(value) && Object.entries(tests).every(([name, test]) => test(value[name]));

const rate = by(between(0.001, 1e6));
const unit = by(between(1e-9, 1));
const lens: Test = (value) => isFields(value) && lensFaultOf(value) === undefined;
const camera = fields({
  driver: (value) => DRIVERS.some((one) => one === value),
  name: text,
  id: text,
  notes: listOf(text),
});
const state = fields({
  info: camera,
  fps: rate,
  metresPerUnit: unit,
  intrinsics: lens,
  clock: text,
  notes: listOf(text),
  library: text,
  modes: listOf(fields({ width: number, height: number, fps: number })),
  controls: (value) => controlsIn(value) !== undefined,
  infrared: (value) => value === undefined || typeof value === "boolean",
  others: (value) => value === undefined || listOf(text)(value),
  pair: (value) => value === undefined || typeof value === "string",
});

const ANSWERS: Readonly<Record<CameraAnswer["kind"], Test>> = {
  listed: fields({ library: text, cameras: listOf(camera) }),
  opened: fields({ state }),
  changed: fields({ state }),
  failed: fields({ why: text }),
  lost: fields({ why: text }),
};

/** The message, if it is one of the answers; else `undefined`. */
export function answerOf(message: unknown): CameraAnswer | undefined {
  const kind = isFields(message) ? String(message.kind) : "";
  const test = Object.entries(ANSWERS).find(([name]) => name === kind)?.[1];
  return test?.(message) ? (message as CameraAnswer) : undefined;
}

/** Whether a value is a frame's header, and fits images of so many bytes: depth, colour, infrared and the right one. */
export const isHeader = (value: unknown, bytes: readonly number[]): value is FrameHeader =>
  header(value) && fits(value as FrameHeader, bytes);

const side = by(whole(1, 65535));

const header = fields({
  stampMs: number,
  number,
  readMs: number,
  metresPerUnit: unit,
  intrinsics: lens,
  metadata: (value) => value === undefined || isNotes(value),
  infrared: (value) =>
    value === undefined ||
    fields({ width: side, height: side, bits: (bits) => bits === 8 || bits === 16, from: text })(value),
  right: (value) => value === undefined || isGeometry(value),
});

function fits(
  { intrinsics: { width, height }, infrared, right }: FrameHeader,
  [depth, color, grey, other]: readonly number[],
): boolean {
  return (
    depth === 2 * width * height &&
    (color === 0 || color === 4 * width * height) &&
    grey === (infrared ? (infrared.width * infrared.height * infrared.bits) / 8 : 0) &&
    // Both images of a pair have depth's size.
    (right ? grey === (width * height * (infrared?.bits ?? 0)) / 8 && other === grey : other === 0)
  );
}

/** The message about a process that sends anything else. */
export const NONSENSE = "the process that reads the camera sent what is no answer";
