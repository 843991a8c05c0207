import type { Mode } from "../../../live/driver.ts";
import { numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { Api } from "./api.ts";
import { streamsOf } from "./device.ts";
import type { Profile } from "./streams.ts";

/** The frames that wait in the library's own queue, two of each of three streams; older ones make room for newer ones. */
const QUEUED = 6;

/** Which mode to choose: exactly the given one, or the one nearest to what most cameras have. */
interface Wish {
  readonly exact: Partial<Mode>;
  readonly usual: Mode;
}

/** One stream of one sensor, which runs from `start` to `close`. */
export class SensorStream {
  readonly queue: bigint;
  readonly #list: bigint;

  private constructor(
    readonly api: Api,
    readonly sensor: bigint,
    readonly profile: Profile,
    list: bigint,
  ) {
    this.#list = list;
    this.queue = pointerOf(api.createQueue(QUEUED));
  }

  /** Chooses among a sensor's streams; `undefined` if it has none of that kind and mode. */
  static of(api: Api, sensor: bigint, kind: { stream: number; format: number }, wish: Wish): SensorStream | undefined {
    const { list, found } = streamsOf(api, sensor, kind.stream, kind.format);
    const fits = ({ width, height, fps }: Mode) =>
      (wish.exact.width ?? width) === width &&
      (wish.exact.height ?? height) === height &&
      (wish.exact.fps ?? fps) === fps;
    const [profile] = found.filter(fits).sort((a, b) => farness(a, wish.usual) - farness(b, wish.usual));
    if (profile) return new SensorStream(api, sensor, profile, list);
    api.freeProfiles(list);
    return undefined;
  }

  /** Opens the stream, and others of the same sensor with it, whose frames come in the same queue. */
  open(others: readonly Profile[] = []): void {
    const profiles = BigUint64Array.from([this.profile, ...others].map(({ pointer }) => pointer));
    this.api.open(this.sensor, profiles, profiles.length);
  }

  start(): void {
    this.api.start(this.sensor, this.queue);
  }

  /** The next frame that has come already; 0n if there is none. */
  poll(): bigint {
    const frame = new BigUint64Array(1);
    return numberOf(this.api.poll(this.queue, frame)) === 0 ? 0n : pointerOf(frame[0]);
  }

  close(): void {
    const { api, sensor } = this;
    // A device that was unplugged cannot be stopped any more; its memory is freed nevertheless.
    for (const end of [api.stop, api.close]) {
      try {
        end(sensor);
      } catch {}
    }
    for (let frame = this.poll(); frame !== 0n; frame = this.poll()) api.freeFrame(frame);
    api.freeQueue(this.queue);
    api.freeProfiles(this.#list);
  }
}

/** How far a mode is from another: its rate counts most, so that a slow camera is the last choice. */
const farness = (mode: Mode, usual: Mode): number =>
  Math.abs(Math.log(mode.fps / usual.fps)) * 4 +
  Math.abs(Math.log((mode.width * mode.height) / (usual.width * usual.height)));
