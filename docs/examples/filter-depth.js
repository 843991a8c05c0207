// Filters a recording and writes the depth of each frame as a NumPy array.
//
//     npm pkg set type=module && npm install depthloom rxjs
//     node filter-depth.js recording.bag filtered
//
// In Python, numpy.load("filtered/000000.npy") gives depth in metres, shape (height, width); 0 is "no measurement".

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createPipeline } from "depthloom/pipeline";
import { image, openRecording } from "depthloom/sources";
import { bilateralGrid, despeckle, median } from "depthloom/stages";
import { depthNpy } from "depthloom/write";
import { mergeMap } from "rxjs";

const [input, folder] = process.argv.slice(2);
if (!input || !folder) {
  console.error("usage: node filter-depth.js RECORDING FOLDER");
  process.exit(2);
}

const recording = await openRecording(input);
for (const warning of recording.warnings) console.error(`warning: ${warning}`);
const pipeline = await createPipeline({ stages: [despeckle(), median({ size: 3 }), bilateralGrid()] });
await mkdir(folder, { recursive: true });
try {
  const written$ = recording.frames$.pipe(
    pipeline.process("lossless"),
    mergeMap((frame) => {
      const written = write(frame);
      // Back-pressure: the recording reads on when the file is written.
      frame.waitUntil(written);
      return written;
    }),
  );
  await written$.forEach((path) => {
    console.log(path);
  });
} finally {
  await pipeline.destroy();
  await recording.close();
}

/** @param {import("depthloom/pipeline").ProcessedFrame} frame */
async function write(frame) {
  const { data, shape } = await frame.readDepth();
  const metres = Float32Array.from(data, (value) => value * frame.shape.metresPerUnit);
  const path = join(folder, `${String(frame.index).padStart(6, "0")}.npy`);
  await writeFile(path, depthNpy(image(metres, [...shape])));
  return path;
}
