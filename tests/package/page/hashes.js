// The library in use, in a page as in Node: a recording through the four stages, and what comes out as SHA-256 of each depth.
import { createPipeline } from "depthloom/pipeline";
import { openRecording } from "depthloom/sources";
import { bilateralGrid, compact, dofSplat, median } from "depthloom/stages";
import { crop } from "depthloom-crop";

/** `options` are those of the pipeline; `circle`, if there, is the margin of a first stage, which comes from another package. */
export async function hashesOf(input, { circle, ...options }, watch = (_pipeline) => (frames$) => frames$) {
  const recording = await openRecording(input);
  const stages = [
    ...(circle === undefined ? [] : [crop({ shape: "circle", marginPx: circle })]),
    median({ size: 3 }),
    bilateralGrid({ sigmaSpacePx: 8 }),
    compact(),
    dofSplat({ focusM: 1.2, width: 160, height: 120 }),
  ];
  const pipeline = await createPipeline({ ...options, stages, timeEvery: 1, tuned: false });
  const hashes = [];
  const hash = async (frame) => {
    const { data } = await frame.readDepth();
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  const processed$ = recording.frames$.pipe(pipeline.process("lossless"), watch(pipeline));
  await processed$.forEach((frame) => {
    hashes[frame.index] = hash(frame);
    frame.waitUntil(hashes[frame.index]);
  });
  const told = { backend: pipeline.backend, hashes: await Promise.all(hashes) };
  await pipeline.destroy();
  await recording.close();
  return told;
}
