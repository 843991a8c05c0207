import { type ColorArray, type DepthFrame, type FrameShape, image, sameShape, shapeOf } from "../core/frame.ts";
import { AGAIN } from "../stages/core/resources.ts";
import type { CpuFrame, Stage, Twin } from "../stages/core/stage.ts";
import { type CameraPose, type Pipeline, POSE_STATE, type ProcessedFrame } from "./index.ts";

type FilteringPipeline = Pick<Pipeline, "stages" | "isEnabled" | "signal">;

/**
 * Makes frames with the filters' results, for files. These frames have the intrinsics of filtered depth. Where stages change the size or
 * remove distortion, their CPU twins apply the same to the camera's colour; colour that stages themselves make is for the picture only.
 */
export class FilteredFrames {
  static readonly #known = new WeakMap<FilteringPipeline, FilteredFrames>();
  readonly #twins = new Map<Stage, { readonly shape: FrameShape; readonly revision: number; readonly twin: Twin }>();

  private constructor(readonly pipeline: FilteringPipeline) {}

  /** The frames of a pipeline; when these end, their twins end. */
  static of(pipeline: FilteringPipeline): FilteredFrames {
    const known = FilteredFrames.#known.get(pipeline);
    if (known) return known;
    const made = new FilteredFrames(pipeline);
    FilteredFrames.#known.set(pipeline, made);
    pipeline.signal.addEventListener("abort", () => made.#end(), { once: true });
    return made;
  }

  /**
   * The frame with the unit, intrinsics and colour of filtered depth; its depth is still the source's. The pair of images, which no stage
   * scales or straightens, is left out where it does not fit filtered depth.
   */
  of({ source, shape }: Pick<ProcessedFrame, "source" | "shape">): DepthFrame {
    const { metresPerUnit } = shape;
    if (sameShape({ ...shapeOf(source), metresPerUnit }, shape)) return { ...source, ...shape };
    const { color, pair: _, ...rest } = source;
    return { ...rest, ...shape, ...(color && { color: this.#seen(source, color) }) };
  }

  #seen(source: DepthFrame, color: ColorArray): ColorArray {
    let shape = shapeOf(source);
    const frame: CpuFrame = { depth: source.depth, color, points: undefined, picture: undefined };
    for (const stage of this.pipeline.stages) {
      const left = stage.leaves(shape);
      const runs = this.pipeline.isEnabled(stage.name) && stage.needed(shape);
      if (!runs || sameShape(left, shape)) continue;
      this.#twin(stage, shape).run(frame, AGAIN);
      shape = left;
    }
    const { data, shape: size } = frame.color ?? color;
    // A copy, since a twin writes its next frame to the same memory, and whoever writes or scans the frame may keep it.
    return image(data.slice(), size);
  }

  #end(): void {
    for (const { twin } of this.#twins.values()) twin.destroy?.();
    this.#twins.clear();
  }

  #twin(stage: Stage, shape: FrameShape): Twin {
    const { revision } = stage;
    const before = this.#twins.get(stage);
    if (before?.revision === revision && sameShape(before.shape, shape)) return before.twin;
    const twin = stage.twin(shape, before?.twin);
    this.#twins.set(stage, { shape, revision, twin });
    return twin;
  }
}

/** The frame with the pose that `track` found, or without a pose where the camera is lost; unchanged where no stage finds poses. */
export function placed(frame: DepthFrame, found: CameraPose | undefined): DepthFrame {
  if (!found) return frame;
  const isKnown = found.state !== POSE_STATE.lost || found.recorded;
  return { ...frame, pose: isKnown ? [...found.toWorld, 0, 0, 0, 1] : undefined };
}
