import { type DepthArray, type Intrinsics, image } from "../core/frame.ts";
import { type Source, SourceError } from "../core/source.ts";
import { Intake } from "./intake.ts";

/** The part of WebXR's depth sensing module that `webxrSource` uses; TypeScript's own types lack it. */
export interface XrSession {
  /** Resolves with a reference space, as WebXR does. */
  requestReferenceSpace(type: "viewer" | "local"): Promise<unknown>;
  /** Calls `callback` once with the next frame; returns a handle. */
  requestAnimationFrame(callback: (time: number, frame: XrFrame) => void): number;
  /** Takes a request back. */
  cancelAnimationFrame(handle: number): void;
  /** Ends the session. */
  end(): Promise<void>;
  /** Calls `listener` when the session ends. */
  addEventListener(type: "end", listener: () => void): void;
}

/** A frame of a WebXR session. */
export interface XrFrame {
  /** The viewer's pose, or nothing while the phone has lost track. */
  getViewerPose(space: unknown): Readonly<Record<"views", readonly XrView[]>> | undefined | null;
  /** Depth as a view sees it, or nothing before the phone has any. */
  getDepthInformation(view: XrView): XrDepth | undefined | null;
}

/** One of a frame's views: a phone has one. */
export interface XrView {
  /** Column-major, as in WebGL. */
  readonly projectionMatrix: Float32Array;
}

/** Depth of one view, as WebXR gives it to the CPU. */
export interface XrDepth {
  /** u16, row by row; 0 is invalid. */
  readonly data: ArrayBuffer;
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Metres per unit. */
  readonly rawValueToMeters: number;
}

/** The options to pass to `navigator.xr.requestSession("immersive-ar", …)`. */
export const DEPTH_SENSING = {
  /** Without depth sensing the session does not start. */
  requiredFeatures: ["depth-sensing"],
  /** Depth for the CPU, in 16 bits. */
  depthSensing: {
    /** Depth in the CPU's memory. */
    usagePreference: ["cpu-optimized"],
    /** Both have 16 bits; the first is the older name. */
    dataFormatPreference: ["luminance-alpha", "unsigned-short"],
  },
};

/**
 * Depth from a phone: that of a WebXR session with depth sensing for the CPU, in 16 bits. Intrinsics follow from the view's projection
 * matrix. The image has the sensor's orientation, which is on its side when the phone is held upright. There is no colour: WebXR does not
 * give it with depth. Frames for which the phone has no depth yet are left out. The stream ends with the session. Source: WebXR Depth
 * Sensing Module (W3C).
 */
export async function webxrSource(session: XrSession): Promise<Source> {
  const space = await session.requestReferenceSpace("viewer");
  const intake = new Intake();
  let handle = 0;
  const look = (time: number, frame: XrFrame) => {
    handle = session.requestAnimationFrame(look);
    const view = frame.getViewerPose(space)?.views[0];
    const depth = view && frame.getDepthInformation(view);
    // WebXR's buffers are valid only during this callback, so depth is decoded now.
    if (view && depth) intake.take({ stampMs: performance.timeOrigin + time, decode: () => decode(view, depth) });
  };
  session.addEventListener("end", () => intake.end());
  return {
    name: "phone",
    format: "webxr",
    fps: 30,
    frames$: intake.frames((on) => {
      if (on) handle = session.requestAnimationFrame(look);
      else session.cancelAnimationFrame(handle);
    }),
    async close() {
      await session.end();
    },
  };
}

function decode(view: XrView, { data, width, height, rawValueToMeters }: XrDepth) {
  if (data.byteLength !== 2 * width * height) {
    throw new SourceError(
      `WebXR gives ${data.byteLength} bytes of depth for ${width}×${height}: ask for 16 bits (DEPTH_SENSING)`,
    );
  }
  const depth: DepthArray = image(new Uint16Array(data.slice(0)), [height, width]);
  return { depth, metresPerUnit: rawValueToMeters, intrinsics: lensOf(view.projectionMatrix, width, height) };
}

/** The intrinsics that belong to a projection matrix, for an image that covers the whole view. */
function lensOf(m: Float32Array, width: number, height: number): Intrinsics {
  return {
    fx: (m[0] * width) / 2,
    fy: (m[5] * height) / 2,
    cx: ((1 - m[8]) * width - 1) / 2,
    cy: ((1 + m[9]) * height - 1) / 2,
    width,
    height,
  };
}
