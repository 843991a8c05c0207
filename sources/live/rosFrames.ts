import { messageOf } from "../../core/caught.ts";
import { type ColorArray, type FrameOrigin, type Intrinsics, image } from "../../core/frame.ts";
import { createDecoder } from "../decode/index.ts";
import { colorOf, isColor } from "../decode/pixels.ts";
import { depthFormatOf, scaledLens } from "../format/depthFormat.ts";
import type { Fact } from "../format/format.ts";
import { rayTurner } from "../format/rays.ts";
import { roleOfTopic } from "../format/roles.ts";
import { type Camera, cameraFor, cameraOf, lensOf } from "../messages/camera.ts";
import { owned, readDepth } from "../messages/depthImage.ts";
import type { Message } from "../messages/log.ts";
import { type Picture, pictureOf, stampFields } from "../messages/picture.ts";
import type { Arrival, Decoded } from "./intake.ts";
import { LivePair, nearestOf } from "./livePair.ts";
import { factsOf, type Host, optionsFor } from "./protocol.ts";

/** The unit of depth in whole numbers (REP 118), and the unit that depth in metres is converted to. */
const MILLIMETRES = 0.001;
/** The longest wait in ms for intrinsics that are announced and have not come. */
const LENS_MS = 2000;
/** The largest difference in ms between depth and the colour that belongs to it, and the longest that depth waits for colour. */
const TOGETHER_MS = 20;
/** Colour is said to come too late when so many images in a row came after the depth of their moment had gone on. */
const MANY_LATE = 3;
/** How many images of colour are kept: the one that belongs to depth may come before or after it. */
const KEPT = 4;

interface Colored {
  readonly stampMs: number;
  readonly picture: Picture;
  readonly where: `topic ${string}`;
}

interface Waiting extends Arrival {
  readonly stampMs: number;
  decode(color?: Colored): Promise<Decoded>;
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
  readonly #turnRays = rayTurner();
  /** The newest images of colour, oldest first. */
  #colors: Colored[] = [];
  /** The facts of the newest frame, and whether its lens was assumed. */
  #told: readonly Fact[] = [];
  #isAssumed = true;
  #pair: LivePair | undefined;
  /** The time of the newest depth, if it went on without colour, and the number of images in a row that came too late. */
  #bareMs: number | undefined;
  #late = 0;
  /** Depth whose colour or pair of images has not come yet. */
  #waiting: Waiting | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Host, facts: Fact[]) {
    this.#host = host;
    this.#facts = facts;
  }

  close(): void {
    this.rest();
    this.#decoder.close();
  }

  /** Forgets what waits: nothing is listened to any more. */
  rest(): void {
    clearTimeout(this.#timer);
    this.#waiting = undefined;
    this.#colors = [];
  }

  /** A topic of the lens is listened to from now on: depth waits for the first one. */
  listening(): void {
    this.#lensAwaited = this.#camera === undefined && this.#host.options.intrinsics === undefined;
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
    const where = `topic ${topic}` as const;
    const picture = pictureOf(message, where);
    if (this.#frameId !== undefined && picture.frameId !== this.#frameId) {
      this.#note({ what: "colour", value: "none: it comes from another camera than depth", from: where });
      return false;
    }
    const how = picture.coded ? picture.format : picture.encoding;
    if (picture.coded ? !/png|jpe?g/i.test(how) : !isColor(how)) {
      this.#note({ what: "colour", value: `none: images of "${how}" are not read`, from: where });
      return false;
    }
    const stampMs = stampMsOf(message, nanoseconds);
    this.#colors = [...this.#colors, { stampMs, picture, where }].slice(-KEPT);
    if (Math.abs(stampMs - (this.#bareMs ?? Infinity)) <= TOGETHER_MS && ++this.#late >= MANY_LATE) {
      const value = `none: its images come more than ${TOGETHER_MS} ms later than depth of the same moment, which has gone on`;
      this.#note({ what: "colour", value, from: where });
    }
    this.#hand(false);
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
  eye(side: number, message: Message, nanoseconds: bigint): void {
    this.#pair?.image(side, message, stampMsOf(message, nanoseconds));
    this.#hand(false);
  }

  /** Takes depth. It waits for its colour and for its images of a pair, if one is read: until the next depth at most, see `#hand`. */
  depth(message: Message, nanoseconds: bigint, topic: string): void {
    const { options } = this.#host;
    if (this.#lensAwaited && Date.now() - this.#since < LENS_MS) return;
    const where = `topic ${topic}` as const;
    const picture = pictureOf(message, where);
    this.#frameId = picture.frameId;
    this.#colors = this.#colors.filter((color) => color.picture.frameId === picture.frameId);
    const unit = options.metresPerUnit ?? MILLIMETRES;
    const stamp = stampOf(message);
    const stampMs = stampMsOf(message, nanoseconds);
    const isMetric = /^32fc1/i.test(picture.coded ? picture.format : picture.encoding);
    const encoding: FrameOrigin["encoding"] = isMetric ? "32FC1" : "16UC1";
    const decode = async (color?: Colored) => {
      const { data, width, height } = await readDepth(
        picture,
        { metresPerUnit: unit, metresPerFloat: 1 },
        this.#decoder,
        where,
      );
      const colored = color && (await this.#decodeColor(color, width, height));
      if (color && typeof colored === "string")
        this.#note({ what: "colour", value: `none: ${colored}`, from: color.where });
      else if (colored) this.#forget("colour");
      const lens = this.#lensFor({ name: topic, frameId: picture.frameId, width, height });
      const intrinsics = lens ?? depthFormatOf(options, undefined, {}, []).intrinsics(width, height);
      this.#addFacts(unit, intrinsics, lens === undefined);
      if (roleOfTopic(topic) === "ray") {
        this.#turnRays(data, intrinsics);
        this.#note({
          what: "unit",
          value: "lengths of rays by its name, turned into depth along the axis",
          from: where,
        });
      }
      return {
        depth: image(data, [height, width]),
        metresPerUnit: unit,
        intrinsics,
        ...(typeof colored === "object" && { color: colored }),
        ...(stamp && { origin: { topic, frameId: picture.frameId, encoding, stamp } }),
      };
    };
    this.#hand(true);
    this.#waiting = { stampMs, sentMs: Number(nanoseconds / 1000n) / 1000, decode };
    this.#hand(false);
    if (this.#waiting && !this.#pair) this.#timer = setTimeout(() => this.#hand(true), TOGETHER_MS);
  }

  /**
   * Hands on the depth that waits, once its colour and the images of its pair are here, or without them where depth `isLate`: the next one
   * has come or, if no pair is read, `TOGETHER_MS` have passed.
   */
  #hand(isLate: boolean): void {
    const [waiting, pair] = [this.#waiting, this.#pair];
    if (!waiting) return;
    const images = pair?.at(waiting.stampMs);
    if (!isLate && (typeof images === "string" || this.#isColorDue(waiting.stampMs))) return;
    clearTimeout(this.#timer);
    this.#waiting = undefined;
    const nearest = nearestOf(this.#colors, waiting.stampMs);
    const color = nearest && Math.abs(nearest.stampMs - waiting.stampMs) <= TOGETHER_MS ? nearest : undefined;
    this.#bareMs = color ? undefined : waiting.stampMs;
    if (color) this.#late = 0;
    const decode = async (): Promise<Decoded> => {
      const frame = await waiting.decode(color);
      if (!pair || images === undefined) return frame;
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

  /** Whether the next image of colour will be nearer to depth of this time than those that are here, if colour goes on as evenly as now. */
  #isColorDue(stampMs: number): boolean {
    const times = this.#colors.map((one) => one.stampMs);
    const due = Math.min(...times.slice(1).map((time, i) => time - times[i])) + (times.at(-1) ?? 0);
    return Math.abs(due - stampMs) < Math.min(TOGETHER_MS, ...times.map((time) => Math.abs(time - stampMs)));
  }

  #notePair(value: string): void {
    this.#note({ what: "pair", value, from: "files" });
  }

  /** Colour is optional: a text says why an image cannot be used, and depth goes without it. */
  async #decodeColor({ picture, where }: Colored, width: number, height: number): Promise<ColorArray | string> {
    try {
      const found = picture.coded ? await this.#decoder.color(owned(picture.data), where) : colorOf(picture, where);
      if (typeof found === "string") return found;
      const isOther = found.width !== width || found.height !== height;
      return isOther
        ? `its images have ${found.width}×${found.height} pixels, and depth has ${width}×${height}`
        : image(found.data, [height, width, 4]);
    } catch (error) {
      return messageOf(error);
    }
  }

  /** The lens for images of that size, found as for recordings; `undefined` if the stream tells none, or if the options give one. */
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

  #forget(kind: Fact["what"]): void {
    const kept = this.#facts.filter(({ what }) => what !== kind);
    this.#facts.splice(0, Infinity, ...kept);
  }

  #addFacts(unit: number, intrinsics: Intrinsics, isAssumed: boolean): void {
    this.#isAssumed = isAssumed;
    const says = (what: Fact["what"]) => what === "unit" || (what === "intrinsics" && !isAssumed);
    const others = this.#facts.filter((fact) => !this.#told.includes(fact));
    this.#told = factsOf({ metresPerUnit: unit, intrinsics }, optionsFor(this.#host.options, says), says);
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
