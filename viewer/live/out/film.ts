/**
 * Containers and codecs in the order of preference; the ones that most players show come first. avc3 allows the window to change its size.
 */
const TYPES = ["video/mp4;codecs=avc3.640028", "video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
const FRAMES_PER_SECOND = 30;
const BITS_PER_SECOND = 12_000_000;
const PART_MS = 1000;
/** The video is in memory until it is saved; this many bytes end it. */
const LARGEST = 1 << 30;

/** Records a video of a canvas, until `end`. */
export class Film {
  bytes = 0;
  readonly #recorder: MediaRecorder;
  readonly #stream: MediaStream;
  readonly #parts: Blob[] = [];
  readonly #startedMs = performance.now();
  readonly ended: Promise<Blob>;

  /** `draw` draws the canvas once more; the recorder gets no picture from a canvas on which nothing is drawn. */
  constructor(
    canvas: HTMLCanvasElement,
    readonly draw: () => void,
  ) {
    const type =
      typeof MediaRecorder === "undefined" ? undefined : TYPES.find((one) => MediaRecorder.isTypeSupported(one));
    if (!type) throw new Error("this browser records no video");
    this.#stream = canvas.captureStream(FRAMES_PER_SECOND);
    this.#recorder = new MediaRecorder(this.#stream, { mimeType: type, videoBitsPerSecond: BITS_PER_SECOND });
    this.ended = new Promise((resolve, reject) => {
      this.#recorder.addEventListener("dataavailable", ({ data }) => {
        this.#parts.push(data);
        this.bytes += data.size;
        if (this.bytes > LARGEST) this.end();
      });
      this.#recorder.addEventListener("stop", () => resolve(new Blob(this.#parts, { type })));
      this.#recorder.addEventListener("error", () => reject(new Error("the browser has stopped recording the video")));
    });
    this.#recorder.start(PART_MS);
    draw();
  }

  get seconds(): number {
    return (performance.now() - this.#startedMs) / 1000;
  }

  /** The extension of the file: "mp4" or "webm". */
  get extension(): string {
    return this.#recorder.mimeType.startsWith("video/mp4") ? "mp4" : "webm";
  }

  end(): void {
    if (this.#recorder.state === "inactive") return;
    this.draw();
    this.#recorder.stop();
    for (const track of this.#stream.getTracks()) track.stop();
  }
}
