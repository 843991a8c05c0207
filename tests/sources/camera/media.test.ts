import { describe, expect, test } from "vitest";
import { assumedLens } from "../../../sources/calibration/assumedLens.ts";
import { hasMoreThan8Bits, isColoured, nameOf } from "../../../sources/camera/media/find.ts";
import { mediaLack, type PageFacts } from "../../../sources/camera/media/lack.ts";
import { modelOf } from "../../../sources/camera/media/models.ts";
import { refusalOf } from "../../../sources/camera/media/refusal.ts";

// What a page can know of a computer's cameras before and without one: the browser's limits, the models' lenses, the failures' words.

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

describe("each obstacle is known before anything is tried", () => {
  test.each<[string, Partial<PageFacts>, RegExp | undefined]>([
    ["nothing, in Chromium on Linux", {}, undefined],
    ["nothing, in Chromium on Windows", { platform: "Windows" }, undefined],
    ["a page loaded without https", { secure: false, capture: false }, /needs a page that was loaded by https/],
    ["Firefox", { userAgent: FIREFOX, platform: "Linux x86_64" }, /keeps 8 of a depth camera’s 16 bits/],
    ["Safari", { userAgent: SAFARI, platform: "MacIntel" }, /On Apple’s systems/],
    ["Chrome on macOS", { platform: "macOS" }, /On Apple’s systems/],
    ["an iPhone", { userAgent: "CriOS/147.0", platform: "iPhone" }, /On Apple’s systems/],
    ["Chrome on Android", { userAgent: LINUX.replace("X11;", "Android 16;"), platform: "Linux armv8l" }, /On Android/],
    ["an old Chromium", { capture: false }, /too old/],
    ["a frame without permission", { allowed: false }, /The page around this one/],
    ["no WebGL 2", { webgl2: false }, /WebGL 2/],
  ])("%s", (_, facts, words) => {
    const lack = mediaLack({ ...good, ...facts });
    if (words) expect(lack).toMatch(words);
    else expect(lack).toBeUndefined();
  });
});

describe("a model's lens", () => {
  // Intel's calibrations of one D415, one D435 and one SR300 (depth-camera-web-demo), and the lens of a D435 in librealsense's test data.
  test.each([
    ["Intel(R) RealSense(TM) Depth Camera 415 Depth (8086:0ad3)", "RealSense D415", 640, 480, 643.1],
    ["Intel(R) RealSense(TM) Depth Camera 415 Depth", "RealSense D415", 1280, 720, 964.7],
    ["Intel(R) RealSense(TM) Depth Camera 435 with RGB Module Depth", "RealSense D435", 640, 480, 381.9],
    ["Intel(R) RealSense(TM) Depth Camera 435i Depth", "RealSense D435", 1280, 720, 640],
    ["Intel RealSense D435", "RealSense D435", 640, 480, 390.4],
    ["Intel(R) RealSense(TM) Camera SR300 Depth", "RealSense SR300", 640, 480, 474.5],
  ])("%s at %s, %i × %i, is as published to two hundredths", (label, name, width, height, fx) => {
    const model = modelOf(label);
    const lens = model?.lens(width, height);
    expect(model?.name).toBe(name);
    expect(Math.abs((lens?.fx ?? 0) / fx - 1)).toBeLessThan(0.02);
    expect(lens).toEqual({ fx: lens?.fx, fy: lens?.fx, cx: (width - 1) / 2, cy: (height - 1) / 2, width, height });
  });

  test("goes by the label, and so does the unit", () => {
    const units = ["D405", "Depth Camera 455", "L515", "SR305"].map(
      (name) => modelOf(`RealSense ${name}`)?.metresPerUnit,
    );
    expect(units).toEqual([0.0001, 0.001, 0.00025, 0.000125]);
    for (const other of ["fake_device_1", "HD Webcam 4150", "RealSense 999", "Camera 435"]) {
      expect(modelOf(other), other).toBeUndefined();
    }
  });

  test("is 58° wide where nobody knows the model", () => {
    const { fx, cx } = assumedLens(640, 480);
    expect((2 * Math.atan(320 / fx) * 180) / Math.PI).toBeCloseTo(58, 10);
    expect(cx).toBe(319.5);
  });
});

test("more than 8 bits are told from 8 by one value", () => {
  const eight = Uint16Array.from({ length: 256 }, (_, i) => 257 * i);
  expect(hasMoreThan8Bits(eight)).toBe(false);
  expect(hasMoreThan8Bits(eight.with(200, 257 * 200 + 1))).toBe(true);
  expect(hasMoreThan8Bits(new Uint16Array(0))).toBe(false);
});

test("a colour camera is told from one of infrared light", () => {
  const grey = Uint8Array.from({ length: 64 }, (_, i) => (i % 4 === 3 ? 255 : i >> 2));
  expect(isColoured(grey)).toBe(false);
  expect(isColoured(grey.with(10, 99))).toBe(true);
});

test("a label is a name without the USB numbers", () => {
  expect(nameOf("Depth Camera 435 (8086:0b07)")).toBe("Depth Camera 435");
  expect(nameOf("A (left) eye")).toBe("A (left) eye");
  expect(nameOf("")).toBe("camera");
});

describe("why a camera does not start", () => {
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
  ])("%s, %s", (name, message, words, forbidden) => {
    const refusal = refusalOf(new DOMException(message, name), "eye");
    expect(refusal.message).toMatch(words);
    expect(refusal.name).toBe("SourceError");
    expect(refusal.forbidden).toBe(forbidden);
  });
});
