import { type Intrinsics, image, type StereoPair } from "../../core/frame.ts";
import type { Decoder } from "../decode/index.ts";
import { type Camera, cameraOf, lensOf } from "../messages/camera.ts";
import { greyOf } from "../messages/extras.ts";
import type { Message } from "../messages/log.ts";
import { elsewhere, type Found, placedPair, type Side, seesAlike, summaryOf, TOGETHER_MS } from "../messages/pair.ts";
import { type Picture, pictureOf, unpackedPicture } from "../messages/picture.ts";
import { type Edge, edgesOf, framesBy, placementByFrames } from "../messages/placement.ts";

/** How many images of each camera are kept: the images that belong to a depth frame may come before or after it. */
const KEPT = 4;
/** The most transforms that are kept; a robot has some hundreds. */
const MOST_EDGES = 20_000;

interface Seen {
  readonly stampMs: number;
  readonly picture: Picture;
}

interface Eye {
  readonly topic: string;
  readonly seen: Seen[];
  camera: Camera | undefined;
}

/** The two images of one moment, in the order of their topics. */
export type Images = readonly [Seen, Seen];

/** Finds the two infrared images of depth's time among the messages of their topics, and how their cameras stand. */
export class LivePair {
  readonly #eyes: readonly [Eye, Eye];
  readonly #edges: Edge[] = [];
  #placed: { readonly found: Found; readonly left: 0 | 1 } | undefined;

  constructor(topics: readonly [string, string]) {
    const eyeOf = (topic: string): Eye => ({ topic, seen: [], camera: undefined });
    this.#eyes = [eyeOf(topics[0]), eyeOf(topics[1])];
  }

  lens(side: number, message: Message, topic: string): void {
    this.#eyes[side].camera ??= cameraOf(message, topic, `topic ${topic}`, []);
  }

  transforms(message: Message, topic: string): void {
    for (const edge of edgesOf(message, `topic ${topic}`)) if (this.#edges.length < MOST_EDGES) this.#edges.push(edge);
  }

  image(side: number, message: Message, stampMs: number): void {
    const { topic, seen } = this.#eyes[side];
    seen.push({ stampMs, picture: pictureOf(message, `topic ${topic}`) });
    if (seen.length > KEPT) seen.shift();
  }

  /** The two images taken when depth was; a text says what is wrong with the images that came until now. */
  at(stampMs: number): Images | string {
    const [one, other] = this.#eyes.map(({ seen }) => nearestOf(seen, stampMs));
    if (!one || !other) return "one of the pair's two images is missing";
    const apart = Math.max(...[one, other].map((seen) => Math.abs(seen.stampMs - stampMs)));
    return apart <= TOGETHER_MS
      ? [one, other]
      : `an image of the pair is ${Math.round(apart)} ms from depth: frames out of step have no pair`;
  }

  /** Decodes images that belong to depth with this lens. A text says why they are no pair. */
  async read(images: Images, lens: Intrinsics, decoder: Decoder): Promise<StereoPair | string> {
    const placed = this.#place(images);
    if (typeof placed === "string") return placed;
    const { left, found } = placed;
    const { left: turnLeft, right: turnRight, lens: _, ...place } = found;
    if (!seesAlike(lens, found)) return elsewhere(this.#eyes[left].topic);
    const read = async (side: number) => {
      const where = `topic ${this.#eyes[side].topic}`;
      const grey = await greyOf(await unpackedPicture(images[side].picture, where), decoder, where);
      return grey && image(grey.data, [grey.height, grey.width]);
    };
    const [one, other] = [await read(left), await read(1 - left)];
    const fits = [one, other].every((side) => side?.shape[0] === lens.height && side.shape[1] === lens.width);
    if (!one || !other || !fits) return "the pair's images are not grey, or not of depth's size";
    return { left: turnLeft?.(one) ?? one, right: turnRight?.(other) ?? other, ...place };
  }

  /** What is known of the pair, for people. */
  get summary(): string {
    const { left, found } = this.#placed ?? {};
    if (left === undefined || !found) return "";
    return summaryOf(this.#eyes[left].topic, this.#eyes[1 - left].topic, found.baselineM, found.left !== undefined);
  }

  /** How the two cameras stand and which one is the left one, once their messages tell. */
  #place(images: Images) {
    if (this.#placed) return this.#placed;
    const sides = this.#eyes.flatMap(({ topic, camera }): Side[] =>
      camera ? [{ name: topic, camera, lens: lensOf(camera, topic) }] : [],
    );
    if (sides.length < 2) return "the lenses of the pair's cameras are not known";
    const frames = framesBy(this.#edges, "tf_static");
    let reason = `the server does not say where the cameras of ${sides.map(({ name }) => name).join(", ")} are`;
    for (const left of [0, 1] as const) {
      const [from, to] = [images[left], images[1 - left]].map(({ picture }) => picture.frameId);
      const way = from === to ? undefined : placementByFrames(frames, from, to)?.extrinsics;
      const found = placedPair(sides[left], sides[1 - left], way);
      if (typeof found === "string") reason = found;
      if (typeof found !== "object") continue;
      this.#placed = { found, left };
      return this.#placed;
    }
    return reason;
  }
}

/** The image whose time is the nearest to this one; the first of two as near. */
export function nearestOf<T extends Pick<Seen, "stampMs">>(seen: readonly T[], stampMs: number): T | undefined {
  const away = (one: T) => Math.abs(one.stampMs - stampMs);
  return seen.reduce<T | undefined>((best, one) => (best && away(best) <= away(one) ? best : one), undefined);
}
