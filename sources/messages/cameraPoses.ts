import { chained, extrinsicsFrom, matrixOf, rigidOf, SAME_PLACE } from "../../core/calibration/extrinsics.ts";
import type { Extrinsics } from "../../core/calibration/register.ts";
import { isPartial } from "../../core/parseBudget.ts";
import { poseBetween } from "../../core/pose.ts";
import type { Pose } from "../format/format.ts";
import type { MessageLog, Topic } from "./log.ts";
import { type Edge, edgesOf } from "./placement.ts";
import { clockFrom, FAR } from "./stamps.ts";

/** Types of messages that tell the place of one thing, the surest first. */
const TRACKED = ["nav_msgs/Odometry", "geometry_msgs/PoseWithCovarianceStamped", "geometry_msgs/PoseStamped"];
/** A body looks along x with z up, a camera's image along z with y down (REP 103). */
const OPTICAL: Extrinsics = { rotation: [0, 0, 1, -1, 0, 0, 0, -1, 0], translation: [0, 0, 0] };
const TRANSFORMS = /(^|\/)tf(_static)?$/;
/** Where a transform is not interpolated, its nearest message counts for this long, in ms, as in the TUM benchmark. */
const APART_MS = 20;
/** Between two transforms poses are interpolated if the gap is at most this long: in ms, and in medians of the link's gaps. */
const PAUSE_MS = 2000;
const PAUSE = 1.5;
/** The most messages that are read, and more for each depth image: robots send some ten transforms in the time of one. */
const MAX_READ = 50_000;
const PER_IMAGE = 20;
/** The most transforms that are held, and the most frames between the camera and the world. */
const MAX_HELD = 500_000;
const MAX_STEPS = 64;

/** The transforms from one frame to its parent, in the order of their times; a fixed one has one time. */
interface Way {
  readonly parent: string;
  readonly fixed: boolean;
  readonly times: number[];
  readonly edges: Extrinsics[];
  /** Two transforms farther apart than this, in ms, say nothing of the time between them: one is missing. */
  readonly pause: number;
}

/**
 * The camera's poses, from ROS' `tf` and `tf_static`: the transforms from the frame of the depth images through all its parents to the last
 * one, multiplied. A transform that moves is interpolated between two messages, as by ROS' tf2. `undefined` where none of them moves; the
 * result gives the pose at a time in ms. Times are those of the messages on the clock of `depthLag`, which is the lag of the depth images.
 */
export async function posesOf(log: MessageLog, frameId: string, depthLag: number, images: number) {
  const topics = log.topics.filter(
    ({ name, type, count }) => type.endsWith("/TFMessage") && TRANSFORMS.test(name) && count > 0,
  );
  const tracked = TRACKED.flatMap((type) => log.topics.filter((topic) => topic.type === type && topic.count > 0)).at(0);
  const isMoving = frameId !== "" && topics.some(({ name }) => name.endsWith("tf"));
  if (!isMoving && !tracked) return undefined;
  const camera = frameId.replace(/^\//, "");
  let ways: Promise<readonly Way[]> | undefined;
  return async (ms: number): Promise<Pose | undefined> => {
    ways ??= (async () => {
      const found = isMoving ? await wayOf(log, topics, camera, depthLag, images) : [];
      return found.length > 0 || !tracked ? found : wayOf(log, [...topics, tracked], camera, depthLag, images, tracked);
    })();
    let pose: Extrinsics | undefined;
    for (const way of await ways) {
      const step = at(way, ms);
      if (!step) return undefined;
      pose = pose ? chained(pose, step) : step;
    }
    return pose && matrixOf(pose);
  };
}

/** The transforms from the camera's frame up to the last parent; none where nothing on that way moves. */
async function wayOf(
  log: MessageLog,
  topics: readonly Topic[],
  camera: string,
  depthLag: number,
  images: number,
  tracked?: Topic,
): Promise<readonly Way[]> {
  const parents = await collect(log, topics, MAX_READ + PER_IMAGE * images);
  if (tracked) attach(log, parents, camera, tracked);
  const ways: Way[] = [];
  const seen = new Set([camera]);
  for (let next = parents.get(camera); next && ways.length < MAX_STEPS; next = parents.get(next.parent)) {
    // Frames that are each other's parents have no last one: the way ends where it would go round.
    if (seen.has(next.parent)) break;
    seen.add(next.parent);
    ways.push(timed(next, depthLag));
  }
  return ways.some(({ fixed }) => !fixed) ? ways : [];
}

/**
 * Joins the camera's frame to the frame whose poses `tracked` tells, where no transform joins them. A warning says that the camera is
 * assumed to stand at the origin of the tracked frame, and to look along the x axis of that frame.
 */
function attach(log: MessageLog, parents: Map<string, Collected>, camera: string, tracked: Topic): void {
  const child = [...parents].find(([, { by }]) => by === tracked)?.[0];
  if (child === undefined) return;
  let last = camera;
  for (let i = 0; i < MAX_STEPS && last !== child; i++) {
    const next = parents.get(last)?.parent;
    if (next === undefined) break;
    last = next;
  }
  if (last === child) return;
  const isBody = last === camera && !/optical/i.test(child);
  parents.set(last, {
    by: tracked,
    parent: child,
    fixed: true,
    logged: [0],
    edges: [{ parent: child, child: last, toParent: isBody ? OPTICAL : SAME_PLACE }],
  });
  log.warnings.push(
    `${log.name}: poses are those of ${tracked.name}${child === tracked.name ? "" : ` (${child})`}, and nothing says how the camera is fixed to it: it is taken to sit there${isBody ? ", looking along x with z up" : ""}`,
  );
}

/** The transforms of one frame with the recorder's times, in that order. */
interface Collected {
  /** The topic that they come from. */
  readonly by: Topic;
  readonly parent: string;
  readonly fixed: boolean;
  readonly logged: number[];
  readonly edges: Edge[];
}

/** Reads all transforms, those that move first: a frame has the parent that it is seen with first. */
async function collect(log: MessageLog, topics: readonly Topic[], most: number): Promise<Map<string, Collected>> {
  const parents = new Map<string, Collected>();
  let [held, read, damaged] = [0, 0, false];
  for (const topic of topics.toSorted((a, b) => a.name.length - b.name.length)) {
    const fixed = topic.name.endsWith("_static");
    const times = await log.times(topic);
    for (let i = 0; i < times.length && held < MAX_HELD && read++ < most; i++) {
      try {
        const edges = await log.read(topic, i, (message) =>
          edgesOf(message, `${log.name}, ${topic.name}, message ${i}`),
        );
        held += edges.length;
        for (const edge of edges) {
          const child = edge.child || topic.name;
          const known = parents.get(child) ?? { by: topic, parent: edge.parent, fixed, logged: [], edges: [] };
          if (known.parent !== edge.parent || known.fixed !== fixed || (fixed && known.edges.length > 0)) continue;
          known.logged.push(times[i]);
          known.edges.push(edge);
          parents.set(child, known);
        }
      } catch (error) {
        if (!isPartial(error)) throw error;
        if (!damaged) log.warnings.push(`${error.message} (its transforms are not used)`);
        damaged = true;
      }
    }
  }
  if (held >= MAX_HELD || read > most)
    log.warnings.push(
      `${log.name}: of its transforms the first ${held} are read: later frames have no pose; split the file`,
    );
  return parents;
}

/** The transforms sorted by the sensor's times, on the clock of the depth images. */
function timed({ parent, fixed, logged, edges }: Collected, depthLag: number): Way {
  const clock = clockFrom(
    Float64Array.from(logged),
    Float64Array.from(edges, ({ stamp = Number.NaN }) => stamp),
  );
  const apart = clock.lag - depthLag;
  const shift = Math.abs(apart) < FAR ? 0 : apart;
  const steps = Array.from(clock.times.subarray(1), (ms, i) => ms - clock.times[i]).sort((a, b) => a - b);
  return {
    pause: Math.min(PAUSE_MS, PAUSE * (steps[(steps.length - 1) >> 1] ?? 0)),
    parent,
    fixed,
    times: Array.from(clock.times, (ms) => ms + shift),
    edges: Array.from(clock.order, (i) => edges[i].toParent),
  };
}

function at({ fixed, times, edges, pause }: Way, ms: number): Extrinsics | undefined {
  if (fixed) return edges[0];
  const next = times.findLastIndex((time) => time <= ms) + 1;
  const [before, after] = [times[next - 1], times[next]];
  if (before === ms) return edges[next - 1];
  if (before !== undefined && after !== undefined && after - before <= pause)
    return extrinsicsFrom(
      poseBetween(rigidOf(edges[next - 1]), rigidOf(edges[next]), (ms - before) / (after - before)),
    );
  const near = Math.abs(before - ms) <= Math.abs(after - ms) || after === undefined ? next - 1 : next;
  return Math.abs(times[near] - ms) <= APART_MS ? edges[near] : undefined;
}
