import ndarray from "ndarray";
import { Matrix4, PerspectiveCamera } from "three/webgpu";
import { describe, expect, test } from "vitest";
import { spell } from "../../viewer/live/panel/parameters.ts";
import { optionsOf } from "../../viewer/live/state/options.ts";
import { surveyOf } from "../../viewer/live/view/camera/sceneSurvey.ts";
import { drawLine, drawPoints, createRaster as rasterOf } from "../../viewer/live/view/surface/raster.ts";
import { createSimdRaster } from "../../viewer/live/view/surface/rasterSimd.ts";
import { growthOf } from "../../viewer/three/pointSize.ts";

const INTRINSICS = { fx: 40, fy: 40, cx: 31.5, cy: 23.5, width: 64, height: 48 };

/** A camera with the sensor's field of view, `behindM` behind it, and the matrix from sensor coordinates to clip space. */
function ownView(behindM = 0) {
  const camera = new PerspectiveCamera((360 / Math.PI) * Math.atan(24 / 40), 64 / 48, 0.02, 100);
  camera.position.z = behindM;
  camera.updateMatrixWorld();
  const clip = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  return { camera, clip: clip.multiply(new Matrix4().makeScale(1, -1, -1)).elements };
}

/** Points with a colour word each, laid out as by `compact`. */
function pointsOf(...points: [x: number, y: number, z: number, word: number][]) {
  const floats = new Float32Array(points.length * 4);
  const words = new Uint32Array(floats.buffer);
  for (const [i, [x, y, z, word]] of points.entries()) {
    floats.set([x, y, z], i * 4);
    words[i * 4 + 3] = word;
  }
  return { floats, words, count: points.length };
}

/** The point that pixel (u, v) sees at a distance. */
const seenAt = (u: number, v: number, z: number) => [((u - 31.5) / 40) * z, ((v - 23.5) / 40) * z, z] as const;

describe("the CPU's raster", () => {
  test("puts a point on the pixel that measured it, and the nearer of two points on top", () => {
    const raster = rasterOf(64, 48);
    const { floats, words, count } = pointsOf(
      [...seenAt(10, 20, 2), 0xff0000aa],
      [...seenAt(10, 20, 1), 0xff0000bb],
      [...seenAt(10, 20, 3), 0xff0000cc],
      [...seenAt(63, 0, 5), 0xff0000dd],
      [...seenAt(5, 5, -1), 0xff0000ee],
    );
    drawPoints(raster, ownView().clip, floats, words, count, 1);
    expect(raster.pixels[20 * 64 + 10]).toBe(0xff0000bb);
    expect(raster.distances[20 * 64 + 10]).toBeCloseTo(1, 5);
    expect(raster.pixels[63]).toBe(0xff0000dd);
    expect(raster.pixels.filter((pixel) => pixel !== 0)).toHaveLength(2);
  });

  test.each([
    ["draws a point as one pixel from the sensor's place, whatever its distance", 0, 48, [1, 1]],
    ["draws a point two pixels wide in a window twice as high", 0, 96, [4, 4]],
    ["draws the nearer of two points larger when the camera comes nearer", -0.7, 48, [4, 16]],
    ["draws no point smaller than a pixel", 10, 48, [1, 1]],
    ["draws no point wider than 32 pixels, right before the lens", -0.97, 48, [4, 32 * 32]],
  ])("%s", (_, behindM, height, sides) => {
    const { camera, clip } = ownView(behindM);
    const growth = growthOf(INTRINSICS, camera, height, 1);
    const squares = [seenAt(31.5, 23.5, 2), seenAt(31.5, 23.5, 1)].map((place) => {
      const raster = rasterOf((height * 64) / 48, height);
      const { floats, words } = pointsOf([...place, 1]);
      drawPoints(raster, clip, floats, words, 1, growth);
      return raster.pixels.filter((pixel) => pixel !== 0).length;
    });
    expect(squares).toEqual(sides);
  });

  test("draws a wall without gaps from any distance along the sensor's axis", () => {
    const points = Array.from({ length: 64 * 48 }, (_, i): [number, number, number, number] => [
      ...seenAt(i % 64, Math.floor(i / 64), 2),
      1,
    ]);
    const { floats, words, count } = pointsOf(...points);
    for (const behindM of [0, -0.3, -0.7, -1, -1.3, -1.6]) {
      const raster = rasterOf(64, 48);
      const { camera, clip } = ownView(behindM);
      drawPoints(raster, clip, floats, words, count, growthOf(INTRINSICS, camera, 48, 1));
      expect(
        raster.pixels.filter((pixel) => pixel === 0),
        `${behindM} m`,
      ).toHaveLength(0);
    }
  });

  test.each([0.5, 1, 2.4, 9])(
    "draws the same points with SIMD at a growth of %d, also beside, behind and in the lens",
    (growth) => {
      const [width, height] = [64, 48];
      // Not a multiple of four, and more points than one batch holds.
      const count = 9001;
      const floats = Float32Array.from(
        { length: count * 4 },
        (_, i) => ((Math.sin(i) * 43758.5453) % 1) * (i % 4 === 2 ? 3 : 1.5),
      );
      const words = new Uint32Array(floats.buffer);
      for (let i = 3; i < words.length; i += 4) words[i] = 0xff000000 + i;
      const simd = createSimdRaster(width, height);
      if (!simd) throw new Error("no vectors here");
      for (const behind of [0, 1, -0.5]) {
        const plain = rasterOf(width, height);
        const { clip } = ownView(behind);
        for (const image of [plain.distances, simd.raster.distances, plain.pixels, simd.raster.pixels]) image.fill(0);
        drawPoints(plain, clip, floats, words, count, growth);
        simd.drawPoints(clip, floats, count, growth);
        expect(plain.pixels.filter((pixel) => pixel !== 0).length).toBeGreaterThan(500);
        expect(simd.raster.pixels).toEqual(plain.pixels);
        expect(simd.raster.distances).toEqual(plain.distances);
      }
    },
  );

  test("hides a line behind nearer points, and cuts it before the lens", () => {
    const raster = rasterOf(64, 48);
    // The right half is covered 1 m away.
    for (let i = 0; i < 64 * 48; i++) raster.distances[i] = i % 64 >= 32 ? 1 : 0;
    const across = new Float32Array([...seenAt(2, 10, 2), ...seenAt(60, 10, 2)]);
    drawLine(raster, ownView().clip, across, 0, [1, 1, 1, 1]);
    const row = [...raster.pixels.subarray(10 * 64, 11 * 64)].map((pixel) => (pixel === 0 ? 0 : 1));
    expect(row.slice(3, 31).every((pixel) => pixel === 1)).toBe(true);
    expect(row.slice(33).every((pixel) => pixel === 0)).toBe(true);
    const behind = new Float32Array([0, 0, -1, 0, 0, -2]);
    const through = new Float32Array([0.1, 0.1, -1, 0.1, 0.1, 0.5]);
    const before = raster.pixels.slice();
    drawLine(raster, ownView().clip, behind, 0, [1, 1, 1, 1]);
    expect(raster.pixels).toEqual(before);
    drawLine(raster, ownView().clip, through, 0, [1, 1, 1, 1]);
    expect(raster.pixels).not.toEqual(before);
  });
});

const frameOf = (at: (x: number, y: number) => number) => ({
  depth: ndarray(
    Uint16Array.from({ length: 64 * 48 }, (_, i) => at(i % 64, Math.floor(i / 64))),
    [48, 64],
  ),
  metresPerUnit: 0.001,
  intrinsics: INTRINSICS,
  timestamp: 0,
  index: 0,
});

test("a survey of a scene gives the middle and range of depth, a first focus, and the height of the floor", () => {
  // A wall 4 m away, a thing 1 m away in the middle, a floor 1.2 m below the sensor.
  const frame = frameOf((x, y) => {
    if (Math.abs(x - 31.5) < 9 && Math.abs(y - 23.5) < 7) return 1000;
    return y > 23.5 ? Math.min(4000, (1200 * 40) / (y - 23.5)) : 4000;
  });
  const { middleM, focusM, nearM, farM, floorM } = surveyOf(frame);
  expect([middleM, nearM, farM]).toEqual([4, 1, 4]);
  expect(focusM).toBeGreaterThan(1);
  expect(focusM).toBeLessThan(4);
  expect(floorM).toBeCloseTo(1.2, 1);
});

test("spell gives a parameter's label and unit", () => {
  expect(spell("sigmaSpacePx")).toEqual({ label: "Sigma space", unit: "px" });
  expect(spell("sigmaDepthPerM2Mm")).toEqual({ label: "Sigma depth", unit: "mm/m²" });
  expect(spell("farM")).toEqual({ label: "Far", unit: "m" });
  expect(spell("fill")).toEqual({ label: "Fill", unit: "" });
  expect(spell("m")).toEqual({ label: "M", unit: "" });
});

test("optionsOf reads the page's address, and takes the default for a value that it does not know", () => {
  expect(optionsOf("")).toEqual({
    adapter: "auto",
    backend: "auto",
    half: false,
    pair: false,
    rig: false,
    source: "desk",
    table: false,
  });
  expect(optionsOf("?adapter=software&backend=cpu&source=none&table&half")).toEqual({
    adapter: "software",
    backend: "cpu",
    half: true,
    pair: false,
    rig: false,
    source: "none",
    table: true,
  });
  expect(optionsOf("?adapter=quantum&backend=abacus")).toEqual(optionsOf(""));
  expect(optionsOf("?source=room/desk.bag")).toEqual({ ...optionsOf(""), source: "room/desk.bag" });
});
