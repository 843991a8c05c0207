import { Webm } from "../../../write/webm.ts";
import { OnwardTime } from "./onwardTime.ts";
import { PageSink } from "./pageSink.ts";

/** Codecs in the order of preference, as WebCodecs and as WebM name them. */
const CODECS = [
  ["vp09.00.51.08", "V_VP9"],
  ["vp8", "V_VP8"],
] as const;
const BITS_PER_SECOND = 12_000_000;
/** A player can jump to each key frame, and a cluster's times end after 32 s. */
const KEY_MS = 2000;
/** At most this many pictures wait for the encoder. */
const MOST_WAITING = 4;

/** A video that is made frame by frame: it lasts as long as the frames' own times say, however long each takes to make. */
export class FrameFilm {
  frames = 0;
  readonly #sink: PageSink;
  readonly #time: OnwardTime;
  #startMs = 0;
  #keyMs = Number.NEGATIVE_INFINITY;
  #encoder: VideoEncoder | undefined;
  #webm: Webm | undefined;
  #writing: Promise<void> = Promise.resolve();
  #error: unknown;

  /** `file`: where to write; `undefined` keeps the video in memory. Throws an error where the browser cannot encode. */
  constructor(
    file: FileSystemWritableFileStream | undefined,
    readonly fps: number,
  ) {
    this.#sink = new PageSink(file);
    this.#time = new OnwardTime(fps);
  }

  get bytes(): number {
    return Number(this.#sink.position());
  }

  /** Why there is no room for a further frame; `undefined` while there is. */
  get full(): string | undefined {
    return this.#sink.full ? "memory is full" : undefined;
  }

  /** Adds the picture that is on the canvas now; `sourceMs` is its frame's time. Resolves when the next one may come. */
  async add(canvas: HTMLCanvasElement, sourceMs: number): Promise<void> {
    const ms = Math.round(this.#time.of(sourceMs));
    if (this.frames === 0) this.#startMs = ms;
    // A canvas keeps its picture until the end of this task only.
    const frame = new VideoFrame(canvas, { timestamp: 1000 * (ms - this.#startMs), alpha: "discard" });
    try {
      this.#encoder ??= await this.#open(canvas.width, canvas.height);
      const keyFrame = ms - this.#keyMs >= KEY_MS;
      if (keyFrame) this.#keyMs = ms;
      this.#encoder.encode(frame, { keyFrame });
    } finally {
      frame.close();
    }
    this.frames++;
    const encoder = this.#encoder;
    while (encoder.encodeQueueSize > MOST_WAITING && this.#error === undefined) {
      await new Promise((resolve) => encoder.addEventListener("dequeue", resolve, { once: true }));
    }
    await this.#written();
  }

  /** Ends the video with the frames that it has; returns it, if it is in memory. */
  async end(): Promise<Blob | undefined> {
    if (this.#encoder?.state === "configured") await this.#encoder.flush();
    if (this.#encoder?.state === "configured") this.#encoder.close();
    await this.#writing.catch(() => {});
    await this.#webm?.end();
    const file = await this.#sink.end();
    return this.#webm && file;
  }

  async #open(width: number, height: number): Promise<VideoEncoder> {
    const settings = { width, height, bitrate: BITS_PER_SECOND, ...(this.fps > 0 && { framerate: this.fps }) };
    for (const [codec, name] of CODECS) {
      const config = { ...settings, codec };
      if (!(await VideoEncoder.isConfigSupported(config)).supported) continue;
      const webm = new Webm(this.#sink, { codec: name, width, height });
      await webm.begin();
      this.#webm = webm;
      const encoder = new VideoEncoder({
        output: (chunk) => {
          const data = new Uint8Array(chunk.byteLength);
          chunk.copyTo(data);
          const add = () => webm.add(data, Math.round(chunk.timestamp / 1000), chunk.type === "key");
          this.#writing = this.#writing.then(add);
          this.#writing.catch(() => {});
        },
        error: (error) => {
          this.#error = error;
          encoder.dispatchEvent(new Event("dequeue"));
        },
      });
      encoder.configure(config);
      return encoder;
    }
    throw new Error(`this browser encodes no video of ${width} × ${height} pixels`);
  }

  async #written(): Promise<void> {
    await this.#writing;
    if (this.#error !== undefined) throw this.#error;
  }
}
