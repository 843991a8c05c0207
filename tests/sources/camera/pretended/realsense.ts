import type { Argument } from "../../../../sources/camera/ffi/ffi.ts";
import { type Pretended, PretendedLibrary } from "./library.ts";

export const PATH = "/usr/lib/x86_64-linux-gnu/librealsense2.so.2.54";
/** A frame of the fake camera. */
interface PretendedFrame {
  readonly stampMs: number;
  readonly number: number;
  readonly data: Uint8Array;
  /** By rs2_frame_metadata_value. */
  readonly metadata?: Readonly<Record<number, number>>;
  /** Whether it is an infrared image, in the depth sensor's queue. */
  readonly isGrey?: boolean;
  /** Whether it is the right eye's. */
  readonly isRight?: boolean;
}

const [WIDTH, HEIGHT] = [4, 3];
const LENS = { fx: 390.5, fy: 391.25, ppx: 1.5, ppy: 1.25 };
// Each kind of handle has its own number, so that a mix-up is noticed.
const H = {
  context: 1n,
  list: 2n,
  device: 3n,
  sensors: 4n,
  depth: 5n,
  color: 6n,
  profiles: 7n,
  queue: { 5: 8n, 6: 9n },
} as const;
const PROFILE = { 5: 20n, 6: 21n, grey: 22n, right: 23n } as const;
const OF_DEPTH = [PROFILE[5], PROFILE.right, PROFILE.grey] as const;
/** What rs2_get_stream_profile_data tells of each: stream, format, index, id, rate. */
const STREAMS: Readonly<Record<string, readonly number[]>> = {
  [`${PROFILE[5]}`]: [1, 1, 0, 7, 30],
  [`${PROFILE[6]}`]: [2, 5, 0, 7, 30],
  [`${PROFILE.grey}`]: [3, 9, 1, 7, 30],
  [`${PROFILE.right}`]: [3, 9, 2, 7, 30],
};

/** A fake librealsense2 with one D435, whose frames the test supplies. */
export class PretendedRealSense extends PretendedLibrary {
  version = 25_400;
  plugged = true;
  /** How many infrared images the depth sensor gives. */
  eyes: 1 | 2 = 2;
  /** How far the right eye is below the left one, m. */
  askew = 0;
  /** The name of the function that reports an error. */
  failing: string | undefined;
  /** The profiles that were opened. */
  opened: bigint[] = [];
  readonly queued = { depth: [] as PretendedFrame[], color: [] as PretendedFrame[] };
  readonly options = new Map([
    [4, 16],
    [12, 1],
    [13, 150],
  ]);
  /** The frames that were handed out and not released. */
  readonly held = new Map<bigint, PretendedFrame & { readonly sensor: 5 | 6 }>();
  #handle = 100n;

  constructor(path = PATH) {
    super({}, path);
    Object.assign(this.functions, this.#all());
  }

  #all(): Record<string, Pretended> {
    const frameOf = (frame: Argument | undefined) => {
      const found = this.held.get(frame as bigint);
      if (!found) throw new Error("this frame was given back");
      return found;
    };
    const fill = (target: Argument | undefined, ...values: readonly (number | bigint)[]) => {
      const view = target as Int32Array;
      for (const [i, value] of values.entries()) view[i] = value as number;
    };
    const told: Record<string, Pretended> = {
      rs2_get_api_version: () => this.version,
      rs2_create_context: (version) => (version === this.version ? H.context : this.#fail("API version mismatch")),
      rs2_query_devices: () => H.list,
      rs2_get_device_count: () => (this.plugged ? 1 : 0),
      rs2_create_device: () => H.device,
      rs2_supports_device_info: (_, info) => (info === 0 || info === 1 || info === 9 ? 1 : 0),
      rs2_get_device_info: (_, info) => (info === 0 ? "Intel RealSense D435" : info === 1 ? "123456" : "2.1"),
      rs2_query_sensors: () => H.sensors,
      rs2_get_sensors_count: () => 2,
      rs2_create_sensor: (_, i) => (i === 0 ? H.depth : H.color),
      rs2_is_sensor_extendable_to: (sensor) => (sensor === H.depth ? 1 : 0),
      rs2_get_depth_scale: () => Math.fround(0.001),
      rs2_get_stream_profiles: (sensor) => (sensor === H.depth ? H.profiles : H.profiles + 1n),
      rs2_get_stream_profiles_count: (list) => (list === H.profiles ? this.eyes + 1 : 1),
      rs2_get_stream_profile: (list, i) =>
        list !== H.profiles ? PROFILE[6] : OF_DEPTH[Number(i) === 0 ? 0 : Number(i) + 2 - this.eyes],
      rs2_get_stream_profile_data: (profile, ...targets) => {
        for (const [i, value] of (STREAMS[`${profile}`] ?? []).entries()) fill(targets[i], value);
      },
      rs2_get_video_stream_resolution: (_, width, height) => {
        fill(width, WIDTH);
        fill(height, HEIGHT);
      },
      rs2_get_video_stream_intrinsics: (_, target) => {
        const view = new DataView((target as Uint8Array).buffer);
        [WIDTH, HEIGHT].forEach((value, i) => {
          view.setInt32(4 * i, value, true);
        });
        [LENS.ppx, LENS.ppy, LENS.fx, LENS.fy].forEach((value, i) => {
          view.setFloat32(8 + 4 * i, value, true);
        });
        // The model Brown-Conrady with all coefficients 0.
        view.setInt32(24, 4, true);
      },
      rs2_get_extrinsics: (_, to, target) =>
        (target as Float32Array).set([1, 0, 0, 0, 1, 0, 0, 0, 1, to === PROFILE.right ? -0.05 : 0, this.askew, 0]),
      rs2_supports_option: (_, option) => (this.options.has(option as number) ? 1 : 0),
      rs2_get_option: (_, option) => this.options.get(option as number),
      rs2_set_option: (_, option, value) => void this.options.set(option as number, value as number),
      rs2_get_option_range: (_, option, least, most, step) => {
        fill(least, 0);
        fill(most, option === 12 ? 2 : 360);
        fill(step, option === 13 ? 30 : 1);
      },
      rs2_get_option_value_description: (_, option, value) => (option === 12 ? `Preset ${value}` : null),
      rs2_open_multiple: (_, profiles, count) =>
        void this.opened.push(...(profiles as BigUint64Array).subarray(0, count as number)),
      rs2_close: () => {},
      rs2_stop: () => {},
      rs2_create_frame_queue: () =>
        this.calls.filter((name) => name === "rs2_create_frame_queue").length === 1 ? H.queue[5] : H.queue[6],
      rs2_start_queue: () => {},
      rs2_poll_for_frame: (queue, target) => this.#next(queue, target),
      rs2_try_wait_for_frame: (queue, _, target) => this.#next(queue, target),
      rs2_get_frame_stream_profile: (frame) =>
        PROFILE[frameOf(frame).isRight ? "right" : frameOf(frame).isGrey ? "grey" : frameOf(frame).sensor],
      rs2_get_frame_data: (frame) => this.memory.put(frameOf(frame).data),
      rs2_get_frame_data_size: (frame) => frameOf(frame).data.length,
      rs2_get_frame_timestamp: (frame) => frameOf(frame).stampMs,
      rs2_get_frame_timestamp_domain: () => 2,
      rs2_supports_frame_metadata: (frame, which) => ((which as number) in (frameOf(frame).metadata ?? {}) ? 1 : 0),
      rs2_get_frame_metadata: (frame, which) => BigInt(frameOf(frame).metadata?.[which as number] ?? 0),
      rs2_get_frame_number: (frame) => BigInt(frameOf(frame).number),
      rs2_context_add_device: () => H.device,
      rs2_context_remove_device: () => {},
      rs2_is_device_extendable_to: () => 0,
      rs2_playback_device_pause: () => {},
      rs2_playback_device_resume: () => {},
      rs2_playback_device_get_current_status: () => 1,
    };
    // The last argument of each of these functions is the place for its error; the freeing functions below have none.
    const checked = Object.entries(told).map(([name, run]): [string, Pretended] => [
      name,
      (...args) => {
        const error = args.at(-1) as BigUint64Array;
        if (this.failing !== name) return run(...args.slice(0, -1));
        error[0] = 77n;
        return 0n;
      },
    ]);
    return {
      ...Object.fromEntries(checked),
      rs2_get_error_message: (error) => (error === 77n ? `${this.failing} says no` : "wrong error"),
      rs2_free_error: () => {},
      rs2_release_frame: (frame) => {
        if (!this.held.delete(frame as bigint)) throw new Error("a frame was given back twice");
      },
      ...Object.fromEntries(FREEING.map((name) => [name, () => {}])),
    };
  }

  #next(queue: Argument | undefined, target: Argument | undefined): number {
    const sensor = queue === H.queue[5] ? 5 : 6;
    const frame = (sensor === 5 ? this.queued.depth : this.queued.color).shift();
    if (!frame) return 0;
    const handle = this.#handle++;
    this.held.set(handle, { ...frame, sensor });
    (target as BigUint64Array)[0] = handle;
    return 1;
  }

  #fail(why: string): never {
    throw new Error(why);
  }
}

const FREEING = [
  "context",
  "device_list",
  "device",
  "sensor_list",
  "sensor",
  "stream_profiles_list",
  "frame_queue",
].map((what) => `rs2_delete_${what}`);
