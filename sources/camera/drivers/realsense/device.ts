import type { CameraInfo, Control, Mode, Shot } from "../../../live/driver.ts";
import { numberOf, pointerOf } from "../../ffi/ffi.ts";
import type { Api } from "./api.ts";
import { profilesIn } from "./streams.ts";

/** rs2_camera_info */
const INFO = { name: 0, serial: 1, usb: 9 } as const;
/** RS2_EXTENSION_DEPTH_SENSOR */
const DEPTH_SENSOR = 7;
/** The settings of the depth sensor that matter, by rs2_option. */
const OPTIONS = { exposure: 3, gain: 4, autoExposure: 10, preset: 12, laser: 13, emitter: 18 } as const;
/** The temperatures among these settings, under the names that the vendor's recordings use. */
const TEMPERATURES = { "Asic Temperature": 23, "Projector Temperature": 25 } as const;

export function infoOf(api: Api, device: bigint): CameraInfo {
  const infoOf = (info: number) =>
    numberOf(api.hasDeviceInfo(device, info)) ? String(api.deviceInfo(device, info)) : "";
  const usb = infoOf(INFO.usb);
  const slow = /^[12]\./.test(usb);
  const notes = slow ? [`it is plugged in by USB ${usb}: large images and high rates need USB 3`] : [];
  return { driver: "realsense", name: infoOf(INFO.name), id: infoOf(INFO.serial), notes };
}

/** Runs `use` with each device that is plugged in, and frees them. */
export function withDevices<T>(api: Api, context: bigint, use: (device: bigint) => T): readonly T[] {
  const list = pointerOf(api.queryDevices(context));
  try {
    return Array.from({ length: numberOf(api.deviceCount(list)) }, (_, i) => {
      const device = pointerOf(api.createDevice(list, i));
      try {
        return use(device);
      } finally {
        api.freeDevice(device);
      }
    });
  } finally {
    api.freeDevices(list);
  }
}

/** A device's sensors. The caller frees them (`freeSensor`). */
export function sensorsOf(api: Api, device: bigint): readonly bigint[] {
  const list = pointerOf(api.querySensors(device));
  try {
    return Array.from({ length: numberOf(api.sensorCount(list)) }, (_, i) => pointerOf(api.createSensor(list, i)));
  } finally {
    api.freeSensors(list);
  }
}

export const measuresDepth = (api: Api, sensor: bigint): boolean =>
  numberOf(api.isSensorOf(sensor, DEPTH_SENSOR)) !== 0;

/** Metres per unit. The library has a 32-bit float: 0.001 comes as 0.0010000000474974513. */
export const unitOf = (api: Api, sensor: bigint): number => Number(numberOf(api.depthScale(sensor)).toPrecision(7));

/** The streams of a kind and a format that a sensor can give. They are valid until `freeProfiles` of the list. */
export function streamsOf(api: Api, sensor: bigint, stream: number, format: number) {
  const list = pointerOf(api.sensorProfiles(sensor));
  const all = profilesIn(api, list);
  return { list, all, found: all.filter((one) => one.stream === stream && one.format === format) };
}

export function modesIn(streams: readonly Mode[]): readonly Mode[] {
  const modes = new Map(streams.map(({ width, height, fps }) => [`${width} ${height} ${fps}`, { width, height, fps }]));
  return [...modes.values()];
}

/** The sensor's settings, with their present values. */
export function controlsOf(api: Api, sensor: bigint): readonly Control[] {
  return Object.entries(OPTIONS).flatMap(([name, option]) => {
    if (numberOf(api.hasOption(sensor, option)) === 0) return [];
    const range = new Float32Array(4);
    api.optionRange(sensor, option, ...[0, 1, 2, 3].map((at) => range.subarray(at, at + 1)));
    const [least = 0, most = 0, step = 0] = range;
    const values =
      step === 1 && most - least < MOST_NAMES ? Array.from({ length: most - least + 1 }, (_, i) => least + i) : [];
    const names = values.map((value) => api.valueName(sensor, option, value)).filter((one) => typeof one === "string");
    const value = numberOf(api.option(sensor, option));
    const named = names.length > 0 && names.length === values.length;
    return [{ name, value, least, most, ...(step > 0 && { step }), ...(named && { names }) }];
  });
}

/** The depth sensor's temperatures in °C, as far as it tells them. */
export function temperaturesOf(api: Api, sensor: bigint): NonNullable<Shot["metadata"]> {
  return Object.entries(TEMPERATURES).flatMap(([name, option]) => {
    try {
      return numberOf(api.hasOption(sensor, option)) === 0 ? [] : [[name, `${numberOf(api.option(sensor, option))}`]];
    } catch {
      // Some firmware refuses while the laser is off.
      return [];
    }
  });
}

/** A control with more values than this is a number, and none of a list of names. */
const MOST_NAMES = 32;

/** Sets one of these settings. */
export function setControl(api: Api, sensor: bigint, name: string, value: number): void {
  api.setOption(sensor, OPTIONS[name as keyof typeof OPTIONS], value);
}
