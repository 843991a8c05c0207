import { type Intrinsics, image } from "../core/frame.ts";
import type { Disposable } from "../core/source.ts";
import { Intake } from "../live/intake.ts";
import { cameraText, type Fact, type Origin, unitText } from "../recorded/format.ts";
import type { CameraName } from "./address.ts";
import { checkControl } from "./controls.ts";
import type { CameraState } from "./driver.ts";
import type { CameraOptions, CameraSource } from "./options.ts";
import { CameraLink } from "./process/link.ts";
import type { WiredFrame } from "./process/wire.ts";

/** Opens a camera of this computer: see `openCamera`. */
export async function openHere(
  name: string,
  named: CameraName,
  options: CameraOptions,
): Promise<Omit<CameraSource, keyof Disposable>> {
  const { size, fps, color = true, controls = {}, metresPerUnit, intrinsics, waitMs = Infinity, signal } = options;
  const intake = new Intake();
  const lens = (own: Intrinsics): Intrinsics =>
    intrinsics ? { ...intrinsics, width: own.width, height: own.height } : own;
  let refused: string | undefined;
  let state: CameraState | undefined;
  const link = new CameraLink(name, { ...named, size, fps, color, controls }, waitMs, {
    frame({ header, depth, color: rgba }: WiredFrame) {
      const { width, height } = header.intrinsics;
      intake.take({
        stampMs: header.stampMs,
        sentMs: header.readMs,
        number: header.number,
        decode: () => ({
          depth: image(depth, [height, width]),
          metresPerUnit: metresPerUnit ?? header.metresPerUnit,
          intrinsics: lens(header.intrinsics),
          ...(header.metadata && { metadata: header.metadata }),
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
      [state, refused] = [changed, undefined];
    },
    refused(why) {
      refused = why;
    },
    end: (error) => intake.end(error),
  });
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
    facts: factsOf(
      opened,
      { metresPerUnit: metresPerUnit ?? opened.metresPerUnit, intrinsics: lens(opened.intrinsics) },
      options,
    ),
    get report() {
      return intake.report;
    },
    set(control, value) {
      checkControl(name, now().controls, control, value);
      link.set(control, value);
    },
    async close() {
      await link.close();
      intake.end();
    },
  };
}

function factsOf(
  { info, fps, notes, clock, library }: CameraState,
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
  ];
}
