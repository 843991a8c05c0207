import { Euler, Quaternion, Vector3 } from "three/webgpu";

/** How quickly the camera follows a gesture, 1/s: 90% take 0.19 s. */
const QUICKNESS = 12;
/** How quickly flying reaches its speed and stops again, 1/s. */
const START = 9;
/** The duration of travelling to another view, s. */
const TRAVEL_S = 0.45;
/** Remainders below this are done at once: radians, metres, or a share of the distance. */
const LEAST = 1e-4;
/** A step of flying counts no longer than this, s: after such a pause the user has not seen the time pass. */
const LONGEST_S = 0.5;
/** Zooming goes no nearer to a point than this, so that a lens can still focus on it, and no farther, m. */
export const REACH = { min: 0.15, max: 30 } as const;

/** A camera's place and direction: yaw to the left, then pitch upwards, radians; no roll. */
export interface CameraPlace {
  readonly position: Vector3;
  readonly yaw: number;
  readonly pitch: number;
  /** The distance to the point that the camera looks at, m. */
  readonly reachM: number;
}

/** A place as six numbers: position x, y, z, yaw, pitch and reach. */
export const numbersOf = ({ position, yaw, pitch, reachM }: CameraPlace): number[] => [
  ...position,
  ...[yaw, pitch, reachM],
];

/** The place that six numbers are, which may come from a link. */
export function placeFrom([x = 0, y = 0, z = 0, yaw = 0, pitch = 0, reachM = 1]: readonly number[]): CameraPlace {
  return { position: new Vector3(x, y, z), yaw, pitch, reachM: Math.max(0.05, reachM) };
}

/**
 * The camera's motion over time. The camera approaches the place that a gesture asks for exponentially in time, so that the motion is the
 * same with five pictures a second and with sixty. The camera turns about a point, which keeps its place in the picture, zooms towards a
 * point, or travels to another view.
 */
export class Motion {
  readonly position = new Vector3();
  yaw = 0;
  pitch = 0;
  reachM = 2;
  /** The flying speed, m/s: a hall needs a higher one than a hand before the camera. */
  speedM = 1;
  readonly #pivot = new Vector3();
  readonly #anchor = new Vector3();
  /** The motion that is still to be done: radians, metres, and the logarithm of a ratio. */
  #turn = { yaw: 0, pitch: 0 };
  readonly #shift = new Vector3();
  #zoom = 0;
  /** The present and the wanted velocity in the camera's axes, m/s. */
  readonly #velocity = new Vector3();
  readonly #wanted = new Vector3();
  #travel: { readonly from: CameraPlace; readonly to: CameraPlace; gone: number } | undefined;

  /** Turns by angles about a point. */
  orbit(yaw: number, pitch: number, pivot: Vector3): void {
    this.#travel = undefined;
    this.#pivot.copy(pivot);
    this.#turn.yaw += yaw;
    this.#turn.pitch = clamp(this.pitch + this.#turn.pitch + pitch, -UPRIGHT, UPRIGHT) - this.pitch;
  }

  /** Moves by a distance in the world. */
  pan(shift: Vector3): void {
    this.#travel = undefined;
    this.#shift.add(shift);
  }

  /** Goes towards a point, and multiplies the distance to it by e to the −`amount`. */
  zoom(amount: number, anchor: Vector3): void {
    this.#travel = undefined;
    this.#anchor.copy(anchor);
    this.#zoom += amount;
  }

  /** Flies from now on in a direction of the camera's axes (x right, y up, z back), at a multiple of the flying speed; 0 stops. */
  fly(x: number, y: number, z: number): void {
    this.#travel = undefined;
    this.#wanted.set(x, y, z).multiplyScalar(this.speedM);
  }

  get place(): CameraPlace {
    const { position, yaw, pitch, reachM } = this;
    return { position: position.clone(), yaw, pitch, reachM };
  }

  /** Whether nothing is left to be done, so that the camera stays where it is. */
  get resting(): boolean {
    const turns = this.#turn.yaw !== 0 || this.#turn.pitch !== 0;
    const shifts = this.#shift.lengthSq() > 0 || this.#velocity.lengthSq() > 0 || this.#wanted.lengthSq() > 0;
    return !this.#travel && !turns && !shifts && this.#zoom === 0;
  }

  /** Travels to another place, or goes there at once. */
  goTo(to: CameraPlace, atOnce = false): void {
    this.#rest();
    this.#travel = { from: this.place, to, gone: 0 };
    if (atOnce) this.#arrive(to);
  }

  /** Advances the motion by some seconds; with `still` everything is done at once. Returns whether the camera moved. */
  step(seconds: number, still = false): boolean {
    const before = [this.position.x, this.position.y, this.position.z, this.yaw, this.pitch];
    if (this.#travel) this.#goOn(still ? TRAVEL_S : seconds);
    else this.#do(still ? 1 : 1 - Math.exp(-QUICKNESS * seconds));
    this.#flyOn(Math.min(seconds, LONGEST_S), still);
    return [this.position.x, this.position.y, this.position.z, this.yaw, this.pitch].some((v, i) => v !== before[i]);
  }

  /** The rotation from the camera's axes to the world's. */
  rotation(to = new Quaternion()): Quaternion {
    return to.setFromEuler(EULER.set(this.pitch, this.yaw, 0));
  }

  /** Does a share of what is still to be done. */
  #do(share: number): void {
    const turn = this.#turn;
    if (turn.yaw !== 0 || turn.pitch !== 0) {
      const all = Math.abs(turn.yaw) + Math.abs(turn.pitch) < LEAST ? 1 : share;
      this.#turnBy(turn.yaw * all, turn.pitch * all);
      turn.yaw *= 1 - all;
      turn.pitch *= 1 - all;
    }
    const shift = this.#shift.length();
    if (shift > 0) {
      const all = shift < LEAST * this.reachM ? 1 : share;
      this.position.addScaledVector(this.#shift, all);
      this.#shift.multiplyScalar(1 - all);
    }
    if (this.#zoom !== 0) {
      const all = Math.abs(this.#zoom) < LEAST ? 1 : share;
      this.#zoomBy(this.#zoom * all);
      this.#zoom *= 1 - all;
    }
  }

  /** Turns the camera and moves it about the pivot, so that the pivot keeps its place in the picture. */
  #turnBy(yaw: number, pitch: number): void {
    const back = this.rotation(BACK).invert();
    this.yaw += yaw;
    this.pitch = clamp(this.pitch + pitch, -UPRIGHT, UPRIGHT);
    this.position.sub(this.#pivot).applyQuaternion(back).applyQuaternion(this.rotation(FORTH)).add(this.#pivot);
  }

  #zoomBy(amount: number): void {
    if (amount === 0) return;
    const far = this.position.distanceTo(this.#anchor);
    const next = clamp(far * Math.exp(-amount), Math.min(far, REACH.min), Math.max(far, REACH.max));
    if (far === 0 || next === far) {
      this.#zoom = 0;
      return;
    }
    this.position
      .sub(this.#anchor)
      .multiplyScalar(next / far)
      .add(this.#anchor);
    this.reachM = clamp((this.reachM * next) / far, REACH.min, REACH.max);
  }

  /** Integrates the velocity over the time exactly. */
  #flyOn(seconds: number, still: boolean): void {
    if (this.#wanted.lengthSq() === 0 && this.#velocity.lengthSq() === 0) return;
    const gone = still ? 0 : Math.exp(-START * seconds);
    const start = this.#velocity.clone().sub(this.#wanted);
    const way = this.#wanted.clone().multiplyScalar(seconds);
    if (!still) way.addScaledVector(start, (1 - gone) / START);
    this.#velocity.copy(this.#wanted).addScaledVector(start, gone);
    if (this.#wanted.lengthSq() === 0 && this.#velocity.length() < LEAST * this.speedM) this.#velocity.set(0, 0, 0);
    this.position.add(way.applyQuaternion(this.rotation(FORTH)));
  }

  /** Continues the travel: the point that is looked at, the angles and the distance change together, softly at both ends. */
  #goOn(seconds: number): void {
    const travel = this.#travel;
    if (!travel) return;
    travel.gone += seconds / TRAVEL_S;
    const { from, to, gone } = travel;
    if (gone >= 1) {
      this.#arrive(to);
      return;
    }
    const t = gone * gone * (3 - 2 * gone);
    const round = Math.round((to.yaw - from.yaw) / TURN) * TURN;
    const center = centerOf(from).lerp(centerOf(to), t);
    this.yaw = from.yaw + (to.yaw - round - from.yaw) * t;
    this.pitch = from.pitch + (to.pitch - from.pitch) * t;
    this.reachM = from.reachM * (to.reachM / from.reachM) ** t;
    this.position.copy(center).addScaledVector(forwardOf(this), -this.reachM);
  }

  #arrive({ position, yaw, pitch, reachM }: CameraPlace): void {
    this.#travel = undefined;
    this.position.copy(position);
    Object.assign(this, { yaw, pitch, reachM });
  }

  #rest(): void {
    this.#turn = { yaw: 0, pitch: 0 };
    this.#shift.set(0, 0, 0);
    this.#velocity.set(0, 0, 0);
    this.#zoom = 0;
  }
}

const UPRIGHT = Math.PI / 2;
const TURN = 2 * Math.PI;
const EULER = new Euler(0, 0, 0, "YXZ");
const BACK = new Quaternion();
const FORTH = new Quaternion();

const clamp = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value));

const forwardOf = ({ yaw, pitch }: Pick<CameraPlace, "yaw" | "pitch">) =>
  new Vector3(0, 0, -1).applyEuler(EULER.set(pitch, yaw, 0));

/** The point that the camera looks at. */
const centerOf = (place: CameraPlace) => place.position.clone().addScaledVector(forwardOf(place), place.reachM);
