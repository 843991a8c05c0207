import { map } from "rxjs";
import { type Controls, type LiveSource, playOf, syntheticRoom } from "../../../sources/index.ts";
import { checkControl } from "../../../sources/live/controls.ts";
import { Intake } from "../../../sources/live/intake.ts";

/**
 * A pretended camera with controls, which refuses an exposure above 100000 when it is asked. It notes a "Frame" of its own, and gives
 * infrared images of brightness 90 to those that want some.
 */
export function controlledCamera(): Omit<LiveSource, typeof Symbol.asyncDispose> {
  const room = syntheticRoom({ width: 80, height: 60, frames: 12 });
  const grey = { width: 80, height: 60, data: new Uint8Array(4800).fill(90), from: "Infrared 1" };
  let seen = false;
  let controls: Controls = {
    list: [
      { name: "exposure", value: 8500, least: 1, most: 165_000, step: 1 },
      { name: "laser", value: 150, least: 0, most: 360, step: 30 },
      { name: "preset", value: 1, least: 0, most: 2, step: 1, names: ["Custom", "Default", "Hand"] },
      { name: "autoExposure", value: 1, least: 0, most: 1, step: 1 },
    ],
  };
  return {
    ...{ name: "pretended camera", format: "realsense camera", fps: 30, facts: [], report: new Intake().report },
    frames$: playOf(room, { loop: true }).pipe(
      map((frame) => ({ ...frame, metadata: [["Frame", "7 of its own"]], ...(seen && { infrared: grey }) })),
    ),
    infrared: true,
    wantInfrared(on) {
      seen = on;
    },
    get controls() {
      return controls;
    },
    set(name, value) {
      checkControl("camera:pretended", controls.list, name, value);
      if (name === "exposure" && value > 100_000) controls = { ...controls, refused: "it is too bright" };
      else controls = { list: controls.list.map((one) => (one.name === name ? { ...one, value } : one)) };
    },
    close: async () => {},
  };
}
