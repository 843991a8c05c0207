import { type DecodedColor, MAX_PIXELS } from "./png.ts";

/** The most packets from a key frame to the one that is wanted, and how far ahead of the last one decoding goes on without a new start. */
const MOST_PACKETS = 600;
const AHEAD = 60;
/** The time in ms after which `flush` asks for a picture that has not come: encoders that reorder pictures hold it back. */
const PATIENCE_MS = 200;

/** The parts of the coded bytes of H.264 or H.265 (Annex B) that matter here. */
interface Packet {
  /** Whether decoding can begin with this packet. */
  readonly key: boolean;
  /** WebCodecs' name of the codec, where the packet says it. */
  readonly codec: string | undefined;
}

/** Whether this place decodes video: pages do (WebCodecs), and Node does not. */
export const hasVideo = (): boolean => typeof VideoDecoder !== "undefined";

/** The coding that a message names: "h264", "hevc", "libx264", "h265"; `undefined` for any other. */
export const videoCoding = (format: string): "h264" | "h265" | undefined =>
  /264|avc/i.test(format) ? "h264" : /265|hevc/i.test(format) ? "h265" : undefined;

/** Looks for parameter sets and key pictures among the units of a packet, each of which begins with 0 0 1. */
export function packetOf(bytes: Uint8Array, coding: "h264" | "h265"): Packet {
  let [key, codec] = [false, undefined as string | undefined];
  for (let at = bytes.indexOf(1); at >= 0 && at + 4 < bytes.length; at = bytes.indexOf(1, at + 1)) {
    if (at < 2 || bytes[at - 1] !== 0 || bytes[at - 2] !== 0) continue;
    const type = coding === "h264" ? bytes[at + 1] & 31 : (bytes[at + 1] >> 1) & 63;
    if (coding === "h264") {
      key ||= type === 5;
      const profile = Array.from(bytes.subarray(at + 2, at + 5), (byte) => byte.toString(16).padStart(2, "0"));
      if (type === 7) codec = `avc1.${profile.join("")}`;
    } else {
      key ||= type >= 16 && type <= 21;
      if (type === 33) codec = "hev1.1.6.L153.B0";
    }
  }
  return { key, codec };
}

/** Decodes single pictures of a video whose packets are read one by one; near ones in order are decoded once. */
export class VideoReader {
  #decoder: VideoDecoder | undefined;
  #next = 0;
  /** The last decoded picture; one that was asked for is awaited by its number. */
  #wanted = -1;
  #found: VideoFrame | undefined;
  #arrived: () => void = () => {};
  #fault: string | undefined;
  /** The read before, since the decoder takes one packet after the other. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(
    readonly coding: "h264" | "h265",
    readonly packetAt: (index: number) => Promise<Uint8Array>,
  ) {}

  /** The picture of a packet; a text says why there is none. */
  read(index: number, where: string): Promise<DecodedColor | string> {
    const reading = this.#before.then(() => this.#read(index, where));
    this.#before = reading.catch(() => {});
    return reading;
  }

  async #read(index: number, where: string): Promise<DecodedColor | string> {
    const goesOn = this.#decoder?.state === "configured" && index >= this.#next && index <= this.#next + AHEAD;
    const lack = goesOn ? undefined : await this.#start(index, where);
    if (lack !== undefined) return lack;
    const decoder = this.#decoder as VideoDecoder;
    this.#wanted = index;
    try {
      for (; this.#next <= index; this.#next++) await this.#feed(decoder, this.#next);
      await this.#arrival(decoder);
      const picture = this.#found;
      if (!picture) return `${where} is video that cannot be decoded: ${this.#fault ?? "no picture comes of it"}`;
      return await rgbaOf(picture, where);
    } finally {
      this.#found?.close();
      this.#found = undefined;
    }
  }

  close(): void {
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
    this.#decoder = undefined;
  }

  async #feed(decoder: VideoDecoder, index: number): Promise<void> {
    const data = await this.packetAt(index);
    const type = packetOf(data, this.coding).key ? "key" : "delta";
    if (decoder.state === "configured")
      decoder.decode(new EncodedVideoChunk({ type, timestamp: index, data: data.slice() }));
  }

  /** Begins at the last key frame that is not behind `index`. */
  async #start(index: number, where: string): Promise<string | undefined> {
    this.close();
    for (let at = index; at >= 0 && index - at < MOST_PACKETS; at--) {
      const { key, codec } = packetOf(await this.packetAt(at), this.coding);
      if (!key || codec === undefined) continue;
      const config: VideoDecoderConfig = { codec, optimizeForLatency: true };
      const { supported } = await VideoDecoder.isConfigSupported(config).catch(() => ({ supported: false }));
      if (!supported)
        return `${where} is ${this.coding === "h264" ? "H.264" : "H.265"} (${codec}), which this browser does not decode`;
      this.#fault = undefined;
      this.#decoder = new VideoDecoder({
        output: (picture) => this.#take(picture),
        error: ({ message }) => {
          this.#fault = message;
          this.#arrived();
        },
      });
      this.#decoder.configure(config);
      this.#next = at;
      return undefined;
    }
    return `${where} is video without a key frame before it`;
  }

  #take(picture: VideoFrame): void {
    if (picture.timestamp !== this.#wanted) {
      picture.close();
      return;
    }
    this.#found?.close();
    this.#found = picture;
    this.#arrived();
  }

  async #arrival(decoder: VideoDecoder): Promise<void> {
    const come = new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
    if (this.#found || this.#fault !== undefined) return;
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), PATIENCE_MS));
    if (!(await Promise.race([come.then(() => false), late]))) return;
    // After a flush decoding has to begin at a key frame.
    if (decoder.state === "configured") await decoder.flush().catch(() => {});
    this.close();
  }
}

async function rgbaOf(picture: VideoFrame, where: string): Promise<DecodedColor | string> {
  const { displayWidth: width, displayHeight: height } = picture;
  if (width * height > MAX_PIXELS) return `${where} is ${width}×${height}, more than 16 megapixels`;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  if (!context) return `${where} cannot be drawn: this browser has no canvas in workers`;
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  return { width, height, data: new Uint8Array(data.buffer) };
}
