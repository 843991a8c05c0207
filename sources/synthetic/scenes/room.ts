import { at, type Frame, turned, type Vec3, within } from "../../../core/geometry.ts";
import { type Lighting, lamp } from "../light.ts";
import { beachBall, painting, plain, roomPaint, rug, stripes, windowPanes, wood } from "../materials.ts";
import { box, room } from "../shapes/box.ts";
import { curtain } from "../shapes/curtain.ts";
import { frustum } from "../shapes/frustum.ts";
import { sphere } from "../shapes/sphere.ts";
import { torus } from "../shapes/torus.ts";
import { bar, type Scene, type Solid, solid, turn } from "./scene.ts";

/** The room's inside, in metres. The sensor at rest stands at (0, −1.35, 0). */
const ROOM = { lo: [-2, -2.6, -1.2], hi: [2, 0, 5] } as const satisfies { lo: Vec3; hi: Vec3 };
const WINDOW = { centre: [1.05, -1.5, 4.97], width: 1.1, height: 1.3 } as const;
const LAMP: Vec3 = [-1.62, -1.62, 4.45];

function table(): Solid[] {
  const place = at([-0.72, 0, 3.2], 0.28);
  const top = -0.7;
  const on = (x: number, z: number, yaw = 0, y = top) => within(place, at([x, y, z], yaw));
  const oak = wood("#b07d4b", 0.14);
  const legs = [-1, 1].flatMap((i) =>
    [-1, 1].map((j): Solid => {
      const [a, b] = [on(0.53 * i, 0.27 * j, 0, 0).position, on(0.5 * i, 0.25 * j).position];
      return bar("table leg", a, b, 0.014, plain("#7d5630"), 0.022);
    }),
  );
  return [
    solid("table top", box([-0.6, 0, -0.34], [0.6, 0.035, 0.34]), on(0, 0), oak),
    ...legs,
    solid(
      "book",
      box([-0.14, -0.035, -0.1], [0.14, 0, 0.1]),
      on(-0.3, -0.05, 0.3),
      stripes("x", 0.24, "#a63d40", "#e9b872"),
    ),
    solid(
      "book",
      box([-0.12, -0.03, -0.085], [0.12, 0, 0.085]),
      on(-0.3, -0.05, -0.2, top - 0.035),
      stripes("x", 0.2, "#386fa4", "#f1e9da"),
    ),
    solid(
      "bowl",
      frustum(0.17, 0.07, 0.09, false),
      on(0.2, 0.02, 0, top - 0.09),
      stripes("y", 0.03, "#f1e9da", "#2f6690"),
    ),
    solid("orange", sphere(0.055), on(0.16, 0.03, 0, top - 0.075), plain("#f08a24"), { gloss: 0.25 }),
    solid("lemon", sphere(0.045), on(0.25, -0.01, 0, top - 0.075), plain("#f4d03f"), { gloss: 0.25 }),
    solid("apple", sphere(0.05), on(0.21, 0.08, 0, top - 0.08), plain("#9bb83c"), { gloss: 0.25 }),
    solid("mug", frustum(0.042, 0.042, 0.1, false), on(-0.02, -0.22, 0, top - 0.1), plain("#e76f51")),
    solid("mug handle", torus(0.032, 0.008), on(0.05, -0.22, 0.3, top - 0.05), plain("#e76f51")),
  ];
}

function chair(): Solid[] {
  const place = at([1.0, 0, 3.0], -0.7);
  const local = (x: number, y: number, z: number): Vec3 => within(place, at([x, y, z])).position;
  const steel = plain("#2b2d31");
  const legs = [-1, 1].flatMap((i) => [
    bar("chair leg", local(0.2 * i, 0, -0.2), local(0.17 * i, -0.44, -0.17), 0.011, steel),
    bar("chair leg", local(0.2 * i, 0, 0.22), local(0.18 * i, -0.92, 0.2), 0.011, steel),
  ]);
  const slats = [0, 1, 2].map((i) =>
    solid(
      "chair back",
      box([-0.19, -0.06, -0.01], [0.19, 0, 0.01]),
      within(place, at([0, -0.62 - 0.11 * i, 0.195])),
      wood("#d8a35d", 1),
    ),
  );
  return [
    solid(
      "chair seat",
      box([-0.21, -0.025, -0.2], [0.21, 0.01, 0.2]),
      within(place, at([0, -0.45, 0])),
      wood("#d8a35d", 0.105),
    ),
    ...legs,
    ...slats,
  ];
}

function floorLamp(): Solid[] {
  const [x, y, z] = LAMP;
  return [
    solid("lamp foot", frustum(0.14, 0.13, 0.02), at([x, -0.02, z]), plain("#26272b")),
    bar("lamp stand", [x, -0.02, z], [x, y, z], 0.006, plain("#c9a227")),
    solid("lamp shade", frustum(0.11, 0.2, 0.28, false), at([x, y - 0.14, z]), plain("#ffdf9e"), {
      glow: 1.4,
      blocks: false,
    }),
  ];
}

/** A plant: a pot and thin leaves that lean out of it. */
function plant(): Solid[] {
  const [x, z] = [-1.42, 2.35];
  const leaves = Array.from({ length: 11 }, (_, i) => {
    const [angle, lean, rise] = [i * 2.4, 0.12 + (0.2 * ((i * 7) % 11)) / 11, 0.95 + (0.35 * ((i * 5) % 11)) / 11];
    const foot: Vec3 = [x + 0.03 * Math.cos(angle), -0.3, z + 0.03 * Math.sin(angle)];
    const tip: Vec3 = [x + lean * Math.cos(angle), -rise, z + lean * Math.sin(angle)];
    return bar("leaf", foot, tip, 0.016, plain(i % 3 === 0 ? "#6a994e" : i % 3 === 1 ? "#386641" : "#4f7f46"), 0.002);
  });
  return [
    solid("pot", frustum(0.17, 0.12, 0.34), at([x, -0.34, z]), stripes("y", 0.17, "#c8553d", "#b0472f")),
    ...leaves,
  ];
}

function pedestal(): Solid[] {
  const [x, z] = [0.74, 1.62];
  return [
    solid("pedestal", frustum(0.13, 0.16, 0.78), at([x, -0.78, z]), plain("#e6e1d6")),
    solid("ring", torus(0.13, 0.036), at([x, -0.78 - 0.166, z], -0.5), plain("#c08a3e"), { gloss: 0.7 }),
  ];
}

const CLOTH = stripes("x", 0.1, "#b23a48", "#c75a5f");

/** All solids that stand still. The first is the room itself. */
const FURNITURE: readonly Solid[] = [
  solid("room", room(ROOM.lo, ROOM.hi), at([0, 0, 0]), roomPaint(0.4)),
  solid(
    "window",
    box([-0.55, -0.65, -0.02], [0.55, 0.65, 0.03]),
    at(WINDOW.centre),
    windowPanes(WINDOW.width, WINDOW.height),
    { glow: 2.2, blocks: false, infrared: 0.25 },
  ),
  bar("curtain rail", [0.2, -2.28, 4.78], [1.9, -2.28, 4.78], 0.012, plain("#3a2a1d")),
  solid("curtain", curtain(0.36, 2.1, 0), at([1.5, -2.27, 4.72]), CLOTH, { blocks: false }),
  solid("rug", frustum(1.05, 1.05, 0.012), at([0.15, -0.012, 3.05]), rug(1.05)),
  solid("sideboard", box([-0.62, 0, -0.2], [0.62, 0.55, 0.2]), at([-0.55, -0.62, 4.76]), wood("#8a5a34", 0.5)),
  solid(
    "painting",
    box([-0.56, -0.4, -0.015], [0.56, 0.4, 0.015]),
    at([-0.55, -1.5, 4.985]),
    painting(1.12, 0.8, 0.035),
  ),
  solid("screen", box([-0.19, -0.26, -0.012], [0.19, 0, 0.012]), at([-0.86, -0.62, 4.74], 0.25), plain("#101114"), {
    infrared: 0.15,
  }),
  solid("vase", frustum(0.045, 0.085, 0.26), at([-0.2, -0.88, 4.74]), stripes("y", 0.065, "#2a9d8f", "#264653"), {
    gloss: 0.4,
  }),
  ...table(),
  ...chair(),
  ...floorLamp(),
  ...plant(),
  ...pedestal(),
];

const BALL = { radius: 0.15, from: [-0.75, -0.15, 2.35] as Vec3, travel: 1.3 };
const BOB = { radius: 0.1, pivot: [0.2, -2.6, 2.75] as Vec3, length: 1.3, swing: 0.34 };

/** The moving solids `t` seconds after the start: a rolling ball, a pendulum with a period of two seconds, and a curtain in the wind. */
export const movers: Scene["movers"] = (t) => {
  // The ball rolls to and fro without slipping: it has turned by the distance rolled over its radius.
  const way = (BALL.travel * (1 - Math.cos(turn(t, 2)))) / 2;
  const ball: Vec3 = [BALL.from[0] + way, BALL.from[1], BALL.from[2]];
  const angle = BOB.swing * Math.sin(turn(t, 5));
  const [px, py, pz] = BOB.pivot;
  const bob: Vec3 = [px + BOB.length * Math.sin(angle), py + BOB.length * Math.cos(angle), pz];
  const tilt: Frame = turned(ball, [0, 0, 1], way / BALL.radius);
  return {
    solids: [
      solid("ball", sphere(BALL.radius), within(tilt, turned([0, 0, 0], [1, 0, 0], 0.9)), beachBall(BALL.radius), {
        gloss: 0.3,
      }),
      solid("bob", sphere(BOB.radius), at(bob), plain("#d4a537"), { gloss: 0.8 }),
      bar("pendulum wire", BOB.pivot, bob, 0.004, plain("#3b3b40")),
      solid("curtain", curtain(0.55, 2.1, turn(t, 2)), at([0.35, -2.27, 4.72]), CLOTH),
    ],
    shadows: [
      { centre: ball, radius: BALL.radius },
      { centre: bob, radius: BOB.radius },
    ],
  };
};

const [left, ceiling] = ROOM.lo;
const [wx, wy, wz] = WINDOW.centre;
const middle = (ROOM.lo[2] + ROOM.hi[2]) / 2;

/** Light from window, ceiling and floor lamp. The ceiling's reflected light is a lamp, too: what lies under things does not get it. */
const LIGHTING: Lighting = {
  lamps: [
    lamp(2, "#cfe6ff", 4.2, [wx, wy, wz - 0.1], [WINDOW.width, WINDOW.height, 0], [0, 0, -1]),
    lamp(2, "#fff1dc", 4.6, [-0.5, ceiling + 0.02, 1.5], [0.7, 0, 0.7], [0, 1, 0]),
    lamp(1, "#ffad5c", 0.55, [LAMP[0], LAMP[1] - 0.06, LAMP[2]], [0, 0, 0]),
  ],
  bounce: lamp(3, "#f3efe6", 4.5, [0, ceiling + 0.02, middle], [-1.7 * left, 0, 5.4], [0, 1, 0]),
  ambient: [0.17, 0.165, 0.17],
};

/** A furnished room, 4 m wide and 6.2 m long, with a ball that rolls, a pendulum, and a curtain in the wind. */
export const ROOM_SCENE = {
  name: "synthetic room",
  still: FURNITURE,
  movers,
  lighting: LIGHTING,
  tour: { middle: [0, -0.7, 2.2], radii: [1.45, 0.95, 1.75] },
  views: {
    /** The whole room, from the door. */
    room: { eye: [0, -1.35, 0], target: [0, -0.8, 3.2] },
    /** The table and the things on it, as seen by somebody who sits at it. */
    desk: { eye: [-0.45, -1.15, 2.15], target: [-0.7, -0.68, 3.2] },
    /** The ring on its pedestal, at arm's length. */
    close: { eye: [0.55, -1.1, 1.05], target: [0.74, -0.93, 1.62] },
    /** Wall and sideboard, across the room. */
    wall: { eye: [-0.3, -1.6, 0.6], target: [-0.55, -1.35, 5] },
    /** From under the ceiling, almost straight down. */
    overhead: { eye: [0, -2.55, 2.6], target: [0, 0, 2.9] },
  },
} as const satisfies Scene;
