import type { PerspectiveCamera, Vector3 } from "three/webgpu";
import type { DepthFrame } from "../../../sources/index.ts";
import { DragAndZoom } from "../view/camera/dragAndZoom.ts";
import type { Focus } from "../view/camera/focus.ts";
import type { Rig } from "../view/camera/rig.ts";
import { type View, viewsOf } from "../view/viewChoices.ts";
import type { Key } from "./keys.ts";

/** A key turns by a 36th of a circle, and goes nearer by a notch of the wheel. */
const [KEY_TURN, KEY_ZOOM] = [1 / 36, 0.105];
/** With shift one flies so many times as fast. */
const FAST = 4;
/** A key that is only touched flies so far, s. */
const NUDGE_S = 0.15;
/** The focus that was lost is looked for so often, ms. */
const LOOK_MS = 300;

export interface CameraMovesParts {
  readonly canvas: HTMLElement;
  readonly rig: Rig;
  readonly focus: Focus;
  /** Where what is on the screen is seen from. */
  readonly camera: () => PerspectiveCamera;
  /** How far away is what is at a place of the window; 0 where nothing is. */
  readonly pick: (x: number, y: number) => Promise<number>;
  /** What fills the view: the frame that is shown. */
  readonly frame: () => DepthFrame | null;
}

/** What moves the camera: the hand on the picture, keys, and the views there are. Focus goes along. */
export class CameraMoves {
  readonly views: readonly View[];
  readonly #dragAndZoom: DragAndZoom;
  readonly #fly = { x: 0, y: 0, z: 0, fast: false };
  #looking = false;
  #lookMs = 0;

  constructor(readonly parts: CameraMovesParts) {
    const { rig, focus, canvas, frame } = parts;
    this.#dragAndZoom = new DragAndZoom(canvas, rig, focus, (x, y) => this.at(x, y));
    this.views = viewsOf(rig, frame);
  }

  /** What is at a place of the window, or nothing. */
  async at(x: number, y: number): Promise<Vector3 | undefined> {
    const { rig, pick, camera } = this.parts;
    // The hand may have moved on before the answer is there.
    const from = camera().clone();
    try {
      const distanceM = await pick(x, y);
      return distanceM > 0 ? rig.pointAt(x, y, distanceM, from) : undefined;
    } catch {
      // The frame that was asked is gone; the next question is for the next.
      return undefined;
    }
  }

  /** Brings what is at a place of the window to its middle. */
  async center(x: number, y: number): Promise<void> {
    const { rig } = this.parts;
    const point = await this.at(x, y);
    if (!point) return;
    const { place } = rig;
    const reachM = rig.distanceTo(point);
    const position = place.position
      .clone()
      .add(point)
      .sub(rig.pointAt(0.5, 0.5, reachM));
    rig.goTo({ ...place, position, reachM });
  }

  /** To be called once a picture: focus that was lost on the way is taken again. */
  update(nowMs: number): void {
    const { focus, rig } = this.parts;
    if (!focus.lost || this.#looking || nowMs - this.#lookMs < LOOK_MS) return;
    this.#lookMs = nowMs;
    this.#looking = true;
    void this.at(0.5, 0.5).then((point) => {
      this.#looking = false;
      if (point) focus.pullTo(point, false);
      else focus.pullToDistance(rig.reachM, false);
    });
  }

  /** What keys do here. */
  get keys(): readonly Key[] {
    const { rig } = this.parts;
    const middle = () => rig.pointAt(0.5, 0.5, rig.reachM);
    const turn = (key: string, says: string, across: number, down: number): Key => ({
      key: `shift+${key}`,
      says,
      does: () => rig.orbit(across * KEY_TURN, down * KEY_TURN, middle()),
    });
    const fly = (key: string, says: string, axis: "x" | "y" | "z", sign: number): Key => ({
      key,
      says,
      holds: (on) => {
        this.#fly[axis] = on ? sign : 0;
        this.#flyOn();
        if (on) rig.nudge(this.#fly.x, this.#fly.y, this.#fly.z, NUDGE_S);
      },
    });
    return [
      ...this.views,
      turn("arrowleft", "Turn to the left", 1, 0),
      turn("arrowright", "Turn to the right", -1, 0),
      turn("arrowup", "Turn upwards", 0, 1),
      turn("arrowdown", "Turn downwards", 0, -1),
      { key: ["+", "="], says: "Nearer", does: () => this.#dragAndZoom.turnWheel(KEY_ZOOM, 0.5, 0.5) },
      { key: "-", says: "Farther", does: () => this.#dragAndZoom.turnWheel(-KEY_ZOOM, 0.5, 0.5) },
      fly("w", "Fly forwards, while held", "z", -1),
      fly("s", "Fly backwards", "z", 1),
      fly("a", "Fly to the left", "x", -1),
      fly("d", "Fly to the right", "x", 1),
      fly("e", "Fly upwards", "y", 1),
      fly("q", "Fly downwards", "y", -1),
      {
        key: "shift",
        says: "Fly faster, held with one of these keys",
        holds: (on) => {
          this.#fly.fast = on;
          this.#flyOn();
        },
      },
    ];
  }

  #flyOn(): void {
    const { x, y, z, fast } = this.#fly;
    const times = fast ? FAST : 1;
    this.parts.rig.fly(x * times, y * times, z * times);
  }
}
