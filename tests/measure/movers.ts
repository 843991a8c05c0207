import { add, at, turned, type Vec3, within } from "../../core/geometry.ts";
import { randomBy } from "../../measure/propose.ts";
import { plain } from "../../sources/synthetic/materials.ts";
import { bar, type Solid, solid } from "../../sources/synthetic/scenes/scene.ts";
import { box } from "../../sources/synthetic/shapes/box.ts";
import { capsule } from "../../sources/synthetic/shapes/capsule.ts";
import { sphere } from "../../sources/synthetic/shapes/sphere.ts";

// Things that move in the furnished room, each on a way of its own.

/** A number that wanders by about ± 1 and does not repeat: four sines of random frequencies, up to this many a second. */
function wandering(random: () => number, perSecond: number): (s: number) => number {
  const parts = [0.15, 0.35, 0.6, 1].map((share) => {
    const [pace, phase] = [2 * Math.PI * perSecond * share * (0.75 + 0.5 * random()), 2 * Math.PI * random()];
    return (s: number) => Math.sin(pace * s + phase) * (1 - 0.6 * share);
  });
  return (s) => parts.reduce((sum, part) => sum + part(s), 0) / 1.6;
}

const [PLACE_X, PLACE_Z] = [0.1, 2.4];
const cloth = plain("#8899aa");

/** Somebody about as large as a child who walks about and swings arms and legs. */
function person(random: () => number) {
  const [x, z, lean] = [wandering(random, 0.35), wandering(random, 0.35), wandering(random, 0.5)];
  const pace = 1.4 + random();
  return (s: number): Solid[] => {
    const foot: Vec3 = [PLACE_X + 0.8 * x(s), 0, PLACE_Z + 0.8 * z(s)];
    const yaw = Math.atan2(x(s + 0.1) - x(s), z(s + 0.1) - z(s));
    const swing = 0.45 * Math.sin(2 * Math.PI * pace * (s + 0.3 * lean(s)));
    const body = at(foot, yaw);
    const limb = (side: number, y: number, length: number, radius: number, angle: number) => {
      const top = within(body, at([side, y, 0.05 * lean(s)]));
      return solid(
        "limb",
        capsule(radius, radius * 0.8, length),
        within(top, turned([0, 0, 0], [1, 0, 0], angle)),
        cloth,
      );
    };
    return [
      solid("torso", capsule(0.15, 0.17, 0.42), within(body, at([0, -1.12, 0.05 * lean(s)])), cloth),
      solid("head", sphere(0.11), within(body, at([0, -1.42, 0.08 * lean(s)])), cloth),
      limb(0.09, -0.62, 0.52, 0.08, swing),
      limb(-0.09, -0.62, 0.52, 0.08, -swing),
      limb(0.22, -1.08, 0.5, 0.055, -swing),
      limb(-0.22, -1.08, 0.5, 0.055, swing),
    ];
  };
}

function ball(random: () => number) {
  const [x, z, radius] = [wandering(random, 0.3), wandering(random, 0.3), 0.12 + 0.08 * random()];
  return (s: number): Solid[] => [solid("ball", sphere(radius), at([PLACE_X + x(s), -radius, PLACE_Z + z(s)]), cloth)];
}

/** An arm of two boxes on a post, as a robot's. */
function arm(random: () => number) {
  const [turn, lift, bend] = [wandering(random, 0.6), wandering(random, 0.5), wandering(random, 0.6)];
  const [x, z] = [PLACE_X + random() - 0.5, PLACE_Z + random() - 0.5];
  return (s: number): Solid[] => {
    const shoulder = within(at([x, -0.7, z], 1.8 * turn(s)), turned([0, 0, 0], [1, 0, 0], 0.5 + 0.6 * lift(s)));
    const elbow = within(within(shoulder, at([0, -0.55, 0])), turned([0, 0, 0], [1, 0, 0], 0.9 + 0.7 * bend(s)));
    return [
      solid("arm", box([-0.07, -0.6, -0.07], [0.07, 0, 0.07]), shoulder, cloth),
      solid("arm", box([-0.05, -0.5, -0.05], [0.05, 0, 0.05]), elbow, cloth),
    ];
  };
}

/** A ball that swings with a period of two seconds. */
function pendulum(random: () => number) {
  const [pivot, yaw]: [Vec3, number] = [[PLACE_X, -2, PLACE_Z], 3 * random()];
  return (s: number): Solid[] => {
    const angle = 0.4 * Math.sin(Math.PI * s);
    const way = 1.4 * Math.sin(angle);
    const bob = add(pivot, [way * Math.cos(yaw), 1.4 * Math.cos(angle), way * Math.sin(yaw)]);
    return [solid("bob", sphere(0.13), at(bob), cloth), bar("wire", pivot, bob, 0.004, cloth)];
  };
}

const MOVERS = { person, ball, arm, pendulum } as const;

/** What moves, at a time in s: `MOVERS.ball` and so on, on a way that the seed gives. */
export const moverBy = (kind: keyof typeof MOVERS, seed: number) => MOVERS[kind](randomBy(seed));
