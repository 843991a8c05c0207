import type { PlainFrame } from "../../../../core/plainFrame.ts";
import type { Rigid } from "../../../../core/pose.ts";
import type { Chunk } from "../../../../scan/mesh/chunks.ts";
import type { MeshFormat } from "../../../../scan/mesh/files.ts";
import type { Kept } from "../../../../scan/mesh/finish.ts";
import type { Said } from "../../../../scan/place/placer.ts";
import type { ModelAnswer, ModelOrder } from "../../../../scan/remoteModel.ts";
import type { SigmaOfDepth } from "../../../../scan/volume/pixelPlanes.ts";
import type { Fineness } from "../../../../scan/volume/volumeFor.ts";

/** What the page asks the scan's worker for. The worker answers each message with one of its own. */
export type ScanRequest =
  | {
      readonly kind: "begin";
      readonly fineness: Fineness;
      readonly sigma: SigmaOfDepth | undefined;
      /** Whether the filters run on a hardware GPU: the model then grows there, too, by orders to the page. */
      readonly onGpu: boolean;
    }
  /** `hasLost`: the tracker lost the camera in a frame since the last one that was sent. */
  | {
      readonly kind: "frame";
      /** By this number orders name the frame until the answer. */
      readonly number: number;
      readonly frame: PlainFrame;
      readonly said: Said;
      readonly hasLost: boolean;
    }
  /** Asks for more of the mesh while no frame comes. */
  | { readonly kind: "mesh" }
  | { readonly kind: "undo" | "redo" }
  | { readonly kind: "save"; readonly format: MeshFormat; readonly kept: Kept };

/** How the scan stands. */
export interface ScanProgress {
  readonly kind: "progress";
  /** The parts of the mesh that have changed. */
  readonly chunks: readonly Chunk[];
  /** How many parts of the mesh have to be made anew, since the model changed after they were made. */
  readonly waiting: number;
  /** Where the camera was; `undefined` where nobody knows, or no frame was sent. */
  readonly toWorld: Rigid | undefined;
  /** How long the worker took to place and add the frame, and to make these parts of the mesh, ms; 0 where no frame was sent. */
  readonly addMs: number;
  readonly meshMs: number;
  readonly isLost: boolean;
  /** How often the camera came back to what it had seen, and how far that moved its poses at most, m. */
  readonly loops: number;
  readonly movedM: number;
  readonly isFull: boolean;
  readonly undoable: number;
  readonly redoable: number;
  /** How many frames the model has. */
  readonly frames: number;
}

export type ScanAnswer =
  | ScanProgress
  | { readonly kind: "file"; readonly bytes: Uint8Array<ArrayBuffer>; readonly triangles: number }
  | { readonly kind: "failed"; readonly text: string };

/** An order of the worker's to the page, and how it went. */
export interface Ordered {
  readonly kind: "order";
  readonly number: number;
  readonly order: ModelOrder;
}
export interface CarriedOut {
  readonly kind: "carriedOut";
  readonly number: number;
  readonly answer: ModelAnswer | { readonly failed: string };
}
