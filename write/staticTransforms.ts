import { McapRecorder } from "./recorder.ts";
import { type Transform, transformsMessage } from "./ros2.ts";

/** rosbag2 publishes the topic by this again, so that who subscribes later gets the message, too. */
const LATCHED = `- history: 1
  depth: 1
  reliability: 1
  durability: 1
  deadline: {sec: 9223372036, nsec: 854775807}
  lifespan: {sec: 9223372036, nsec: 854775807}
  liveliness: 1
  liveliness_lease_duration: {sec: 9223372036, nsec: 854775807}
  avoid_ros_namespace_conventions: false
`;
const TOPIC = {
  topic: "/tf_static",
  schema: "tf2_msgs/msg/TFMessage",
  metadata: { offered_qos_profiles: LATCHED },
} as const;

/**
 * Makes an MCAP file with one message of `/tf_static`, which holds transforms that do not change. The message's time is 0, since transforms
 * that never change have no time.
 */
export async function staticTransformsMcap(transforms: readonly Transform[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const recorder = new McapRecorder({
    async write(piece) {
      pieces.push(piece.slice());
      length += piece.length;
    },
    position: () => BigInt(length),
  });
  await recorder.copy(TOPIC, transformsMessage({ sec: 0, nanosec: 0 }, transforms), 0n, 0);
  await recorder.end();
  return Buffer.concat(pieces);
}
