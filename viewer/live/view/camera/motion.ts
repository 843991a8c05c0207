import { Euler, Quaternion, Vector3 } from "three/webgpu";

/** How quick what a hand has asked for is done, 1/s: nine tenths take 0.19 s. */
const QUICKNESS = 12;
/** How quick flying gets to its speed and back to rest, 1/s. */
const START = 9;
/** How long it takes to go to another view, s. */
const TRAVEL_S = 0.45;
/** What is left to do is done at once when it is less: radians, metres, or a share of the distance. */
const LEAST = 1e-4;
/** After a longer wait than this, s, nobody has seen what came before. */
const LONGEST_S = 0.5;
/** How near zooming goes to a thing, so that a lens can still be focused on it in a corner, and how far from it, m. */
export const REACH = { min: 0.15, max: 30 } as const;

/** Where a camera is and where it looks: yaw to the left, then pitch upwards, radians; no roll. */
export interface Place {
  readonly position: Vector3;
  readonly yaw: number;
  readonly pitch: number;
  /** How far away is what it looks at, m. */
  readonly reachM: number;
}

/**
 * A camera's way through the world, by the clock: what a hand asks for is done in exponentially falling parts, so that a
 * second is a second, whether it has five pictures or sixty. Turning goes about a point of the world that stays where it is in
 * the picture, zooming towards one, and another view is travelled to.
 */
export class Motion {
  readonly position = new Vector3();
  yaw = 0;
  pitch = 0;
  reachM = 2;
  /** A metre a second is not the same in a hand and in a hall. */
  speedM = 1;
  readonly #pivot = new Vector3();
  readonly #anchor = new Vector3();
  /** What is still to be done: radians, metres, logarithm of a ratio. */
  #turn = { yaw: 0, pitch: 0 };
  readonly #shift = new Vector3();
  #zoom = 0;
  /** In the camera's axes, m/s: as it is, and as it shall be. */
  readonly #velocity = new Vector3();
  readonly #wanted = new Vector3();
  #travel: { readonly from: Place; readonly to: Place; gone: number } | undefined;

  /** Turns by angles about a point. */
  orbit(yaw: number, pitch: number, pivot: Vector3): void {
    this.#travel = undefined;
    this.#pivot.copy(pivot);
    this.#turn.yaw += yaw;
    this.#turn.pitch = clamp(this.pitch + this.#turn.pitch + pitch, -UPRIGHT, UPRIGHT) - this.pitch;
  }

  /** Moves by so much of the world. */
  pan(shift: Vector3): void {
    this.#travel = undefined;
    this.#shift.add(shift);
  }

  /** Goes towards a point, so that its distance becomes e to the −`amount` of what it is. */
  zoom(amount: number, anchor: Vector3): void {
    this.#travel = undefined;
    this.#anchor.copy(anchor);
    this.#zoom += amount;
  }

  /** Flies from now on, in the camera's axes (x right, y up, z back), so many times as fast as is usual; 0 ends it. */
  fly(x: number, y: number, z: number): void {
    this.#travel = undefined;
    this.#wanted.set(x, y, z).multiplyScalar(this.speedM);
  }

  get place(): Place {
    const { position, yaw, pitch, reachM } = this;
    return { position: position.clone(), yaw, pitch, reachM };
  }

  /** Nothing is left to be done: as time goes by the camera stays where it is. */
  get resting(): boolean {
    const turns = this.#turn.yaw !== 0 || this.#turn.pitch !== 0;
    const shifts = this.#shift.lengthSq() > 0 || this.#velocity.lengthSq() > 0 || this.#wanted.lengthSq() > 0;
    return !this.#travel && !turns && !shifts && this.#zoom === 0;
  }

  /** Goes to another place, `atOnce` or in a moment. */
  goTo(to: Place, atOnce = false): void {
    this.#rest();
    this.#travel = { from: this.place, to, gone: 0 };
    if (atOnce) this.#arrive(to);
  }

  /** Lets time go by. `still`: nothing coasts or travels. True if the camera moved. */
  step(seconds: number, still = false): boolean {
    const before = [this.position.x, this.position.y, this.position.z, this.yaw, this.pitch];
    if (this.#travel) this.#goOn(still ? TRAVEL_S : seconds);
    else this.#do(still ? 1 : 1 - Math.exp(-QUICKNESS * seconds));
    this.#flyOn(Math.min(seconds, LONGEST_S), still);
    return [this.position.x, this.position.y, this.position.z, this.yaw, this.pitch].some((v, i) => v !== before[i]);
  }

  /** From the camera's axes to the world's. */
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

  /** What was seen of the pivot stays where it is: the camera goes round it as much as it turns. */
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

  /** The velocity's own way over the time, exactly. */
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

  /** What is looked at, the angles and the distance change together, softly at both ends. */
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

  #arrive({ position, yaw, pitch, reachM }: Place): void {
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
const [BACK, FORTH] = [new Quaternion(), new Quaternion()];

const clamp = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value));

const forwardOf = ({ yaw, pitch }: Pick<Place, "yaw" | "pitch">) =>
  new Vector3(0, 0, -1).applyEuler(EULER.set(pitch, yaw, 0));

/** The point that a place looks at. */
const centerOf = (place: Place) => place.position.clone().addScaledVector(forwardOf(place), place.reachM);
