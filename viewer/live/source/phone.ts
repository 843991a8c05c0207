import { DEPTH_SENSING, type Source, SourceError, webxrSource, type XrSession } from "../../../sources/index.ts";

/** The part of `navigator.xr` that is used here; TypeScript's types do not have it. */
export interface Xr {
  isSessionSupported(mode: "immersive-ar"): Promise<boolean>;
  requestSession(mode: "immersive-ar", options: object): Promise<PhoneSession>;
}

export interface PhoneSession extends XrSession {
  updateRenderState(state: { readonly baseLayer: unknown }): void;
}

/** Tells why the page cannot read this device's depth camera; `undefined` if nothing speaks against it before the user is asked. */
export async function phoneLacks(xr: Xr | undefined, secure: boolean): Promise<string | undefined> {
  if (!secure) return "A phone’s depth camera needs a page that was loaded by https.";
  const supported = await xr?.isSessionSupported("immersive-ar").catch(() => false);
  return supported
    ? undefined
    : "A phone’s depth camera needs Chrome on Android with ARCore, which this device does not have.";
}

/**
 * Begins a session on the phone and returns its depth camera. Call this in answer to a click. A DOM overlay keeps the page visible over the
 * camera's picture. Browsers give no frames to a session without a layer, so the session gets an empty one.
 */
export async function openPhone(xr: Xr, page: Element, drawing = emptyLayer): Promise<Source> {
  const overlay = { optionalFeatures: ["dom-overlay"], domOverlay: { root: page } };
  const session = await xr.requestSession("immersive-ar", { ...DEPTH_SENSING, ...overlay }).catch((error: unknown) => {
    throw new SourceError(`phone: ${refusal(error)}`);
  });
  try {
    const { baseLayer, gl } = await drawing(session);
    session.updateRenderState({ baseLayer });
    return await webxrSource(session, { gl });
  } catch (error) {
    await session.end();
    throw error;
  }
}

function refusal(error: unknown): string {
  const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
  if (name === "NotSupportedError") return "it hands out no depth to pages; its ARCore, or its camera, has none";
  if (name === "NotAllowedError" || name === "SecurityError")
    return "the camera was not allowed; tap again, and allow it";
  return message;
}

type Layer = new (session: PhoneSession, context: WebGL2RenderingContext) => unknown;
/** A session's layer, and the context by which depth that is on the GPU is read. */
type Drawing = Readonly<{ baseLayer: unknown; gl: WebGL2RenderingContext | undefined }>;

async function emptyLayer(session: PhoneSession): Promise<Drawing> {
  const XrLayer = Reflect.get(globalThis, "XRWebGLLayer") as Layer | undefined;
  const context = document.createElement("canvas").getContext("webgl2", { xrCompatible: true });
  if (!XrLayer || !(context instanceof WebGL2RenderingContext))
    throw new SourceError("phone: this browser has no WebGL, which its session needs");
  return { baseLayer: new XrLayer(session, context), gl: context };
}
