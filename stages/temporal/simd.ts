import { type FrameShape, image } from "../../core/frame.ts";
import { watchChanges } from "../core/parameters.ts";
import { POSE_STATE } from "../core/pose.ts";
import { PingPong } from "../core/resources.ts";
import type { Twin } from "../core/stage.ts";
import { createThreadPool } from "../core/threadPool.ts";
import { canShare, threadCount } from "../core/threads.ts";
import { copyRows, Layout, openWasm } from "../core/wasm.ts";
import binary from "./assembly/temporal.ts?wasm";
import {
  JOB_AFTER,
  JOB_BEFORE,
  JOB_LEAST_GAIN,
  JOB_MOTION,
  JOB_OFFSETS,
  JOB_ROW,
  JOB_ROWS,
  JOB_SINK,
  JOB_SOURCE,
  JOB_STEP,
  JOB_WORDS,
  PLACE_BYTES,
  TILE,
} from "./layout.ts";
import { ruleFor, type TemporalParameters } from "./rule.ts";
import { answers } from "./tiles.ts";
import { inUnits, lensOf } from "./warp.ts";

/** The functions of assembly/temporal.ts. Arguments are addresses, except the numbers of the thread and of pixels. */
interface Exports {
  work(job: number, thread: number): void;
  begin(source: number, after: number, pixels: number): void;
}

/** Parts of a frame for each thread. */
const PARTS = 2;
const BINARIES = [binary];

/**
 * `temporalTwin` with WebAssembly's 128-bit vectors; equals it to the last bit. Gives `undefined` where WebAssembly has no vectors or is
 * forbidden.
 */
export function temporalSimd(shape: FrameShape, parameters: TemporalParameters): Twin | undefined {
  const { metresPerUnit } = shape;
  const { width, height } = shape.intrinsics;
  const row = Math.ceil(width / 8) * 8;
  const pixels = row * height;
  let rule = ruleFor(parameters, metresPerUnit);
  const haveChanged = watchChanges(parameters);
  const layout = new Layout();
  const threads = threadCount();
  const job = layout.take(JOB_WORDS * 4);
  const [across, down] = [row / TILE, Math.ceil(height / TILE)];
  const count = across * down;
  const scratches = layout.takeEach(threads, 16 * (across + 2) + 2 * row + (row / 4) * PLACE_BYTES);
  const [scales, frames, spans] = [rule.scales, rule.frames, rule.spans].map(({ byteLength }) =>
    layout.take(byteLength),
  );
  // The depth of each pixel is replaced by what is shown, since nothing else reads it in the second step.
  const source = layout.take(2 * pixels);
  const remembered = () => ({ seen: layout.take(4 * pixels), trends: new Int32Array(count) });
  const memory = new PingPong([remembered(), remembered()]);
  const carried = layout.take(4 * pixels);
  const [sumsAt, gainsAt, offsetsAt] = [layout.take(4 * count), layout.take(4 * count), layout.take(4 * count)];
  const motionAt = layout.take(4 * 18);
  const wasm = openWasm<Exports>(BINARIES, layout.bytes, canShare);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  const depth = new Uint16Array(buffer, source, pixels);
  const floats = new Float32Array(buffer);
  const counts = new Int32Array(buffer);
  const jobWords = counts.subarray(job / 4, job / 4 + JOB_WORDS);
  jobWords[JOB_SOURCE] = source;
  jobWords.set([source, carried, sumsAt, gainsAt, scales, frames], JOB_SINK);
  jobWords.set([row, width, height], JOB_ROW);
  jobWords.set([offsetsAt, spans], JOB_OFFSETS);
  const tiles = {
    across,
    down,
    sums: counts.subarray(sumsAt / 4, sumsAt / 4 + count),
    gains: floats.subarray(gainsAt / 4, gainsAt / 4 + count),
    offsets: floats.subarray(offsetsAt / 4, offsetsAt / 4 + count),
  };
  const motion = floats.subarray(motionAt / 4, motionAt / 4 + 18);
  const { fx, fy, cx, cy, perFx, perFy } = lensOf(shape.intrinsics);
  motion.set([fx, fy, cx, cy, perFx, perFy], 12);
  // If threads share this memory, `run` copies the depth out of it: code that gets a frame may not expect an array on shared memory.
  const result = row === width && !canShare ? depth : new Uint16Array(width * height);
  const output = image(result, [height, width]);
  const write = () => {
    floats.set(rule.scales, scales / 4);
    counts.set(rule.frames, frames / 4);
    floats.set(rule.spans, spans / 4);
  };
  write();
  const threadPool = createThreadPool(wasm, job, scratches, threads);
  const share = (step: 0 | 1) => {
    const rows = TILE * Math.ceil(down / (threadPool.size > 1 ? PARTS * threadPool.size : 1));
    jobWords[JOB_STEP] = step;
    jobWords[JOB_ROWS] = rows;
    return threadPool.finish(Math.ceil(height / rows));
  };
  let [before, after] = memory.pair;
  let data: Uint16Array = new Uint16Array();
  const follow = () => {
    copyRows(data, width, depth, row);
    if (!share(0)) return false;
    answers(tiles, before.trends, after.trends, rule);
    return share(1);
  };
  return {
    run(frame, context) {
      if (haveChanged()) {
        rule = ruleFor(parameters, metresPerUnit, rule);
        write();
      }
      data = frame.depth.data;
      const turn = memory.take(context);
      [after, before] = [memory.pair[turn], memory.pair[turn === 0 ? 1 : 0]];
      const pose = frame.pose?.state === POSE_STATE.moved ? frame.pose : undefined;
      if (pose) inUnits(motion, pose.toBefore, metresPerUnit);
      const isLost = frame.pose?.state === POSE_STATE.lost;
      if (memory.continues && !isLost) {
        jobWords[JOB_BEFORE] = before.seen;
        jobWords[JOB_AFTER] = after.seen;
        jobWords[JOB_MOTION] = pose ? motionAt : 0;
        floats[job / 4 + JOB_LEAST_GAIN] = 2 * parameters.leastGain;
        threadPool.frame(follow);
      } else {
        copyRows(data, width, depth, row);
        exports.begin(source, after.seen, pixels);
        tiles.sums.fill(0);
        answers(tiles, memory.continues ? before.trends : undefined, after.trends, rule);
      }
      if (result !== depth) copyRows(depth, row, result, width);
      frame.depth = output;
    },
    destroy: threadPool.destroy,
  };
}
