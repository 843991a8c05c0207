import type { Format } from "../../../format/format.ts";

const MAGIC = [0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a];

/** An MCAP file of ROS 2, ROS 1 or Foxglove. Depth is 16UC1 (mm), 32FC1 (m), or compressed by ROS' image transport. */
export const mcap: Format = {
  name: "mcap",
  sign: "MCAP",
  async open(input, options, decoder) {
    if (input.kind !== "file" || !MAGIC.every((byte, i) => input.head[i] === byte)) return undefined;
    const [{ openMcapLog }, { framesOfLog }, { openPart }] = await Promise.all([
      import("./log.ts"),
      import("../../../messages/frames.ts"),
      import("../../../messages/joined.ts"),
    ]);
    return framesOfLog(await openPart(input.file, openMcapLog), options, decoder);
  },
};
