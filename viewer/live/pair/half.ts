import { project, unproject } from "../../../core/calibration/lens.ts";
import type { RecordingInput } from "../../../sources/index.ts";
import { byId } from "../../dom/controls.ts";
import { nearestPixel, type Pixel } from "../panes/probe/projection.ts";
import type { Core } from "../shell/core.ts";
import type { Showing } from "../show/showing.ts";
import { nameOf } from "../source/corrections.ts";
import type { SourceOpener } from "../source/sourceOpener.ts";
import { numbersOf, placeFrom } from "../view/camera/motion.ts";
import { SharedClock } from "./clock.ts";
import { type FromHalf, listenTo, type ToHalf } from "./messages.ts";

/** After this many ms without an answer of the page around, this page asks for the files of its recording. */
const HAND_MS = 1000;

/** Joins this page, a half of another one, to the other half: time, view and cursor. The page around hands the messages on. */
export function joinPair({ events, player, rig, settings }: Core, { panes }: Showing, opener: SourceOpener): void {
  byId("hint").classList.add("gone"); // two would say the same
  const tell = (message: FromHalf) => parent.postMessage(message, location.origin);
  const clock = new SharedClock(player, tell);
  /** The last place that was told or taken. */
  let place = numbersOf(rig.place);
  type Input = Extract<ToHalf, { kind: "input" }>["input"];
  let hand: ((input: Input) => void) | undefined;
  opener.handed = (name, topic) =>
    new Promise((resolve) => {
      // The page that has the files may show another recording by now.
      const named = (input: Input) => (input && nameOf(input) === name ? input : null);
      hand = (input) => resolve(named(input));
      setTimeout(() => {
        resolve(null);
        // An answer that comes later still opens them.
        hand = (input) => named(input) && !player.source && void opener.recording(input as RecordingInput, topic);
      }, HAND_MS);
      tell({ kind: "want" });
    });
  listenTo<ToHalf>(
    () => parent,
    (message) => {
      if (message.kind === "time") clock.follow(message);
      else if (message.kind === "clock") player.waitsAtEnd = message.shared;
      else if (message.kind === "input") hand?.(message.input);
      else if (message.kind === "cursor") panes.pointBeside(message.ray ? pixelAt(message.ray) : undefined);
      else if (message.kind === "view") {
        rig.goTo(placeFrom(message.place), true);
        place = numbersOf(rig.place);
        events.moved$.next();
      }
    },
  );
  const pixelAt = ([x, y]: readonly [number, number]): Pixel | undefined => {
    const lens = player.frame?.intrinsics;
    if (!lens) return undefined;
    project(lens, x, y, SPOT);
    return nearestPixel(lens, { u: SPOT[0], v: SPOT[1] });
  };
  panes.pointed$.subscribe((pixel) => {
    const lens = player.frame?.intrinsics;
    if (pixel && lens) unproject(lens, pixel.u, pixel.v, SPOT);
    tell({ kind: "cursor", ray: pixel && lens ? [SPOT[0], SPOT[1]] : null });
  });
  events.opened$.subscribe(() => clock.closed());
  events.scene$.subscribe(() => {
    // The page has moved the camera to the sensor's place, not the user.
    place = numbersOf(rig.place);
    clock.opened();
  });
  settings.control("inPoint", "outPoint").changes$.subscribe(() => clock.again());
  events.shown$.subscribe(({ origin }) => origin && clock.shown());
  events.tick$.subscribe(() => {
    const now = numbersOf(rig.place);
    if (now.every((value, i) => value === place[i])) return;
    place = now;
    tell({ kind: "view", place });
  });
}

const SPOT: [x: number, y: number] = [0, 0];
