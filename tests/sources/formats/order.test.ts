import { randomBytes } from "node:crypto";
import { crc32, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ByteFile, Files } from "../../../sources/files/files.ts";
import { openTar, openTgz } from "../../../sources/files/tarFiles.ts";
import type { RecordedSource } from "../../../sources/index.ts";
import { recordingOf } from "../../../sources/recorded/index.ts";
import { openInput } from "../../../sources/recorded/openHere.ts";
import { randomOf } from "../../fault/mutate.ts";
import { sampled } from "../../mode.ts";
import { tarPart, tumContents } from "../fixtures.ts";

// The order of an archive's files and the speed of reading must not change the recording that is read.

const contents = tumContents(3);
const described = { metresPerUnit: 0.001, invalid: [1017], fps: 12, intrinsics: { fx: 9, fy: 8, cx: 3, cy: 2 } };
/** Two fillings exceed one read request, so that the files after them need another request. */
const filling = Buffer.concat([Buffer.from("padding"), randomBytes(150_000)]);

const part = (name: string) => tarPart(name, contents[name] ?? "");
const images = Buffer.concat(
  Object.keys(contents)
    .filter((name) => name.endsWith(".png"))
    .map(part),
);
const parts: Record<string, Buffer> = {
  "recording.json": tarPart("recording.json", JSON.stringify(described)),
  "depth.txt": part("depth.txt"),
  "rgb.txt": part("rgb.txt"),
  images,
};

function orders(names: readonly string[]): string[][] {
  if (names.length <= 1) return [[...names]];
  return names.flatMap((first) => orders(names.filter((name) => name !== first)).map((rest) => [first, ...rest]));
}

const tarOf = (names: readonly string[]): Buffer =>
  Buffer.concat(
    [...names.flatMap((name) => [parts[name] ?? "", tarPart("filling", filling)]), Buffer.alloc(1024)].map((b) =>
      Buffer.from(b),
    ),
  );

/** A file in memory whose reads take `delay()` ms each; -1 answers without waiting. */
function slowFile(bytes: Uint8Array, delay: () => number): ByteFile {
  return {
    name: "archive",
    size: bytes.length,
    async read(offset, length) {
      const ms = delay();
      if (ms >= 0) await new Promise((resolve) => setTimeout(resolve, ms));
      return new Uint8Array(bytes.subarray(offset, offset + length));
    },
    close: async () => {},
  };
}

const speeds: Record<string, () => () => number> = {
  "at once": () => () => -1,
  "at changing speeds": () => {
    const random = randomOf(5);
    return () => random(5) - 1;
  },
  "a turn of the event loop later": () => () => 0,
  "at once for the first three, then slowly": () => {
    let count = 0;
    return () => (count++ < 3 ? -1 : 6);
  },
};

async function depthFormatOf(files: Files): Promise<unknown> {
  const recording: RecordedSource = recordingOf(await openInput({ kind: "files", files }));
  try {
    const frames = [];
    for (let i = 0; i < recording.length; i++) frames.push(await recording.read(i));
    const { facts, warnings, fps, format } = recording;
    const told = frames.map(({ depth, color, ...rest }) => [
      crc32(Buffer.from(depth.data.buffer)),
      color && crc32(color.data),
      rest,
    ]);
    return { facts, warnings, fps, format, told };
  } finally {
    await recording.close();
  }
}

describe.each(["tar", "tgz"])("a .%s", (kind) => {
  const files = (bytes: Buffer, delay: () => number) => {
    if (kind === "tar") return openTar(slowFile(bytes, delay));
    return openTgz(slowFile(gzipSync(bytes, { level: 0 }), delay));
  };

  test.each(sampled(Object.keys(speeds), 2))(
    "is read by its recording.json wherever this file stands in the archive; reads come %s",
    async (speed) => {
      const expected = await depthFormatOf(
        files(tarOf(["recording.json", "depth.txt", "rgb.txt", "images"]), () => -1),
      );
      expect(expected).toMatchObject({ fps: 12, warnings: [], format: "tum" });
      for (const order of orders(Object.keys(parts))) {
        const delay = speeds[speed]?.() ?? (() => -1);
        expect(await depthFormatOf(files(tarOf(order), delay)), order.join(", ")).toEqual(expected);
      }
    },
  );

  test("that is cut off before its recording.json is read without this file, with a warning, at each speed", async () => {
    const whole = tarOf(["depth.txt", "rgb.txt", "images", "recording.json"]);
    const end = whole.indexOf("padding", whole.indexOf("padding", whole.indexOf("padding") + 1) + 1) + 1000;
    for (const speed of Object.keys(speeds)) {
      const { warnings, fps, told } = (await depthFormatOf(
        files(whole.subarray(0, end), speeds[speed]?.() ?? (() => -1)),
      )) as { warnings: string[]; fps: number; told: unknown[] };
      expect(warnings[0]).toMatch(
        /^archive: this archive is cut short in .* \(a recording\.json behind that place would not be found\)$/,
      );
      expect([fps, told.length]).toEqual([30, 3]);
    }
  });
});
