import { describe, expect, test } from "vitest";
import { openRecording } from "../../../sources/index.ts";
import { type Contents, colorPng, depthPng, depthValues, HEIGHT, useFolder, WIDTH } from "../fixtures.ts";
import { Bytes, littleEndian } from "../makers/bytes.ts";
import { depths, opened } from "../opening.ts";

// Folders of research data sets and of a phone: values, times, lens and colour are those of the set's own tools.

const disk = useFolder();

/** A dump of libfreenect, with depth and colour 10 ms apart. */
function dumpOf(depth: readonly Uint16Array[], width = WIDTH, height = HEIGHT): Contents {
  const contents: Contents = { "INDEX.txt": "" };
  for (const [i, values] of depth.entries()) {
    const name = (kind: string, late: number, end: string) =>
      `${kind}-${(1294886360 + i / 30 + late).toFixed(6)}-282690${i}.${end}`;
    const colors = new Uint8Array(3 * width * height).fill(60 + i);
    contents[name("d", 0, "pgm")] = new Bytes()
      .text(`P5 ${width} ${height} 65535\n`)
      .bytes(littleEndian(values))
      .done();
    contents[name("r", 0.01, "ppm")] = new Bytes().text(`P6 ${width} ${height} 255\n`).bytes(colors).done();
    contents[name("a", 0.01, "dump")] = new Uint8Array(44);
  }
  return contents;
}

describe("a Kinect's dump", () => {
  const disparities = Uint16Array.from({ length: WIDTH * HEIGHT }, (_, i) => [2047, 400, 700, 1000, 1090][i % 5]);

  test.each([
    ["fakenect", "dump", (d: number) => 1 / (3.3309495161 - 0.0030711016 * d)],
    ["nyu", "basement_0001a", (d: number) => 351.3 / (1092.5 - d)],
  ])(
    "in the format %s has its disparities turned into millimetres by the published formula",
    async (format, folder, metres) => {
      const recording = await disk.open(disk.folder(dumpOf([disparities, disparities]), folder));
      expect([recording.format, recording.length, recording.fps]).toEqual([format, 2, 30]);
      const { depth, metresPerUnit, timestamp, intrinsics } = await recording.read(1);
      const expected = disparities.map((d) =>
        d === 2047 || !(metres(d) > 0 && metres(d) <= 10) ? 0 : Math.round(metres(d) * 1000),
      );
      expect(depth.data).toEqual(expected);
      expect(metresPerUnit).toBe(0.001);
      expect(timestamp).toBeCloseTo(1294886360_033.333, 2);
      expect(intrinsics.fx).toBeCloseTo((582.62448 * WIDTH) / 640, 4);
      expect(recording.warnings.join().includes("libfreenect's formula")).toBe(format === "fakenect");
    },
  );

  test("in millimetres all of which are small is read unchanged", async () => {
    const near = depthValues(0).map((value, i) => (i % 3 === 0 ? 0 : Math.min(value, 1900)));
    const { frames } = await opened(disk, dumpOf([near, near]));
    expect(frames[1].depth.data).toEqual(near);
  });

  test('in millimetres is read unchanged, and the option format: "nyu" applies NYU\'s formula', async () => {
    const values = depthValues(1);
    const plain = await disk.open(disk.folder(dumpOf([values])));
    expect((await plain.read(0)).depth.data).toEqual(values);
    const named = await disk.open(disk.folder(dumpOf([disparities])), { format: "nyu" });
    expect((await named.read(0)).depth.data[1]).toBe(Math.round(351_300 / 692.5));
  });

  test("of NYU has its colour registered by NYU's lenses", async () => {
    const recording = await disk.open(
      disk.folder(dumpOf([new Uint16Array(640 * 480).fill(800)], 640, 480), "office_0002"),
    );
    const { color } = await recording.read(0);
    const at = (x: number, y: number) => [...(color?.data ?? []).slice(4 * (y * 640 + x), 4 * (y * 640 + x) + 4)];
    expect(at(320, 240)).toEqual([60, 60, 60, 255]);
    expect(recording.facts).toContainEqual({
      what: "colour",
      value: "all frames, PPM, registered by NYU's lenses",
      from: "files",
    });
  });

  test("with an image that is cut off or damaged is refused with a reason", async () => {
    const whole = dumpOf([disparities]);
    const [name] = Object.keys(whole).filter((file) => file.startsWith("d-"));
    const bytes = whole[name] as Uint8Array;
    const refused = async (other: Uint8Array) => {
      const path = disk.folder({ ...whole, [name]: other });
      return openRecording(path).then(
        async (recording) => {
          await recording.close();
          return undefined;
        },
        (error) => error,
      );
    };
    expect(String(await refused(bytes.subarray(0, -1)))).toContain("it is cut short: 7×5 need 70 bytes");
    expect(String(await refused(new TextEncoder().encode("P5 7 5 255\n")))).toContain("it has 256 levels");
    expect(String(await refused(new TextEncoder().encode("P2 7 5")))).toContain("not a binary PGM, PPM or PFM");
  });
});

describe("a recording of ICL-NUIM", () => {
  test("of PNGs in TUM's layout has units of 0.2 mm, 30 frames per second and a lens with positive fy", async () => {
    const contents: Contents = { "associations.txt": "0 depth/0.png 0 rgb/0.png\n1 depth/1.png 1 rgb/1.png\n" };
    for (const i of [0, 1]) {
      contents[`depth/${i}.png`] = depthPng(new Uint16Array(80 * 60).fill(5000 + i), 80, 60);
      contents[`rgb/${i}.png`] = colorPng(i, 3, 80, 60);
    }
    const recording = await disk.open(disk.folder(contents, "living_room_traj0_frei_png"));
    expect([recording.format, recording.length, recording.warnings]).toEqual(["icl", 2, []]);
    expect((await disk.open(disk.folder(contents))).warnings.join()).toContain("ICL-NUIM's unit of 1/5000 m");
    const { depth, metresPerUnit, timestamp, color, intrinsics } = await recording.read(1);
    expect([depth.data[0], metresPerUnit, timestamp]).toEqual([5001, 1 / 5000, 1000 / 30]);
    expect(color?.shape).toEqual([60, 80, 4]);
    expect([intrinsics.fx, intrinsics.fy, intrinsics.cx]).toEqual([481.2 / 8, 60, 39.5]);
  });

  test.each([
    ["times", {}],
    ["a recording.json", { "recording.json": '{"metresPerUnit":0.001}' }],
    ["a lens", { "camera.yaml": "fx: 9\nfy: 9\ncx: 3\ncy: 2\n" }],
  ])("is not what has such a list with %s: it has its own unit and lens", async (kind, more) => {
    const step = kind === "times" ? 0.04 : 1;
    const list = [0, 1].map((i) => `${i * step} rgb/${i}.png ${i * step} depth/${i}.png\n`).join("");
    const images = depths(2, (i) => `depth/${i}.png`);
    const found = await opened(disk, { ...images, "associations.txt": list, ...more });
    expect([found.format, found.frames[1].metresPerUnit, found.depth[1]]).toEqual(["png", 0.001, depthValues(1)[9]]);
    expect(found.frames[0].intrinsics.fx).not.toBeCloseTo((481.2 * WIDTH) / 640, 1);
    if (kind === "times") expect(found.told).toMatch(/millimetres are assumed.*associations\.txt/s);
  });

  test.each([
    ["scene_00_0000.depth", 1],
    ["scene_000.depth", 100],
  ])("in %s has its ray lengths turned into depth along the axis", async (name, scale) => {
    // A wall two metres before the camera: rays are longer to its edges.
    const lengths = Array.from({ length: 640 * 480 }, (_, i) => {
      const [x, y] = [((i % 640) - 319.5) / 481.2, (Math.floor(i / 640) - 239.5) / -480];
      return (scale * 2 * Math.sqrt(x * x + y * y + 1)).toFixed(5);
    });
    const recording = await disk.open(disk.folder({ [name]: lengths.join(" ") }));
    expect([recording.format, recording.length]).toEqual(["icl", 1]);
    const { depth } = await recording.read(0);
    expect(depth.data.every((value) => value === 10_000)).toBe(true);
    const cut = await disk.open(disk.folder({ [name]: lengths.slice(1).join(" ") }));
    await expect(cut.read(0)).rejects.toThrow(`${name}: it has 307199 values, and 640×480 need 307200`);
  });
});

describe("a scan of Stray Scanner", () => {
  const scan = (): Contents => ({
    "camera_matrix.csv": "1440.0, 0.0, 959.5\n0.0, 1440.0, 719.5\n0.0, 0.0, 1.0\n",
    "odometry.csv":
      "timestamp, frame, x, y, z, qx, qy, qz, qw\n5.0, 000000, 1, 2, 3, 0, 0, 0, 1\n5.1, 000001, 4, 5, 6, 0, 0, 0, 1\n",
    "depth/000000.png": depthPng(new Uint16Array(256 * 192).fill(1500), 256, 192),
    "depth/000001.png": depthPng(new Uint16Array(256 * 192).fill(1600), 256, 192),
    "confidence/000000.png": colorPng(0),
    "rgb.mp4": new Uint8Array(10),
  });

  test("is read in millimetres, with odometry.csv's times and poses and the film's lens scaled to depth", async () => {
    const recording = await disk.open(disk.folder(scan()));
    expect([recording.format, recording.length]).toEqual(["stray", 2]);
    const { depth, timestamp, intrinsics, metresPerUnit } = await recording.read(1);
    expect([depth.data[0], metresPerUnit, timestamp]).toEqual([1600, 0.001, 5100]);
    expect(intrinsics).toEqual({ fx: 192, fy: 192, cx: 127.5, cy: 95.5, width: 256, height: 192 });
    expect((await recording.pose(1))?.filter((_, i) => i % 4 === 3)).toEqual([4, 5, 6, 1]);
    expect(recording.warnings).toEqual([expect.stringContaining("the film rgb.mp4 is not read")]);
  });

  test("whose text files are wrong is refused with a reason", async () => {
    const { "depth/000000.png": _, "depth/000001.png": __, ...bare } = scan();
    await expect(openRecording(disk.folder(bare))).rejects.toThrow("has no image in depth/");
    await expect(openRecording(disk.folder({ ...scan(), "camera_matrix.csv": "1, 2" }))).rejects.toThrow(
      "a 3×3 matrix of numbers",
    );
    const odometry = "timestamp, frame\n1, 0, 1, 2, x, 0, 0, 0, 1\n";
    await expect(openRecording(disk.folder({ ...scan(), "odometry.csv": odometry }))).rejects.toThrow(
      "odometry.csv, line 2",
    );
  });
});
