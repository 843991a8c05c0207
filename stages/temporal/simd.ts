import { type FrameShape, image } from "../../sources/core/frame.ts";
import { Turns } from "../core/moment.ts";
import { watchChanges } from "../core/parameters.ts";
import { POSE_STATE } from "../core/pose.ts";
import type { Twin } from "../core/stage.ts";
import { createTeam } from "../core/team.ts";
import { canShare, threadCount } from "../core/threads.ts";
import { Layout, openWasm } from "../core/wasm.ts";
import plain from "./assembly/temporal.ts?wasm";
import shared from "./assembly/temporal.ts?wasm&shared";
import { JOB_LEAST_GAIN, JOB_ROW, JOB_ROWS, JOB_SOURCE, JOB_WORDS, KEPT, PLACE_BYTES } from "./layout.ts";
import { type Rule, ruleFor, type TemporalParameters } from "./rule.ts";
import { inUnits } from "./warp.ts";

/** The functions of assembly/temporal.ts. Arguments are addresses, except the numbers of the thread and of pixels. */
interface Exports {
  work(job: number, thread: number): void;
  begin(source: number, after: number, sink: number, pixels: number): void;
}

/** Parts of a frame for each thread. For each part a thread makes eight rows of marks more, which belong to other parts. */
const PARTS = 2;
const BINARIES = [canShare ? shared : plain];

/**
 * `temporalTwin` with WebAssembly's 128-bit vectors; equals it to the last bit. Gives `undefined` where WebAssembly has no vectors or is
 * forbidden.
 */
export function temporalSimd(shape: FrameShape, parameters: TemporalParameters): Twin | undefined {
  const { metresPerUnit } = shape;
  const { width, height } = shape.intrinsics;
  const row = Math.ceil(width / 8) * 8;
  const pixels = row * height;
  const rule = ruleFor(parameters, metresPerUnit);
  const haveChanged = watchChanges(parameters);
  const layout = new Layout();
  const threads = threadCount();
  const job = layout.take(JOB_WORDS * 4);
  const deskBytes = KEPT * (16 + 4 * row) + 4 * row + 48 + KEPT * 6 * row + (row / 4) * PLACE_BYTES;
  const desks = layout.takeEach(threads, deskBytes);
  const tables = {
    scales: layout.take(rule.scales.byteLength),
    weights: layout.take(rule.weights.byteLength),
    answers: layout.take(rule.answers.byteLength),
  };
  const [source, sink] = [layout.take(2 * pixels), layout.take(2 * pixels)];
  const memory = new Turns([layout.take(6 * pixels), layout.take(6 * pixels)]);
  const motionAt = layout.take(4 * 18);
  const wasm = openWasm<Exports>(BINARIES, layout.bytes, canShare);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  const words = new Uint16Array(buffer);
  const floats = new Float32Array(buffer);
  const counts = new Int32Array(buffer);
  const jobWords = counts.subarray(job / 4, job / 4 + JOB_WORDS);
  jobWords.set([row, width, height], JOB_ROW);
  const whole = row === width;
  const motion = floats.subarray(motionAt / 4, motionAt / 4 + 18);
  const { fx, fy, cx, cy } = shape.intrinsics;
  motion.set([fx, fy, cx, cy, 1 / fx, 1 / fy], 12);
  // If threads share this memory, `run` copies the depth out of it: code that gets a frame may not expect an array on shared memory.
  const result = whole && !canShare ? words.subarray(sink / 2, sink / 2 + pixels) : new Uint16Array(width * height);
  const output = image(result, [height, width]);
  const write = ({ scales, weights, answers }: Rule) => {
    floats.set(scales, tables.scales / 4);
    floats.set(weights, tables.weights / 4);
    floats.set(answers, tables.answers / 4);
    // The kernel reads the numbers of frames as integers.
    for (let i = 1; i < answers.length; i += 2) counts[tables.answers / 4 + i] = answers[i];
  };
  write(rule);
  const team = createTeam(wasm, job, desks, threads);
  const follow = () => {
    const rows = Math.ceil(height / (team.size > 1 ? PARTS * team.size : 1));
    jobWords[JOB_ROWS] = rows;
    return team.finish(Math.ceil(height / rows));
  };
  return {
    run(frame, moment) {
      if (haveChanged()) write(ruleFor(parameters, metresPerUnit));
      const { data } = frame.depth;
      if (whole) words.set(data, source / 2);
      for (let y = 0; !whole && y < height; y++) {
        words.set(data.subarray(y * width, (y + 1) * width), source / 2 + y * row);
      }
      const turn = memory.take(moment);
      const [after, before] = [memory.pair[turn], memory.pair[turn === 0 ? 1 : 0]];
      const pose = frame.pose?.state === POSE_STATE.moved ? frame.pose : undefined;
      if (pose) inUnits(motion, pose.toBefore, metresPerUnit);
      if (!memory.continues || frame.pose?.state === POSE_STATE.lost) exports.begin(source, after, sink, pixels);
      else {
        const { scales, weights, answers } = tables;
        const { leastGain } = parameters;
        jobWords.set([source, before, after, sink, scales, weights, answers, pose ? motionAt : 0], JOB_SOURCE);
        floats[job / 4 + JOB_LEAST_GAIN] = 2 * leastGain;
        team.frame(follow);
      }
      if (canShare && whole) result.set(words.subarray(sink / 2, sink / 2 + pixels));
      for (let y = 0; !whole && y < height; y++) {
        result.set(words.subarray(sink / 2 + y * row, sink / 2 + y * row + width), y * width);
      }
      frame.depth = output;
    },
    destroy: team.destroy,
  };
}
