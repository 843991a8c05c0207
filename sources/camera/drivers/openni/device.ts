import type { Intrinsics } from "../../../../core/frame.ts";
import type { CameraInfo, Mode } from "../../../live/driver.ts";
import { type Ffi, numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { Api } from "./api.ts";

/** OniDeviceInfo: three texts of 256 bytes (address, maker, name), and the two USB ids. */
const TEXT = 256;
const INFO_BYTES = 772;

export const SENSOR = { infrared: 1, color: 2, depth: 3 } as const;
/** OniPixelFormat: depth in mm and in tenths of it, colour, and grey of 8 and of 16 bits. */
export const PIXELS = { mm: 100, tenths: 101, rgb: 200, grey8: 202, grey16: 203 } as const;
/** The bytes of a pixel beside depth, by its format. */
export const BYTES: Readonly<Record<number, number>> = { [PIXELS.rgb]: 3, [PIXELS.grey8]: 1, [PIXELS.grey16]: 2 };
export const STREAM = {
  horizontalFov: 1,
  verticalFov: 2,
  mode: 3,
  mirroring: 7,
  autoExposure: 101,
  exposure: 102,
  gain: 103,
} as const;

/** A mode with its pixel format: an OniVideoMode. */
export interface PixelMode extends Mode {
  readonly pixels: number;
}

const textAt = (bytes: Uint8Array, at: number): string => {
  const text = bytes.subarray(at, at + TEXT);
  const end = text.indexOf(0);
  return new TextDecoder().decode(text.slice(0, end < 0 ? TEXT : end));
};

const infoIn = (bytes: Uint8Array): CameraInfo => ({
  driver: "openni",
  name: [textAt(bytes, TEXT), textAt(bytes, 2 * TEXT)].filter((text) => text !== "").join(" "),
  id: textAt(bytes, 0),
  notes: [],
});

export function listed(api: Api, ffi: Ffi): readonly CameraInfo[] {
  const devices = new BigUint64Array(1);
  const count = new Int32Array(1);
  api.check(api.deviceList(devices, count), "listing cameras");
  const at = devices[0] ?? 0n;
  if (at === 0n) return [];
  const bytes = ffi.view(at, (count[0] ?? 0) * INFO_BYTES);
  const infos = Array.from({ length: count[0] ?? 0 }, (_, i) =>
    infoIn(bytes.subarray(i * INFO_BYTES, (i + 1) * INFO_BYTES)),
  );
  api.freeDeviceList(at);
  return infos;
}

/** The properties of an open device. */
export function infoOf(api: Api, device: bigint): CameraInfo {
  const bytes = new Uint8Array(INFO_BYTES);
  api.check(api.deviceInfo(device, bytes), "asking the camera for its name");
  return infoIn(bytes);
}

/** The modes of one of a device's sensors; none if it has no such sensor. */
export function modesOf(api: Api, ffi: Ffi, device: bigint, sensor: number): readonly PixelMode[] {
  const at = pointerOf(api.sensorInfo(device, sensor));
  if (at === 0n) return [];
  // OniSensorInfo: the kind, the number of modes, and where they are.
  const head = ffi.view(at, 16);
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const count = view.getInt32(4, true);
  const modes = ffi.view(view.getBigUint64(8, true), 16 * count);
  return Array.from({ length: count }, (_, i) => modeIn(new DataView(modes.buffer, modes.byteOffset + 16 * i, 16)));
}

function modeIn(view: DataView): PixelMode {
  const [pixels, width, height, fps] = [0, 4, 8, 12].map((at) => view.getInt32(at, true));
  return { pixels: pixels ?? 0, width: width ?? 0, height: height ?? 0, fps: fps ?? 0 };
}

export function modeOf(api: Api, stream: bigint): PixelMode {
  const mode = new Int32Array(4);
  api.check(api.property(stream, STREAM.mode, mode, new Int32Array([16])), "asking for the mode");
  return modeIn(new DataView(mode.buffer));
}

export function setMode(api: Api, stream: bigint, { pixels, width, height, fps }: PixelMode): void {
  const mode = new Int32Array([pixels, width, height, fps]);
  api.check(api.setProperty(stream, STREAM.mode, mode, 16), `setting ${width}×${height} at ${fps} per second`);
}

/** Computes intrinsics from the field of view, the only property of the lens that OpenNI gives. */
export function lensOf(api: Api, stream: bigint, { width, height }: Mode): Intrinsics {
  const angle = (property: number) => {
    const value = new Float32Array(1);
    api.check(api.property(stream, property, value, new Int32Array([4])), "asking for the field of view");
    return numberOf(value[0]);
  };
  const focal = (pixels: number, radians: number) => pixels / 2 / Math.tan(radians / 2);
  const fx = focal(width, angle(STREAM.horizontalFov));
  const fy = focal(height, angle(STREAM.verticalFov));
  return { fx, fy, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height };
}
