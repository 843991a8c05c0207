import { type ColorArray, type FrameOrigin, type Intrinsics, image } from "../../core/frame.ts";
import { createDecoder } from "../decode/index.ts";
import { colorOf, isColor } from "../decode/pixels.ts";
import { depthFormatOf, scaledLens } from "../format/depthFormat.ts";
import type { Fact } from "../format/format.ts";
import { type Camera, cameraFor, cameraOf, lensOf } from "../messages/camera.ts";
import { owned, readDepth } from "../messages/depthImage.ts";
import type { Message } from "../messages/log.ts";
import { type Picture, pictureOf, stampFields } from "../messages/picture.ts";
import type { Arrival, Decoded } from "./intake.ts";
import { LivePair } from "./livePair.ts";
import { firstFacts, type Host } from "./protocol.ts";

/** The unit of depth in whole numbers (REP 118), and the unit that depth in metres is converted to. */
const MILLIMETRES = 0.001;
/** The longest wait in ms for intrinsics that are announced and have not come. */
const LENS_MS = 2000;
/** The largest difference in ms between depth and the colour that belongs to it. */
const TOGETHER_MS = 20;

interface Colored {
  readonly stampMs: number;
  readonly picture: Picture;
  readonly where: string;
}

/** Makes frames from messages of ROS or Foxglove. Each method throws an error that says what is wrong with its message. */
export class RosFrames {
  #lensAwaited = false;
  readonly #host: Host;
  readonly #facts: Fact[];
  readonly #decoder = createDecoder();
  #since = 0;
  #camera: Camera | undefined;
  #frameId: string | undefined;
  #color: Colored | undefined;
  /** The facts of the first frame, and whether its lens was assumed. */
  #told: readonly Fact[] = [];
  #isAssumed = true;
  #pair: LivePair | undefined;
  /** Depth whose pair of images has not come yet. */
  #waiting: (Arrival & { readonly stampMs: number; decode(): Promise<Decoded> }) | undefined;

  constructor(host: Host, facts: Fact[]) {
    this.#host = host;
    this.#facts = facts;
  }

  close(): void {
    this.#decoder.close();
  }

  /** Begins to wait for the lens where a topic is about to give the first one. */
  listening(hasLens: boolean): void {
    this.#lensAwaited = hasLens && this.#camera === undefined && this.#host.options.intrinsics === undefined;
    this.#since = Date.now();
  }

  lens(message: Message, topic: string): void {
    const warnings: string[] = [];
    this.#camera = cameraOf(message, topic, `topic ${topic}`, warnings);
    this.#lensAwaited = false;
    if (!this.#isAssumed) return;
    for (const value of warnings) this.#note({ what: "intrinsics", value, from: `topic ${topic}` });
  }

  /** Takes a colour image. Returns false if the image is not the depth camera's: the topic's colours then fit no depth. */
  color(message: Message, nanoseconds: bigint, topic: string): boolean {
    const where = `topic ${topic}`;
    const picture = pictureOf(message, where);
    if (this.#frameId !== undefined && picture.frameId !== this.#frameId) {
      this.#note({ what: "colour", value: "none: it comes from another camera than depth", from: `topic ${topic}` });
      return false;
    }
    const how = picture.coded ? picture.format : picture.encoding;
    if (picture.coded ? !/png|jpe?g/i.test(how) : !isColor(how)) {
      this.#note({ what: "colour", value: `none: images of "${how}" are not read`, from: `topic ${topic}` });
      return false;
    }
    this.#color = { stampMs: stampMsOf(message, nanoseconds), picture, where };
    return true;
  }

  /** From this call on frames get the images of two infrared topics; with fewer topics frames have no pair, and a fact says so. */
  pairOf(topics: readonly string[]): LivePair | undefined {
    const [one, other] = topics;
    this.#pair = one !== undefined && other !== undefined ? new LivePair([one, other]) : undefined;
    if (!this.#pair) this.#notePair("none: the server offers no two infrared topics with intrinsics");
    return this.#pair;
  }

  /** Takes an image of one of the pair's cameras. */
  eye(side: 0 | 1, message: Message, nanoseconds: bigint): void {
    this.#pair?.image(side, message, stampMsOf(message, nanoseconds));
    this.#hand(false);
  }

  /** Takes depth. If a pair is read, depth waits for its images, until the next depth at most. */
  depth(message: Message, nanoseconds: bigint, topic: string): void {
    const { intake, options } = this.#host;
    if (this.#lensAwaited && Date.now() - this.#since < LENS_MS) return;
    const where = `topic ${topic}`;
    const picture = pictureOf(message, where);
    this.#frameId = picture.frameId;
    const unit = options.metresPerUnit ?? MILLIMETRES;
    const stamp = stampOf(message);
    const stampMs = stampMsOf(message, nanoseconds);
    const isMetric = /^32fc1/i.test(picture.coded ? picture.format : picture.encoding);
    const encoding: FrameOrigin["encoding"] = isMetric ? "32FC1" : "16UC1";
    const color = this.#color;
    const decode = async () => {
      const { data, width, height } = await readDepth(
        picture,
        { metresPerUnit: unit, metresPerFloat: 1 },
        this.#decoder,
        where,
      );
      const together =
        color && color.picture.frameId === picture.frameId && Math.abs(color.stampMs - stampMs) <= TOGETHER_MS;
      const colored = together ? await this.#decodeColor(color, width, height) : undefined;
      const lens = this.#lensFor({ name: topic, frameId: picture.frameId, width, height });
      const intrinsics = lens ?? depthFormatOf(options, undefined, {}, []).intrinsics(width, height);
      this.#addFacts(unit, intrinsics, lens === undefined);
      return {
        depth: image(data, [height, width]),
        metresPerUnit: unit,
        intrinsics,
        ...(colored && { color: colored }),
        ...(stamp && { origin: { topic, frameId: picture.frameId, encoding, stamp } }),
      };
    };
    const arrival = { stampMs, sentMs: Number(nanoseconds / 1000n) / 1000, decode };
    if (!this.#pair) {
      intake.take(arrival);
      return;
    }
    this.#hand(true);
    this.#waiting = arrival;
    this.#hand(false);
  }

  /** Hands on the depth that waits, once its images are here, or without them where depth `isLate`. */
  #hand(isLate: boolean): void {
    const [waiting, pair] = [this.#waiting, this.#pair];
    if (!waiting || !pair) return;
    const images = pair.at(waiting.stampMs);
    if (typeof images === "string" && !isLate) return;
    this.#waiting = undefined;
    const decode = async (): Promise<Decoded> => {
      const frame = await waiting.decode();
      // The pair is optional: a fault in its images is no fault of the frame.
      const found =
        typeof images === "string"
          ? images
          : await pair.read(images, frame.intrinsics, this.#decoder).catch((error: Error) => error.message);
      this.#notePair(typeof found === "string" ? `none: ${found}` : pair.summary);
      return typeof found === "string" ? frame : { ...frame, pair: found };
    };
    this.#host.intake.take({ ...waiting, decode });
  }

  #notePair(value: string): void {
    this.#note({ what: "pair", value, from: "files" });
  }

  async #decodeColor({ picture, where }: Colored, width: number, height: number): Promise<ColorArray | undefined> {
    const found = picture.coded ? await this.#decoder.color(owned(picture.data), where) : colorOf(picture, where);
    if (typeof found === "string" || found.width !== width || found.height !== height) return undefined;
    return image(found.data, [height, width, 4]);
  }

  /** The lens of images of that size, as recordings find it; `undefined` where none is told or another one is given. */
  #lensFor(image: Parameters<typeof cameraFor>[0]): Intrinsics | undefined {
    const [camera, { options }] = [this.#camera, this.#host];
    if (options.intrinsics !== undefined || !camera) return undefined;
    const { width, height } = camera.intrinsics;
    const isOwnSize = width === image.width && height === image.height;
    if (isOwnSize || cameraFor(image, [camera]))
      return scaledLens(lensOf(camera, image.name), image.width, image.height);
    const value = `not used: it is for ${width}×${height} of frame "${camera.frameId}", depth has ${image.width}×${image.height} of "${image.frameId}"`;
    this.#note({ what: "intrinsics", value, from: `topic ${camera.topic}` });
    return undefined;
  }

  /** Keeps one fact per kind and topic: intrinsics may come with each frame, and differ each time. */
  #note(fact: Fact): void {
    const at = this.#facts.findIndex(({ what, from }) => what === fact.what && from === fact.from);
    this.#facts.splice(at < 0 ? this.#facts.length : at, 1, fact);
  }

  #addFacts(unit: number, intrinsics: Intrinsics, isAssumed: boolean): void {
    if (this.#facts.includes(this.#told[0]) && isAssumed === this.#isAssumed) return;
    this.#isAssumed = isAssumed;
    const says = (what: Fact["what"]) => what === "unit" || (what === "intrinsics" && !isAssumed);
    const others = this.#facts.filter((fact) => !this.#told.includes(fact));
    this.#told = firstFacts({ metresPerUnit: unit, intrinsics }, this.#host.options, says);
    this.#facts.splice(0, Infinity, ...others, ...this.#told);
  }
}

/** The time of a message in ms: its own time stamp, else the time of sending. */
function stampMsOf(message: Message, nanoseconds: bigint): number {
  const { sec = 0, nanosec = 0 } = stampOf(message) ?? {};
  return sec * 1000 + nanosec / 1e6 || Number(nanoseconds / 1000n) / 1000;
}

/** The message's own time stamp, where it has one after 1970. */
function stampOf(message: Message): FrameOrigin["stamp"] | undefined {
  const { sec, nanosec } = stampFields(message);
  return sec >= 0 && sec + nanosec > 0 && Number.isFinite(sec + nanosec) ? { sec, nanosec } : undefined;
}
