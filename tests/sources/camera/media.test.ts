import { describe, expect, test } from "vitest";
import { mediaLack, type PageFacts } from "../../../sources/camera/media/lack.ts";
import { modelOf } from "../../../sources/camera/media/models.ts";
import { refusalOf } from "../../../sources/camera/media/refusal.ts";

// Cameras in a page, tested without a camera: the browser's limits, the lenses of models, and the messages of failures.

const LINUX = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const SAFARI =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15";
const good: PageFacts = {
  secure: true,
  userAgent: LINUX,
  platform: "Linux",
  capture: true,
  allowed: true,
  webgl2: true,
};

test.each<[string, Partial<PageFacts>, RegExp | undefined]>([
  ["no obstacle in Chromium on Linux", {}, undefined],
  ["no obstacle in Chromium on Windows", { platform: "Windows" }, undefined],
  ["that of a page without https", { secure: false, capture: false }, /a page that was loaded by https/],
  ["that of Firefox", { userAgent: FIREFOX, platform: "Linux x86_64" }, /keeps 8 of a depth camera’s 16/],
  ["the obstacle of Safari", { userAgent: SAFARI, platform: "MacIntel" }, /On Apple’s systems/],
  ["the obstacle of Chrome on macOS", { platform: "macOS" }, /On Apple’s systems/],
  ["the obstacle of an iPhone", { userAgent: "CriOS/147.0", platform: "iPhone" }, /On Apple’s systems/],
  [
    "the obstacle of Chrome on Android",
    { userAgent: LINUX.replace("X11;", "Android 16;"), platform: "Linux armv8l" },
    /On Android/,
  ],
  ["the obstacle of an old Chromium", { capture: false }, /too old/],
  ["the obstacle of an iframe without permission", { allowed: false }, /The page around this one/],
  ["the lack of WebGL 2", { webgl2: false }, /WebGL 2/],
])("mediaLack tells %s", (_, facts, words) => {
  const lack = mediaLack({ ...good, ...facts });
  if (words) expect(lack).toMatch(words);
  else expect(lack).toBeUndefined();
});

describe("the assumed lens of a camera", () => {
  // From Intel's calibrations of a D415, a D435 and an SR300 (depth-camera-web-demo), and of a D435 in librealsense's test data.
  test.each([
    ["Intel(R) RealSense(TM) Depth Camera 415 Depth (8086:0ad3)", "RealSense D415", 640, 480, 643.1],
    ["Intel(R) RealSense(TM) Depth Camera 415 Depth", "RealSense D415", 1280, 720, 964.7],
    ["Intel(R) RealSense(TM) Depth Camera 435 with RGB Module Depth", "RealSense D435", 640, 480, 381.9],
    ["Intel(R) RealSense(TM) Depth Camera 435i Depth", "RealSense D435", 1280, 720, 640],
    ["Intel RealSense D435", "RealSense D435", 640, 480, 390.4],
    ["Intel(R) RealSense(TM) Camera SR300 Depth", "RealSense SR300", 640, 480, 474.5],
  ])("labelled %s (%s) at %i × %i is within 2 % of the published lens", (label, name, width, height, fx) => {
    const model = modelOf(label);
    const lens = model?.lens(width, height);
    expect(model?.name).toBe(name);
    expect(Math.abs((lens?.fx ?? 0) / fx - 1)).toBeLessThan(0.02);
    expect(lens).toEqual({ fx: lens?.fx, fy: lens?.fx, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height });
  });

  test("follows from its label, as its unit does; other labels have no model", () => {
    const units = ["D405", "Depth Camera 455", "L515", "SR305"].map(
      (name) => modelOf(`RealSense ${name}`)?.metresPerUnit,
    );
    expect(units).toEqual([0.0001, 0.001, 0.00025, 0.000125]);
    for (const other of ["fake_device_1", "HD Webcam 4150", "RealSense 999", "Camera 435"]) {
      expect(modelOf(other), other).toBeUndefined();
    }
  });
});

test.each([
  ["NotAllowedError", "Permission denied", /^eye: the browser does not let this page use a camera/, true],
  ["NotAllowedError", "Permission denied by system", /privacy settings/, true],
  ["NotAllowedError", "Permission dismissed", /the browser's question was closed/, true],
  ["SecurityError", "", /settings keep cameras from every page/, true],
  ["NotReadableError", "Could not start video source", /another program or page uses it/, false],
  ["OverconstrainedError", "", /not there any more/, false],
  ["NotFoundError", "", /no camera is plugged in/, false],
  ["NotSupportedError", "Not supported", /gives no page a camera/, false],
  ["TypeError", "something else", /^eye: something else$/, false],
])(`refusalOf explains the browser's %s "%s"`, (name, message, words, forbidden) => {
  const refusal = refusalOf(new DOMException(message, name), "eye");
  expect(refusal.message).toMatch(words);
  expect(refusal.name).toBe("SourceError");
  expect(refusal.forbidden).toBe(forbidden);
});
