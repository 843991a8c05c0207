import { nearest } from "../../../../core/associate.ts";
import {
  BEFORE_FIRST_MS,
  type ExtrasReader,
  extrasReader,
  type MotionSample,
  samplesBetween,
} from "../../../../core/extras.ts";
import { SourceError } from "../../../../core/source.ts";
import type { ByteFile } from "../../../files/files.ts";
import { type Block, type Contents, words } from "./contents.ts";

/** A sample of the inertial sensors: for each of the two its time in ns (u64) and three floats. */
const SAMPLE_BYTES = 40;

/**
 * Reads what an Azure Kinect recording holds beside depth and colour: the infrared image that the sensor made with each depth image, what
 * the inertial sensors measured, and the settings of the recording.
 */
export function extrasOf(
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
