import { expect, onTestFinished, test } from "vitest";
import { v4l2 } from "../../../sources/camera/drivers/v4l2/index.ts";
import { IOCTL } from "../../../sources/camera/drivers/v4l2/kernel.ts";
import type { CameraRequest } from "../../../sources/live/driver.ts";
import { linuxWith, type Pretended, PretendedLibrary } from "./pretended/library.ts";

// The driver of V4L2 against a fake kernel in place of the C functions.

const WIDTH = 4;
const HEIGHT = 3;
const Z16 = 0x2036315a;
const YUYV = 0x56595559;
const EINVAL = 22;
const EACCES = 13;
const ENODEV = 19;
const request: CameraRequest = { driver: "v4l2", color: true, controls: {} };
const place = linuxWith("/dev/video0", "/dev/video2", "/dev/video10", "/dev/null");

const OPENED: Readonly<Record<string, number>> = { "/dev/video2": 12, "/dev/video4": 14 };

/** A fake kernel with a webcam at /dev/video0, RealSenses at /dev/video2 and 4, and a device without permission at /dev/video10. */
class PretendedKernel extends PretendedLibrary {
  readonly filled: { readonly index: number; readonly sequence: number; readonly ms: number }[] = [];
  readonly queued: number[] = [];
  gone = false;
  streaming = false;
  gain = 16;
  /** The rate that the device has chosen; 0: the one that it is asked for. */
  rate = 0;
  /** The sockets of the devices, by the numbers under which they are open. */
  buses: Readonly<Record<number, string>> = { 12: "usb-1", 14: "usb-2" };
  /** The request that the kernel refuses. */
  failing = 0;
  readonly buffers = [0, 1, 2, 3].map((k) =>
    this.memory.put(Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => 100 * k + i)),
  );

  constructor() {
    super({}, null);
    const functions: Record<string, Pretended> = {
      open: (path) => (/video10?$/.test(path as string) ? this.#refuse(EACCES) : (OPENED[path as string] ?? 10)),
      close: () => 0,
      ioctl: (fd, request, bytes) => {
        const data = bytes as Uint8Array;
        return this.#ioctl(fd as number, request as number, new DataView(data.buffer, data.byteOffset));
      },
      mmap: (_, __, ___, ____, _____, offset) => this.buffers[(offset as number) / 4096],
      munmap: () => 0,
      poll: (fds) => {
        const data = fds as Uint8Array;
        const view = new DataView(data.buffer, data.byteOffset);
        if (this.gone) view.setInt16(6, 8, true);
        else if (this.filled.length > 0) view.setInt16(6, 1, true);
        return this.gone || this.filled.length > 0 ? 1 : 0;
      },
    };
    Object.assign(this.functions, functions);
  }

  #refuse(errno: number): number {
    this.errno = errno;
    return -1;
  }

  #ioctl(fd: number, request: number, view: DataView): number {
    if (request === this.failing) return this.#refuse(ENODEV);
    const index = view.getUint32(0, true);
    const put = (at: number, ...values: number[]) => {
      for (const [i, value] of values.entries()) view.setUint32(at + 4 * i, value, true);
      return 0;
    };
    switch (request) {
      case IOCTL.querycap:
        new Uint8Array(view.buffer, view.byteOffset).set(new TextEncoder().encode("Intel(R) RealSense(TM) 435"), 16);
        new Uint8Array(view.buffer, view.byteOffset).set(new TextEncoder().encode(this.buses[fd] ?? ""), 48);
        return put(84, 0x80000001, 1);
      case IOCTL.enumFormats:
        if (index > 0) return this.#refuse(EINVAL);
        return put(44, fd >= 12 ? Z16 : YUYV);
      case IOCTL.enumSizes:
        return index > 0 ? this.#refuse(EINVAL) : put(8, 1, WIDTH, HEIGHT);
      case IOCTL.enumIntervals:
        return index > 1 ? this.#refuse(EINVAL) : put(16, 1, 1, index === 0 ? 30 : 15);
      case IOCTL.setFormat:
        return put(8, WIDTH, HEIGHT, Z16, 1, 2 * WIDTH);
      case IOCTL.setParameters:
        return this.rate > 0 ? put(12, 1, this.rate) : 0;
      case IOCTL.requestBuffers:
        return put(0, 4);
      case IOCTL.queryBuffer:
        put(64, 4096 * index);
        return put(72, 2 * WIDTH * HEIGHT);
      case IOCTL.queue:
        this.queued.push(index);
        return 0;
      case IOCTL.dequeue: {
        const next = this.filled.shift();
        if (!next) return this.#refuse(11);
        view.setBigInt64(24, BigInt(Math.floor(next.ms / 1000)), true);
        view.setBigInt64(32, BigInt(Math.round((next.ms % 1000) * 1000)), true);
        put(56, next.sequence);
        return put(0, next.index, 1, 2 * WIDTH * HEIGHT);
      }
      case IOCTL.queryControl:
        if (index !== 0x980913) return this.#refuse(EINVAL);
        view.setInt32(40, 0, true);
        view.setInt32(44, 248, true);
        return 0;
      case IOCTL.getControl:
        view.setInt32(4, this.gain, true);
        return 0;
      case IOCTL.setControl:
        this.gain = view.getInt32(4, true);
        return 0;
      default:
        this.streaming = request === IOCTL.streamOn;
        return 0;
    }
  }
}

async function opened(more: Partial<CameraRequest> = {}) {
  const kernel = new PretendedKernel();
  const camera = await v4l2(kernel.ffi, place).open({ ...request, ...more });
  onTestFinished(() => camera.close());
  return { kernel, camera };
}

test("v4l2 lists the devices that give depth, and opens the first with the lens of its model", async () => {
  const kernel = new PretendedKernel();
  expect(v4l2(kernel.ffi, place).list()).toEqual([
    { driver: "v4l2", name: "Intel(R) RealSense(TM) 435", id: "/dev/video2", notes: [] },
  ]);
  const { camera } = await opened({ controls: { gain: 90 } });
  expect(camera.state).toMatchObject({
    fps: 30,
    metresPerUnit: 0.001,
    intrinsics: { width: WIDTH, height: HEIGHT },
    modes: [
      { width: 4, height: 3, fps: 30 },
      { width: 4, height: 3, fps: 15 },
    ],
    controls: [{ name: "gain", value: 90, least: 0, most: 248 }],
  });
  expect(camera.state.notes.join()).toContain("RealSense D435");
});

test("v4l2 opens the first device that gives depth, though one before it may not be opened", async () => {
  const open = (...paths: string[]) => v4l2(new PretendedKernel().ffi, linuxWith(...paths)).open(request);
  const camera = await open("/dev/video1", "/dev/video2");
  onTestFinished(() => camera.close());
  expect(camera.state.info.id).toBe("/dev/video2");
  const why = /video1: it does not open: .*: join the group video/;
  await expect(open("/dev/video0", "/dev/video1")).rejects.toThrow(why);
});

test("v4l2 tells the rate that the device has chosen, and refuses it where another one was asked for", async () => {
  const kernel = new PretendedKernel();
  kernel.rate = 15;
  const camera = await v4l2(kernel.ffi, place).open(request);
  onTestFinished(() => camera.close());
  expect(camera.state.fps).toBe(15);
  const faster = v4l2(kernel.ffi, place).open({ ...request, fps: 60 });
  await expect(faster).rejects.toThrow("it gives 15 frames a second at 4x3, not 60");
});

test("v4l2 gives frames in the kernel's memory, by the kernel's clock, and gives the memory back", async () => {
  const { kernel, camera } = await opened();
  expect([kernel.queued, kernel.streaming]).toEqual([[0, 1, 2, 3], true]);
  expect(await camera.next()).toBeUndefined();
  kernel.filled.push({ index: 2, sequence: 41, ms: 12_345.678 });
  const shot = await camera.next();
  const depth = new Uint8Array(Uint16Array.from({ length: 12 }, (_, i) => 200 + i).buffer);
  expect(shot).toMatchObject({ number: 41, depth });
  expect(shot?.stampMs).toBeCloseTo(12_345.678, 6);
  expect(kernel.queued).toHaveLength(4);
  shot?.release();
  expect(kernel.queued.slice(4)).toEqual([2]);
  camera.set("gain", 20);
  expect(kernel.gain).toBe(20);
  camera.close();
  expect(kernel.streaming).toBe(false);
});

test.each<[what: string, more: Partial<CameraRequest>, said: RegExp]>([
  ["a device without permission", { which: "/dev/video10" }, /video10: it does not open: .*: join the group video/],
  ["a webcam", { which: "/dev/video0" }, /\/dev\/video0 is no device there that gives depth of 16 bits/],
  ["a size that the camera does not have", { size: { width: 640, height: 480 } }, /it gives 4x3, not 640x480/],
  ["a control that the camera does not have", { controls: { laser: 1 } }, /it has no control "laser"; it has gain/],
])("v4l2 refuses %s", async (_, more, said) => {
  await expect(opened(more)).rejects.toThrow(said);
});

test("v4l2 refuses macOS and 32-bit Linux", () => {
  const { ffi } = new PretendedKernel();
  expect(() => v4l2(ffi, { ...place, platform: "darwin" })).toThrow("only Linux has V4L2");
  expect(() => v4l2(ffi, { ...place, arch: "arm" })).toThrow("only 64-bit Linux");
});

test("v4l2 knows the camera that was lost by its socket, also under the other one's path, and opens no other one", async () => {
  const kernel = new PretendedKernel();
  const open = async (more: Partial<CameraRequest>, ...paths: string[]) => {
    const camera = await v4l2(kernel.ffi, linuxWith(...paths)).open({ ...request, ...more });
    onTestFinished(() => camera.close());
    return camera.state;
  };
  const { info, others } = await open({}, "/dev/video2", "/dev/video4");
  expect([info.id, others]).toEqual(["/dev/video2", ["usb-2"]]);
  await expect(open({ others }, "/dev/video4")).rejects.toThrow("no video device is there");
  kernel.buses = { 12: "usb-2", 14: "usb-1" };
  await expect(open({ others, which: "/dev/video2" }, "/dev/video2")).rejects.toThrow("is no device there");
  expect((await open({ others }, "/dev/video2", "/dev/video4")).info.id).toBe("/dev/video4");
});
