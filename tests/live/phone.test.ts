import { expect, test, vi } from "vitest";
import type { DepthFrame } from "../../sources/index.ts";
import { openPhone, type PhoneSession, phoneLacks, type Xr } from "../../viewer/live/source/phone.ts";

// The depth camera of the phone that shows the page, with a fake navigator.xr.

const page = {} as Element;

function pretend(supported = true, refuses?: Error) {
  let look: Parameters<PhoneSession["requestAnimationFrame"]>[0] | undefined;
  const session = {
    requestReferenceSpace: async () => "viewer",
    requestAnimationFrame(callback: NonNullable<typeof look>) {
      look = callback;
      return 1;
    },
    cancelAnimationFrame: vi.fn(),
    end: vi.fn(async () => {}),
    addEventListener: vi.fn(),
    updateRenderState: vi.fn(),
  };
  const requestSession = vi.fn(async () => {
    if (refuses) throw refuses;
    return session;
  });
  const xr: Xr = { isSessionSupported: async () => supported, requestSession };
  const depth = { data: Uint16Array.of(1, 2).buffer, width: 2, height: 1, rawValueToMeters: 0.001 };
  const projectionMatrix = Float32Array.of(2, 0, 0, 0, 0, 3, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0);
  const frame = { getViewerPose: () => ({ views: [{ projectionMatrix }] }), getDepthInformation: () => depth };
  return { xr, session, requestSession, show: () => look?.(33, frame) };
}

test.each([
  ["nothing, when a session with a camera is supported", pretend().xr, true, undefined],
  ["a phone, when no session is supported", pretend(false).xr, true, /Chrome on Android/],
  ["another browser, when this one has no WebXR", undefined, true, /Chrome on Android/],
  ["https, when the page came by http", undefined, false, /https/],
])("phoneLacks says what a phone's depth camera still needs %s", async (_, xr, secure, said) => {
  if (said) expect(await phoneLacks(xr, secure)).toMatch(said);
  else expect(await phoneLacks(xr, secure)).toBeUndefined();
});

test("openPhone asks for a session with depth and the page as its overlay, gives it a layer, and gives frames", async () => {
  const { xr, session, requestSession, show } = pretend();
  const source = await openPhone(xr, page, async () => ({ baseLayer: "layer", gl: undefined }));
  expect(requestSession).toHaveBeenCalledWith(
    "immersive-ar",
    expect.objectContaining({ requiredFeatures: ["depth-sensing"], domOverlay: { root: page } }),
  );
  expect(session.updateRenderState).toHaveBeenCalledWith({ baseLayer: "layer" });
  const frames: DepthFrame[] = [];
  const subscription = source.frames$.subscribe((frame) => frames.push(frame));
  show();
  await vi.waitFor(() => expect(frames).toHaveLength(1), 20_000);
  expect([...(frames[0]?.depth.data ?? [])]).toEqual([1, 2]);
  subscription.unsubscribe();
  await source.close();
  expect(session.end).toHaveBeenCalled();
});

test.each([
  ["NotSupportedError", /phone: it hands out no depth/],
  ["NotAllowedError", /phone: the camera was not allowed/],
  ["OperationError", /phone: broken/],
])("openPhone puts a refused session into words: %s", async (name, said) => {
  const { xr } = pretend(true, Object.assign(new Error("broken"), { name }));
  await expect(openPhone(xr, page, async () => ({ baseLayer: "layer", gl: undefined }))).rejects.toThrow(said);
});
