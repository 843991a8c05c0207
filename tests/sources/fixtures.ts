import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { encode } from "fast-png";
import { zipSync } from "fflate";
import { afterAll, expect, onTestFinished, vi } from "vitest";
import { type DepthFrame, type OpenOptions, openRecording, SourceError } from "../../sources/index.ts";

/** The files of a folder or an archive: contents by name. */
export type Contents = Record<string, Uint8Array | string>;

export const WIDTH = 7;
export const HEIGHT = 5;

/** A small depth image whose values are different for each frame and pixel; pixel 0 is `first`. */
export function depthValues(frame: number, first = 0): Uint16Array {
  const values = new Uint16Array(WIDTH * HEIGHT).map((_, i) => 1000 * (frame + 1) + 17 * i);
  values[0] = first;
  return values;
}

/** The hash of depth values, as `replay` tells it. */
export const depthHash = (data: DepthFrame["depth"]["data"]): string =>
  createHash("sha256")
    .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    .digest("hex");

export const depthPng = (values: Uint16Array, width = WIDTH, height = HEIGHT): Uint8Array =>
  encode({ width, height, channels: 1, depth: 16, data: values });

export function colorPng(shade: number, channels: 3 | 4 = 3, width = WIDTH, height = HEIGHT): Uint8Array {
  const data = new Uint8Array(width * height * channels).map((_, i) => (shade + 3 * i) & 255);
  return encode({ width, height, channels, depth: 8, data });
}

/** A TUM sequence of `count` frames; colour comes 5 ms after depth. */
export function tumContents(count: number, top = ""): Contents {
  const contents: Contents = {};
  const stamp = (i: number, late: number) => (100 + i / 30 + late).toFixed(6);
  const list = (folder: string, late: number) =>
    Array.from({ length: count }, (_, i) => `${stamp(i, late)} ${folder}/${stamp(i, late)}.png\n`).join("");
  contents[`${top}depth.txt`] = `# depth maps\n# timestamp filename\n${list("depth", 0)}`;
  contents[`${top}rgb.txt`] = `# color images\n${list("rgb", 0.005)}`;
  contents[`${top}groundtruth.txt`] =
    `# timestamp tx ty tz qx qy qz qw\n100.001 1 2 3 0 0 0 1\n100.034 4 5 6 0 0 0.70710678 0.70710678\n`;
  for (let i = 0; i < count; i++) {
    contents[`${top}depth/${stamp(i, 0)}.png`] = depthPng(depthValues(i));
    contents[`${top}rgb/${stamp(i, 0.005)}.png`] = colorPng(i);
  }
  return contents;
}

/** A 7-Scenes sequence; the first pixel of each image is 65535. */
export function sevenScenesContents(count: number, top = ""): Contents {
  const contents: Contents = {};
  for (let i = 0; i < count; i++) {
    const stem = `${top}frame-${String(i).padStart(6, "0")}`;
    contents[`${stem}.depth.png`] = depthPng(depthValues(i, 65535));
    contents[`${stem}.color.png`] = colorPng(i);
    contents[`${stem}.pose.txt`] = `1 0 0 ${i}\n0 1 0 2\n0 0 1 3\n0 0 0 1\n`;
  }
  return contents;
}

const bytesOf = (content: Uint8Array | string) => (typeof content === "string" ? Buffer.from(content) : content);

export function zipOf(contents: Contents, level: 0 | 6 = 6): Uint8Array {
  return zipSync(
    Object.fromEntries(Object.entries(contents).map(([name, content]) => [name, new Uint8Array(bytesOf(content))])),
    { level },
  );
}

/** Writes the checksum of a tar header into the header, after a change. */
function sealTarHeader(header: Buffer): void {
  header.write("        ", 148);
  const sum = header.reduce((a, b) => a + b);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
}

/** A tar header; `size` and `type` may be wrong. */
export function tarHeader(name: string, size: number, type = "0"): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  header.write(type, 156);
  header.write("ustar\x0000", 257);
  sealTarHeader(header);
  return header;
}

export const tarPart = (name: string, content: Uint8Array | string, type?: string): Buffer => {
  const bytes = bytesOf(content);
  return Buffer.concat([tarHeader(name, bytes.length, type), bytes, Buffer.alloc(-bytes.length & 511)]);
};

export const tarOf = (contents: Contents): Buffer =>
  Buffer.concat([...Object.entries(contents).map(([name, content]) => tarPart(name, content)), Buffer.alloc(1024)]);

export const tgzOf = (contents: Contents): Buffer => gzipSync(tarOf(contents));

/** The message of the `SourceError` from opening a recording or reading its frames, with paths shortened to names. */
export async function failure(path: string, options: OpenOptions = {}): Promise<string> {
  try {
    const recording = await openRecording(path, options);
    try {
      for (let i = 0; i < recording.length; i++) await recording.read(i);
    } finally {
      await recording.close();
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return error.message.replaceAll(/\S*depthloom-test-\w+\/(\d+\/)?/g, "");
  }
  throw new Error(`${path} was read without an error`);
}

/** A temporary folder for the tests of one file, removed after them. Its methods return paths. The tests may leave no file in it open. */
export function useFolder() {
  const root = mkdtempSync(join(tmpdir(), "depthloom-test-"));
  afterAll(async () => {
    const open = () => openFiles().filter((path) => path.startsWith(root) || /depthloom-(?!test-|builds-)/.test(path));
    try {
      // A bundler's threads close what they have read a moment after the build.
      await vi.waitFor(() => expect(open()).toEqual([]), 20_000);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
  let count = 0;
  const fresh = (name: string) => join(root, String(count++), name);
  const write = (path: string, content: Uint8Array | string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
  return {
    root,
    /** Opens a recording until the end of the test. */
    async open(path: string, options?: OpenOptions) {
      const recording = await openRecording(path, options);
      onTestFinished(() => recording.close());
      return recording;
    },
    file: (name: string, content: Uint8Array | string) => write(fresh(name), content),
    folder(contents: Contents, name = "recording") {
      const path = fresh(name);
      mkdirSync(path, { recursive: true });
      for (const [file, content] of Object.entries(contents)) write(join(path, file), content);
      return path;
    },
  };
}

/** The paths of the files that this process has open, on systems that list them. */
export function openFiles(): string[] {
  if (!existsSync("/proc/self/fd")) return [];
  return readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  });
}
