import { type DepthArray, type Intrinsics, image } from "../frame.ts";
import { type Source, SourceError } from "../source.ts";
import { Intake } from "./intake.ts";

/** What of WebXR's depth sensing module is used here; TypeScript's own types do not have it. */
export interface XrSession {
  requestReferenceSpace(type: "viewer" | "local"): Promise<unknown>;
  requestAnimationFrame(callback: (time: number, frame: XrFrame) => void): number;
  cancelAnimationFrame(handle: number): void;
  end(): Promise<void>;
  addEventListener(type: "end", listener: () => void): void;
}

export interface XrFrame {
  getViewerPose(space: unknown): { readonly views: readonly XrView[] } | undefined | null;
  getDepthInformation(view: XrView): XrDepth | undefined | null;
}

export interface XrView {
  /** Column-major, as WebGL has it. */
  readonly projectionMatrix: Float32Array;
}

export interface XrDepth {
  readonly data: ArrayBuffer;
  readonly width: number;
  readonly height: number;
  readonly rawValueToMeters: number;
}

/** What a page asks `navigator.xr.requestSession("immersive-ar", …)` for. */
export const DEPTH_SENSING = {
  requiredFeatures: ["depth-sensing"],
  depthSensing: { usagePreference: ["cpu-optimized"], dataFormatPreference: ["luminance-alpha", "unsigned-short"] },
};

/**
 * The depth that a phone sees, of a WebXR session with depth sensing for the CPU, in 16 bits. Depth is seen through the view's
 * own lens; its image stands as the sensor does, which a phone held upright has on its side. There is no colour: WebXR does not
 * hand it out with depth. Frames in which the phone has no depth yet are left out. Ends with the session.
 */
export async function webxrSource(session: XrSession): Promise<Source> {
  const space = await session.requestReferenceSpace("viewer");
  const intake = new Intake();
  let handle = 0;
  const look = (time: number, frame: XrFrame) => {
    handle = session.requestAnimationFrame(look);
    const view = frame.getViewerPose(space)?.views[0];
    const depth = view && frame.getDepthInformation(view);
    // What WebXR hands out is gone after this call: it is read now.
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

/** A projection's lens, for an image that covers the whole view. */
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
