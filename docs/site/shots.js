// What the site shows of depth, made when it is built: the recordings that it plays, and a picture of each stage's work.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The recordings by name: what they show, and how the scene is seen. */
export const SAMPLES = {
  desk: ["a desk and a Kinect", { scene: "desk", sensor: "kinect-v1", width: 480, height: 360 }],
  room: ["a room and a swaying stereo camera", { sensor: "realsense", cameraMotion: "sway" }],
  walk: ["a walk with a time-of-flight camera", { sensor: "azure-kinect", cameraMotion: "walk" }],
};
const [SIZE, FRAMES] = [{ width: 360, height: 270, fps: 10 }, 24];

/**
 * Writes the recordings to `out`.
 * @param {string} out a folder
 * @param {import("depthloom/sources")} sources
 * @param {import("depthloom/write")} write
 */
export async function writeSamples(out, { syntheticRoom }, { recordMcap }) {
  mkdirSync(out, { recursive: true });
  for (const [name, [, options]] of Object.entries(SAMPLES)) {
    const scene = syntheticRoom({ ...SIZE, ...options, frames: FRAMES });
    const { recorder, close } = await recordMcap(join(out, `${name}.mcap`), { codec: "v2", replace: true });
    for (let i = 0; i < FRAMES; i++) await recorder.frame(await scene.read(i));
    await close();
  }
}

/** Parameters that make a stage's work plain in a small picture. */
const PLAIN = {
  threshold: { maxM: 1.1 },
  decimate: { factor: 4 },
  median: { size: 5 },
  fillHoles: { reachPx: 32 },
  paint: { by: "depth", nearM: 0.4, farM: 1.2 },
  dofSplat: { fNumber: 0.5, focusM: 0.7 },
};
const PICTURE = { width: 640, height: 480 };

/**
 * Writes a picture of each stage, as `out`/NAME.png: of a filter raw depth on the left and its result on the right. A stage that changes
 * no pixel of the scene has none. Resolves to the names of those that have one.
 * @param {string} out a folder
 * @param {import("depthloom")} library
 * @param {import("depthloom/write")} write
 */
export async function writePictures(
  out,
  { createPipeline, estimateNoise, image, syntheticRoom, ...stages },
  { colorPng },
) {
  mkdirSync(out, { recursive: true });
  const scene = syntheticRoom({ scene: "desk", sensor: "kinect-v1", width: 480, height: 360, frames: 12 });
  const frames = await Promise.all(Array.from({ length: scene.length }, (_, i) => scene.read(i)));
  const noise = estimateNoise(frames);
  const pictured = [];
  for (const name of Object.keys(stages).filter((name) => stages[name].stageName === name)) {
    const { paint, split, compact, dofSplat } = stages;
    const stage = stages[name](PLAIN[name]);
    stage.applyNoise(noise);
    const filters = stage.role === "filter" ? [stage, split()] : name === "split" ? [stages.median(), stage] : [];
    const colour = name === "paint" ? stage : paint({ by: "lit" });
    const picture = name === "dofSplat" ? stage : dofSplat({ fNumber: 0 });
    picture.set({ ...PICTURE, pointScale: name === "compact" ? 0.5 : 1 });
    const pipeline = await createPipeline({ stages: [...filters, colour, compact(), picture], backend: "cpu" });
    if (stage.remembers) for (const frame of frames.slice(0, -1)) await pipeline.run(frame);
    const last = frames[frames.length - 1];
    const shown = await pipeline.run(last);
    const depth = await shown.readDepth();
    if (stage.role !== "filter" || depth.data.some((z, i) => z !== last.depth.data[i])) {
      const { rgba, width, height } = await shown.readPicture();
      writeFileSync(join(out, `${name}.png`), await colorPng(image(rgba, [height, width, 4])));
      pictured.push(name);
    }
    await pipeline.destroy();
  }
  return pictured;
}
