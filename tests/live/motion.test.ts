import ndarray from "ndarray";
import { PerspectiveCamera, Vector3 } from "three/webgpu";
import { describe, expect, test } from "vitest";
import { Motion } from "../../viewer/live/view/camera/motion.ts";
import { Rig } from "../../viewer/live/view/camera/rig.ts";
import { type Direction, placeOfAll, VIEWS } from "../../viewer/live/view/camera/views.ts";

// How the camera moves: by the clock, about and towards the point under the pointer. The tests pass the time in, none waits.

/** Lets `forMs`, by default a second and a half, go by in so many pictures. */
function run(rig: Rig, pictures: number, forMs = 1500): void {
  rig.update(0);
  for (let i = 1; i <= pictures; i++) rig.update((i * forMs) / pictures);
}

/** Where a point of the world is in the window, from (−1, −1) to (1, 1). */
function seen(rig: Rig, point: Vector3): [x: number, y: number] {
  const { x, y } = point.clone().project(rig.camera);
  return [x, y];
}

function rigAt(middleM = 2): Rig {
  const rig = new Rig();
  rig.resize(640, 480);
  rig.frame(middleM);
  rig.update(0);
  return rig;
}

const THING = new Vector3(0.4, 0.2, -1.5);

describe("a motion over time", () => {
  const motions: Record<string, (rig: Rig) => void> = {
    orbit: (rig) => rig.orbit(0.1, 0.05, THING),
    pan: (rig) => rig.pan(0.2, -0.1, 2),
    zoom: (rig) => rig.zoom(0.5, THING),
    fly: (rig) => rig.fly(0.3, 0.2, -1),
    view: (rig) => rig.goTo({ position: new Vector3(1, 2, 0), yaw: 0.6, pitch: -0.4, reachM: 3 }),
  };

  test.each(Object.keys(motions))("of %s gets as far in 100 ms with 1 picture as with 50", (name) => {
    const places = [1, 5, 50].map((pictures) => {
      const rig = rigAt();
      expect(rig.resting).toBe(true);
      motions[name]?.(rig);
      expect(rig.resting).toBe(false);
      expect(rig.resting).toBe(false);
      run(rig, pictures, 100);
      return rig.place;
    });
    const [rough] = places;
    expect(rough?.position.length()).toBeGreaterThan(0.01);
    for (const { position, yaw, pitch } of places) {
      expect(position.distanceTo(rough?.position ?? new Vector3())).toBeLessThan(1e-3);
      expect(yaw).toBeCloseTo(rough?.yaw ?? 0, 4);
      expect(pitch).toBeCloseTo(rough?.pitch ?? 0, 4);
    }
  });

  test("is over at once for a user who prefers reduced motion", () => {
    const rig = new Rig(() => true);
    rig.resize(640, 480);
    rig.orbit(0.1, 0, THING);
    rig.update(0);
    rig.update(1);
    expect(rig.place.yaw).toBeCloseTo(-0.2 * Math.PI, 9);
    rig.reset();
    expect(rig.update(2)).toBe(true);
    expect(rig.moved).toBe(false);
  });
});

describe("turning and zooming", () => {
  test("the point that an orbit turns about keeps its place in the picture, also on the way", () => {
    const rig = rigAt();
    const before = seen(rig, THING);
    rig.orbit(0.15, 0.1, THING);
    rig.update(0);
    for (let ms = 20; ms < 1000; ms += 20) {
      rig.update(ms);
      const [x, y] = seen(rig, THING);
      expect(Math.hypot(x - before[0], y - before[1])).toBeLessThan(1e-6);
    }
    expect(rig.place.yaw).toBeCloseTo(-0.3 * Math.PI, 6);
    expect(rig.camera.position.distanceTo(THING)).toBeCloseTo(THING.length(), 6);
  });

  test("the point that a zoom goes to stays under the pointer, and the camera stops 15 cm before it", () => {
    const rig = rigAt();
    const before = seen(rig, THING);
    for (let notch = 0; notch < 60; notch++) rig.zoom(0.105, THING);
    run(rig, 90);
    const after = seen(rig, THING);
    expect(after[0]).toBeCloseTo(before[0], 5);
    expect(after[1]).toBeCloseTo(before[1], 5);
    expect(rig.camera.position.distanceTo(THING)).toBeCloseTo(0.15, 5);
    for (let notch = 0; notch < 200; notch++) rig.zoom(-0.105, THING);
    run(rig, 90);
    expect(rig.camera.position.distanceTo(THING)).toBeCloseTo(30, 4);
  });

  test("pitch ends at straight down, and a turn back starts from there", () => {
    const rig = rigAt();
    rig.orbit(0, 5, THING);
    rig.orbit(0, -0.05, THING);
    run(rig, 60);
    expect(rig.place.pitch).toBeCloseTo(-Math.PI / 2 + 0.1 * Math.PI, 6);
  });
});

describe("views", () => {
  const intrinsics = { fx: 40, fy: 40, cx: 31.5, cy: 23.5, width: 64, height: 48 };
  /** A slanted wall with holes, and a thing before it. */
  const data = Uint16Array.from({ length: 64 * 48 }, (_, i) => {
    const [u, v] = [i % 64, Math.floor(i / 64)];
    if (u % 7 === 0) return 0;
    return u > 20 && u < 30 && v > 10 ? 900 : 2000 + 20 * u;
  });
  const frame = { depth: ndarray(data, [48, 64]), metresPerUnit: 0.001, intrinsics, timestamp: 0, index: 0 };
  const points: Vector3[] = [...data.entries()].flatMap(([i, depth]) => {
    const z = depth / 1000;
    return z > 0 ? [new Vector3(((i % 64) - 31.5) * (z / 40), -(Math.floor(i / 64) - 23.5) * (z / 40), -z)] : [];
  });

  const directions: Record<string, Direction> = {
    front: { yaw: 0, pitch: 0 },
    slant: { yaw: 0.7, pitch: -0.3 },
    ...VIEWS,
  };

  test.each(Object.entries(directions))(
    "%s: every valid point is in the window, and one or the sensor at its edge",
    (_, direction) => {
      const rig = rigAt();
      const place = placeOfAll(frame, direction, rig.camera);
      if (!place) throw new Error("there are points");
      rig.goTo(place, true);
      const edges = [...points, ...(direction.sensor ? [new Vector3()] : [])].map((point) => {
        expect(rig.distanceTo(point)).toBeGreaterThan(0);
        return Math.max(...seen(rig, point).map(Math.abs));
      });
      expect(Math.max(...edges)).toBeLessThan(1);
      expect(Math.max(...edges)).toBeGreaterThan(0.9);
    },
  );

  test("the view from the top is above the scene, and the view from the left is left of it", () => {
    const camera = new PerspectiveCamera(60, 1.3);
    const [top, left] = [VIEWS.top, VIEWS.left].map((view) => placeOfAll(frame, view, camera)?.position);
    const center = points.reduce((sum, point) => sum.add(point), new Vector3()).divideScalar(points.length);
    expect(top?.y).toBeGreaterThan(center.y + 1);
    expect(left?.x).toBeLessThan(center.x - 1);
  });

  test("a motion to another view turns the shorter way round, and ends exactly at the view", () => {
    const motion = new Motion();
    motion.yaw = 3;
    motion.goTo({ position: new Vector3(1, 0, 0), yaw: -3, pitch: 0, reachM: 2 });
    motion.step(0.2);
    expect(Math.abs(motion.yaw)).toBeGreaterThan(3);
    motion.step(1);
    expect([motion.position.toArray(), motion.yaw]).toEqual([[1, 0, 0], -3]);
  });
});
