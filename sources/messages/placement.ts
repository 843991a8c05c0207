import { chained, inverse, rotationOf, SAME_PLACE } from "../../core/calibration/extrinsics.ts";
import type { Extrinsics } from "../../core/calibration/register.ts";
import type { Message, MessageLog } from "./log.ts";
import { numberOf, objectOf, stampOf } from "./picture.ts";

/** The position and rotation of one camera relative to another, from the file. */
export interface Placement {
  readonly extrinsics: Extrinsics;
  /** The topics that the placement comes from. */
  readonly from: string;
}

/** A transform between two named frames. */
export interface Edge {
  readonly parent: string;
  readonly child: string;
  /** Maps points of the child frame to the parent frame. */
  readonly toParent: Extrinsics;
  /** The placement's own time stamp in ms. */
  readonly stamp?: number;
}

const STATIC = /(^|\/)tf_static$/;
/** The most messages read from a topic of transforms, and the most transforms held; a robot has some hundreds. */
const MAX_READ = 64;
const MAX_HELD = 20_000;

/** The static transforms, keyed by the frame that they start from; `from` names their topics. */
export interface StaticFrames {
  readonly from: string;
  readonly steps: ReadonlyMap<string, readonly FrameLink[]>;
}

/** A transform from a frame to a neighbouring one. */
interface FrameLink {
  readonly to: string;
  readonly way: Extrinsics;
}

/** Static transforms by the frames that they start from. */
export function framesBy(edges: readonly Edge[], from: string): StaticFrames {
  const steps = new Map<string, FrameLink[]>();
  const add = (from: string, step: FrameLink) => {
    const known = steps.get(from);
    if (known) known.push(step);
    else steps.set(from, [step]);
  };
  for (const { parent, child, toParent } of edges) {
    add(child, { to: parent, way: toParent });
    add(parent, { to: child, way: inverse(toParent) });
  }
  return { from, steps };
}

/** Reads the static transforms (ROS' `tf_static`) and adds those of `more`. */
export async function staticFrames(log: MessageLog, more: readonly Edge[] = []): Promise<StaticFrames> {
  const all = [...more];
  const topics = log.topics.filter(({ name, type }) => type.endsWith("/TFMessage") && STATIC.test(name));
  let held = 0;
  for (const topic of topics) {
    for (let i = 0; i < Math.min(topic.count, MAX_READ) && held < MAX_HELD; i++) {
      const edges = await log.peek(topic, i, (message) => edgesOf(message, `${log.name}, ${topic.name}`));
      held += edges.length;
      for (const edge of edges.slice(0, MAX_HELD)) all.push(edge);
    }
  }
  return framesBy(all, topics.map(({ name }) => name).join(", ") || "the images' own transforms");
}

/** The transform from one named frame to another, chained from static transforms; `undefined` where the two are not connected. */
export function placementByFrames(frames: StaticFrames, from: string, to: string): Placement | undefined {
  const way = findWay(frames, from.replace(/^\//, ""), to.replace(/^\//, ""));
  return way && { extrinsics: way, from: frames.from };
}

/** The transforms of a `TFMessage`, or the place of an `Odometry` or `PoseStamped`. Throws a `SourceError` where a number is missing. */
export function edgesOf(message: Message, where: string): Edge[] {
  const { transforms } = message;
  if (transforms === undefined && message.pose !== undefined) {
    const { position, orientation } = objectOf(objectOf(message.pose).pose ?? message.pose);
    return [
      {
        parent: nameOf(objectOf(message.header).frame_id),
        child: nameOf(message.child_frame_id),
        toParent: extrinsicsOf({ translation: position, rotation: orientation }, where),
        stamp: stampOf(message),
      },
    ];
  }
  if (!Array.isArray(transforms)) return [];
  return transforms.map((one: Message) => ({
    parent: nameOf(objectOf(one.header).frame_id),
    child: nameOf(one.child_frame_id),
    toParent: extrinsicsOf(objectOf(one.transform), where),
    stamp: stampOf(one),
  }));
}

const nameOf = (value: unknown): string => (typeof value === "string" ? value.replace(/^\//, "") : "");

/** Chains transforms by breadth-first search, so that the fewest are chained. */
function findWay({ steps }: StaticFrames, from: string, to: string): Extrinsics | undefined {
  const found = new Map<string, Extrinsics>([[from, SAME_PLACE]]);
  for (const [frame, way] of found) {
    if (frame === to) return way;
    for (const step of steps.get(frame) ?? []) if (!found.has(step.to)) found.set(step.to, chained(way, step.way));
  }
  return undefined;
}

/** Reads a `geometry_msgs/Transform`. Throws a `SourceError` where a number is missing. */
export function extrinsicsOf(transform: Message, where: string): Extrinsics {
  const [t, q] = [objectOf(transform.translation), objectOf(transform.rotation)];
  const number = (value: unknown) => numberOf(value, "transform", where);
  const length = Math.hypot(number(q.x), number(q.y), number(q.z), number(q.w));
  const [x, y, z, w] = [q.x, q.y, q.z, q.w].map((value) => (length > 0 ? number(value) / length : 0));
  return { rotation: rotationOf(x, y, z, w), translation: [number(t.x), number(t.y), number(t.z)] };
}
