import { Vector3 } from "three/webgpu";
import { describe, expect, test } from "vitest";
import { Focus } from "../../viewer/live/view/camera/focus.ts";

/** A focus on a camera that stands at the origin, with a clock of its own. */
function still(motion = true) {
  let nowMs = 0;
  const hand = {
    pointAt: (_x: number, _y: number, distanceM: number) => new Vector3(0, 0, -distanceM),
    distanceTo: (point: Vector3) => -point.z,
  };
  const focus = new Focus(
    hand,
    () => !motion,
    () => nowMs,
  );
  focus.set(1);
  const run = (forMs: number, stepMs = 10) => {
    const dioptres: number[] = [];
    for (const endMs = nowMs + forMs; nowMs < endMs - 1e-9; ) {
      nowMs += stepMs;
      focus.update(nowMs);
      dioptres.push(1 / focus.distanceM);
    }
    return dioptres;
  };
  run(10);
  return { focus, run };
}

const steps = (values: readonly number[]) => values.slice(1).map((value, i) => value - values[i]);

describe("a pull of focus", () => {
  test("starts and ends gently, never turns back, and is over in a second", () => {
    const { focus, run } = still();
    focus.pullToDistance(4);
    const way = run(1000);
    const moves = steps(way).map((step) => -step);
    expect(Math.min(...moves)).toBeGreaterThanOrEqual(0);
    const fastest = moves.indexOf(Math.max(...moves));
    expect(fastest).toBeGreaterThan(3);
    expect(moves[0]).toBeLessThan(0.5 * moves[fastest]);
    expect(focus.distanceM).toBe(4);
    // The pull is even in dioptres: its middle is at 1.6 m, not at 2.5 m.
    const middle = way.findIndex((dioptres) => dioptres < 0.625);
    expect(middle).toBeGreaterThan(10);
    expect(middle).toBeLessThan(30);
  });

  test("takes no time with reduced motion, and ends at once when the slider sets the focus", () => {
    const calm = still(false);
    calm.focus.pullToDistance(4);
    expect(calm.run(10)).toEqual([0.25]);
    const { focus, run } = still();
    focus.pullToDistance(4);
    run(50);
    focus.set(2);
    expect(run(30)).toEqual([0.5, 0.5, 0.5]);
  });

  test("keeps its point in focus while the camera moves, and rests when nothing changes any more", () => {
    let behindM = 0;
    const hand = {
      pointAt: (_x: number, _y: number, distanceM: number) => new Vector3(0, 0, -distanceM),
      distanceTo: (point: Vector3) => behindM - point.z,
    };
    const focus = new Focus(
      hand,
      () => false,
      () => 0,
    );
    focus.set(2);
    expect(focus.update(0)).toBe(true);
    // The veil stays for a while, in which nothing else changes.
    expect(focus.update(500)).toBe(false);
    expect(focus.resting).toBe(false);
    focus.update(5000);
    expect(focus.update(5010)).toBe(false);
    expect(focus.resting).toBe(true);
    behindM = 1;
    expect(focus.update(5020)).toBe(true);
    expect(focus.distanceM).toBe(3);
  });

  test("is lost when the camera passes or nearly touches its point, and stays at the lens's nearest distance", () => {
    let atM = 0;
    const hand = {
      pointAt: (_x: number, _y: number, distanceM: number) => new Vector3(0, 0, -distanceM - atM),
      distanceTo: (point: Vector3) => -point.z - atM,
    };
    const focus = new Focus(
      hand,
      () => true,
      () => 0,
    );
    focus.set(1);
    expect(focus.lost).toBe(false);
    for (atM of [0.95, 1, 3]) {
      focus.update(0);
      expect([focus.lost, focus.distanceM]).toEqual([true, 0.1]);
    }
    // A pull that the viewer makes by itself draws no attention.
    focus.update(9000);
    focus.pullToDistance(0.5, false);
    focus.update(9000);
    expect([focus.lost, focus.distanceM, focus.attention]).toEqual([false, 0.5, 0]);
  });

  test("set to a distance that no lens can focus on, is at the nearest that one can", () => {
    const { focus, run } = still();
    focus.set(0.02);
    expect(focus.distanceM).toBe(0.1);
    run(10);
    expect(focus.distanceM).toBe(0.1);
  });
});
