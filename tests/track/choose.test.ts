import { expect, test } from "vitest";
import { rigid } from "../../core/pose.ts";
import { POSE_STATE, type PoseState } from "../../stages/core/pose.ts";
import { GUESS } from "../../stages/track/constants.ts";
import { newPose } from "../../stages/track/recorded.ts";
import {
  choose,
  type Found,
  type Known,
  mayBeCrowded,
  newMotions,
  settle,
  unknown,
} from "../../stages/track/settle.ts";

// track makes a calm and a crowded guess of the camera's motion; `choose` takes one of them.

/** A frame at its keyframe's place, after which the camera goes on by `mm` per frame. */
function frameBefore(state: PoseState, mm: number): Known {
  const before = { ...unknown(), state };
  before.velocity[3] = mm / 1000;
  return before;
}

/** A guess that the camera moved by `mm`, and that explains a share of the area. */
function guess(mm: number, share: number, partners = 1): Found {
  const extent = { centre: new Float64Array(3), radius: 1 };
  const found = { pose: rigid(), held: 0, partners, doubt: 0, moved: Float64Array.of(share, 1, share, 1), extent };
  found.pose[3] = mm / 1000;
  return { ...found, guess: GUESS.calm, sums: new Float64Array(34) };
}

const { still, moved } = POSE_STATE;
test.each([
  ["takes calm if both explain as much", frameBefore(moved, 5), guess(5, 0.97), guess(6, 0.97), false],
  ["takes crowded if it explains more", frameBefore(moved, 5), guess(5, 0.8), guess(5, 0.9), true],
  [
    "takes crowded if calm has a moving camera stand because a hand is held still",
    frameBefore(moved, 5),
    guess(0, 0.97),
    guess(5, 0.95),
    true,
  ],
  [
    "takes calm if it has a moving camera stand and crowded explains far less",
    frameBefore(moved, 5),
    guess(0, 0.97),
    guess(5, 0.9),
    false,
  ],
  ["takes calm if both have the camera stand", frameBefore(moved, 5), guess(0, 0.97), guess(0.5, 0.95), false],
  ["takes calm if the camera stood before", frameBefore(still, 0), guess(0, 0.97), guess(5, 0.95), false],
  ["takes calm if the camera hardly moved before", frameBefore(moved, 1), guess(0, 0.97), guess(5, 0.95), false],
])("choose %s", (_, before, calm, crowded, isCrowded) => {
  const after = unknown();
  expect(choose(newMotions(), before, calm, crowded, after)).toBe(isCrowded ? crowded : calm);
  expect(after.crowded).toBe(isCrowded ? 8 : 0);
  // A crowded guess that is chosen must have been tried.
  if (isCrowded) expect(mayBeCrowded(newMotions(), before, calm)).toBe(true);
});

const { lost } = POSE_STATE;
test.each([
  ["moved if it moved by more than its uncertainty", still, 5, 0.001, moved],
  ["still if it moved by less", still, 5, 0.01, still],
  ["still in the first frame that shows less than three times the uncertainty", still, 5, 0.002, still],
  ["moved in the second one", still, 5, 0.002, moved, 1],
  ["moved if it did so before", moved, 5, 0.001, moved],
  ["lost if it moved, and the uncertainty is more than 1 % of the distance", still, 50, 0.03, lost],
  ["still if it moved by less, however large the uncertainty is", still, 5, 0.03, still],
])("settle finds a camera %s", (_, state, mm, doubt, expected, calm = 0) => {
  const [before, after] = [{ ...frameBefore(state, 0), had: 1, calm }, unknown()];
  const found = { ...guess(mm, 0.9), doubt };
  found.extent.centre[2] = 2;
  found.sums.fill(1000);
  // The keyframe's own pose explains less, so that the camera does not stand by that.
  settle(newMotions(), before, found, { counts: Float64Array.of(500, 1000, 500, 1000), fewest: 0 }, after, newPose());
  expect(after.state).toBe(expected);
});

test("settle finds that a camera moved where its keyframe's pose explains as many pixels, but they are few", () => {
  const [before, after] = [{ ...frameBefore(still, 0), had: 1 }, unknown()];
  const found = guess(50, 0.45);
  found.sums.fill(1000);
  settle(newMotions(), before, found, { counts: Float64Array.of(450, 1000, 450, 1000), fewest: 0 }, after, newPose());
  expect(after.state).toBe(moved);
});

test.each([
  ["moved, by more noise than was measured, if nearly all pixels have partners", 0.3, 0.85, moved, true],
  ["lost if few pixels lie on the keyframe's planes, and few have partners", 0.3, 0.7, lost, true],
  ["moved if a hand covers half of the keyframe", 0.4, 0.75, moved, false],
  ["lost if few pixels have partners", 0.9, 0.25, lost, true],
])("settle finds a camera %s", (_, share, partners, state, isKey) => {
  const [before, after] = [{ ...frameBefore(moved, 5), had: 1 }, unknown()];
  const found = guess(5, share, partners);
  found.sums.fill(1000);
  settle(newMotions(), before, found, { counts: Float64Array.of(0, 1000, 0, 1000), fewest: 0 }, after, newPose());
  expect(after).toMatchObject({ state, isKey });
});
