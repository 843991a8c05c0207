import type { PerspectiveCamera, Vector3 } from "three/webgpu";
import type { DepthFrame } from "../../sources/index.ts";
import { button } from "../dom/controls.ts";
import { element } from "../dom/element.ts";
import type { Key } from "./keys.ts";
import type { Focus } from "./view/focus.ts";
import { listenToHand } from "./view/gestures.ts";
import { type Place, REACH } from "./view/motion.ts";
import type { Rig } from "./view/rig.ts";
import { placeOfAll, VIEWS } from "./view/views.ts";

/** A key turns by a 36th of a circle, and goes nearer by a notch of the wheel. */
const [KEY_TURN, KEY_ZOOM] = [1 / 36, 0.105];
/** With shift one flies so many times as fast. */
const FAST = 4;
/** A key that is only touched flies so far, s. */
const NUDGE_S = 0.15;
/** What is under the pointer is asked for again when the wheel has rested so long, ms, or the pointer moved so far, of the window. */
const [RESTED_MS, ELSEWHERE] = [250, 0.02];
/** The focus that was lost is looked for so often, ms. */
const LOOK_MS = 300;

export interface MovingParts {
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

/** A way to look at the scene, which a key and a button take. */
interface View {
  readonly key: string;
  readonly says: string;
  readonly place: () => Place | undefined;
}

/** What a drag turns about or takes along, and the wheel goes to. */
interface Grip {
  point: Vector3;
  distanceM: number;
  /** It is not known yet what is there. */
  asking: boolean;
  /** Something is, and focus has not been pulled to it. */
  found: boolean;
}

/** What moves the camera: the hand on the picture, keys, and the views there are. Focus goes along. */
export class Moving {
  readonly #views: readonly View[];
  /** What the hand holds. */
  #grip: Grip;
  /** Where the wheel was turned last, and what has not been done of it. */
  #wheel = { atMs: Number.NEGATIVE_INFINITY, x: 0, y: 0 };
  #zoomLeft = 0;
  readonly #fly = { x: 0, y: 0, z: 0, fast: false };
  #looking = false;
  #lookMs = 0;

  constructor(readonly parts: MovingParts) {
    const { rig, canvas } = parts;
    this.#grip = this.#guess(0.5, 0.5);
    const seen = (direction: Pick<Place, "yaw" | "pitch">) => {
      const frame = parts.frame();
      return frame ? placeOfAll(frame, direction, rig.camera) : undefined;
    };
    this.#views = [
      { key: "f", says: "All of it", place: () => seen(rig.place) },
      { key: "1", says: "From the sensor", place: () => rig.home },
      ...Object.values(VIEWS).map(({ says, ...direction }, i) => ({
        key: `${i + 2}`,
        says,
        place: () => seen(direction),
      })),
    ];
    listenToHand(canvas, {
      take: (x, y) => void this.#take(x, y),
      orbit: (across, down) => rig.orbit(across, down, this.#grip.point),
      pan: (across, down) => rig.pan(across, down, this.#grip.distanceM),
      pinch: (amount) => this.#zoom(amount),
      wheel: (amount, x, y) => this.#turnWheel(amount, x, y),
    });
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
      ...this.#views.map(({ key, says, place }) => ({ key, says, does: () => this.#goTo(place()) })),
      turn("arrowleft", "Turn to the left", 1, 0),
      turn("arrowright", "Turn to the right", -1, 0),
      turn("arrowup", "Turn upwards", 0, 1),
      turn("arrowdown", "Turn downwards", 0, -1),
      { key: ["+", "="], says: "Nearer", does: () => this.#turnWheel(KEY_ZOOM, 0.5, 0.5) },
      { key: "-", says: "Farther", does: () => this.#turnWheel(-KEY_ZOOM, 0.5, 0.5) },
      fly("w", "Fly forwards, while held", "z", -1),
      fly("s", "Fly backwards", "z", 1),
      fly("a", "Fly to the left", "x", -1),
      fly("d", "Fly to the right", "x", 1),
      fly("e", "Fly upwards", "y", 1),
      fly("q", "Fly downwards", "y", -1),
      {
        key: "shift",
        says: "Fly faster, with those",
        holds: (on) => {
          this.#fly.fast = on;
          this.#flyOn();
        },
      },
    ];
  }

  /** A menu of the views, for who has no keys. */
  menu(): HTMLElement {
    const menu = element("details", "menu views", {}, element("summary", "button", {}, "Views"));
    const choose = ({ key, says, place }: View) =>
      button(
        says,
        () => {
          menu.open = false;
          this.#goTo(place());
        },
        key.toUpperCase(),
      );
    menu.append(element("div", "choices", {}, ...this.#views.map(choose)));
    document.addEventListener("pointerdown", (event) => {
      if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
    });
    return menu;
  }

  #goTo(place: Place | undefined): void {
    if (place) this.parts.rig.goTo(place);
  }

  /** Until it is known what is there, it is taken to be as far away as what was held last. */
  #guess(x: number, y: number): Grip {
    const distanceM = this.parts.rig.reachM;
    return { point: this.parts.rig.pointAt(x, y, distanceM), distanceM, asking: true, found: false };
  }

  async #take(x: number, y: number): Promise<void> {
    const { rig } = this.parts;
    const grip = this.#guess(x, y);
    this.#grip = grip;
    const point = await this.at(x, y);
    grip.asking = false;
    // Something else is held by now.
    if (grip !== this.#grip) return;
    if (point) {
      const distanceM = Math.max(REACH.min, rig.distanceTo(point));
      Object.assign(grip, { point, distanceM, found: true });
      rig.reachM = distanceM;
    }
    this.#zoom(0);
  }

  /** A wheel that has rested, or is turned elsewhere, goes to what is there now. */
  #turnWheel(amount: number, x: number, y: number): void {
    const { atMs, ...before } = this.#wheel;
    const nowMs = performance.now();
    const same = nowMs - atMs < RESTED_MS && Math.hypot(x - before.x, y - before.y) < ELSEWHERE;
    this.#wheel = { atMs: nowMs, ...(same ? before : { x, y }) };
    if (!same) void this.#take(x, y);
    this.#zoom(amount);
  }

  /** Waits until it is known what it goes to; what comes meanwhile is added up. Focus goes to what is approached. */
  #zoom(amount: number): void {
    this.#zoomLeft += amount;
    const { asking, found, point } = this.#grip;
    if (asking || this.#zoomLeft === 0) return;
    const { rig, focus } = this.parts;
    rig.zoom(this.#zoomLeft, point);
    if (this.#zoomLeft > 0 && found) {
      this.#grip.found = false;
      focus.pullTo(point, false);
    }
    this.#zoomLeft = 0;
  }

  #flyOn(): void {
    const { x, y, z, fast } = this.#fly;
    const times = fast ? FAST : 1;
    this.parts.rig.fly(x * times, y * times, z * times);
  }
}
