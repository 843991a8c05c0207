import { FilteredFrames } from "../../../pipeline/filtered.ts";
import type { Pipeline, ProcessedFrame } from "../../../pipeline/index.ts";
import type { DepthFrame } from "../../../sources/index.ts";
import { inUnits } from "../../../write/units.ts";
import type { Player } from "../source/player.ts";
import { frameFile, stemOf } from "./fileNames.ts";

export interface FrameFilesParts {
  readonly pipeline: Pick<Pipeline, "stages" | "isEnabled" | "signal">;
  readonly player: Pick<Player, "sourceOf">;
  /** The canvas that shows the view; after the loss of a device it may be another one. */
  readonly canvas: () => HTMLCanvasElement;
  /** Draws the view on the canvas at once. */
  readonly draw: () => void;
}

/** A file with something of one frame. Its name has the frame's number, and that of the source the frame came from. */
export type FrameFile = readonly [name: string, content: Blob];

/** The files that can be saved of a frame. */
export type FileKind = "picture" | "points" | "depth";

/** Makes the files of single frames. Each method reads from its frame synchronously, so call it when the frame is handed out. */
export class FrameFiles {
  readonly #filtered: FilteredFrames;

  constructor(readonly parts: FrameFilesParts) {
    this.#filtered = FilteredFrames.of(parts.pipeline);
  }

  /** The picture on the screen, on which the frame must be. */
  async picture(source: DepthFrame | undefined): Promise<FrameFile> {
    const { canvas, draw } = this.parts;
    draw();
    // While the picture is encoded, frames go on playing.
    const name = this.#name(source, "-view.png");
    return [name, await pictureOf(canvas())];
  }

  async points(frame: ProcessedFrame): Promise<FrameFile> {
    const [name, reading, colours] = [this.#name(frame.source, ".ply"), frame.readPoints(), this.#coloursOf(frame)];
    const [{ pointsPly }, points] = await Promise.all([import("../../../write/ply.ts"), reading]);
    return [name, new Blob([pointsPly(points, colours)], { type: "application/octet-stream" })];
  }

  /** The frame's surface as a GLB. */
  async mesh(frame: ProcessedFrame): Promise<FrameFile> {
    const [name, reading] = [this.#name(frame.source, ".glb"), frame.readDepth()];
    const parts = [import("../../../scan/mesh/ofFrame.ts"), import("../../../scan/mesh/files.ts")] as const;
    const [{ meshOfFrame }, { meshFile }, depth] = await Promise.all([...parts, reading]);
    const mesh = meshOfFrame({ ...this.#filtered.of(frame), depth });
    if (mesh.indices.length === 0) throw new Error("this frame shows no surface");
    return [name, new Blob([meshFile(mesh, "glb") as Uint8Array<ArrayBuffer>], { type: "model/gltf-binary" })];
  }

  /** A PNG of 16 bits in the frame's units, or in those of the frames that are saved beside it; 0 is invalid. */
  async depth({ source, shape, readDepth }: ProcessedFrame, unitM = source.metresPerUnit): Promise<FrameFile> {
    const [name, reading] = [this.#name(source, "-depth.png"), readDepth()];
    const [{ encode }, read] = await Promise.all([import("fast-png"), reading]);
    const depth = inUnits({ depth: read, metresPerUnit: shape.metresPerUnit }, unitM);
    const [height = 0, width = 0] = depth.shape;
    const png = encode({ width, height, data: depth.data, depth: 16, channels: 1 });
    return [name, new Blob([png as Uint8Array<ArrayBuffer>], { type: "image/png" })];
  }

  /** Says whose colours a frame's points have. */
  #coloursOf({ source }: ProcessedFrame): string {
    const { pipeline } = this.parts;
    const paint = pipeline.stages.find(({ name, role }) => role === "colour" && pipeline.isEnabled(name));
    if (paint) return `painted by the viewer (${paint.parameters.by}), since the camera gave none`;
    return source.color ? "the camera's, grey by distance where it saw none" : "grey by distance";
  }

  #name(frame: DepthFrame | undefined, end: string): string {
    const source = frame && this.parts.player.sourceOf(frame);
    return frameFile(stemOf(source ?? null), frame?.index ?? 0, end);
  }
}

/**
 * Encodes a canvas as PNG. A GPU's canvas keeps its picture only until the end of this task, and in Chromium `toBlob` may come too late: so
 * the picture is copied at once, as large as the screen shows it: a canvas of lowered quality has fewer pixels.
 */
function pictureOf(canvas: HTMLCanvasElement): Promise<Blob> {
  const [across, down] = [canvas.clientWidth, canvas.clientHeight].map((side) => Math.round(side * devicePixelRatio));
  const [width, height] = canvas.width < across ? [across, down] : [canvas.width, canvas.height];
  const copy = new OffscreenCanvas(width, height);
  copy.getContext("2d", { alpha: false })?.drawImage(canvas, 0, 0, width, height);
  return copy.convertToBlob({ type: "image/png" });
}
