import { add, at, between, scale, subtract, type Vec3, within } from "../../../core/geometry.ts";
import { lamp } from "../light.ts";
import { globe, keys, type Material, painting, plain, stripes, wood } from "../materials.ts";
import { box, room } from "../shapes/box.ts";
import { capsule } from "../shapes/capsule.ts";
import { ellipsoid } from "../shapes/ellipsoid.ts";
import { frustum } from "../shapes/frustum.ts";
import { sphere } from "../shapes/sphere.ts";
import { torus } from "../shapes/torus.ts";
import { bar, type Scene, type Shadow, type Solid, solid, turn } from "./scene.ts";

/** The surrounding walls. The desk's top lies at y = 0, so the floor is below it. */
const WALLS = { lo: [-1.7, -1.9, -1.2], hi: [1.7, 0.74, 1.62] } as const satisfies { lo: Vec3; hi: Vec3 };

function deskTop(): Solid[] {
  return [
    solid("desk", box([-1.1, 0, -0.68], [1.1, 0.04, 0.42]), at([0, 0, 0.95]), wood("#b98552", 0.21)),
    solid("mat", box([-0.42, -0.004, -0.2], [0.42, 0, 0.2]), at([0, 0, 0.76]), plain("#4c5b61")),
    solid("keyboard", box([-0.21, -0.018, -0.07], [0.21, 0, 0.07]), at([0, -0.004, 0.79]), keys(0.0195)),
  ];
}

/** A leaf: its stalk from the pot, and the blade that follows it and bends outwards. */
function leaf(i: number, [x, y, z]: Vec3): Solid[] {
  const angle = i * 2.39996;
  const rise = 0.14 + 0.15 * (((i * 7) % 13) / 13);
  const out = 0.05 + 0.1 * (((i * 5) % 13) / 13);
  const away: Vec3 = [Math.cos(angle), 0, 0.75 * Math.sin(angle)];
  const foot: Vec3 = [x + 0.03 * away[0], y, z + 0.03 * away[2]];
  const joint: Vec3 = [x + out * away[0], y - rise, z + out * away[2]];
  const tip = add(joint, [0.11 * away[0], -0.055 + 0.02 * (i % 3), 0.11 * away[2]]);
  const middle = scale(add(joint, tip), 0.5);
  const green = ["#6a994e", "#3f7d43", "#4f8f5b"][i % 3] ?? "#4f8f5b";
  const half = Math.hypot(...subtract(tip, joint)) / 2;
  return [
    bar("stalk", foot, joint, 0.0035, plain("#5b7f45"), 0.0025),
    solid("leaf", ellipsoid(0.036, half, 0.004), between(middle, tip), plain(green), { gloss: 0.06 }),
  ];
}

function plant(): Solid[] {
  const [x, z] = [0, 1.2];
  const top = -0.15;
  return [
    solid("pot", frustum(0.1, 0.072, -top), at([x, top, z]), stripes("y", 0.075, "#c8553d", "#d9d2c0")),
    solid("earth", frustum(0.09, 0.09, 0.004), at([x, top + 0.012, z]), plain("#3b2a20")),
    ...Array.from({ length: 17 }, (_, i) => leaf(i, [x, top + 0.01, z])).flat(),
  ];
}

function deskLamp(): Solid[] {
  const [foot, elbow, head]: Vec3[] = [
    [-0.66, 0, 1.2],
    [-0.78, -0.34, 1.24],
    [-0.5, -0.5, 1.12],
  ];
  const brass = plain("#c9a227");
  return [
    solid("lamp foot", frustum(0.085, 0.085, 0.022), at(add(foot, [0, -0.022, 0])), plain("#2b2d31")),
    bar("lamp arm", foot, elbow, 0.008, brass),
    bar("lamp arm", elbow, head, 0.008, brass),
    solid("lamp joint", sphere(0.015), at(elbow), brass, { gloss: 0.4 }),
    solid("lamp shade", frustum(0.035, 0.09, 0.11, false), at(add(head, [0, -0.03, 0])), plain("#e9c46a"), {
      glow: 0.35,
      blocks: false,
    }),
  ];
}

function books(): Solid[] {
  const place = at([-0.5, 0, 0.98], 0.28);
  const on = (y: number, yaw: number) => within(place, at([0, y, 0], yaw));
  return [
    solid("book", box([-0.13, -0.035, -0.095], [0.13, 0, 0.095]), on(0, 0), plain("#8c2f39")),
    solid("book", box([-0.12, -0.028, -0.085], [0.12, 0, 0.085]), on(-0.035, -0.22), plain("#e9b872")),
    solid("book", box([-0.1, -0.032, -0.075], [0.1, 0, 0.075]), on(-0.063, 0.12), plain("#2f6690")),
    solid("apple", sphere(0.038), within(place, at([0.02, -0.133, 0])), plain("#b5302f"), { gloss: 0.35 }),
    bar("apple stalk", [-0.48, -0.165, 0.985], [-0.475, -0.185, 0.985], 0.0025, plain("#4a3526")),
  ];
}

function mug(): Solid[] {
  const [x, z] = [0.36, 0.86];
  const cup = plain("#e76f51");
  return [
    solid("mug", frustum(0.043, 0.037, 0.1, false), at([x, -0.1, z]), cup, { gloss: 0.2 }),
    solid("coffee", frustum(0.038, 0.038, 0.002), at([x, -0.082, z]), plain("#2e1d14"), { infrared: 0.4 }),
    solid("mug handle", torus(0.03, 0.0075), at([x + 0.052, -0.052, z], 0.35), cup, { gloss: 0.2 }),
  ];
}

function pencils(): Solid[] {
  const [x, z] = [-0.3, 1.22];
  const colours = ["#e9c46a", "#2a9d8f", "#e76f51", "#264653"];
  return [
    solid("cup", frustum(0.042, 0.038, 0.1, false), at([x, -0.1, z]), plain("#cfd8dc")),
    ...colours.map((colour, i) => {
      const lean: Vec3 = [0.05 * Math.cos(i * 1.9), 0, 0.04 * Math.sin(i * 1.9)];
      return bar("pencil", [x, -0.01, z], add([x, -0.17 - 0.012 * i, z], lean), 0.0042, plain(colour));
    }),
  ];
}

const GLOBE: Vec3 = [0.52, -0.2, 1.22];

function globeOnStand(): Solid[] {
  const [x, y, z] = GLOBE;
  const metal = plain("#8d8474");
  return [
    solid("globe foot", frustum(0.03, 0.085, 0.03), at([x, -0.03, z]), metal),
    bar("globe stem", [x, -0.03, z], [x, y + 0.13, z], 0.009, metal),
    solid("globe", sphere(0.13), at(GLOBE, 0.4), globe(), { gloss: 0.25 }),
    solid("globe meridian", torus(0.142, 0.006), at(GLOBE, 0.35), plain("#c9a227"), { gloss: 0.5 }),
  ];
}

/** All solids that stand still. The first is the walls. */
const STILL: readonly Solid[] = [
  solid("walls", room(WALLS.lo, WALLS.hi), at([0, 0, 0]), plain("#f3ead9")),
  ...deskTop(),
  solid("picture", box([-0.2, -0.14, -0.012], [0.2, 0.14, 0.012]), at([0.2, -0.47, 1.605]), painting(0.4, 0.28, 0.014)),
  ...plant(),
  ...deskLamp(),
  ...books(),
  ...mug(),
  ...pencils(),
  ...globeOnStand(),
];

/** A desk at arm's length with two typing hands, a plant, books, a lamp and a globe. */
export const DESK_SCENE = {
  name: "synthetic desk",
  still: STILL,
  movers: hands,
  // Light from a window on the left, the ceiling, and the lamp on the desk.
  lighting: {
    lamps: [
      lamp(2, "#dcebff", 3, [-1.2, -1.1, -0.2], [0, 0.9, 0.9], [1, 0, 0]),
      lamp(2, "#fff1dc", 2.1, [0.3, -1.85, 0.5], [0.6, 0, 0.6], [0, 1, 0]),
      lamp(1, "#ffc37a", 0.1, [-0.5, -0.42, 1.12], [0, 0, 0]),
    ],
    bounce: lamp(3, "#f3efe6", 1.7, [0, -1.88, 0.6], [2.6, 0, 2.4], [0, 1, 0]),
    ambient: [0.2, 0.2, 0.205],
  },
  tour: { middle: [0, -0.1, 0.95], radii: [1.1, 0.75, 0.55] },
  views: {
    /** As seen by somebody who sits at the desk. */
    seat: { eye: [0, -0.62, -0.02], target: [0, -0.14, 1] },
    /** From above, with both hands in the middle. */
    above: { eye: [0, -1, 0.55], target: [0, 0, 0.85] },
  },
} as const satisfies Scene;

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
function hands(t: number): { readonly solids: readonly Solid[]; readonly shadows: readonly Shadow[] } {
  const arms = [arm(-1, t), arm(1, t)];
  return {
    solids: arms.flatMap(({ solids }) => solids),
    shadows: arms.map(({ palm }) => ({ centre: palm, radius: 0.05 })),
  };
}
