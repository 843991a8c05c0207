import { at, between, type Frame, lookingAt, subtract, type Vec3 } from "../../core/geometry.ts";
import { bakeAll, type Lightmap } from "../../sources/synthetic/lightmap.ts";
import { beachBall, type Material, painting, plain, rgb, stripes, wood } from "../../sources/synthetic/materials.ts";
import { FURNITURE, LIGHTING, movers } from "../../sources/synthetic/scenes/room.ts";
import type { Shadow, Solid } from "../../sources/synthetic/scenes/scene.ts";
import { box, room as inside } from "../../sources/synthetic/shapes/box.ts";
import { frustum } from "../../sources/synthetic/shapes/frustum.ts";
import type { Shape } from "../../sources/synthetic/shapes/shape.ts";
import { sphere } from "../../sources/synthetic/shapes/sphere.ts";

/** The solids before the camera. The first solid surrounds the others, so every ray hits something. */
export interface World {
  readonly still: readonly Solid[];
  readonly moving: readonly Solid[];
  readonly shadows: readonly Shadow[];
  readonly maps: ReadonlyMap<Solid, Lightmap>;
  readonly camera: Frame;
}

/** The synthetic room, from closer than the recordings' sensor. */
export function room(): World {
  const { solids, shadows } = movers(1.2);
  const camera = lookingAt([0.1, -1.15, 0.9], [-0.1, -0.85, 3.2]);
  return { still: FURNITURE, moving: solids, shadows, maps: bakeAll(FURNITURE, LIGHTING), camera };
}

const thing = (shape: Shape, frame: Frame, material: Material, glow = 0): Solid => ({
  name: "",
  shape,
  frame,
  material,
  glow,
  gloss: 0,
  blocks: false,
  infrared: 1,
});

/** A world in a box 4 m wide and 2.6 m high whose far wall is at `depth`, with the camera level at half its height. */
const boxed = (depth: number, walls: Material, things: readonly Solid[]): World => ({
  still: [thing(inside([-2, -2.6, -1], [2, 0, depth]), at([0, 0, 0]), walls), ...things],
  moving: [],
  shadows: [],
  maps: new Map(),
  camera: lookingAt([0, -1.3, 0], [0, -1.3, 1]),
});

/** A chequer of two colours on every face. */
function chequer(sizeM: number, a: string, b: string): Material {
  const [even, odd] = [rgb(a), rgb(b)];
  return (hit) => {
    // An offset from whole numbers, where rounding would decide the colour of a plane.
    const cell = (x: number) => Math.floor((x + 0.0137) / sizeM);
    [hit.r, hit.g, hit.b] = (cell(hit.x) + cell(hit.y) + cell(hit.z)) & 1 ? odd : even;
  };
}

const bar = (a: Vec3, b: Vec3, radius: number, material: Material): Solid =>
  thing(frustum(radius, radius, Math.hypot(...subtract(b, a))), between(a, b), material);

/** Thin things in front of far ones: rods and wires 1 to 10 px wide at one metre, a picture and a chequer at three metres. */
export function fence(): World {
  const rods = Array.from({ length: 9 }, (_, i) => {
    const x = -0.5 + 0.125 * i;
    const material = plain(i % 3 === 0 ? "#f2efe6" : i % 3 === 1 ? "#26262b" : "#c1442e");
    return bar([x, -2, 0.95 + 0.02 * i], [x + 0.03, -0.6, 0.95 + 0.02 * i], 0.0015 + 0.0014 * i, material);
  });
  const wires = [0, 1, 2].map((i) =>
    bar([-0.7, -1.62 + 0.2 * i, 1.1], [0.7, -1.48 + 0.24 * i, 1.2], 0.002, plain("#101012")),
  );
  const wall = thing(box([-1.5, -1, 0], [1.5, 1, 0.02]), at([0, -1.3, 2.9]), chequer(0.18, "#e8dcc0", "#3b6a7a"));
  const art = thing(box([-0.7, -0.5, 0], [0.7, 0.5, 0.02]), at([0.1, -1.35, 2.85]), painting(1.4, 1, 0.05));
  return boxed(4, plain("#b9a58a"), [wall, art, ...rods, ...wires]);
}

/** Small bright lamps from 0.7 to 5 m in the dark; out of focus, each shows the shape of the lens. */
export function lamps(): World {
  const colours = ["#ffffff", "#ffd9a0", "#ff8f6b", "#9fd0ff", "#b8ffb0"];
  const bulbs = Array.from({ length: 26 }, (_, i) => {
    const z = 0.7 * 1.082 ** i;
    const angle = 2.39996 * i;
    const far = 0.08 + 0.3 * (((i * 7) % 26) / 26);
    const place: Vec3 = [1.15 * far * z * Math.cos(angle), -1.3 + 0.9 * far * z * Math.sin(angle), z];
    return thing(sphere(0.004 + 0.0035 * z), at(place), plain(colours[i % 5] ?? "#ffffff"), 30);
  });
  const post = bar([0.22, 0, 1.5], [0.22, -2, 1.5], 0.03, plain("#565a66"));
  const crate = thing(box([-0.3, -0.6, -0.2], [0.3, 0, 0.2]), at([-0.7, 0, 3.2], 0.4), wood("#7a5230", 0.1));
  return boxed(5.2, plain("#17181d"), [...bulbs, post, crate]);
}

/** Surfaces with sharp edges and sharp patterns one behind the other, a frame to look through, and a slanted floor. */
export function stage(): World {
  const card = (x: number, y: number, z: number, w: number, h: number, material: Material, yaw = 0) =>
    thing(box([-w / 2, -h / 2, 0], [w / 2, h / 2, 0.01]), at([x, y, z], yaw), material);
  const frame = [
    card(0.16, -1.56, 0.9, 0.5, 0.05, plain("#e2b23c")),
    card(0.16, -1.16, 0.9, 0.5, 0.05, plain("#e2b23c")),
    card(-0.07, -1.36, 0.9, 0.05, 0.4, plain("#d9a126")),
    card(0.39, -1.36, 0.9, 0.05, 0.4, plain("#d9a126")),
  ];
  return boxed(4.4, chequer(0.25, "#d8d2c4", "#7d8fa3"), [
    ...frame,
    card(-0.32, -1.2, 0.8, 0.3, 0.34, chequer(0.03, "#f5f5f2", "#1c1c20")),
    card(-0.25, -1.62, 1.3, 0.5, 0.3, stripes("x", 0.03, "#c0392b", "#f4ead5")),
    card(0.2, -1.25, 1.9, 0.7, 0.7, stripes("y", 0.05, "#2d6a4f", "#95d5b2"), 0.5),
    card(0.75, -1.7, 2.6, 0.8, 0.7, chequer(0.08, "#f1c40f", "#34495e"), -0.4),
    card(-0.9, -1.5, 3.4, 1, 0.9, painting(1, 0.9, 0.04)),
    thing(sphere(0.16), at([-0.12, -0.9, 1.7]), beachBall(0.16)),
    thing(sphere(0.28), at([0.65, -0.28, 3]), beachBall(0.28)),
  ]);
}
