import type { Extrinsics } from "../../calibration/register.ts";
import type { Message, MessageLog } from "./log.ts";
import { numberOf } from "./picture.ts";

/** How cameras stand to each other, as the file tells it. */
export interface Placement {
  readonly extrinsics: Extrinsics;
  /** Which topics say so. */
  readonly from: string;
}

interface Edge {
  readonly parent: string;
  readonly child: string;
  /** From the child's frame to the parent's. */
  readonly toParent: Extrinsics;
}

const STATIC = /(^|\/)tf_static$/;
const MAX_READ = 64;

/** Frames by their names (ROS' tf): the way from one to another by the transforms that do not move. */
export async function placementByFrames(log: MessageLog, from: string, to: string): Promise<Placement | undefined> {
  const edges: Edge[] = [];
  const topics = log.topics.filter(({ name, type }) => type.endsWith("/TFMessage") && STATIC.test(name));
  for (const topic of topics) {
    for (let i = 0; i < Math.min(topic.count, MAX_READ); i++) {
      edges.push(...(await log.peek(topic, i, (message) => edgesOf(message, `${log.name}, ${topic.name}`))));
    }
  }
  const way = findWay(edges, from.replace(/^\//, ""), to.replace(/^\//, ""));
  return way && { extrinsics: way, from: topics.map(({ name }) => name).join(", ") };
}

function edgesOf(message: Message, where: string): Edge[] {
  const { transforms } = message;
  if (!Array.isArray(transforms)) return [];
  return transforms.map((one: Message) => ({
    parent: nameOf(objectOf(one.header).frame_id),
    child: nameOf(one.child_frame_id),
    toParent: extrinsicsOf(objectOf(one.transform), where),
  }));
}

const nameOf = (value: unknown): string => (typeof value === "string" ? value.replace(/^\//, "") : "");
const objectOf = (value: unknown): Message => (typeof value === "object" && value !== null ? { ...value } : {});

/** Breadth first, so that the way is the shortest. */
function findWay(edges: readonly Edge[], from: string, to: string): Extrinsics | undefined {
  const found = new Map<string, Extrinsics>([[from, IDENTITY]]);
  for (const [frame, way] of found) {
    if (frame === to) return way;
    for (const { parent, child, toParent } of edges) {
      if (child === frame && !found.has(parent)) found.set(parent, chained(way, toParent));
      if (parent === frame && !found.has(child)) found.set(child, chained(way, inverse(toParent)));
    }
  }
  return undefined;
}

const IDENTITY: Extrinsics = { rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], translation: [0, 0, 0] };

/** A `geometry_msgs/Transform`. */
export function extrinsicsOf(transform: Message, where: string): Extrinsics {
  const [t, q] = [objectOf(transform.translation), objectOf(transform.rotation)];
  const number = (value: unknown) => numberOf(value, "transform", where);
  const length = Math.hypot(number(q.x), number(q.y), number(q.z), number(q.w));
  const [x, y, z, w] = [q.x, q.y, q.z, q.w].map((value) => (length > 0 ? number(value) / length : 0));
  return {
    rotation: [
      ...[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
      ...[2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
      ...[2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ],
    translation: [number(t.x), number(t.y), number(t.z)],
  };
}

/** First `a`, then `b`. */
export function chained(a: Extrinsics, b: Extrinsics): Extrinsics {
  const rows = [0, 3, 6];
  const rotation = rows.flatMap((row) =>
    [0, 1, 2].map((column) => [0, 1, 2].reduce((sum, k) => sum + b.rotation[row + k] * a.rotation[3 * k + column], 0)),
  );
  const translation = turned(b.rotation, a.translation).map((value, i) => value + b.translation[i]);
  return { rotation, translation };
}

export function inverse({ rotation: r, translation }: Extrinsics): Extrinsics {
  const rotation = [r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]];
  return { rotation, translation: turned(rotation, translation).map((value) => -value) };
}

const turned = (r: readonly number[], v: readonly number[]): number[] =>
  [0, 3, 6].map((row) => r[row] * v[0] + r[row + 1] * v[1] + r[row + 2] * v[2]);
