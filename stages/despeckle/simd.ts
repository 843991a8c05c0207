import { type FrameShape, image } from "../../core/frame.ts";
import { type FrameContext, PingPong } from "../core/resources.ts";
import type { Twin } from "../core/stage.ts";
import { copyRows, Layout, openWasm } from "../core/wasm.ts";
import binary from "./assembly/despeckle.ts?wasm";
import { type DespeckleParameters, stepsOf } from "./cpu.ts";

interface Exports {
  /** `source`, `sink` and `offsets` are addresses; `pitch` and `row` are in bytes. */
  despeckle(
    source: number,
    sink: number,
    before: number,
    after: number,
    continues: number,
    offsets: number,
    pitch: number,
    row: number,
    height: number,
    least: number,
    share: number,
    noise: number,
    island: number,
    snap: number,
  ): void;
}

// Rows of zeros above and below the image, and pixels of zeros after each row.
const BORDER = 4;
const GAP = 8;
/** A row of the output replaces input that lies so many rows above it, which no later row reads. */
const BEHIND = BORDER + 1;

/**
 * `despeckleTwin` with WebAssembly's 128-bit vectors; equals it to the last bit. Gives `undefined` where WebAssembly has no vectors or is
 * forbidden.
 */
export function despeckleSimd(shape: FrameShape, parameters: DespeckleParameters): Twin | undefined {
  const { width, height } = shape.intrinsics;
  // Row lengths in pixels.
  const row = Math.ceil(width / 8) * 8;
  const pitch = row + GAP;
  const layout = new Layout();
  const offsets = layout.take(16);
  const sink = layout.take(2 * pitch * (BEHIND + height + BORDER) + 2 * GAP);
  const source = sink / 2 + BEHIND * pitch;
  const remembered = [layout.take(2 * row * height), layout.take(2 * row * height)] as const;
  const memory = new PingPong(remembered);
  const wasm = openWasm<Exports>([binary], layout.bytes);
  if (!wasm) return undefined;
  const { buffer, exports } = wasm;
  new Int32Array(buffer, offsets, 4).set([4, 4 * pitch, 4 * pitch + 4, 4 * pitch - 4]);
  const words = new Uint16Array(buffer);
  const cleaned = words.subarray(sink / 2, sink / 2 + row * height);
  const whole = row === width;
  const result = whole ? cleaned : new Uint16Array(width * height);
  const output = image(result, [height, width]);
  return {
    run(frame, context: FrameContext) {
      const turn = memory.take(context);
      const [after, before] = [remembered[turn], remembered[turn === 0 ? 1 : 0]];
      const continues = memory.continues ? 1 : 0;
      const { least, share, noise } = stepsOf(parameters, shape.metresPerUnit);
      const { data } = frame.depth;
      words.fill(0, source - BORDER * pitch - GAP, source);
      for (let y = 0; y < height; y++) {
        words.set(data.subarray(y * width, (y + 1) * width), source + y * pitch);
        words.fill(0, source + y * pitch + width, source + (y + 1) * pitch);
      }
      const { islandPx, action } = parameters;
      const snap = action === "snap" ? 1 : 0;
      const [from, step, line] = [2 * source, 2 * pitch, 2 * row];
      const remembers = [before, after, continues] as const;
      exports.despeckle(from, sink, ...remembers, offsets, step, line, height, least, share, noise, islandPx, snap);
      if (!whole) copyRows(cleaned, row, result, width);
      frame.depth = output;
    },
  };
}
