import { add, between, scale, subtract, type Vec3 } from "../../../core/geometry.ts";
import { type Material, plain } from "../materials.ts";
import { capsule } from "../shapes/capsule.ts";
import { type Shadow, type Solid, solid, turn } from "./scene.ts";

const SKIN = plain("#d9a07c");
const SLEEVE = plain("#3f6c8f");

/** The lengths in metres of the three bones of index, middle, ring and little finger. */
const BONES = [
  [0.045, 0.027, 0.02],
  [0.05, 0.03, 0.021],
  [0.046, 0.029, 0.021],
  [0.036, 0.022, 0.018],
] as const;
/** How often each finger taps per period, thumb first. They are whole numbers, so the motion repeats without a jump. */
const TAPS = [7, 13, 17, 11, 9] as const;
/** A finger's bend at rest, and how far it swings to each side of that, in radians. */
const REST = 0.42;
const SWING = 0.34;
const PALM_M = 0.085;

/** A limb from `a` to `b` with balls at its ends, of the given radii. */
function limb(name: string, a: Vec3, b: Vec3, r0: number, r1: number, material: Material = SKIN): Solid {
  return solid(name, capsule(r0, r1, Math.hypot(...subtract(b, a))), between(a, b), material, { blocks: false });
}

/** Forward and to the side on the level, and how far down a direction points. */
const pointing = (forward: Vec3, down: number): Vec3 => [
  forward[0] * Math.cos(down),
  Math.sin(down),
  forward[2] * Math.cos(down),
];

/** An arm, a hand and five typing fingers, `t` seconds after the start. A `side` of −1 gives the left hand. */
function arm(side: -1 | 1, t: number): { solids: Solid[]; palm: Vec3 } {
  const name = side < 0 ? "left" : "right";
  const drift = 0.02 * Math.sin(turn(t, 2) + side);
  const lift = 0.012 * Math.max(0, Math.sin(turn(t, 3) + 2 * side));
  const wrist: Vec3 = [side * 0.15 + drift, -0.075 - lift, 0.63];
  const elbow: Vec3 = [side * 0.34, -0.1, 0.36];
  const turnIn = -side * 0.12;
  const forward: Vec3 = [Math.sin(turnIn), 0, Math.cos(turnIn)];
  const across: Vec3 = [Math.cos(turnIn), 0, -Math.sin(turnIn)];
  const bend = (finger: number, phase: number) => REST + SWING * Math.sin(turn(t, TAPS[finger] ?? 1) + phase * side);
  const cuff = add(elbow, scale(subtract(wrist, elbow), 0.7));
  const solids = [
    limb(`${name} sleeve`, elbow, cuff, 0.05, 0.04, SLEEVE),
    limb(`${name} forearm`, cuff, wrist, 0.031, 0.026),
  ];
  for (const [i, bones] of BONES.entries()) {
    // The index finger lies beside the thumb: on the right side of the left hand.
    const place = side * (1.5 - i) * -0.021;
    const knuckle = add(wrist, add(scale(forward, PALM_M - 0.006 * Math.abs(i - 1)), scale(across, place)));
    const root = add(wrist, scale(across, place * 0.6));
    solids.push(limb(`${name} palm`, root, knuckle, 0.019, 0.0125));
    let [from, down] = [knuckle, 0];
    for (const [k, length] of bones.entries()) {
      down += bend(i + 1, i) * (k === 0 ? 0.6 : 1);
      const to = add(from, scale(pointing(forward, down), length));
      solids.push(limb(`${name} finger`, from, to, 0.0105 - 0.0012 * k, 0.0093 - 0.0012 * k));
      from = to;
    }
  }
  const thumbRoot = add(wrist, add(scale(forward, 0.02), scale(across, -side * 0.022)));
  const out = add(scale(forward, 0.75), scale(across, -side * 0.66));
  const thumbJoint = add(thumbRoot, add(scale(out, 0.045), [0, 0.012, 0]));
  const thumbTip = add(thumbJoint, add(scale(forward, 0.03), [-side * 0.006, 0.014 * bend(0, 1), 0]));
  solids.push(limb(`${name} thumb`, thumbRoot, thumbJoint, 0.016, 0.012));
  solids.push(limb(`${name} thumb`, thumbJoint, thumbTip, 0.012, 0.009));
  return { solids, palm: add(wrist, scale(forward, 0.06)) };
}

/** Two typing hands, and the shadows of their palms. */
export function hands(t: number): { readonly solids: readonly Solid[]; readonly shadows: readonly Shadow[] } {
  const arms = [arm(-1, t), arm(1, t)];
  return {
    solids: arms.flatMap(({ solids }) => solids),
    shadows: arms.map(({ palm }) => ({ centre: palm, radius: 0.05 })),
  };
}
