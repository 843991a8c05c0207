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
/** Stages whose work needs the frames before; the others' pictures need the last frame alone. */
const WITH_MEMORY = ["despeckle", "temporal"];
/** Stages that leave the scene's pixels as they are. */
const UNSEEN = ["track", "undistort"];

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
  const names = Object.keys(stages).filter((name) => stages[name].stageName === name && !UNSEEN.includes(name));
  for (const name of names) {
    const { paint, split, compact, dofSplat } = stages;
    const stage = stages[name](PLAIN[name]);
    stage.applyNoise(noise);
    const filters = stage.role === "filter" ? [stage, split()] : name === "split" ? [stages.median(), stage] : [];
    const colour = name === "paint" ? stage : paint({ by: "lit" });
    const picture = name === "dofSplat" ? stage : dofSplat({ fNumber: 0 });
    picture.set({ ...PICTURE, pointScale: name === "compact" ? 0.5 : 1 });
    const pipeline = await createPipeline({ stages: [...filters, colour, compact(), picture], backend: "cpu" });
    if (WITH_MEMORY.includes(name)) for (const frame of frames.slice(0, -1)) await pipeline.run(frame);
    const { rgba, width, height } = await (await pipeline.run(frames[frames.length - 1])).readPicture();
    writeFileSync(join(out, `${name}.png`), await colorPng(image(rgba, [height, width, 4])));
    await pipeline.destroy();
  }
  return names;
}
