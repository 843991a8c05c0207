import type { FrameShape } from "../../core/frame.ts";
import { IDENTITY } from "../../core/pose.ts";
import { createKernel } from "../../shaders/kernel.ts";
import { constantOf, type Shader, sizeOf, structView } from "../../shaders/shader.ts";
import alignShader from "../../shaders/track/align.wgsl";
import settleShader from "../../shaders/track/settle.wgsl";
import shrinkShader from "../../shaders/track/shrink.wgsl";
import { POSE_BYTES, packPose, rowsOf } from "../core/packPose.ts";
import { POSE_STATE } from "../core/pose.ts";
import type { BuildContext, BuiltStage } from "../core/stage.ts";
import { liveUniform } from "../core/uniform.ts";
import type { TrackParameters } from "./cpu.ts";
import {
  fewestOf,
  groupsOf,
  iterationsOf,
  judgedOf,
  lensesOf,
  samplingOf,
  takingAlong,
  takingPart,
  unitOf,
} from "./pyramid.ts";
import { first, newPose, Recorded } from "./recorded.ts";
import { FIRST_DISTANCE } from "./settle.ts";

const GUESSES = 2;

/** Which pixels of which pyramid levels each iteration aligns and judges, and how the work is divided; `parts`: the shader's PARTS. */
function planOf(intrinsics: FrameShape["intrinsics"], parts: number) {
  const lenses = lensesOf(intrinsics);
  const every = samplingOf(lenses);
  let pixels = 0;
  const levels = lenses.map((lens, i) => {
    const first = pixels;
    pixels += lens.width * lens.height;
    return { ...lens, first, every: every[i] };
  });
  const pixelsOf = (level: number) => {
    const across = takingAlong(lenses[level].width, every[level]);
    const count = takingPart(lenses[level], every[level]);
    return { level: levels[level], across, count, groups: groupsOf(count) };
  };
  const judged = pixelsOf(judgedOf(lenses));
  const steps = iterationsOf(lenses).map(({ level, gate }, number) => ({
    aligned: pixelsOf(level),
    judged,
    number,
    gate,
  }));
  const last = steps.length - 1;
  const most = Math.max(judged.groups, ...steps.map(({ aligned }) => aligned.groups));
  return {
    levels,
    steps,
    last,
    pixels: Math.max(1, pixels),
    fewest: Math.min(1e9, fewestOf(lenses)),
    unit: unitOf(lenses),
    /** How many slots each lane adds up, where several lanes sum one vector together; at most nine. */
    rounds: Math.ceil(most / parts),
    /** Workgroups per guess in each iteration; the last iteration also has the workgroups that judge. */
    groups: steps.map(({ aligned }, i) => aligned.groups + (i === last ? judged.groups : 0)),
  };
}

/** What a first frame leaves: there is no keyframe to align it with. */
function firstKnown(): ArrayBuffer {
  const { set, arrayBuffer } = structView(settleShader, "Known");
  const at = { base: rowsOf(IDENTITY), world: rowsOf(IDENTITY), velocity: rowsOf(IDENTITY), state: newPose().state };
  set({ ...at, centre: [0, 0, FIRST_DISTANCE], radius: 1, had: 0, filled: 0, calm: 0, crowded: 0, isKey: 1 });
  return arrayBuffer;
}

/** Builds the kernels of shaders/track/. The kernels leave the pose in a buffer; nothing is read back. */
export async function buildTrack({
  device,
  shape: { intrinsics, metresPerUnit },
  input: { depth },
  parameters,
  pool,
}: BuildContext<TrackParameters>): Promise<Omit<BuiltStage, "destroy">> {
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST } = GPUBufferUsage;
  const [parts, vectors] = [constantOf(alignShader, "PARTS"), constantOf(alignShader, "VECTORS")];
  const { levels, pixels, fewest, unit, last, rounds, groups, ...plan } = planOf(intrinsics, parts);
  const known = firstKnown();
  const memory = pool.turns("pyramids", 4 * pixels);
  const knownBuffer = (name: string) => pool.buffer(name, known.byteLength, STORAGE | COPY_DST);
  const both = [knownBuffer("known a"), knownBuffer("known b")] as const;
  const planes = pool.buffer("planes", pixels * sizeOf(shrinkShader, "planes"), STORAGE);
  // A slot for each workgroup of each iteration, and for each workgroup that judges.
  const slots = new Uint8Array((last + 2) * GUESSES * parts * rounds * vectors * sizeOf(alignShader, "sums"));
  const sums = pool.buffer("sums", slots.byteLength, STORAGE | COPY_DST);
  const estimates = pool.buffer("estimates", (last + 1) * GUESSES * sizeOf(alignShader, "Estimate"), STORAGE);
  const pose = pool.buffer("pose", POSE_BYTES, STORAGE | COPY_SRC | COPY_DST);
  const shape = liveUniform(pool, settleShader, "shape", parameters, () => ({
    levels,
    metresPerUnit,
    fewest,
    unit,
    zero: 0,
    nearM: parameters.sigmaDepthMm / 1000,
    nearPerM2: parameters.sigmaDepthPerM2Mm / 1000,
  }));
  const steps = plan.steps.map((step, number) => {
    const { arrayBuffer, set } = structView(alignShader, "step");
    set(step);
    return { arrayBuffer, buffer: pool.buffer(`step ${number}`, arrayBuffer.byteLength, UNIFORM | COPY_DST) };
  });
  let areWritten = false;
  /** Whether the buffers hold the state of a first frame, which needs no alignment. */
  let isBegun = false;
  const given = structView(settleShader, "given");
  const givenBuffer = pool.buffer("given", given.arrayBuffer.byteLength, UNIFORM | COPY_DST);
  /** The kernels for every second frame: those that write the memory `turn`. */
  const kernelsOf = async (turn: 0 | 1) => {
    const [pyramid, earlier] = [memory.pair[turn], memory.pair[1 - turn]];
    const [after, before] = [both[turn], both[1 - turn]];
    const kernel = (name: string, shader: Shader, constants: Record<string, number>, own: Record<string, GPUBuffer>) =>
      createKernel(device, { label: `track/${name}`, shader, constants, resources: { ...own, shape: shape.buffer } });
    const ROUNDS = rounds;
    const LAST = last;
    const ROW = depth.stride / 2;
    const settled = { before, after, sums, estimates, pose, given: givenBuffer };
    const [shrink, settle, ...align] = await Promise.all([
      kernel("shrink", shrinkShader, { ROW }, { depth: depth.buffer, pyramid, before, earlier, planes }),
      kernel("settle", settleShader, { ROUNDS, LAST, GATHERED: 4 }, settled),
      ...steps.map(({ buffer }) =>
        kernel("align", alignShader, { ROUNDS }, { before, pyramid, planes, sums, estimates, step: buffer }),
      ),
    ]);
    return { shrink, align, settle };
  };
  const kernels = await Promise.all([kernelsOf(0), kernelsOf(1)]);
  const recorded = new Recorded();
  const camera = newPose();
  const givenRows = { toWorld: rowsOf(recorded.toWorld), toBefore: rowsOf(recorded.toBefore) };
  /** The last word written to the buffer `given`: bit 0 `isThere`, bit 1 `follows`; −1 before the first write. */
  let saysGiven = -1;
  return {
    output: { pose: { buffer: pose } },
    encode(pass, context) {
      shape.update();
      if (!areWritten) {
        for (const { buffer, arrayBuffer } of steps) device.queue.writeBuffer(buffer, 0, arrayBuffer);
        device.queue.writeBuffer(sums, 0, slots);
        areWritten = true;
      }
      const turn = memory.take(context);
      const { shrink, align, settle } = kernels[turn];
      const { width, height } = intrinsics;
      shrink.cover(pass, width / 4, height / 4);
      recorded.take(context, turn, memory.continues, parameters.recorded);
      if (!memory.continues && !memory.hasPast) {
        // A first frame has no keyframe to align with.
        if (!context.fresh && isBegun) return;
        isBegun = true;
        first(camera, IDENTITY, POSE_STATE.still);
        recorded.replace(camera);
        device.queue.writeBuffer(both[turn], 0, known);
        device.queue.writeBuffer(pose, 0, packPose(camera));
        return;
      }
      isBegun = false;
      const says = (recorded.isThere ? 1 : 0) + (memory.continues ? 2 : 0);
      if (recorded.isThere || says !== saysGiven) {
        saysGiven = says;
        given.set({ ...givenRows, isThere: says & 1, state: recorded.state, follows: says >> 1 });
        device.queue.writeBuffer(givenBuffer, 0, given.arrayBuffer);
      }
      // A frame that follows no other has nothing to align with; `settle` alone takes the last pose over.
      for (let i = 0; memory.continues && i < align.length; i++) align[i].dispatch(pass, groups[i], GUESSES);
      settle.dispatch(pass, 1);
    },
  };
}
