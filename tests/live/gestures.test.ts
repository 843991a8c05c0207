import { describe, expect, test } from "vitest";
import { listenToGestures } from "../../viewer/live/view/camera/gestures.ts";
import { Pad } from "./hand.ts";

// What the mouse, the wheel and fingers are taken for, told in parts of the window.

function handOn() {
  const pad = new Pad();
  const log: (readonly [what: string, ...values: number[]])[] = [];
  const tell =
    (what: string) =>
    (...values: number[]) =>
      void log.push([what, ...values.map((value) => Number(value.toFixed(4)))]);
  listenToGestures(pad.element, {
    take: tell("take"),
    orbit: tell("orbit"),
    pan: tell("pan"),
    wheel: tell("wheel"),
    pinch: tell("pinch"),
  });
  return { pad, log };
}

describe("a drag", () => {
  test("turns about where it began; what is farther than a click's tremble counts from the beginning", () => {
    const { pad, log } = handOn();
    pad.drag([
      [110, 120],
      [112, 121],
      [130, 120],
      [130, 140],
    ]);
    expect(log).toEqual([
      ["take", 0.25, 0.5],
      ["orbit", 0.1, 0],
      ["orbit", 0, 0.1],
    ]);
  });

  test("that trembles is a click, and moves nothing", () => {
    const { pad, log } = handOn();
    pad.drag([
      [110, 120],
      [112, 121],
    ]);
    expect(log).toEqual([["take", 0.25, 0.5]]);
  });

  test.each([{ button: 1 }, { button: 2 }, { shiftKey: true }, { ctrlKey: true }, { metaKey: true }])(
    "with %j moves",
    (more) => {
      const { pad, log } = handOn();
      pad.drag(
        [
          [110, 120],
          [110, 140],
        ],
        more,
      );
      expect(log.slice(1)).toEqual([["pan", 0, 0.1]]);
    },
  );

  test("of two fingers moves, and goes nearer as they part; the one that stays turns", () => {
    const { pad, log } = handOn();
    const finger = (pointerId: number, type: string, clientX: number, clientY: number) =>
      pad.send(type, { pointerId, pointerType: "touch", clientX, clientY });
    finger(1, "pointerdown", 110, 120);
    finger(2, "pointerdown", 210, 120);
    finger(3, "pointerdown", 310, 120);
    finger(2, "pointermove", 310, 120);
    finger(1, "pointermove", 110, 130);
    finger(3, "pointermove", 0, 0);
    finger(1, "pointerup", 110, 130);
    finger(2, "pointermove", 330, 120);
    expect(log).toEqual([
      ["take", 0.25, 0.5],
      ["take", 0.375, 0.5],
      ["pan", 0.25, 0],
      ["pinch", Number(Math.log(2).toFixed(4))],
      ["pan", 0, 0.025],
      ["pinch", Number(Math.log(Math.hypot(200, 10) / 200).toFixed(4))],
      ["take", 0.75, 0.5],
      ["orbit", 0.1, 0],
    ]);
  });
});

describe("the wheel", () => {
  test.each([
    ["a notch towards one", -100, {}, 0.105],
    ["a notch away", 100, {}, -0.105],
    ["counted in lines", -3, { deltaMode: 1 }, 0.1039],
    ["two fingers on a pad", -5, { ctrlKey: true }, 0.05],
    ["one that runs free", -9000, {}, 0.6],
  ])("%s", (_, deltaY, more, amount) => {
    const { pad, log } = handOn();
    const event = pad.wheel(deltaY, 0.25, 0.5, more);
    expect(log).toEqual([["wheel", amount, 0.25, 0.5]]);
    // The page is not to scroll or zoom.
    expect(event.defaultPrevented).toBe(true);
  });
});
