import { expect, test } from "vitest";
import { ExtrasOf, type ReadExtras } from "../../viewer/live/panes/extras/extrasOf.ts";

// What a pane reads beside depth, of frames that come faster than they are read.

const SLOW_MS = 4;
const sampleOf = (index: number) => ({ timestamp: index, xyz: [0, 0, 0] as const });

/** Offers the frames faster than they are read; gives the times of the samples that the pane got. */
async function sampled(wanted: "motion" | "infrared", frames: readonly { index: number; jump?: boolean }[]) {
  const got: number[] = [];
  const show = ({ missed = [], motion }: ReadExtras) => {
    for (const one of [...missed, { motion }])
      got.push(...(one.motion?.gyroscope ?? []).map(({ timestamp }) => timestamp));
  };
  const shown = { gauge: () => ({ put: (_: unknown, extras: ReadExtras) => show(extras) }) };
  const extras = new ExtrasOf(shown as never, [wanted], () => {});
  const read = async (index: number) => {
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    return { motion: { gyroscope: [sampleOf(index)], accelerometer: [] } };
  };
  const source = { read() {}, extras: { holds: ["motion"], read } };
  for (const frame of frames) {
    extras.take({ frame, origin: { source, frame } } as never);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await expect.poll(() => got.at(-1)).toBe(frames.at(-1)?.index);
  return got;
}

const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, i) => ({ index: from + i }));

test("every frame's samples come, also of frames that are left out", async () => {
  expect(await sampled("motion", upTo(40))).toEqual(upTo(40).map(({ index }) => index));
  expect(await sampled("motion", [{ index: 3 }, { index: 9 }])).toEqual([3, 4, 5, 6, 7, 8, 9]);
});

test("frames behind a jump, or a long way off, are not read with the next one; nor are images", async () => {
  expect(await sampled("motion", [{ index: 3 }, { index: 9, jump: true }])).toEqual([3, 9]);
  expect(await sampled("motion", [{ index: 3 }, { index: 90 }])).toEqual([3, 90]);
  expect((await sampled("infrared", upTo(40))).length).toBeLessThan(30);
});
