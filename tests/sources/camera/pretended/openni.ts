import type { Argument } from "../../../../sources/camera/ffi/ffi.ts";
import { type Pretended, PretendedLibrary } from "./library.ts";

export const PATH = "/usr/lib/x86_64-linux-gnu/libOpenNI2.so.0";
const [WIDTH, HEIGHT] = [4, 3];
const H = { device: 3n, depth: 5n, color: 6n, infrared: 7n } as const;
/** The streams and their pixel formats, by OniSensorType. */
const SENSORS: Readonly<Record<number, readonly [stream: bigint, pixels: number]>> = {
  1: [H.infrared, 203],
  2: [H.color, 200],
  3: [H.depth, 100],
};
const TIMED_OUT = 102;

/** A frame of the fake camera; `us` is its time in µs. */
interface OniFrame {
  readonly us: number;
  readonly index: number;
  readonly data: Uint8Array;
}

/** A fake OpenNI2 with one Xtion, whose frames the test supplies. */
export class PretendedOpenni extends PretendedLibrary {
  version = { major: 2, minor: 2, maintenance: 0, build: 33 };
  plugged = true;
  registered = 0;
  mirrored = 1;
  gain = 100;
  /** The name of the function that fails. */
  failing: string | undefined;
  readonly frames = new Map<bigint, OniFrame[]>([
    [H.depth, []],
    [H.color, []],
    [H.infrared, []],
  ]);
  readonly depth = this.frames.get(H.depth) as OniFrame[];
  readonly color = this.frames.get(H.color) as OniFrame[];
  readonly infrared = this.frames.get(H.infrared) as OniFrame[];
  /** The number of frames that were handed out and not released. */
  held = 0;

  constructor() {
    super({}, PATH);
    const failed = Object.entries(this.#all()).map(([name, run]): [string, Pretended] => [
      name,
      (...args) => (this.failing === name ? 1 : run(...args)),
    ]);
    Object.assign(this.functions, Object.fromEntries(failed));
  }

  #info(): Uint8Array {
    const bytes = new Uint8Array(772);
    ["1d27/0601@2/5", "PrimeSense", "Xtion"].forEach((text, i) => {
      bytes.set(new TextEncoder().encode(text), 256 * i);
    });
    return bytes;
  }

  #sensor(pixels: number): bigint {
    const modes = this.memory.put(Int32Array.of(pixels, WIDTH, HEIGHT, 30));
    const head = new DataView(new ArrayBuffer(16));
    head.setInt32(4, 1, true);
    head.setBigUint64(8, modes, true);
    return this.memory.put(head);
  }

  #frame({ us, index, data }: OniFrame): bigint {
    const view = new DataView(new ArrayBuffer(80));
    view.setInt32(0, data.length, true);
    view.setBigUint64(8, this.memory.put(data), true);
    view.setBigUint64(24, BigInt(us), true);
    view.setInt32(32, index, true);
    this.held++;
    return this.memory.put(view);
  }

  #all(): Record<string, Pretended> {
    const set = (target: Argument | undefined, value: number | bigint) => {
      (target as Int32Array)[0] = value as number;
      return 0;
    };
    return {
      oniGetVersion: () => this.version,
      oniGetExtendedError: () => " it is out of order\n",
      oniInitialize: () => 0,
      oniShutdown: () => {},
      oniGetDeviceList: (devices, count) => {
        set(devices, this.plugged ? this.memory.put(this.#info()) : 0n);
        return set(count, this.plugged ? 1 : 0);
      },
      oniReleaseDeviceList: () => 0,
      oniDeviceOpen: (_, device) => set(device, H.device),
      oniDeviceClose: () => 0,
      oniDeviceGetInfo: (_, info) => {
        (info as Uint8Array).set(this.#info());
        return 0;
      },
      oniDeviceSetProperty: (_, __, data) => {
        this.registered = (data as Int32Array)[0] ?? 0;
        return 0;
      },
      oniDeviceIsImageRegistrationModeSupported: () => 1,
      oniDeviceGetSensorInfo: (_, sensor) => this.#sensor(SENSORS[sensor as number]?.[1] ?? 0),
      oniDeviceCreateStream: (_, sensor, stream) => set(stream, SENSORS[sensor as number]?.[0] ?? 0n),
      oniStreamDestroy: () => {},
      oniStreamStart: () => 0,
      oniStreamStop: () => {},
      oniStreamIsPropertySupported: (stream, property) =>
        property === 7 || (stream === H.color && property === 103) ? 1 : 0,
      oniStreamGetProperty: (stream, property, data) => {
        if (property === 3) (data as Int32Array).set([stream === H.depth ? 100 : 200, WIDTH, HEIGHT, 30]);
        else if (property === 103) set(data, this.gain);
        else (data as Float32Array)[0] = property === 1 ? 1 : 0.75;
        return 0;
      },
      oniStreamSetProperty: (_, property, data) => {
        if (property === 7) this.mirrored = (data as Int32Array)[0] ?? 1;
        if (property === 103) this.gain = (data as Int32Array)[0] ?? 0;
        return 0;
      },
      oniWaitForAnyStream: (streams) => {
        const waiting = this.frames.get((streams as BigUint64Array)[0] ?? 0n);
        return waiting && waiting.length > 0 ? 0 : TIMED_OUT;
      },
      oniStreamReadFrame: (stream, frame) => {
        const next = this.frames.get(stream as bigint)?.shift();
        return next ? set(frame, this.#frame(next)) : 1;
      },
      oniFrameRelease: () => void this.held--,
    };
  }
}
