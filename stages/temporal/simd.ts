import { type FrameShape, image } from "../../sources/core/frame.ts";
import { Turns } from "../core/moment.ts";
import { watchChanges } from "../core/parameters.ts";
import { POSE_STATE } from "../core/pose.ts";
import type { Twin } from "../core/stage.ts";
import { Layout, openWasm } from "../core/wasm.ts";
import binary from "./assembly/temporal.ts?wasm";
import { KEPT, PLACE_BYTES } from "./layout.ts";
import { type Rule, ruleFor, type TemporalParameters } from "./rule.ts";
import { inUnits } from "./warp.ts";

/** All arguments are addresses except `leastGain` (twice the parameter), `row`, `height`, `width` and `pixels`. */
interface Exports {
  follow(
    source: number,
    before: number,
    after: number,
    sink: number,
    marks: number,
    columns: number,
    scales: number,
    weights: number,
    answers: number,
    leastGain: number,
    row: number,
    height: number,
    width: number,
    motion: number,
    warped: number,
    places: number,
  ): void;
  begin(source: number, after: number, sink: number, pixels: number): void;
}

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
  const tables = {
    scales: layout.take(rule.scales.byteLength),
    weights: layout.take(rule.weights.byteLength),
    answers: layout.take(rule.answers.byteLength),
  };
  const [source, sink] = [layout.take(2 * pixels), layout.take(2 * pixels)];
  const memory = new Turns([layout.take(6 * pixels), layout.take(6 * pixels)]);
  const marks = layout.take(KEPT * (16 + 4 * row));
  const columns = layout.take(32 + 4 * row + 16);
  const [warped, places] = [layout.take(KEPT * 6 * row), layout.take((row / 4) * PLACE_BYTES)];
  const motionAt = layout.take(4 * 18);
  const wasm = openWasm<Exports>([binary], layout.bytes);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  const words = new Uint16Array(buffer);
  const floats = new Float32Array(buffer);
  const counts = new Int32Array(buffer);
  const whole = row === width;
  const motion = floats.subarray(motionAt / 4, motionAt / 4 + 18);
  const { fx, fy, cx, cy } = shape.intrinsics;
  motion.set([fx, fy, cx, cy, 1 / fx, 1 / fy], 12);
  const result = whole ? words.subarray(sink / 2, sink / 2 + pixels) : new Uint16Array(width * height);
  const output = image(result, [height, width]);
  const write = ({ scales, weights, answers }: Rule) => {
    floats.set(scales, tables.scales / 4);
    floats.set(weights, tables.weights / 4);
    floats.set(answers, tables.answers / 4);
    // The kernel reads the numbers of frames as integers.
    for (let i = 1; i < answers.length; i += 2) counts[tables.answers / 4 + i] = answers[i];
  };
  write(rule);
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
      const { scales, weights, answers } = tables;
      const { leastGain } = parameters;
      const pose = frame.pose?.state === POSE_STATE.moved ? frame.pose : undefined;
      if (pose) inUnits(motion, pose.toBefore, metresPerUnit);
      if (!memory.continues) exports.begin(source, after, sink, pixels);
      else {
        const kept = [before, after, sink, marks, columns, scales, weights, answers] as const;
        const carried = [pose ? motionAt : 0, warped, places] as const;
        exports.follow(source, ...kept, 2 * leastGain, row, height, width, ...carried);
      }
      for (let y = 0; !whole && y < height; y++) {
        result.set(words.subarray(sink / 2 + y * row, sink / 2 + y * row + width), y * width);
      }
      frame.depth = output;
    },
  };
}
