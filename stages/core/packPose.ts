import type { Rigid } from "../../core/pose.ts";
import shader from "../../shaders/core/pose.wgsl";
import { sizeOf, structView } from "../../shaders/shader.ts";
import { type CameraPose, POSE_STATE } from "./pose.ts";

/** The size of a pose in a GPU buffer, in bytes. */
export const POSE_BYTES: number = /* @__PURE__ */ sizeOf(shader, "Pose");

let view: ReturnType<typeof structView> | undefined;
/** The memory of a pose, made with the first pose: so a page without poses leaves all of this out. */
function poseView() {
  view ??= structView(shader, "Pose");
  return view;
}

/** The rows of a motion, as WGSL has them: four numbers each. */
export const rowsOf = (motion: Rigid) => [motion.subarray(0, 4), motion.subarray(4, 8), motion.subarray(8, 12)];

/** A pose as it lies in a GPU buffer (shaders/core/pose.wgsl), in memory that holds it until the next call. */
export function packPose({ toWorld, toBefore, recorded, anew, ...others }: CameraPose): ArrayBuffer {
  const { state, held, partners, uncertaintyM } = others;
  const motions = { toWorld: rowsOf(toWorld), toBefore: rowsOf(toBefore) };
  const { arrayBuffer, set } = poseView();
  set({ ...motions, state, held, partners, uncertaintyM, recorded: Number(recorded), anew: Number(anew) });
  return arrayBuffer;
}

/** Reads what `packPose` or the kernels wrote. */
export function unpackPose(from: ArrayBuffer): CameraPose {
  const [floats, words] = [new Float32Array(from), new Uint32Array(from)];
  const wordOf = (member: keyof CameraPose) => poseView().offsetOf(member) / 4;
  const motion = (member: "toWorld" | "toBefore") =>
    Float64Array.from({ length: 12 }, (_, i) => floats[wordOf(member) + i]);
  const state = words[wordOf("state")];
  return {
    toWorld: motion("toWorld"),
    toBefore: motion("toBefore"),
    state: Object.values(POSE_STATE).find((value) => value === state) ?? POSE_STATE.lost,
    held: words[wordOf("held")],
    partners: floats[wordOf("partners")],
    recorded: words[wordOf("recorded")] === 1,
    uncertaintyM: floats[wordOf("uncertaintyM")],
    anew: words[wordOf("anew")] === 1,
  };
}
