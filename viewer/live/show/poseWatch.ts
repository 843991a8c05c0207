import type { CameraPose, Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";

/** Whether a stage that is on finds the camera's poses. */
export const isTracked = (pipeline: Pick<Pipeline, "stages" | "isEnabled">): boolean =>
  pipeline.stages.some(({ gives, name }) => gives === "pose" && pipeline.isEnabled(name));

/** Reads the camera's pose of each new frame, if a stage finds poses. */
export class PoseWatch {
  constructor(
    readonly pipeline: Pick<Pipeline, "stages" | "isEnabled">,
    /** Called with each pose, in the order of the frames; with `undefined` for a frame whose pose no stage looked for. */
    readonly onPose: (pose: CameraPose | undefined, frame: ProcessedFrame) => void,
  ) {}

  /** Call this synchronously when a new frame is handed out. */
  take(frame: ProcessedFrame): void {
    const { pipeline, onPose } = this;
    if (!isTracked(pipeline)) {
      onPose(undefined, frame);
      return;
    }
    // A frame of a lost device has no pose; the frames after it have.
    frame.readPose().then(
      (pose) => onPose(pose, frame),
      () => onPose(undefined, frame),
    );
  }
}
