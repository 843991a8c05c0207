import { encode } from "fast-png";
import { describe, expect, test } from "vitest";
import { type OpenOptions, openRecording } from "../../../sources/index.ts";
import { type Contents, colorPng, depthPng, depthValues, HEIGHT, useFolder, WIDTH } from "../fixtures.ts";
import { littleEndian } from "../makers/bytes.ts";
import { floats, npyOf, pagedTiff, tiffOf } from "../makers/still.ts";

// Which images of a folder are depth, and what is read from the files beside them.

const disk = useFolder();
const size = { width: WIDTH, height: HEIGHT };
const lens = { fx: 9, fy: 9.5, cx: 3.25, cy: 2.25 };
const { fx, fy, cx, cy } = lens;
const K = [fx, 0, cx, 0, fy, cy, 0, 0, 1];
const depths = (count: number, nameOf: (i: number) => string): Contents =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [nameOf(i), depthPng(depthValues(i))]));
const many = (count: number, fileOf: (i: number) => [string, Uint8Array | string]): Contents =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => fileOf(i)));

async function opened(contents: Contents, options: OpenOptions = {}) {
  const recording = await openRecording(disk.folder(contents), options);
  const frames = [];
  const places: (readonly number[] | undefined)[] = [];
  for (let i = 0; i < recording.length; i++) {
    frames.push(await recording.read(i));
    places.push((await recording.pose(i))?.filter((_, at) => at === 3 || at === 7 || at === 11));
  }
  await recording.close();
  const told = recording.warnings.join("\n");
  const from = (what: string) => recording.facts.find((fact) => fact.what === what)?.from;
  return { ...recording, frames, places, told, from, depth: frames.map(({ depth }) => depth.data[9]) };
}

describe("a folder of", () => {
  test("BOP has unit, lens, poses and colour from its files", async () => {
    const cameras = many(3, (i) => [
      String(i),
      { cam_K: K, depth_scale: 0.1, cam_R_w2c: [1, 0, 0, 0, 1, 0, 0, 0, 1], cam_t_w2c: [100 * i, 0, 0] } as never,
    ]);
    const found = await opened({
      ...depths(3, (i) => `000001/depth/00000${i}.png`),
      ...many(3, (i) => [`000001/rgb/00000${i}.png`, colorPng(i)]),
      "000001/scene_camera.json": JSON.stringify(cameras),
    });
    expect(found.frames[2]).toMatchObject({ metresPerUnit: 0.0001, intrinsics: lens });
    expect(found.places[2]).toEqual([-0.2, 0, 0]);
    expect(found.frames[2].color?.data[0]).toBe(2);
    expect(["unit", "intrinsics"].map(found.from)).toEqual(Array(2).fill("file scene_camera.json"));
  });

  test("ScanNet's export has poses where tracking went on, and colour of another size by its lens", async () => {
    const at = (f: number, x: number, y: number) => `${f} 0 ${x} 0\n0 ${f} ${y} 0\n0 0 1 0\n0 0 0 1\n`;
    const { frames, places, from } = await opened({
      ...depths(3, (i) => `depth/${i}.png`),
      ...many(3, (i) => [`color/${i}.png`, colorPng(i, 3, 16, 10)]),
      ...many(3, (i) => [
        `pose/${i}.txt`,
        i === 1 ? "-inf -inf -inf -inf\n".repeat(4) : `1 0 0 ${i}\n0 1 0 0\n0 0 1 0\n0 0 0 1\n`,
      ]),
      "intrinsic/intrinsic_depth.txt": at(9, 3, 2),
      "intrinsic/intrinsic_color.txt": at(18, 8, 5),
      "intrinsic/extrinsic_depth.txt": at(1, 0, 0),
    });
    expect(places).toEqual([[0, 0, 0], undefined, [2, 0, 0]]);
    expect(frames[0].intrinsics).toMatchObject({ fx: 9, cx: 3 });
    expect(from("unit")).toBe("ScanNet default");
    // Depth's principal point shows what colour's does.
    expect(frames[0].color?.get(2, 3, 0)).toBe((3 * 3 * (5 * 16 + 8)) & 255);
  });

  test("ARKitScenes has lowres_depth for depth, times from names, and poses from its .traj", async () => {
    const times = [305.377, 305.477, 305.578, 305.977, 306.077];
    const named = (folder: string, image: Uint8Array) =>
      many(5, (i) => [`${folder}/41069021_${times[i].toFixed(3)}.png`, image]);
    const found = await opened(
      {
        ...depths(5, (i) => `lowres_depth/41069021_${times[i].toFixed(3)}.png`),
        ...named("confidence", colorPng(2)),
        ...named("lowres_wide", colorPng(7)),
        ...many(5, (i) => [
          `lowres_wide_intrinsics/41069021_${times[i].toFixed(3)}.pincam`,
          `7 5 ${fx} ${fy} ${cx} ${cy}`,
        ]),
        "lowres_wide.traj": times.map((time, i) => `${time} 0 0 0 ${i} 0 0\n`).join(""),
      },
      { minConfidence: 50 },
    );
    expect(found.frames.map(({ timestamp }) => Math.round(timestamp - 305_377))).toEqual([0, 100, 201, 600, 700]);
    expect(found.places[4]).toEqual([-4, 0, 0]);
    expect(found.frames[0].color?.data[0]).toBe(7);
    expect(found.frames[0]).toMatchObject({ intrinsics: lens });
    expect(["unit", "fps", "intrinsics"].map(found.from)).toEqual([
      "ARKitScenes default",
      "files",
      "file lowres_wide_intrinsics",
    ]);
    // The confidence of pixel i is 2 + 9 i, red of an image of three channels.
    const kept = depthValues(0).map((value, i) => (((2 + 9 * i) & 255) < 50 ? 0 : value));
    expect(found.frames[0].depth.data).toEqual(kept);
  });

  test("Replica has the camera of the folder around it, and a pose a line", async () => {
    const found = await opened({
      ...depths(2, (i) => `room0/results/depth00000${i}.png`),
      ...many(2, (i) => [`room0/results/frame00000${i}.png`, colorPng(i + 1)]),
      "room0/traj.txt": [0, 1].map((i) => `1 0 0 ${i} 0 1 0 0 0 0 1 0 0 0 0 1\n`).join(""),
      "cam_params.json": JSON.stringify({ camera: { w: WIDTH, h: HEIGHT, ...lens, scale: 6553.5 } }),
    });
    expect(found.frames[1]).toMatchObject({ metresPerUnit: 1 / 6553.5, intrinsics: lens });
    expect(found.places[1]).toEqual([1, 0, 0]);
    expect(found.frames[1].color?.data[0]).toBe(2);
  });

  test.each([
    [
      "nerfstudio",
      {
        "transforms.json": JSON.stringify({
          frames: [0, 1].map((i) => ({
            file_path: `images/${i}.jpg`,
            depth_file_path: `depth/${i}.png`,
            transform_matrix: [
              [1, 0, 0, i],
              [0, 1, 0, 0],
              [0, 0, 1, 0],
              [0, 0, 0, 1],
            ],
          })),
        }),
      },
    ],
    [
      "Polycam",
      many(2, (i) => [
        `cameras/${i}.json`,
        JSON.stringify({
          t_00: 1,
          t_01: 0,
          t_02: 0,
          t_03: i,
          t_10: 0,
          t_11: 1,
          t_12: 0,
          t_13: 0,
          t_20: 0,
          t_21: 0,
          t_22: 1,
          t_23: 0,
          ...lens,
        }),
      ]),
    ],
  ])(
    "%s has millimetres, and poses whose camera looks along -z, turned to look along z",
    async (name, texts: Contents) => {
      const path = disk.folder({ ...depths(2, (i) => `depth/${i}.png`), ...texts });
      const recording = await openRecording(path);
      expect(await recording.pose(1)).toEqual([1, 0, 0, 1, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1]);
      expect(recording.facts.find(({ what }) => what === "unit")?.from).toBe(`${name} default`);
      await recording.close();
    },
  );

  test.each([
    ["NYU", (i: number) => `sync_depth_0004${i}.png`, (i: number) => `rgb_0004${i}.png`],
    ["RGB-D Scenes", (i: number) => `img_${i}_depth.png`, (i: number) => `img_${i}.png`],
  ])("%s has colour in the same folder, and names what is not used", async (_, depthName, colorName) => {
    const colors = many(2, (i) => [colorName(i), colorPng(i + 3)]);
    const { frames, told } = await opened({ ...depths(2, depthName), ...colors, "labels/0.png": colorPng(0) });
    expect(frames.map(({ color }) => color?.data[0])).toEqual([3, 4]);
    expect(told).toContain("beside depth lie labels/, which are not read");
  });
});

describe("depth is found", () => {
  test("six folders down, and beside a depth.txt that is no list", async () => {
    const { depth } = await opened({
      ...depths(2, (i) => `a/b/c/d/e/depth/${i}.png`),
      "a/b/c/d/e/meta/depth.txt": "Field|Units\n[546.9, 546.1]\n",
    });
    expect(depth).toEqual([depthValues(0)[9], depthValues(1)[9]]);
  });

  test("though a list names one image that is missing: only that frame cannot be read", async () => {
    const list = many(4, (i) => [`depth/${i}.png`, depthPng(depthValues(i))]);
    delete list["depth/2.png"];
    const path = disk.folder({ ...list, "depth.txt": [0, 1, 2, 3].map((i) => `${i} depth/${i}.png\n`).join("") });
    const recording = await openRecording(path);
    expect(recording.warnings.join()).toContain("depth.txt, line 3: it names depth/2.png, which is missing");
    await expect(recording.read(2)).rejects.toThrow("which is missing");
    expect((await recording.read(3)).depth.data).toEqual(depthValues(3));
    await recording.close();
  });

  const bytes = (i: number) => littleEndian(depthValues(i));
  const metres = (i: number) => floats([...depthValues(i)].map((value) => value / 1000));
  const pgm = (i: number) => Buffer.concat([Buffer.from("P5\n7 5\n65535\n"), bytes(i).map((_, k, all) => all[k ^ 1])]);
  test.each<[string, string, (i: number) => Uint8Array]>([
    ["TIFF", "frame-#.tiff", (i) => tiffOf({ ...size, values: bytes(i), bits: 16 })],
    ["TIFF of metres", "frame-#.tif", (i) => tiffOf({ ...size, values: metres(i), bits: 32 })],
    ["PGM", "#.pgm", pgm],
    [".npy", "depth/#.npy", (i) => npyOf("<u2", [HEIGHT, WIDTH], bytes(i))],
  ])("in a file of %s a frame", async (_, name, made) => {
    const { frames } = await opened({
      ...many(2, (i) => [name.replace("#", String(i)), made(i)]),
      "K.txt": K.join(" "),
    });
    expect(frames.map(({ depth }) => depth.data)).toEqual([depthValues(0), depthValues(1)]);
    expect(frames[0]).toMatchObject({ metresPerUnit: 0.001, intrinsics: lens });
  });

  test("in every image of a TIFF that has several; a list of them that leads back ends", async () => {
    const recording = await openRecording(disk.file("a.tiff", pagedTiff({ ...size, bits: 16 }, [0, 1, 2].map(bytes))));
    expect(recording.length).toBe(3);
    for (const i of [2, 0, 1]) expect((await recording.read(i)).depth.data).toEqual(depthValues(i));
    await recording.close();
  });

  test("in PNGs whose bytes are swapped, which are swapped back, with a warning", async () => {
    const slope = Uint16Array.from({ length: 32 * 16 }, (_, i) => 800 + 25 * (i % 32) + 3 * (i >> 5));
    const png = depthPng(
      slope.map((value) => ((value & 255) << 8) | (value >> 8)),
      32,
      16,
    );
    const { frames, told } = await opened({ "0.png": png, "1.png": png });
    expect(frames.map(({ depth }) => depth.data)).toEqual([slope, slope]);
    expect(told).toContain("bytes of each value are in the wrong order");
    const eight = depthPng(
      slope.map((value) => (value >> 4) << 8),
      32,
      16,
    );
    expect((await opened({ "0.png": eight })).told).not.toContain("wrong order");
  });

  test("without the values that --invalid or recording.json beside arrays names", async () => {
    const array = npyOf("<u2", [HEIGHT, WIDTH], littleEndian(depthValues(0, 65535)));
    for (const [contents, options] of [
      [{ "0.npy": array, "recording.json": '{ "invalid": [65535], "metresPerUnit": 0.002 }' }, {}],
      [{ "0.npy": array }, { invalid: [0, 65535], metresPerUnit: 0.002 }],
    ] as const) {
      const { frames } = await opened(contents, options);
      expect([frames[0].depth.data[0], frames[0].metresPerUnit]).toEqual([0, 0.002]);
    }
  });

  const conf = (i: number) => 1 + (i % 2);
  const small = { width: WIDTH, height: HEIGHT, channels: 1, depth: 8 } as const;
  const codes = Uint8Array.from({ length: 35 }, (_, i) => conf(i));
  test.each<[string, string, Uint8Array]>([
    ["PNGs of 8 bits", "confidence/0.png", encode({ ...small, data: codes })],
    ["PNGs of 16 bits", "conf/0.png", depthPng(Uint16Array.from(codes))],
    ["arrays of bytes", "confidence_map/0.npy", npyOf("|u1", [HEIGHT, WIDTH], codes)],
    ["arrays of floats", "confidence/0.npy", npyOf("<f4", [HEIGHT, WIDTH], floats([...codes]))],
    ["images in the same folder", "depth/0_confidence.png", encode({ ...small, data: codes })],
    [
      "images of twice the size",
      "confidence/0.png",
      encode({
        ...small,
        width: 14,
        height: 10,
        data: Uint8Array.from({ length: 140 }, (_, i) => conf(((i % 14) >> 1) + 7 * Math.floor(i / 28))),
      }),
    ],
  ])("without the pixels of which confidence in %s is not sure", async (_, name, image) => {
    const { frames, told } = await opened(
      { "depth/0.png": depthPng(depthValues(0)), [name]: image },
      { minConfidence: 2 },
    );
    expect(frames[0].depth.data).toEqual(depthValues(0).map((value, i) => (conf(i) < 2 ? 0 : value)));
    expect(told).not.toMatch(/confidence is asked for/);
    expect((await opened({ "depth/0.png": depthPng(depthValues(0)) }, { minConfidence: 2 })).told).toMatch(
      /no images of confidence/,
    );
  });

  test.each([
    ["a text", "Depth of the garden.\n"],
    ["a list without times", "depth/0.png\ndepth/1.png\n"],
    ["JSON", '{ "unit": "mm" }'],
    ["numbers", "0.5 0.4 0.3\n"],
    ["nothing", ""],
  ])("beside a depth.txt that is %s", async (_, text) => {
    expect((await opened({ ...depths(2, (i) => `depth/${i}.png`), "depth.txt": text })).depth).toHaveLength(2);
  });

  test("though the first TIFF is unreadable: only that frame is lost", async () => {
    const image = tiffOf({ ...size, values: littleEndian(depthValues(1)), bits: 16 });
    const recording = await openRecording(disk.folder({ "0.tif": "", "1.tif": image }));
    await expect(recording.read(0)).rejects.toThrow("0.tif");
    expect((await recording.read(1)).depth.data).toEqual(depthValues(1));
    await recording.close();
  });

  test("in an older scan of Stray Scanner, at the rate of its odometry", async () => {
    const line = (i: number) => `${5 + i / 10}, 00000${i}, ${i}, 0, 0, 0, 0, 0, 1\n`;
    const { frames, fps, places } = await opened({
      ...many(3, (i) => [`depth/00000${i}.npy`, npyOf("<u2", [HEIGHT, WIDTH], bytes(i))]),
      "odometry.csv": `timestamp, frame, x, y, z, qx, qy, qz, qw\n${line(0)}${line(1)}${line(2)}`,
    });
    expect([fps, places[2], frames[2].depth.data]).toEqual([10, [2, 0, 0], depthValues(2)]);
  });
});
