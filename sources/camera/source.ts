import { type DepthFrame, type Intrinsics, image, type PairGeometry } from "../../core/frame.ts";
import type { Disposable } from "../../core/source.ts";
import { cameraText, type Fact, type Origin, unitText } from "../format/format.ts";
import { checkControl } from "../live/controls.ts";
import { greyOf, pairOf } from "../live/depthFrame.ts";
import type { CameraState, GreyForm } from "../live/driver.ts";
import { Intake } from "../live/intake.ts";
import type { CameraName } from "./address.ts";
import type { CameraOptions, CameraSource } from "./options.ts";
import type { FrameHeader } from "./process/answers.ts";
import { startReading } from "./process/child.ts";
import { CameraLink, type LinkListener } from "./process/link.ts";
import type { WiredFrame } from "./process/wire.ts";

/** Opens a camera of this computer, in a process that `start` starts: see `openCamera`. */
export async function openHere(
  name: string,
  named: CameraName,
  options: CameraOptions,
  start = startReading,
): Promise<Omit<CameraSource, keyof Disposable>> {
  const { size, fps, color = true, controls = {}, infrared, pair } = options;
  const { metresPerUnit, intrinsics, waitMs = Infinity, signal } = options;
  const intake = new Intake();
  const lens = (own: Intrinsics): Intrinsics =>
    intrinsics ? { ...intrinsics, width: own.width, height: own.height } : own;
  let refused: string | undefined;
  let state: CameraState | undefined;
  const request = { ...named, size, fps, color, controls, infrared, pair };
  const listener: LinkListener = {
    frame({ header, depth, color: rgba, infrared: grey, right }: WiredFrame) {
      const { width, height } = header.intrinsics;
      intake.take({
        stampMs: header.stampMs,
        sentMs: header.readMs,
        number: header.number,
        decode: () => ({
          depth: image(depth, [height, width]),
          metresPerUnit: metresPerUnit ?? header.metresPerUnit,
          intrinsics: lens(header.intrinsics),
          metadata: notesOf(header, now()),
          ...(grey && header.infrared && imagesOf(header.infrared, grey, header.right, right)),
          ...(rgba && { color: image(rgba, [height, width, 4]) }),
        }),
      });
    },
    lost(why) {
      intake.problem(why);
      intake.set("reconnecting");
    },
    back: () => intake.set("connected"),
    state(changed) {
      state = changed;
    },
    refused(why) {
      refused = why;
    },
    end: (error) => intake.end(error),
  };
  const link = new CameraLink(name, request, waitMs, listener, start);
  const opened = await link.open(signal);
  const now = () => state ?? opened;
  return {
    name,
    format: `${named.driver} camera`,
    fps: opened.fps,
    get state() {
      return now();
    },
    get controls() {
      return { list: now().controls, refused };
    },
    frames$: intake.frames((on) => link.watch(on)),
    get facts() {
      const used = { metresPerUnit: metresPerUnit ?? now().metresPerUnit, intrinsics: lens(now().intrinsics) };
      return factsOf(now(), used, options);
    },
    get report() {
      return intake.report;
    },
    get infrared() {
      return now().infrared === true;
    },
    wantInfrared(on) {
      refused = undefined;
      link.wantInfrared(on);
    },
    set(control, value) {
      checkControl(name, now().controls, control, value);
      refused = undefined;
      link.set(control, value);
    },
    async close() {
      await link.close();
      intake.end();
    },
  };
}

/** The infrared image, and the pair whose left image it is. */
function imagesOf(
  form: GreyForm,
  bytes: Uint8Array<ArrayBuffer>,
  geometry?: PairGeometry,
  rightBytes?: Uint8Array<ArrayBuffer>,
): Pick<DepthFrame, "infrared" | "pair"> {
  const infrared = greyOf(form, bytes);
  return geometry && rightBytes ? { infrared, pair: pairOf(form, geometry, bytes, rightBytes) } : { infrared };
}

/** The names that drivers have for the switch of automatic exposure, and the controls whose values it makes meaningless. */
const AUTO = /^auto-?exposure$/i;
const BY_AUTO = /^(exposure|gain)$/;

/** The notes about a frame: the driver's own, when the frame came, and the settings that the camera has. */
function notesOf({ metadata = [], readMs }: FrameHeader, { controls }: CameraState): DepthFrame["metadata"] {
  const isAuto = controls.some(({ name, value }) => AUTO.test(name) && value === 1);
  const settings = controls.filter(({ name }) => !(isAuto && BY_AUTO.test(name)));
  return [
    ...metadata,
    ...(metadata.some(([name]) => name === ARRIVAL) ? [] : [[ARRIVAL, readMs.toFixed(0)] as const]),
    ...settings.map(({ name, value, names, least }) => {
      const said = names?.[value - least];
      return [`${name} (setting)`, said === undefined ? `${value}` : `${value} (${said})`] as const;
    }),
  ];
}

const ARRIVAL = "Time Of Arrival";

function factsOf(
  { info, fps, notes, clock, library, pair = "none: the camera gives no two infrared images" }: CameraState,
  used: Pick<CameraState, "metresPerUnit" | "intrinsics">,
  given: CameraOptions,
): Fact[] {
  const from = (option: unknown): Origin => (option === undefined ? "driver" : "option");
  return [
    { what: "format", value: `${info.name} ${info.id}, through ${library}; stamps by ${clock}`, from: "driver" },
    { what: "unit", value: unitText(used.metresPerUnit), from: from(given.metresPerUnit) },
    { what: "fps", value: String(fps), from: from(given.fps) },
    { what: "intrinsics", value: cameraText(used.intrinsics), from: from(given.intrinsics) },
    ...[...notes, ...info.notes].map((value): Fact => ({ what: "colour", value, from: "driver" })),
    ...(given.pair ? [{ what: "pair", value: pair, from: "driver" } as const] : []),
  ];
}
