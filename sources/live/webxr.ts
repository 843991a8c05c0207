import { checkArgument, checkOptions, type Rule } from "../../core/check.ts";
import { type DepthArray, type Intrinsics, image } from "../../core/frame.ts";
import { type Disposable, disposable, type Source, SourceError } from "../../core/source.ts";
import { Intake } from "./intake.ts";
import { GpuDepthReader, type XrDepth, type XrDepthBinding, type XrView } from "./webxrGpu.ts";

const sessionRule: Rule = {
  expects: "a session of WebXR",
  holds: (value) => typeof (value as Partial<XrSession> | null | undefined)?.requestReferenceSpace === "function",
};
const object: Rule = { expects: "an object", holds: (value) => typeof value === "object" && value !== null };

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
  /** Where depth is: "cpu-optimized", or "gpu-optimized". */
  readonly depthUsage?: string;
  /** The numbers that depth for the GPU has: "luminance-alpha", "unsigned-short" or "float32". */
  readonly depthDataFormat?: string;
}

/** The options of `webxrSource`. */
export interface XrOptions {
  /** For depth that stays on the GPU: a context made with `xrCompatible`, for this alone. */
  readonly gl?: WebGL2RenderingContext | undefined;
  /** Gives depth for the GPU; `XRWebGLBinding` of the session and of `gl` if not given. */
  readonly binding?: XrDepthBinding | undefined;
}

/** A frame of a WebXR session. */
export interface XrFrame {
  /** The viewer's pose, or nothing while the phone has lost track. */
  getViewerPose(space: unknown): Readonly<Record<"views", readonly XrView[]>> | undefined | null;
  /** Depth as a view sees it, or nothing before the phone has any. */
  getDepthInformation(view: XrView): XrDepth | undefined | null;
}

/** The options to pass to `navigator.xr.requestSession("immersive-ar", …)`. */
export const DEPTH_SENSING = {
  /** Without depth sensing the session does not start. */
  requiredFeatures: ["depth-sensing"],
  /** Depth for the CPU, in 16 bits, or for the GPU. */
  depthSensing: {
    /** Headsets have depth on the GPU alone. */
    usagePreference: ["cpu-optimized", "gpu-optimized"] as ("cpu-optimized" | "gpu-optimized")[],
    /** The first two have 16 bits; the first is the older name. */
    dataFormatPreference: ["luminance-alpha", "unsigned-short", "float32"] as (
      | "luminance-alpha"
      | "unsigned-short"
      | "float32"
    )[],
  },
};

/**
 * Depth from a phone or a headset, by a WebXR session with depth sensing. It comes for the CPU in 16 bits, or for the GPU
 * (`gpu-optimized`); then it is read back in millimetres, which needs `gl`. Intrinsics follow from the view's projection matrix and from
 * the transform between the view and depth. The image is turned as the view is, upright where the phone is held upright, while WebXR gives
 * the sensor's orientation. There is no colour: WebXR does not give it with depth. Frames for which the phone has no depth yet are left
 * out. The stream ends with the session. Source: WebXR Depth Sensing Module (W3C).
 *
 * @example
 * const session = await navigator.xr.requestSession("immersive-ar", DEPTH_SENSING);
 * const phone = await webxrSource(session);
 */
export async function webxrSource(session: XrSession, options: XrOptions = {}): Promise<Source & Disposable> {
  checkArgument("webxrSource", "the session", sessionRule, session);
  checkOptions("webxrSource", options, { gl: object, binding: object });
  const reader = session.depthUsage === "gpu-optimized" ? readerOf(session, options) : undefined;
  const space = await session.requestReferenceSpace("viewer");
  const intake = new Intake();
  let handle = 0;
  const look = (time: number, frame: XrFrame) => {
    handle = session.requestAnimationFrame(look);
    const view = frame.getViewerPose(space)?.views[0];
    const depth = view && (reader ? reader.read(view) : frame.getDepthInformation(view));
    // WebXR's buffers are valid only during this callback, so depth is decoded now.
    if (view && depth) intake.take({ stampMs: performance.timeOrigin + time, decode: () => decode(view, depth) });
  };
  let isOver = false;
  session.addEventListener("end", () => {
    isOver = true;
    intake.end();
  });
  return disposable({
    name: "phone",
    format: "webxr",
    fps: 30,
    frames$: intake.frames((on) => {
      if (on) handle = session.requestAnimationFrame(look);
      else session.cancelAnimationFrame(handle);
    }),
    async close() {
      reader?.close();
      if (!isOver) await session.end();
    },
  });
}

function readerOf(session: XrSession, { gl, binding }: XrOptions): GpuDepthReader {
  const Binding = Reflect.get(globalThis, "XRWebGLBinding") as
    | (new (
        session: XrSession,
        gl: WebGL2RenderingContext,
      ) => XrDepthBinding)
    | undefined;
  if (!gl || !(binding || Binding))
    throw new SourceError(
      "WebXR gives depth for the GPU alone here: pass a WebGL 2 context made with xrCompatible, as gl",
    );
  const from = binding ?? (Binding && new Binding(session, gl));
  return new GpuDepthReader(gl, from as XrDepthBinding, session.depthDataFormat ?? "float32");
}

function decode(
  { projectionMatrix }: XrView,
  { data, width, height, rawValueToMeters, normDepthBufferFromNormView }: XrDepth,
) {
  if (data.byteLength !== 2 * width * height)
    throw new SourceError(
      `WebXR gives ${data.byteLength} bytes of depth for ${width}×${height}: ask for 16 bits (DEPTH_SENSING)`,
    );
  const buffer = new Uint16Array(data.slice(0));
  const axes = axesOf(normDepthBufferFromNormView?.matrix ?? IDENTITY, width, height);
  const [right, down] = axes;
  const depth: DepthArray = image(turned(buffer, width, axes), [down.length, right.length]);
  const [m0, m5, m8, m9] = [projectionMatrix[0], projectionMatrix[5], projectionMatrix[8], projectionMatrix[9]];
  const intrinsics: Intrinsics = {
    fx: (m0 * right.scale * right.length) / 2,
    fy: (m5 * down.scale * down.length) / 2,
    cx: (right.scale * ((1 - m8) / 2) + right.start) * right.length - 0.5,
    cy: (down.scale * ((1 + m9) / 2) + down.start) * down.length - 0.5,
    width: right.length,
    height: down.length,
  };
  return { depth, metresPerUnit: rawValueToMeters, intrinsics };
}

const IDENTITY = Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);

/** How one axis of the view lies in the buffer: an image's place along it is `scale` × the view's + `start`, both from 0 to 1. */
interface Axis {
  /** Pixels along this axis. */
  readonly length: number;
  readonly scale: number;
  readonly start: number;
  /** Whether the axis runs along the buffer's rows, and whether it runs against the order of the rows or columns. */
  readonly alongRows: boolean;
  readonly back: boolean;
}

/**
 * The view's axes to the right and down in the buffer. `m` maps (u, v) of the view to (s, t) of the buffer, each from 0 to 1
 * (column-major):
 *
 *     phone on its side: s = u, t = v        held upright: s = 1 - v, t = u, so that the view's right is the buffer's down
 */
function axesOf(m: Float32Array, width: number, height: number): readonly [right: Axis, down: Axis] {
  const quarter = Math.abs(m[4]) > Math.abs(m[0]);
  const axis = (signed: number, start: number, alongRows: boolean): Axis => ({
    length: alongRows ? width : height,
    scale: Math.abs(signed),
    start: signed < 0 ? 1 - start : start,
    alongRows,
    back: signed < 0,
  });
  return quarter
    ? [axis(m[1], m[13], false), axis(m[4], m[12], true)]
    : [axis(m[0], m[12], true), axis(m[5], m[13], false)];
}

/** The buffer as the view shows it: turned by quarters, or mirrored. */
function turned(buffer: Uint16Array, width: number, [right, down]: readonly [Axis, Axis]): Uint16Array {
  if (right.alongRows && !right.back && !down.back) return buffer;
  const out = new Uint16Array(buffer.length);
  const place = ({ length, back, alongRows }: Axis, i: number) => (back ? length - 1 - i : i) * (alongRows ? 1 : width);
  for (let y = 0, i = 0; y < down.length; y++)
    for (let x = 0; x < right.length; x++, i++) out[i] = buffer[place(right, x) + place(down, y)];
  return out;
}
