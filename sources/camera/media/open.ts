import { type Abortable, signalRule, untilAborted } from "../../../core/abort.ts";
import { ASSUMED_DEGREES, assumedLens } from "../../../core/calibration/assumedLens.ts";
import { type Registration, registration, tooLargeToRegister } from "../../../core/calibration/register.ts";
import { checkArgument, checkOptions, type Rule } from "../../../core/check.ts";
import { type DepthFrame, type Intrinsics, image } from "../../../core/frame.ts";
import { disposable, SourceError } from "../../../core/source.ts";
import type { Size } from "../../../core/view.ts";
import { optionRules } from "../../format/description.ts";
import { cameraText, type Fact, unitText } from "../../format/format.ts";
import type { LiveSource } from "../../live/index.ts";
import { Intake } from "../../live/intake.ts";
import { type Capture, frameOf, nextFrame, startCapture } from "./capture.ts";
import type { MediaCamera } from "./find.ts";
import { checkPage } from "./lack.ts";
import { type Model, modelOf } from "./models.ts";
import { type Pixels, VideoReader } from "./reader.ts";
import { refusalOf } from "./refusal.ts";
import { labelsById, whenBack } from "./replug.ts";

const { metresPerUnit, intrinsics } = optionRules;

/** Two time stamps of one moment differ by less than this, ms: a frame's counts microseconds, the page's counts parts of a second. */
const SAME_MS = 0.01;
/** A frame rate that a browser does not tell. */
const USUAL_FPS = 30;

const cameraRule: Rule = {
  expects: "one that findMediaCameras found",
  holds: (value) => typeof (value as Partial<MediaCamera> | null | undefined)?.label === "string",
};

/**
 * Opens a depth camera of this computer in a page: a `getUserMedia` device that `findMediaCameras` has found. Depth comes with all its 16
 * bits; 65535 becomes 0. A browser tells neither unit nor intrinsics. They come from `options`, else from the model that the label names,
 * else they are 1 mm and a lens of 58°; `facts` say which. Colour is that of the camera's second device, registered by the model's
 * published placement. Frames are stamped with the time of capture where the browser tells it. A camera that is unplugged is waited for,
 * and `report.state` is "reconnecting" meanwhile. Rejects with a `SourceError` where the camera does not start, with an `OptionError` for
 * an option that is misspelt or out of range, and with the reason of `signal`.
 *
 * @example
 * const [found] = await findMediaCameras();
 * const camera = await openMediaCamera(found, { metresPerUnit: 0.001 });
 */
export async function openMediaCamera(
  camera: MediaCamera,
  options: MediaCorrections & Abortable = {},
): Promise<LiveSource> {
  checkArgument("openMediaCamera", "the camera", cameraRule, camera);
  checkOptions("openMediaCamera", options, { metresPerUnit, intrinsics, signal: signalRule });
  options.signal?.throwIfAborted();
  checkPage("openMediaCamera");
  return untilAborted(
    options.signal,
    () => open(camera, options),
    (late) => late.close(),
  );
}

async function open(camera: MediaCamera, known: MediaCorrections): Promise<LiveSource> {
  const meaning = new Meaning(modelOf(camera.label), known);
  const [depth, color] = await startBoth(camera, meaning);
  const { videoWidth: width, videoHeight: height } = depth.video;
  const facts = meaning.factsFor({ width, height }, color ? "registered by its model's published placement" : "none");
  const frames = new CameraFrames(camera, meaning, depth, color, await labelsById());
  return disposable({
    name: camera.name,
    format: "camera",
    fps: depth.track.getSettings().frameRate ?? USUAL_FPS,
    frames$: frames.intake.frames((on) => frames.watch(on)),
    facts,
    get report() {
      return frames.intake.report;
    },
    async close() {
      frames.close();
    },
  });
}

type Both = readonly [depth: Capture, color: Capture | undefined];

/**
 * Starts a camera's depth, and its colour where it can be registered. If another program uses the colour device, frames come without
 * colour.
 */
async function startBoth({ id, colorId, name }: MediaCamera, { model }: Meaning): Promise<Both> {
  const depth = await startCapture(id).catch((error: unknown) => {
    throw refusalOf(error, name);
  });
  let color: Capture | undefined;
  try {
    color = colorId && model?.color ? await startCapture(colorId).catch(() => undefined) : undefined;
    await nextFrame(depth, name);
    return [depth, color];
  } catch (error) {
    stopAll(depth, color);
    throw error;
  }
}

/** Turns a camera's videos into frames, over any number of times that it is unplugged. */
class CameraFrames {
  readonly intake = new Intake();
  readonly #reader = new VideoReader();
  readonly #closed = new AbortController();
  #handle = 0;
  /** The time stamp of the frame that was read last. */
  #newest = Number.NaN;

  constructor(
    public camera: MediaCamera,
    readonly meaning: Meaning,
    public depth: Capture,
    public color: Capture | undefined,
    /** The devices that were there when this camera was opened: labels by ids. */
    readonly devices: ReadonlyMap<string, string>,
  ) {
    this.#expectEnd();
  }

  watch(on: boolean): void {
    if (on) this.#look();
    else this.depth.video.cancelVideoFrameCallback(this.#handle);
  }

  close(): void {
    this.#closed.abort();
    this.#stop();
    this.#reader.destroy();
    this.intake.end();
  }

  #look(): void {
    const { video } = this.depth;
    this.#handle = video.requestVideoFrameCallback((_, about) => {
      this.#look();
      const frame = frameOf(video);
      if (frame) this.#read(frame, about);
      frame?.close();
    });
  }

  /**
   * The video may by now show a newer frame than the one that the browser announces. The next announcement is of that newer frame, and is
   * ignored. A frame for which the reader has no room leaves a gap in the count, and so counts as dropped.
   */
  #read(frame: VideoFrame, about: VideoFrameCallbackMetadata): void {
    if (frame.timestamp === this.#newest) return;
    const { captureTime, presentationTime, mediaTime, presentedFrames } = about;
    const aheadMs = frame.timestamp / 1000 - mediaTime * 1000;
    const handedOverMs = performance.timeOrigin + presentationTime;
    const stampMs = captureTime === undefined ? handedOverMs : performance.timeOrigin + captureTime + aheadMs;
    const sentMs = captureTime === undefined ? undefined : handedOverMs;
    const number = presentedFrames + (aheadMs > SAME_MS ? 1 : 0);
    const { track } = this.depth;
    const begun = this.#reader.read(frame, this.color?.video, (pixels) => {
      // A frame whose camera was unplugged while the GPU had it would come after "reconnecting", and could take the next video's jump.
      if (track.readyState === "ended") return;
      this.intake.take({ stampMs, sentMs, number, decode: () => this.meaning.frameOf(pixels) });
    });
    if (begun) this.#newest = frame.timestamp;
  }

  #stop(): void {
    this.depth.video.cancelVideoFrameCallback(this.#handle);
    this.depth.stop();
    this.color?.stop();
  }

  #expectEnd(): void {
    this.depth.track.addEventListener("ended", () => void this.#lost(), { once: true });
  }

  async #lost(): Promise<void> {
    this.#stop();
    this.intake.set("reconnecting");
    const { camera, meaning, intake, devices } = this;
    const { signal } = this.#closed;
    const start = (found: MediaCamera) => {
      this.camera = found;
      return startBoth(found, meaning);
    };
    try {
      const [depth, color] = await whenBack(camera, start, signal, devices);
      if (signal.aborted) return stopAll(depth, color);
      [this.depth, this.color] = [depth, color];
      this.#expectEnd();
      intake.set("connected");
      if (intake.watched) this.#look();
    } catch (error) {
      if (!signal.aborted) intake.end(error instanceof Error ? error : new SourceError(String(error)));
    }
  }
}

function stopAll(...captures: readonly (Capture | undefined)[]): void {
  for (const capture of captures) capture?.stop();
}

/** Known facts of one camera, which override those of its model: the unit and the intrinsics of its depth image. */
export interface MediaCorrections {
  /** Metres per unit of depth. */
  readonly metresPerUnit?: number;
  /** Focal lengths and principal point, px. */
  readonly intrinsics?: Pick<Intrinsics, "fx" | "fy" | "cx" | "cy">;
}

const isSize = (a: Size, b: Size) => a.width === b.width && a.height === b.height;

/** Gives a camera's pixels their meaning, by what is known of it, else by its model, else by what is usual. */
class Meaning {
  readonly metresPerUnit: number;
  #lens: Intrinsics | undefined;
  #registration: { readonly of: Size; readonly registration: Registration } | undefined;

  constructor(
    readonly model: Model | undefined,
    readonly known: MediaCorrections,
  ) {
    this.metresPerUnit = known.metresPerUnit ?? model?.metresPerUnit ?? 0.001;
  }

  /** The intrinsics of depth images of that size, the same object each time. */
  lensFor({ width, height }: Size): Intrinsics {
    if (this.#lens && isSize(this.#lens, { width, height })) return this.#lens;
    const { known, model } = this;
    const assumed = model?.lens(width, height) ?? assumedLens(width, height);
    this.#lens = { ...assumed, ...known.intrinsics };
    this.#registration = undefined;
    return this.#lens;
  }

  frameOf({
    depth,
    width,
    height,
    color,
  }: Pixels): Pick<DepthFrame, "depth" | "metresPerUnit" | "intrinsics" | "color"> {
    const { metresPerUnit } = this;
    const intrinsics = this.lensFor({ width, height });
    const frame = { depth: image(depth, [height, width]), metresPerUnit, intrinsics };
    const registered = color && this.#registrationOf(intrinsics, color)?.register(depth, metresPerUnit, color.rgba);
    return registered ? { ...frame, color: image(registered, [height, width, 4]) } : frame;
  }

  #registrationOf(lens: Intrinsics, { width, height }: Size): Registration | undefined {
    const { model } = this;
    if (!model?.color || tooLargeToRegister(lens)) return undefined;
    if (!this.#registration || !isSize(this.#registration.of, { width, height })) {
      const { lens: colorLens, extrinsics } = model.color;
      const made = registration(lens, colorLens(width, height), extrinsics);
      this.#registration = { of: { width, height }, registration: made };
    }
    return this.#registration.registration;
  }

  /** Which of these facts are assumed and which were given. `colour` describes the colour image. */
  factsFor(size: Size, colour: string): Fact[] {
    const { known, model } = this;
    const byModel = model ? `of a ${model.name}` : `${ASSUMED_DEGREES}° horizontal field of view, square pixels`;
    const lens = this.lensFor(size);
    return [
      {
        what: "unit",
        value: unitText(this.metresPerUnit),
        from: known.metresPerUnit === undefined ? "assumed" : "option",
      },
      known.intrinsics
        ? { what: "intrinsics", value: cameraText(lens), from: "option" }
        : { what: "intrinsics", value: byModel, from: "assumed" },
      { what: "colour", value: colour, from: "header" },
    ];
  }
}
