import type { Format } from "../../../format/format.ts";

const MAGIC = "SQLite format 3\0";

/** A ROS 2 bag stored as an SQLite database (rosbag2's .db3), of a robot or of a RealSense camera. */
export const db3: Format = {
  name: "db3",
  sign: "ROS 2 database",
  async open(input, options, decoder) {
    if (input.kind !== "file") return undefined;
    if (new TextDecoder("latin1").decode(input.head.subarray(0, MAGIC.length)) !== MAGIC) return undefined;
    const [{ openDb3Log }, { framesOfLog }, { openPart }] = await Promise.all([
      import("./log.ts"),
      import("../../../messages/frames.ts"),
      import("../../../messages/joined.ts"),
    ]);
    const log = await openPart(input.file, openDb3Log);
    try {
      return await framesOfLog(log, options, decoder);
    } catch (error) {
      await log.close();
      throw error;
    }
  },
};
