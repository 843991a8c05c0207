import { type Abortable, signalOf } from "../../../core/abort.ts";
import { SourceError } from "../../../core/source.ts";
import { type Capture, frameOf, nextFrame, startCapture } from "./capture.ts";
import { checkPage } from "./lack.ts";
import { modelOf } from "./models.ts";
import { type Pixels, VideoReader } from "./reader.ts";
import { refusalOf } from "./refusal.ts";

/** A depth camera of this computer, as the browser knows it. */
export interface MediaCamera {
  /** The browser's id of the depth device: it stays the same on this site until the site's data is deleted. */
  readonly id: string;
  /** Its label without the USB numbers; the second of two equal cameras has "(2)" behind it. */
  readonly name: string;
  /** The label as the browser has it. */
  readonly label: string;
  /** The colour device of the same camera. */
  readonly colorId?: string;
}

/** The kind of video that a device gives. */
type Kind = "depth" | "colour" | "grey" | "black";

/** A frame is back from the GPU within a few milliseconds; a software GPU on a busy machine takes longer. */
const READ_MS = 8000;
/** How many frames that are not black are looked at; a camera may begin with black ones. */
const LOOKED_AT = 5;
/** How many frames are waited for, black ones among them. */
const MOST = 60;
/** How many reads may fail in a row before the camera is given up: a lost WebGL context returns after a moment. */
const UNREAD = 3;
const BLACK = "it shows nothing but black, which may be depth too near or too far: point it at something else";

/**
 * Asks for permission, starts each camera of this computer for a moment, and finds those that give more than 8 bits: an 8-bit value comes
 * as a multiple of 257. Rejects with a `SourceError` that tells what each camera gives, where none gives depth. `signal` ends the search.
 *
 * @example
 * const [found] = await findMediaCameras({ signal: AbortSignal.timeout(10_000) });
 */
export async function findMediaCameras(options?: Abortable): Promise<MediaCamera[]> {
  const signal = signalOf("findMediaCameras", options);
  signal?.throwIfAborted();
  checkPage("findMediaCameras");
  const devices = await listDevices();
  if (devices.length === 0) throw refusalOf(new DOMException("", "NotFoundError"), "camera");
  const reader = new VideoReader();
  const kinds = new Map<MediaDeviceInfo, Kind>();
  const findings: string[] = [];
  try {
    for (const device of devices) {
      signal?.throwIfAborted();
      try {
        const kind = await kindOf(device, reader);
        kinds.set(device, kind);
        findings.push(`${nameOf(device.label)}: ${kind === "black" ? BLACK : `8 bits, ${kind}`}`);
      } catch (error) {
        findings.push(error instanceof SourceError ? error.message : refusalOf(error, nameOf(device.label)).message);
      }
    }
  } finally {
    reader.destroy();
  }
  const of = (kind: Kind) => devices.filter((device) => kinds.get(device) === kind);
  const [depth, colour] = [of("depth"), of("colour")];
  if (depth.length === 0)
    throw new SourceError(
      "camera: none of this computer's cameras gives a page depth, which has more than 8 bits",
      findings,
    );
  const names = numbered(depth.map(({ label }) => nameOf(label)));
  const colours = colourOf(depth, colour);
  return depth.map((device, i) => {
    const color = colours.get(device);
    return { id: device.deviceId, name: names[i], label: device.label, ...(color && { colorId: color.deviceId }) };
  });
}

/** The cameras of this computer with their labels, which a browser tells only once it was allowed to use one. */
async function listDevices(): Promise<MediaDeviceInfo[]> {
  const list = async () =>
    (await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === "videoinput");
  const devices = await list();
  if (devices.length === 0 || devices.some(({ label }) => label !== "")) return devices;
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ video: true });
    for (const track of stream.getTracks()) track.stop();
  } catch (error) {
    // The first camera may be in use, while another one is free: permission has been given for all.
    if (!(error instanceof Error) || error.name !== "NotReadableError") throw refusalOf(error, "camera");
  }
  return list();
}

async function kindOf(device: MediaDeviceInfo, reader: VideoReader): Promise<Kind> {
  const name = nameOf(device.label);
  const capture = await startCapture(device.deviceId);
  try {
    for (let i = 0, looked = 0, unread = 0; i < MOST; i++) {
      await nextFrame(capture, name);
      const pixels = await readOnce(reader, capture);
      if (!pixels) {
        if (++unread < UNREAD) continue;
        throw new SourceError(`${name}: WebGL 2 does not read the camera's frames; load the page again`);
      }
      const { depth, color } = pixels;
      if (hasMoreThan8Bits(depth)) return "depth";
      if (color && isColoured(color.rgba)) return "colour";
      if (depth.some((value) => value > 0)) looked++;
      if (looked === LOOKED_AT) return "grey";
    }
    return "black";
  } finally {
    capture.stop();
  }
}

/** Reads the frame that a device shows now; `undefined` where WebGL does not give it back, as after a lost context. */
function readOnce(reader: VideoReader, { video }: Capture): Promise<Pixels | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const read = new Promise<Pixels | undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), READ_MS);
    const frame = frameOf(video);
    const isRead = frame && reader.read(frame, video, resolve);
    frame?.close();
    if (!isRead) resolve(undefined);
  });
  return read.finally(() => clearTimeout(timer));
}

/** Whether values cannot have come from 8 bits: v of 255 becomes 257·v of 65535. */
const hasMoreThan8Bits = (values: Uint16Array): boolean => values.some((value) => value % 257 !== 0);

/** Whether red, green and blue differ anywhere. A camera of infrared light gives grey. */
export function isColoured(rgba: Uint8Array): boolean {
  for (let i = 0; i < rgba.length; i += 4) if (rgba[i] !== rgba[i + 1] || rgba[i] !== rgba[i + 2]) return true;
  return false;
}

/** A label without the vendor's and the product's number, which Chromium adds: "Depth Camera 435 (8086:0b07)". */
export const nameOf = (label: string): string => label.replace(/\s*\([0-9a-f]{4}:[0-9a-f]{4}\)$/i, "") || "camera";

/**
 * The colour device of each depth device: that of its group. Browsers put some cameras' devices into groups of their own: what is left is
 * told by the model that the labels name, in the list's order, and where each depth device of a model has a colour one.
 */
export function colourOf(depth: readonly MediaDeviceInfo[], colour: readonly MediaDeviceInfo[]) {
  const grouped = (one: MediaDeviceInfo, others: readonly MediaDeviceInfo[]) =>
    one.groupId === "" ? undefined : others.find(({ groupId }) => groupId === one.groupId);
  const like = (one: MediaDeviceInfo, devices: readonly MediaDeviceInfo[], others: readonly MediaDeviceInfo[]) =>
    devices.filter((device) => modelOf(device.label) === modelOf(one.label) && !grouped(device, others));
  const byModel = (one: MediaDeviceInfo) => {
    const [cameras, colours] = [like(one, depth, colour), like(one, colour, depth)];
    return modelOf(one.label) && cameras.length === colours.length ? colours[cameras.indexOf(one)] : undefined;
  };
  return new Map(depth.map((one) => [one, grouped(one, colour) ?? byModel(one)]));
}

function numbered(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}
