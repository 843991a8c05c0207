import { type FrameShape, type GreyArray, image } from "../../core/frame.ts";
import type { Twin } from "../core/stage.ts";
import { createThreadPool } from "../core/threadPool.ts";
import { canShare, threadCount } from "../core/threads.ts";
import { Layout, openWasm } from "../core/wasm.ts";
import binary from "./assembly/stereo.ts?wasm";
import { type StereoParameters, scaleOf } from "./cpu.ts";
import {
  EDGE,
  JOB_ROWS,
  JOB_SCALE,
  JOB_SHIFT,
  JOB_STEP,
  JOB_UNIQUENESS,
  JOB_WIDTH,
  JOB_WORDS,
  NONE,
  PLANE_EDGE,
  RECORD,
} from "./layout.ts";

interface Exports {
  work(job: number, thread: number): void;
}

/** Parts of a frame for each thread, and the parts of the step that sweeps the image down and up. */
const SHARES = 4;
const SWEEPS = 2;
const SWEEP = 2;
const MEET = 3;
const WORK = [0, 1, SWEEP, MEET, 4, 5, 6, 7] as const;
const BINARIES = [binary];

/**
 * The twin's matcher with WebAssembly's 128-bit vectors, on several threads; equals it to the last bit. Gives `undefined` where WebAssembly
 * has no vectors, is forbidden or gets too little memory.
 */
export function stereoSimd(shape: FrameShape, parameters: StereoParameters): Twin | undefined {
  const { width, height } = shape.intrinsics;
  const { disparities, fromPx, paths } = parameters;
  const row = Math.ceil(width / 8) * 8;
  const wide = row + 2 * EDGE;
  const plane = row + 2 * PLANE_EDGE;
  const layout = new Layout();
  const threads = threadCount();
  const job = layout.take(4 * JOB_WORDS);
  const winners = (width + 10) * disparities + 32 + 4 * (width + 512);
  const scratches = layout.takeEach(threads, Math.max(winners, 16 * Math.max(25, wide)));
  const grey = layout.take(4 * height * wide);
  const deviations = layout.take(8 * height * wide);
  const contrasts = layout.take(4 * height * row);
  const codes = layout.take(16 * height * (row + disparities + fromPx));
  const costs = layout.take(width * height * disparities);
  const sums = layout.take(2 * width * height * disparities);
  const sweeps = layout.take((6 * width + 4) * (disparities + RECORD));
  const found = layout.take(2 * (height + 4) * plane);
  const medians = layout.take(2 * height * plane + 64);
  const arms = layout.take(4 * height * row);
  const gathered = layout.take(32 * width * height);
  const depth = layout.take(2 * width * height);
  const wasm = openWasm<Exports>(BINARIES, layout.bytes, canShare);
  if (!wasm) return undefined;
  const words = new Uint16Array(wasm.buffer);
  const jobWords = new Uint32Array(wasm.buffer, job, JOB_WORDS);
  jobWords.set([width, height, row, disparities, fromPx, paths], JOB_WIDTH);
  jobWords.set(
    [grey, deviations, contrasts, codes, costs, sums, sweeps, found, medians, arms, gathered, depth],
    JOB_SHIFT + 1,
  );
  words.fill(NONE, found / 2, found / 2 + (height + 4) * plane);
  words.fill(32768, medians / 2, medians / 2 + height * plane + 32);
  const output = image(new Uint16Array(width * height), [height, width]);
  const threadPool = createThreadPool(wasm, job, scratches, threads);
  const match = () =>
    WORK.every((step) => {
      const rows = Math.ceil(height / (threadPool.size > 1 ? SHARES * threadPool.size : 1));
      jobWords[JOB_STEP] = step;
      jobWords[JOB_ROWS] = rows;
      return threadPool.finish(step === SWEEP || step === MEET ? SWEEPS : Math.ceil(height / rows));
    });
  const write = ({ data }: GreyArray, side: number) => {
    for (let y = 0; y < height; y++) {
      const at = grey / 2 + (side * height + y) * wide + EDGE;
      words.set(data.subarray(y * width, (y + 1) * width), at);
      words.fill(words[at], at - EDGE, at);
      words.fill(words[at + width - 1], at + width, at - EDGE + wide);
    }
  };
  return {
    run(frame) {
      if (!frame.pair) return;
      write(frame.pair.left, 0);
      write(frame.pair.right, 1);
      jobWords[JOB_UNIQUENESS] = parameters.uniquenessPercent;
      const { scale, shift } = scaleOf(shape, frame.pair);
      jobWords.set([scale, shift], JOB_SCALE);
      threadPool.frame(match);
      output.data.set(words.subarray(depth / 2, depth / 2 + width * height));
      frame.raw = frame.depth = output;
    },
    destroy: threadPool.destroy,
  };
}
