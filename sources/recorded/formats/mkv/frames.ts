import { nearest } from "../../../../core/associate.ts";
import { type Registration, registration } from "../../../../core/calibration/register.ts";
import { caught } from "../../../../core/caught.ts";
import { counted } from "../../../../core/check.ts";
import {
  BEFORE_FIRST_MS,
  type ExtrasReader,
  extrasReader,
  type MotionSample,
  samplesBetween,
} from "../../../../core/extras.ts";
import { SourceError } from "../../../../core/source.ts";
import type { Decoder } from "../../../decode/index.ts";
import { checkSize, MAX_PIXELS } from "../../../decode/png.ts";
import type { ByteFile } from "../../../files/files.ts";
import { depthFormatOf, type FormatDefaults, rateOf } from "../../../format/depthFormat.ts";
import type { Frames, OpenOptions } from "../../../format/format.ts";
import { cutAt, whyNothing } from "../../../messages/log.ts";
import { type Colors, colorOfSize, fileFrames } from "../../fileFrames.ts";
import { type DeviceCalibration, readCalibration } from "./calibration.ts";
import { type Block, type Contents, readContents, type Track, words } from "./contents.ts";

/** Depth formats, each of 16 bits per pixel: the high byte comes first, except in early files, which call their format YUY2. */
const DEPTH_KINDS: ReadonlyMap<string, "big" | "little"> = new Map([
  ["b16g", "big"],
  ["YUY2", "little"],
]);
/** Our names for the pixel formats of colour; other colour is compressed. */
const RAW_COLOR: ReadonlyMap<string, string> = new Map([
  ["YUY2", "yuy2"],
  ["NV12", "nv12"],
  ["BGRA", "bgrx8"],
]);
const ATTACHED = "calibration.json";

export async function openMkv(file: ByteFile, options: OpenOptions, decoder: Decoder): Promise<Frames> {
  const contents = await readContents(file);
  const track = depthTrack(contents, file);
  const { name } = file;
  const warnings: string[] = [];
  const bytesOfFrame = 2 * track.width * track.height;
  const all = contents.blocks.get(track.number) ?? [];
  const blocks = all.filter(({ start, end }) => end - start === bytesOfFrame).sort((a, b) => a.time - b.time);
  if (blocks.length === 0) {
    checkWhole(contents, file);
    throw new SourceError(
      all.length === 0
        ? `${name}: it has no depth frame: recording stopped before the first; record it again`
        : `${name}: its depth is not ${track.width}×${track.height} of 16 bits, as its track says; record it uncompressed`,
    );
  }
  if (blocks.length < all.length)
    warnings.push(
      `${name}: left out ${counted(all.length - blocks.length, "frame")} of depth of another size than the rest`,
    );
  if (contents.brokenAt !== undefined) warnings.push(cutAt(file, contents.brokenAt));

  const offset = Number(contents.tags.get("K4A_START_OFFSET_NS") ?? 0) / 1e6 || 0;
  const times = blocks.map(({ time }) => time + offset);
  const color = options.color === false ? undefined : colorTrack(contents, name, warnings);
  const calibration = await calibrationOf(contents, name, track, color, warnings);
  const fps = track.duration > 0 ? 1e9 / track.duration : rateOf(times);
  const defaults: FormatDefaults = {
    metresPerUnit: { value: 0.001, from: "Azure Kinect default" },
    invalid: { value: [], from: "Azure Kinect default" },
    ...(fps && { fps: { value: Math.round(100 * fps) / 100, from: "header" } }),
    ...(calibration && { intrinsics: { value: calibration.depth, from: `file ${ATTACHED}` } }),
  };
  const meaning = depthFormatOf(options, undefined, defaults, warnings);
  const little = DEPTH_KINDS.get(track.fourcc) === "little";
  const frames = fileFrames({
    width: track.width,
    height: track.height,
    meaning,
    warnings,
    times,
    async depth(index) {
      const { start, end } = blocks[index];
      const bytes = await file.read(start, end - start);
      if (bytes.length === bytesOfFrame) return words(bytes, little);
      throw new SourceError(`${name}: frame ${index} is cut short, at byte ${start}; copy it again`);
    },
    color:
      options.color !== false &&
      color &&
      calibration?.color &&
      colorsOf(file, decoder, color, calibration, pairs(contents, blocks, color, meaning.fps)),
  });
  return { ...frames, extras: extrasOf(file, contents, blocks, 1000 / meaning.fps) };
}

/** Throws a `SourceError` where there is nothing to play because the file is cut off. */
function checkWhole({ brokenAt }: Contents, file: ByteFile): void {
  const why = brokenAt !== undefined && whyNothing([cutAt(file, brokenAt)]);
  if (why) throw new SourceError(why);
}

function depthTrack(contents: Contents, file: ByteFile): Track {
  const { tracks } = contents;
  const { name } = file;
  const track = tracks.find((one) => one.name === "DEPTH");
  if (!track) {
    checkWhole(contents, file);
    if (tracks.some((one) => /FFV1/.test(`${one.codec} ${one.fourcc}`)))
      throw new SourceError(
        `${name}: this is a film in FFV1, which is not read; make PNGs of it: ffmpeg -i FILE -pix_fmt gray16be depth/%06d.png`,
      );
    const there = tracks.map((one) => one.name || one.codec || "unnamed").join(", ") || "none";
    throw new SourceError(
      `${name}: this is a Matroska film without a track of depth (it has ${there}); Azure Kinect's recordings have one called DEPTH`,
    );
  }
  const { fourcc, width, height, encoded } = track;
  if (!DEPTH_KINDS.has(fourcc) || encoded)
    throw new SourceError(
      `${name}: its depth is ${encoded ? "compressed" : `of the kind "${fourcc.trim() || track.codec}"`}, and only b16g and YUY2, as Azure Kinect writes them, are read; record it with k4arecorder`,
    );
  checkSize({ width, height }, `${name}, depth`);
  return track;
}

/** The colour track, if there is one in a supported format. */
function colorTrack({ tracks }: Contents, name: string, warnings: string[]): Track | undefined {
  const track = tracks.find((one) => one.name === "COLOR");
  if (!track) return undefined;
  const { fourcc, encoded, width, height } = track;
  const read = fourcc === "MJPG" || (RAW_COLOR.has(fourcc) && width % 2 === 0 && height % 2 === 0);
  if (read && !encoded && width * height > 0 && width * height <= MAX_PIXELS / 4) return track;
  warnings.push(`${name}: its colour, ${fourcc} of ${width}×${height}, is not supported; frames go without colour`);
  return undefined;
}

async function calibrationOf(
  { attachments, ebml }: Contents,
  name: string,
  depth: Track,
  color: Track | undefined,
  warnings: string[],
): Promise<DeviceCalibration | undefined> {
  const attached = attachments.get(ATTACHED);
  const without = color ? "; frames go without colour" : "";
  if (!attached) {
    warnings.push(`${name}: no ${ATTACHED} is attached${without}`);
    return undefined;
  }
  const read = async () => readCalibration(await ebml.text(attached), `${name}/${ATTACHED}`, depth, color);
  return read().catch(caught(SourceError, ({ message }) => void warnings.push(message + without)));
}

/** The colour image for each depth image: the nearest in time, if it is within half a frame period. */
function pairs({ blocks, tags }: Contents, depth: readonly Block[], track: Track, fps: number): (Block | undefined)[] {
  const colors = [...(blocks.get(track.number) ?? [])].sort((a, b) => a.time - b.time);
  const times = colors.map(({ time }) => time);
  const delay = Number(tags.get("K4A_DEPTH_DELAY_NS") ?? 0) / 1e6 || 0;
  return depth.map(({ time }) => colors[nearest(times, time - delay, 500 / fps)]);
}

/** Reads colour images and registers them to depth; the tables for that are made with the first image. */
function colorsOf(
  file: ByteFile,
  decoder: Decoder,
  track: Track,
  { depth: lens, color }: DeviceCalibration,
  partners: readonly (Block | undefined)[],
): Colors {
  let tables: Registration | undefined;
  return {
    count: partners.filter((block) => block !== undefined).length,
    kind: `${track.fourcc}, registered by ${ATTACHED}`,
    async read(index, depth) {
      const block = partners[index];
      if (!block || !color) return undefined;
      const where = `${file.name}, colour of frame ${index}`;
      const bytes = await file.read(block.start, Math.min(block.end - block.start, MAX_PIXELS));
      const rgba = await colorOfSize(track, bytes, where, decoder, RAW_COLOR.get(track.fourcc));
      if (typeof rgba === "string") return rgba;
      tables ??= registration(lens, color.intrinsics, color.extrinsics);
      return tables.register(depth, 0.001, rgba);
    },
  };
}

/** A sample of the inertial sensors: for each of the two its time in ns (u64) and three floats. */
const SAMPLE_BYTES = 40;

/**
 * Reads what an Azure Kinect recording holds beside depth and colour: the infrared image that the sensor made with each depth image, what
 * the inertial sensors measured, and the settings of the recording.
 */
function extrasOf(
  file: ByteFile,
  { tracks, blocks, tags }: Contents,
  depth: readonly Block[],
  periodMs: number,
): ExtrasReader | undefined {
  const track = tracks.find(({ name, fourcc, encoded }) => name === "IR" && fourcc === "b16g" && !encoded);
  const bytesOfImage = track ? 2 * track.width * track.height : 0;
  const of = (number: number | undefined, bytes: number) =>
    (blocks.get(number ?? -1) ?? []).filter(({ start, end }) => end - start === bytes).sort((a, b) => a.time - b.time);
  const images = of(track?.number, bytesOfImage);
  const motion = of(tracks.find(({ codec }) => codec === "S_K4A/IMU")?.number, SAMPLE_BYTES);
  const [imageTimes, motionTimes] = [images, motion].map((list) => list.map(({ time }) => time));
  const infrared = async (index: number) => {
    const image = images[nearest(imageTimes, depth[index].time, periodMs)];
    if (!image || !track) return undefined;
    const bytes = await file.read(image.start, bytesOfImage);
    if (bytes.length < bytesOfImage)
      throw new SourceError(`${file.name}: the infrared image of frame ${index} is cut short; copy the file again`);
    return { width: track.width, height: track.height, data: words(bytes, false), from: track.name };
  };
  const samples = async (index: number) => {
    const { time } = depth[index];
    const [first, end] = samplesBetween(motionTimes, depth[index - 1]?.time ?? time - BEFORE_FIRST_MS, time);
    const accelerometer: MotionSample[] = [];
    const gyroscope: MotionSample[] = [];
    for (const { start } of motion.slice(first, end)) {
      const bytes = await file.read(start, SAMPLE_BYTES);
      if (bytes.length < SAMPLE_BYTES) break;
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      for (const [at, list] of [[0, accelerometer] as const, [SAMPLE_BYTES / 2, gyroscope] as const]) {
        const [x, y, z] = [8, 12, 16].map((field) => view.getFloat32(at + field, true));
        list.push({ timestamp: Number(view.getBigUint64(at, true)) / 1e6, xyz: [x, y, z] });
      }
    }
    return { accelerometer, gyroscope };
  };
  return extrasReader({
    metadata: tags.size > 0 && (async () => [...tags]),
    infrared: images.length > 0 && infrared,
    motion: motion.length > 0 && samples,
  });
}
