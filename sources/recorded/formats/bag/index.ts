import { SourceError } from "../../../../core/source.ts";
import type { Format } from "../../../format/format.ts";

const MAGIC = "#ROSBAG V";

/** A ROS 1 bag, of a robot or of a RealSense camera (librealsense's own recordings are bags). */
export const bag: Format = {
  name: "bag",
  sign: "ROS bag",
  async open(input, options, decoder) {
    if (input.kind !== "file") return undefined;
    const { file, head } = input;
    const text = new TextDecoder("latin1").decode(head.subarray(0, 13));
    if (!text.startsWith(MAGIC)) return undefined;
    if (!text.startsWith(`${MAGIC}2.0\n`)) {
      throw new SourceError(
        `${file.name}: this is a bag of version ${text.slice(9).trim()}, and only 2.0 is supported; convert it with "rosbag fix"`,
      );
    }
    const [{ openBagLog }, { framesOfLog }, { openPart }] = await Promise.all([
      import("./log.ts"),
      import("../../../messages/frames.ts"),
      import("../../../messages/joined.ts"),
    ]);
    return framesOfLog(await openPart(file, openBagLog), options, decoder);
  },
};
