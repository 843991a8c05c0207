import type { PerspectiveCamera, Vector3 } from "three/webgpu";
import type { DepthFrame } from "../../../sources/index.ts";
import { DragAndZoom } from "../view/camera/dragAndZoom.ts";
import type { Focus } from "../view/camera/focus.ts";
import type { Rig } from "../view/camera/rig.ts";
import type { Direction } from "../view/camera/views.ts";
import { type View, viewsOf } from "../view/viewChoices.ts";
import type { Key } from "./keys.ts";

/** An arrow key turns the camera by 1/36 of a circle; plus and minus zoom by a notch of the wheel. */
const KEY_TURN = 1 / 36;
const KEY_ZOOM = 0.105;
/** The shift key multiplies the flying speed. */
const FAST = 4;
/** A short press of a flying key moves as far as flying for this long, s. */
const NUDGE_S = 0.15;
/** After the focus was lost, the viewer looks for a new one at this interval, ms. */
const LOOK_MS = 300;

export interface CameraMovesParts {
  readonly canvas: HTMLElement;
  readonly rig: Rig;
  readonly focus: Focus;
  /** The camera that the picture on the screen is seen with. */
  readonly camera: () => PerspectiveCamera;
  /** The distance of the surface at a place of the window; 0 where there is no surface. */
  readonly pick: (x: number, y: number) => Promise<number>;
  /** The frame that is shown. */
  readonly frame: () => DepthFrame | null;
  /** The direction straight down onto the floor, where that is known. */
  readonly down: () => Direction | undefined;
}

/** Moves the camera by gestures on the picture, by keys and to named views. The focus follows. */
export class CameraMoves {
  readonly views: readonly View[];
  readonly #dragAndZoom: DragAndZoom;
  readonly #fly = { x: 0, y: 0, z: 0, fast: false };
  #looking = false;
  #lookMs = 0;

  constructor(readonly parts: CameraMovesParts) {
    const { rig, focus, canvas, frame, down } = parts;
    this.#dragAndZoom = new DragAndZoom(canvas, rig, focus, (x, y) => this.at(x, y));
    this.views = viewsOf(rig, frame, down);
  }

  /** The point of the world at a place of the window; `undefined` if there is no surface. */
  async at(x: number, y: number): Promise<Vector3 | undefined> {
    const { rig, pick, camera } = this.parts;
    // The camera may move before the answer arrives.
    const from = camera().clone();
    try {
      const distanceM = await pick(x, y);
      return distanceM > 0 ? rig.pointAt(x, y, distanceM, from) : undefined;
    } catch {
      // The frame is gone; the next call asks about a newer one.
      return undefined;
    }
  }

  /** Moves the camera so that the surface at a place of the window comes to its middle. */
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

  /** Call this once for each picture of the screen. Finds a new focus after the camera has passed the old one. */
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

  /** The keys that move the camera. */
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
