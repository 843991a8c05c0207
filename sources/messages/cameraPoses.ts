import type { Extrinsics } from "../calibration/register.ts";
import { nearest } from "../core/associate.ts";
import { isPartial } from "../core/effort.ts";
import type { Pose } from "../recorded/format.ts";
import type { MessageLog, Topic } from "./log.ts";
import { edgesOf } from "./placement.ts";

const MOVING = /(^|\/)tf$/;
/** The most first messages in which the camera's frame is looked for: others may come in between, of a robot's joints. */
const LOOKED_AT = 64;
/**
 * A pose belongs to a frame if their times differ by no more than this, in ms, as in the TUM benchmark. This many messages on each side are
 * searched.
 */
const [APART_MS, AROUND] = [20, 8];

/**
 * The camera's poses, from ROS' `tf`: transforms whose child frame is that of the depth images, to whatever frame is their parent. A chain
 * of several moving transforms is not followed. `undefined` where the file has none; the result gives the pose nearest to a time.
 */
export async function posesOf(log: MessageLog, frameId: string) {
  const child = frameId.replace(/^\//, "");
  const topics = log.topics.filter(
    ({ name, type, count }) => type.endsWith("/TFMessage") && MOVING.test(name) && count > 0,
  );
  for (const topic of topics)
    if (child !== "" && (await hasCamera(log, topic, child))) return nearestOf(log, topic, child);
  return undefined;
}

async function hasCamera(log: MessageLog, topic: Topic, child: string): Promise<boolean> {
  try {
    for (let i = 0; i < Math.min(topic.count, LOOKED_AT); i++) {
      if (
        await log.peek(topic, i, (message) =>
          edgesOf(message, `${log.name}, ${topic.name}`).some((edge) => edge.child === child),
        )
      )
        return true;
    }
  } catch (error) {
    if (!isPartial(error)) throw error;
    log.warnings.push(`${error.message} (its poses are not used)`);
  }
  return false;
}

function nearestOf(log: MessageLog, topic: Topic, child: string) {
  return async (ms: number): Promise<Pose | undefined> => {
    const times = await log.times(topic);
    const middle = nearest(times, ms, APART_MS);
    if (middle < 0) return undefined;
    // From the nearest message outwards; one of another frame's is passed over.
    const around = Array.from({ length: 2 * AROUND + 1 }, (_, i) => middle + i - AROUND);
    const near = around.filter((i) => Math.abs(times[i] - ms) <= APART_MS);
    for (const i of near.sort((a, b) => Math.abs(times[a] - ms) - Math.abs(times[b] - ms))) {
      const where = `${log.name}, ${topic.name}, message ${i}`;
      const edge = await log.read(topic, i, (message) => edgesOf(message, where).find((one) => one.child === child));
      if (edge) return poseOf(edge.toParent);
    }
    return undefined;
  };
}

const poseOf = ({ rotation: r, translation: [x, y, z] }: Extrinsics): Pose => [
  ...[r[0], r[1], r[2], x, r[3], r[4], r[5], y, r[6], r[7], r[8], z],
  ...[0, 0, 0, 1],
];
