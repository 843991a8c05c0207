import { CdrWriter } from "@foxglove/cdr";

// Apart from ros2.ts, whose types programs see: they would name a package that no program has.

/** The frame that names the camera; registered colour has depth's frame. */
export const FRAME_ID = "depth_optical_frame";

/** A time, and the frame that a header names; `FRAME_ID` where there is none. */
interface Head {
  readonly sec: number;
  readonly nanosec: number;
  readonly frameId?: string | undefined;
}

/** Begins a message with its header; `size` is the expected number of bytes of all that follows. */
export const headed = ({ sec, nanosec, frameId = FRAME_ID }: Head, size: number) =>
  new CdrWriter({ size: size + 256 + frameId.length }).int32(sec).uint32(nanosec).string(frameId);
