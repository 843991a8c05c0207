import { expect } from "vitest";
import { lookingAt, type Vec3 } from "../../core/geometry.ts";
import { compose, invert, type Rigid, rigid } from "../../core/pose.ts";
import { fitted } from "../../measure/align/fit.ts";
import { sightOf } from "../../measure/align/sight.ts";
import { SceneBuilder } from "../../measure/scene.ts";
import { box } from "../../sources/synthetic/shapes/box.ts";
import { slowTest } from "../mode.ts";
import { rigidOf, roomFrames, WALL } from "./rigs.ts";

// Three cupboards alike, evenly apart before a wall. Nothing but their faces shows where along the wall a camera stands.

const APART_M = 1;
const solid = (low: Vec3, high: Vec3) => ({ ...WALL[0], shape: box(low, high) });
const room = [
  solid([-9, 0, -4], [9, 0.2, 9]),
  solid([-9, -4, 4], [9, 0, 4.2]),
  ...[-1, 0, 1].map((k) => solid([k * APART_M - 0.275, -0.9, 2.4], [k * APART_M + 0.275, 0, 3.4])),
];

slowTest(
  "a place that faces of furniture alone show is not told where a place one cupboard further has more than half of its worth",
  () => {
    const cameras = [lookingAt([-0.12, -1.6, 0], [-0.05, -0.7, 2.9]), lookingAt([0.2, -1.45, 0.1], [0.05, -0.65, 2.9])];
    const [a, b] = cameras.map((camera, k) => {
      const scene = new SceneBuilder();
      for (const frame of roomFrames(camera, { seed: k + 1, count: 4, solids: room })) scene.add(frame);
      const built = scene.build();
      return built && sightOf(built);
    });
    if (!a || !b) throw new Error("a camera sees nothing");
    const [first, second] = cameras.map(rigidOf);
    const along = Float64Array.of(1, 0, 0, APART_M, 0, 1, 0, 0, 0, 0, 1, 0);
    const from = (there: Rigid) => compose(rigid(), invert(rigid(), first), compose(rigid(), there, second));
    const [truth, beside] = [from(rigid()), from(along)];
    const told = fitted(a, b, [truth]);
    expect(
      typeof told === "string" ? told : Math.hypot(...[3, 7, 11].map((k) => told.motion[k] - truth[k])),
    ).toBeLessThan(0.01);
    expect(fitted(a, b, [truth, beside])).toMatch(/^two places fit equally well/);
  },
);
