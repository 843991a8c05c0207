import ndarray from "ndarray";
import { Observable } from "rxjs";
import type { DepthFrame } from "../../core/frame.ts";
import { createKernel } from "../../stages/core/author.ts";
import { defineStage } from "../../stages/core/define.ts";
import { number } from "../../stages/core/parameters.ts";

/** A minimal stage, which adds a number to every valid pixel. */
export const adder = (name: string, initial = 1) =>
  defineStage({
    name,
    summary: "adds to every valid pixel",
    schema: { addend: number(initial, { min: 0, max: 100, step: 1 }, "what to add") },
    async build({ device, input, parameters: { addend }, pool }) {
      const { width, height, stride } = input.depth;
      const depth = pool.depthImage("sum", width, height);
      const kernel = await createKernel(device, {
        label: name,
        code: `
          override ADDEND: u32;
          @group(0) @binding(0) var<storage, read> source: array<u32>;
          @group(0) @binding(1) var<storage, read_write> sink: array<u32>;
          fn add(depth: u32) -> u32 { return select(depth + ADDEND, 0u, depth == 0u); }
          @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            if (id.x < arrayLength(&source)) { sink[id.x] = add(source[id.x] & 0xffffu) | (add(source[id.x] >> 16u) << 16u); }
          }`,
        constants: { ADDEND: addend },
        resources: { source: input.depth.buffer, sink: depth.buffer },
      });
      const groups = Math.ceil((stride * height) / 2 / 64);
      return { output: { depth }, encode: (pass) => kernel.dispatch(pass, groups) };
    },
    twin({ intrinsics: { width, height } }, { addend }) {
      const sum = ndarray(new Uint16Array(width * height), [height, width]);
      return {
        run(frame) {
          frame.depth.data.forEach((d, i) => {
            sum.data[i] = d === 0 ? 0 : d + addend;
          });
          frame.depth = sum;
        },
      };
    },
  });

/** A frame whose every pixel is `depth`, but for an invalid first one. */
export function flatFrame(index: number, depth = 1000 + index, width = 5, height = 3): DepthFrame {
  const data = new Uint16Array(width * height).fill(depth);
  data[0] = 0;
  const intrinsics = { fx: 500, fy: 500, cx: width / 2, cy: height / 2, width, height };
  return { depth: ndarray(data, [height, width]), metresPerUnit: 0.001, intrinsics, timestamp: index * 33, index };
}

/** A source that waits, as a recording does; `state.read` counts the frames that the source has handed out. */
export function patientSource(length: number, state = { read: 0, stopped: false }) {
  const frames$ = new Observable<DepthFrame>((subscriber) => {
    const play = async () => {
      for (let index = 0; index < length && !subscriber.closed; index++) {
        const work: Promise<unknown>[] = [];
        state.read++;
        subscriber.next({ ...flatFrame(index), waitUntil: (promise) => work.push(promise) });
        await Promise.allSettled(work);
      }
      subscriber.complete();
    };
    void play();
    return () => {
      state.stopped = true;
    };
  });
  return { frames$, state };
}
