import type { CameraInfo, Control, Mode } from "../../../live/driver.ts";
import { IOCTL, type Kernel } from "./kernel.ts";

/** The pixel format "Z16 ": 16 bits of depth, little-endian. */
export const Z16 = 0x2036315a;
/** V4L2_BUF_TYPE_VIDEO_CAPTURE */
export const CAPTURE = 1;
/** V4L2_FRMSIZE_TYPE_DISCRETE, V4L2_FRMIVAL_TYPE_DISCRETE */
const DISCRETE = 1;
/** V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_DEVICE_CAPS */
const CAN_CAPTURE = 0x1;
const HAS_OWN = 0x80000000;
/** The controls that matter, by their V4L2_CID. */
const CONTROLS = { gain: 0x980913, exposure: 0x9a0902, "auto-exposure": 0x9a0901 } as const;
/** V4L2_CTRL_FLAG_DISABLED */
const DISABLED = 1;
/** The most entries that are read of each list of a device: formats, sizes, rates, controls. */
const MOST = 64;

/** Asks for the things that a device lists one by one. */
function listed<T>(ask: (index: number) => T | undefined): T[] {
  const all: T[] = [];
  for (let i = 0; i < MOST; i++) {
    const one = ask(i);
    if (one === undefined) break;
    all.push(one);
  }
  return all;
}

const textIn = (view: DataView, at: number, bytes: number): string =>
  new TextDecoder().decode(new Uint8Array(view.buffer, at, bytes)).replace(/\0.*$/s, "");

/** The properties of a device that gives depth of 16 bits; `undefined` for any other device. */
export function infoOf(kernel: Kernel, fd: number, path: string): CameraInfo | undefined {
  const answer = kernel.ask(fd, IOCTL.querycap);
  if (!answer) return undefined;
  const all = answer.getUint32(84, true);
  const own = (all & HAS_OWN) !== 0 ? answer.getUint32(88, true) : all;
  if ((own & CAN_CAPTURE) === 0) return undefined;
  const formats = listed((index) =>
    kernel
      .ask(fd, IOCTL.enumFormats, (view) => {
        view.setUint32(0, index, true);
        view.setUint32(4, CAPTURE, true);
      })
      ?.getUint32(44, true),
  );
  return formats.includes(Z16) ? { driver: "v4l2", name: textIn(answer, 16, 32), id: path, notes: [] } : undefined;
}

/** The place where a device is plugged in: its path may be another device's after both were unplugged. */
export const busOf = (kernel: Kernel, fd: number): string =>
  textIn(kernel.ask(fd, IOCTL.querycap) ?? new DataView(new ArrayBuffer(80)), 48, 32);

/** The modes in which a device gives depth. */
export function modesOf(kernel: Kernel, fd: number): readonly Mode[] {
  const sizes = listed((index) => {
    const answer = kernel.ask(fd, IOCTL.enumSizes, (view) => {
      view.setUint32(0, index, true);
      view.setUint32(4, Z16, true);
    });
    if (answer?.getUint32(8, true) !== DISCRETE) return undefined;
    return { width: answer.getUint32(12, true), height: answer.getUint32(16, true) };
  });
  return sizes.flatMap(({ width, height }) =>
    listed((index) => {
      const answer = kernel.ask(fd, IOCTL.enumIntervals, (view) => {
        [index, Z16, width, height].forEach((value, i) => {
          view.setUint32(4 * i, value, true);
        });
      });
      if (answer?.getUint32(16, true) !== DISCRETE) return undefined;
      return { width, height, fps: Math.round(answer.getUint32(24, true) / answer.getUint32(20, true)) };
    }),
  );
}

/** Chooses size and rate. Returns the size and the rate that the device then has; a rate of 0 means that the device tells none. */
export function setMode(kernel: Kernel, fd: number, { width, height, fps }: Mode) {
  const answer = kernel.ask(fd, IOCTL.setFormat, (view) => {
    view.setUint32(0, CAPTURE, true);
    [width, height, Z16, 1].forEach((value, i) => {
      view.setUint32(8 + 4 * i, value, true);
    });
  });
  const interval = kernel.ask(fd, IOCTL.setParameters, (view) => {
    view.setUint32(0, CAPTURE, true);
    view.setUint32(12, 1, true);
    view.setUint32(16, fps, true);
  });
  const at = (offset: number) => answer?.getUint32(offset, true) ?? 0;
  const [seconds, of] = [interval?.getUint32(12, true) ?? 0, interval?.getUint32(16, true) ?? 0];
  const told = seconds > 0 ? Math.round(of / seconds) : 0;
  return { width: at(8), height: at(12), format: at(16), stride: at(24), fps: told };
}

/** The device's controls, with their present values. */
export function controlsOf(kernel: Kernel, fd: number): readonly Control[] {
  return Object.entries(CONTROLS).flatMap(([name, id]) => {
    const answer = kernel.ask(fd, IOCTL.queryControl, (view) => view.setUint32(0, id, true));
    if (!answer || (answer.getUint32(56, true) & DISABLED) !== 0) return [];
    const value = kernel.ask(fd, IOCTL.getControl, (view) => view.setUint32(0, id, true))?.getInt32(4, true) ?? 0;
    return [{ name, value, least: answer.getInt32(40, true), most: answer.getInt32(44, true) }];
  });
}

/** Sets one of these controls. Throws where the device refuses. */
export function setControl(kernel: Kernel, fd: number, name: string, value: number): void {
  const done = kernel.ask(fd, IOCTL.setControl, (view) => {
    view.setUint32(0, CONTROLS[name as keyof typeof CONTROLS], true);
    view.setInt32(4, value, true);
  });
  if (!done) throw new Error(`${name} cannot be set now`);
}
