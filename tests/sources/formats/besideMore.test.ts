import { deflateSync } from "node:zlib";
import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { unproject } from "../../../core/calibration/lens.ts";
import { matlabIn } from "../../../sources/recorded/beside/matlab.ts";
import { type Contents, colorPng, depthPng, depthValues, HEIGHT, useFolder, WIDTH } from "../fixtures.ts";
import { Bytes } from "../makers/bytes.ts";
import { doubles, floats } from "../makers/still.ts";
import { depths, K, many, opened as openedIn, placeAt } from "../opening.ts";

// More of what lies beside depth: poses in seven and nine numbers, times and rates in texts, lenses of focal length and aperture, tables of
// rays, floats in the bytes of colours, MATLAB's files; and what is said of a text that is read in part.

const disk = useFolder();
const opened = (contents: Contents) => openedIn(disk, contents);
const three = depths(3, (i) => `depth/${i}.png`);
const beside = (name: string, text: string | Uint8Array) => opened({ ...three, [name]: text });

describe("poses in", () => {
  const turn = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
  const rows = (of: (i: number) => readonly (number | string)[], head = "") =>
    `${head}${[0, 1, 2].map((i) => `${of(i).join(" ")}\n`).join("")}`;
  const NINE = "timestamp frame x y z qx qy qz qw\n";
  const placed = (i: number) => ({ position: { x: i, y: 0, z: 2 }, rotation: { x: 0, y: 0, z: turn[2], w: turn[3] } });
  test.each([
    ["seven columns, the place first", "poses.txt", rows((i) => [i, 0, 2, ...turn])],
    ["seven columns, the turn first", "poses.txt", rows((i) => [...turn, i, 0, 2])],
    ["nine columns, time and number", "poses.txt", rows((i) => [170.5 + i / 30, i, i, 0, 2, ...turn])],
    ["nine columns with names", "track.csv", rows((i) => [i / 30, i, i, 0, 2, ...turn], NINE)],
    ["seven named columns", "p.csv", rows((i) => [...turn, i, 0, 2], "qx qy qz qw x y z\n")],
    ["a list under poses", "data.json", JSON.stringify({ poses: [0, 1, 2].map((i) => [i, 0, 2, ...turn]) })],
    ["poses by the frames' names", "data.json", JSON.stringify({ poses: { ...[0, 1, 2].map(placed) } })],
  ])("%s", async (_, name, text) => {
    const { places, frames } = await beside(name, text);
    expect(places).toEqual([0, 1, 2].map((i) => [i, 0, 2]));
    expect(frames[1].pose?.slice(0, 2)).toEqual([expect.closeTo(0), expect.closeTo(-1)]);
  });

  test("Record3D's metadata.json look along -z; its rate and lens are used, and no word is said", async () => {
    const poses = [0, 1, 2].map((i) => [0, 0, 0, 1, i, 5, 7]);
    const K3 = [9, 0, 0, 0, 9.5, 0, 3.25, 2.25, 1];
    const text = JSON.stringify({ K: K3, fps: 60, poses, initPose: poses[0], w: WIDTH, h: HEIGHT });
    const { places, frames, told, fps } = await beside("metadata.json", text);
    expect([places[2], fps]).toEqual([[2, 5, 7], 60]);
    expect(frames[0].pose?.slice(0, 12)).toEqual([1, 0, 0, 0, 0, -1, 0, 5, 0, 0, -1, 7]);
    expect(frames[0].intrinsics).toMatchObject({ fx: 9, cy: 2.25 });
    expect(told).not.toMatch(/in part/);
  });

  test.each([
    ["lists of six", JSON.stringify({ fps: 60, poses: [0, 1, 2].map(() => [1, 2, 3, 4, 5, 6]) })],
    ["too few", JSON.stringify({ fps: 60, poses: [[0, 0, 0, 0, 0, 0, 1]] })],
    ["turns that are none", JSON.stringify({ fps: 60, poses: [0, 1, 2].map(() => [1, 2, 3, 4, 5, 6, 7]) })],
  ])("a JSON with %s are none, which is said", async (_, text) => {
    const { places, told } = await beside("metadata.json", text);
    expect(places).toEqual([undefined, undefined, undefined]);
    expect(told).toMatch(/metadata\.json: it is read in part: fps used, not used: poses/);
  });

  test("EuRoC's ground truth are the camera's, by the place on the body that sensor.yaml gives", async () => {
    const at = (i: number) => 1_403_636_579_000_000_000n + 50_000_000n * BigInt(i);
    const T_BS =
      "T_BS:\n  cols: 4\n  rows: 4\n  data: [0.0, -1.0, 0.0, 0.5,\n    1.0, 0.0, 0.0, 0.0,\n    0.0, 0.0, 1.0, 0.25,\n    0.0, 0.0, 0.0, 1.0]\n";
    const truth = `#timestamp, p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z []\n${[0, 1, 2].map((i) => `${at(i)},${i},0,0,1,0,0,0\n`).join("")}`;
    const files = depths(3, (i) => `mav0/depth0/data/${at(i)}.png`);
    const known = { ...files, "mav0/state_groundtruth_estimate0/data.csv": truth };
    const found = await opened({ ...known, "mav0/depth0/sensor.yaml": T_BS });
    expect(found.places).toEqual([0, 1, 2].map((i) => [i + 0.5, 0, 0.25]));
    expect([found.frames[0].pose?.slice(0, 2), found.told]).toEqual([[0, -1], expect.not.stringMatching(/body/)]);
    const without = await opened(known);
    expect([without.places[1], without.told]).toEqual([[1, 0, 0], expect.stringMatching(/those of the body/)]);
  });
});

test("Isaac's camera_params give lens and poses", async () => {
  const params = many(3, (i) => [
    `camera_params_000${i}.json`,
    JSON.stringify({
      ...{ cameraFocalLength: 24, cameraAperture: [20, 11.25], cameraModel: "pinhole", metersPerSceneUnit: 0.01 },
      ...{
        renderProductResolution: [WIDTH, HEIGHT],
        cameraViewTransform: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -100 * i, 0, -200, 1],
      },
    }),
  ]);
  const { frames, places } = await opened({ ...depths(3, (i) => `distance_to_image_plane_000${i}.png`), ...params });
  expect(frames[0].intrinsics).toMatchObject({ fx: (24 * WIDTH) / 20, fy: (24 * WIDTH) / 20, cx: (WIDTH - 1) / 2 });
  expect([...(places[2] ?? []), ...(frames[0].pose?.slice(4, 7) ?? [])]).toEqual([2, 0, 2, 0, -1, 0]);
});

test.each([
  ["another model", { cameraFocalLength: 24, cameraAperture: [20, 11], cameraModel: "fisheyePolynomial" }],
  ["no length", { cameraFocalLength: 0, cameraAperture: [20, 11] }],
  ["a photo's f-number", { focal_length: 4.2, aperture: 1.8, w: WIDTH, h: HEIGHT }],
])("camera_params of %s are no lens", async (_, params) => {
  expect((await beside("camera_params.json", JSON.stringify(params))).from("intrinsics")).toBe("assumed");
});

test.each([
  ["a text of times", "timestamps.txt", [100.0, 100.1, 100.2].join("\n")],
  ["a list in a JSON", "meta.json", JSON.stringify({ frameTimestamps: [100.0, 100.1, 100.2] })],
])("times stand in %s", async (_, name, text) => {
  const { frames } = await beside(name, text);
  expect(frames.map(({ timestamp }) => Math.round(timestamp - 100_000))).toEqual([0, 100, 200]);
});

test("where photos are fewer than depth, a frame has the nearest one, set in its place by the poses, which is said", async () => {
  const flat = depthPng(new Uint16Array(WIDTH * HEIGHT).fill(1750));
  const intrinsics = [21, 0, 10, 0, 21, 7, 0, 0, 1];
  // At 1.75 m half a metre is two of depth's pixels.
  const { frames, told } = await opened({
    ...many(3, (i) => [`depth_0000${i}.png`, flat]),
    ...many(3, (i) => [`frame_0000${i}.json`, JSON.stringify({ intrinsics, cameraPoseARFrame: placeAt(i / 2) })]),
    "frame_00000.png": colorPng(3, 3, 21, 15),
    "frame_00002.png": colorPng(3, 3, 21, 15),
  });
  expect(frames[1].color?.get(2, 1, 0)).toBe(frames[0].color?.get(2, 3, 0));
  expect(frames[1].color?.get(2, WIDTH - 1, 3)).toBe(0);
  expect(told).toMatch(/1 of 3 frames have no image of colour: they have that of the nearest frame/);
});

describe("lengths of rays", () => {
  const bent = { fx: 4, fy: 4, cx: 3, cy: 2, distortion: [-0.01, 0.04, -0.04, 0.007], distortionModel: "fisheye" };
  const described = { "recording.json": JSON.stringify({ intrinsics: bent }) };
  test("are turned into depth by a bent lens' own rays, which is said", async () => {
    const { frames, told } = await opened({ ...depths(1, () => "distance_to_camera_0.png"), ...described });
    const [point, expected] = [[0, 0] as [number, number], depthValues(0)];
    for (let i = 0; i < expected.length; i++) {
      unproject(frames[0].intrinsics, i % WIDTH, Math.floor(i / WIDTH), point);
      expected[i] = Math.round(expected[i] / Math.hypot(...point, 1));
    }
    expect(frames[0].depth.data).toEqual(expected);
    expect(told).toContain("distance_to_camera_0.png: by its name its values are lengths of rays");
  });

  test.each(["distance_1/depth_0001.png", "range_2/depth_0001.png", "distances/depth_0001.png"])(
    "are not what is called depth in a folder of a distance: %s",
    async (name) => {
      const { frames, told } = await opened({ ...depths(1, () => name), ...described });
      expect([frames[0].depth.data, told.includes("rays")]).toEqual([depthValues(0), false]);
    },
  );

  const lens = { fx: 6, fy: 6, cx: 3, cy: 2 };
  const rays = (isUnit: boolean, bend = 0) =>
    floats(
      Array.from({ length: WIDTH * HEIGHT }, (_, i) => {
        const [x, y] = [((i % WIDTH) - 3) / 6, (Math.floor(i / WIDTH) - 2) / 6];
        const v = [x * (1 + bend * (i % 2)), y, 1];
        return v.map((one) => (isUnit ? one / Math.hypot(...v) : one));
      }).flat(),
    );
  const axial = depthValues(0).map((value, i) =>
    Math.round(value / Math.hypot(((i % WIDTH) - 3) / 6, (Math.floor(i / WIDTH) - 2) / 6, 1)),
  );

  test("are turned by a table of unit vectors, which gives the lens", async () => {
    const { frames, from } = await beside("depth_lut.bin", rays(true));
    expect(from("intrinsics")).toBe("file depth_lut.bin");
    expect(frames[0].depth.data).toEqual(axial);
    for (const [name, value] of Object.entries(lens))
      expect(frames[0].intrinsics).toHaveProperty(name, expect.closeTo(value, 3));
  });

  test("are not where the table has z = 1", async () => {
    const { frames, from } = await beside("depth_lut.bin", rays(false));
    expect([frames[0].depth.data, from("intrinsics")]).toEqual([depthValues(0), "file depth_lut.bin"]);
  });

  test.each([
    ["cut short", rays(true).slice(4), /no table of x, y, z/],
    ["of zeros", new Uint8Array(12 * WIDTH * HEIGHT), /neither the length 1 nor z = 1/],
    ["of noise", rays(true).map((_, i) => (i * 97) & 63), /neither the length 1 nor z = 1/],
  ])("by a table %s are left as they are, which is said", async (_, bytes, why) => {
    const { frames, told } = await beside("depth_lut.bin", bytes);
    expect([frames[0].depth.data, told]).toEqual([depthValues(0), expect.stringMatching(why)]);
  });

  test("a table that no pinhole fits is warned of", async () => {
    expect((await beside("depth_lut.bin", rays(true, 9))).told).toMatch(/passes these rays by \d/);
  });

  test("are those that Unity's captures call Range", async () => {
    const said = { step: { annotations: [{ id: "depth", measurementStrategy: "Range" }] } };
    const text = { "frame_data.json": JSON.stringify(said), "K.txt": "6 0 3 0 6 2 0 0 1" };
    expect((await opened({ ...three, ...text })).frames[0].depth.data).toEqual(axial);
  });
});

describe("floats in the bytes of RGBA are", () => {
  const metres = depthValues(0).map((_, i) => 10 * i);
  const image = (order: readonly number[], changed = (byte: number, _: number) => byte) => {
    const bytes = new Uint8Array(floats([...metres].map((mm) => mm / 1000 + 1))).map(changed);
    const data = bytes.map((_, i) => bytes[4 * (i >> 2) + order[i & 3]]);
    return encode({ width: WIDTH, height: HEIGHT, channels: 4, depth: 8, data });
  };
  test.each([
    ["OpenCV", [2, 1, 0, 3]],
    ["NumPy", [0, 1, 2, 3]],
  ])("metres, as %s writes them", async (_, order) => {
    const { frames, from } = await opened({ "depth/0.png": image(order) });
    expect(frames[0].depth.data).toEqual(metres.map((mm) => mm + 1000));
    expect(from("unit")).toBe("PNG default");
  });

  test.each([
    ["an opaque picture", image([0, 1, 2, 3], (byte, i) => ((i & 3) === 3 ? 255 : byte))],
    ["noise", image([0, 1, 2, 3], (_, i) => (i * 1103515245) >> 16)],
    ["colours", colorPng(3, 4)],
  ])("not %s, which is refused", async (_, png) => {
    await expect(opened({ "depth/0.png": png })).rejects.toThrow(/16-bit|greyscale|depth/);
  });
});

describe("MATLAB's files", () => {
  const small = (type: number, bytes: Uint8Array) => {
    const padding = new Uint8Array(-bytes.length & 7);
    return new Bytes().u32(type, bytes.length).bytes(bytes).bytes(padding);
  };
  const matrix = (name: string, rows: number, columns: number, values: readonly number[]) => {
    const down = Array.from(values, (_, i) => values[(i % rows) * columns + Math.floor(i / rows)] ?? 0);
    const parts = [
      small(6, new Bytes().u32(6, 0).done()),
      small(5, new Bytes().u32(rows, columns).done()),
      small(1, new TextEncoder().encode(name)),
      small(9, doubles(...down)),
    ].map((part) => part.done());
    return small(14, new Uint8Array(Buffer.concat(parts))).done();
  };
  const packed = (bytes: Uint8Array) => {
    const data = deflateSync(bytes);
    return new Bytes().u32(15).u32(data.length).bytes(data).done();
  };
  const head = Buffer.from(`${"MATLAB 5.0 MAT-file".padEnd(124)}\0\x01IM`);
  const file = (...elements: Uint8Array[]) => new Uint8Array(Buffer.concat([head, ...elements]));
  const [lens, scale] = [matrix("intrinsic_matrix", 3, 3, K), matrix("factor_depth", 1, 1, [10_000])];

  test.each([
    ["plain", file(lens, scale)],
    ["packed", file(packed(lens), packed(scale))],
  ])("%s give small matrices row by row, and so lens and unit", async (_, bytes) => {
    expect(await matlabIn(bytes, "a.mat")).toEqual({ intrinsic_matrix: K, factor_depth: 10_000 });
    const { frames } = await beside("meta.mat", bytes);
    expect(frames[0]).toMatchObject({ metresPerUnit: 0.0001, intrinsics: { fx: 9, cy: 2.25 } });
  });

  test("of large matrices, of sizes below zero, and of texts, give nothing", async () => {
    const large = matrix("big", 9, 9, Array(81).fill(1));
    const negative = matrix("lens", -3, -3, K);
    const bytes = file(negative, large, packed(large), packed(new Uint8Array(2 ** 20)), scale);
    expect(await matlabIn(bytes, "a.mat")).toEqual({ factor_depth: 10_000 });
  });

  test.each([
    ["cut short", file(lens).slice(0, -9), /cut short/],
    ["with damaged packing", file(packed(lens).map((byte, i) => (i > 20 ? byte ^ 85 : byte))), /damaged/],
    ["of a length beyond all", file(new Bytes().u32(14).u32(0xfffffff0).done()), /cut short/],
  ])("%s cost a warning alone", async (_, bytes, why) => {
    const { frames, told } = await beside("meta.mat", bytes);
    expect([frames.length, told]).toEqual([3, expect.stringMatching(why)]);
  });
});
