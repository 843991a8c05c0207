import { describe, expect, test } from "vitest";
import { listenToGestures } from "../../viewer/live/view/camera/gestures.ts";
import { Pad } from "./hand.ts";

// How the mouse, the wheel and fingers become gestures; lengths are fractions of the window.

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
  test("orbits about the place where it began, and counts from there once it exceeds a click's tremble", () => {
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

  test("ends where the button was released unheard, and the next press drags again", () => {
    const { pad, log } = handOn();
    pad.send("pointerdown", { clientX: 110, clientY: 120, buttons: 1 });
    pad.send("pointermove", { clientX: 150, clientY: 120, buttons: 0 });
    pad.send("pointermove", { clientX: 190, clientY: 120, buttons: 0 });
    pad.drag([
      [110, 120],
      [130, 120],
    ]);
    expect(log.map(([what]) => what)).toEqual(["take", "take", "orbit"]);
  });

  test("of only a few pixels is a click and moves nothing", () => {
    const { pad, log } = handOn();
    pad.drag([
      [110, 120],
      [112, 121],
    ]);
    expect(log).toEqual([["take", 0.25, 0.5]]);
  });

  test.each([{ button: 1 }, { button: 2 }, { shiftKey: true }, { ctrlKey: true }, { metaKey: true }])(
    "with %j pans",
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

  test("of two fingers pans, and zooms in as they part; a finger that stays down orbits", () => {
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

test.each([
  ["zooms in by a notch up", -100, {}, 0.105],
  ["zooms out by a notch down", 100, {}, -0.105],
  ["zooms by a delta in lines", -3, { deltaMode: 1 }, 0.1039],
  ["zooms by a pinch on a trackpad", -5, { ctrlKey: true }, 0.05],
  ["zooms by at most 0.6 in one event of a free-running wheel", -9000, {}, 0.6],
])("the wheel %s", (_, deltaY, more, amount) => {
  const { pad, log } = handOn();
  const event = pad.wheel(deltaY, 0.25, 0.5, more);
  expect(log).toEqual([["wheel", amount, 0.25, 0.5]]);
  // The page itself must not scroll or zoom.
  expect(event.defaultPrevented).toBe(true);
});
