import type { CameraPose, Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";

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
    const isTracked = pipeline.stages.some(({ kind, name }) => kind === "track" && pipeline.isEnabled(name));
    if (!isTracked) {
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
