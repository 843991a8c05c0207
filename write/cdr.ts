import { CdrWriter } from "@foxglove/cdr";
import type { Stamp } from "./ros2.ts";

// Apart from ros2.ts, whose types programs see: they would name a package that no program has.

/** The frame that names the camera; registered colour has depth's frame. */
export const FRAME_ID = "depth_optical_frame";

/** Begins a message with its header; `size` is the expected number of bytes of all that follows. */
export const headed = ({ sec, nanosec, frameId = FRAME_ID }: Stamp, size: number) =>
  new CdrWriter({ size: size + 256 + frameId.length }).int32(sec).uint32(nanosec).string(frameId);
