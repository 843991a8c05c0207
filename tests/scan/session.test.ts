import { expect, test } from "vitest";
import { POSE_STATE } from "../../pipeline/index.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { compose, invert, type Rigid, rigid, turned } from "../../stages/core/pose.ts";
import type { Chunk } from "../../viewer/scan/mesh/chunks.ts";
import { meshOf } from "../../viewer/scan/mesh/mesh.ts";
import { Session } from "../../viewer/scan/session.ts";

// A scan that people look at while it goes on: its mesh comes in parts, seconds can be taken back, and a lost camera is found again.

const room = syntheticRoom({ width: 160, height: 120, frames: 600, cameraMotion: "handheld", noise: false });
const FINENESS = { voxelM: 0.03, farM: 4, mostMegabytes: 64 };
const newSession = () => new Session(FINENESS, undefined);

async function frameAt(index: number) {
  const frame = await room.read(index);
  return { frame, toWorld: Float64Array.from((await room.pose(index)).slice(0, 12)) };
}
const said = (toWorld: Rigid, state: number = POSE_STATE.moved) =>
  ({ toWorld, state, recorded: false }) as Parameters<Session["add"]>[1];

/** Hands over all parts of the mesh that have changed, as a page keeps them. */
function keep(session: Session, kept = new Map<number, Chunk>()): Map<number, Chunk> {
  for (const chunk of session.mesh(Number.POSITIVE_INFINITY)) kept.set(chunk.key, chunk);
  return kept;
}
const trianglesOf = (kept: Map<number, Chunk>) =>
  [...kept.values()].reduce((sum, { indices }) => sum + indices.length / 3, 0);

test("the parts of the mesh have the triangles of the whole one, though only what changed is made anew", async () => {
  const session = newSession();
  const kept = new Map<number, Chunk>();
  const made: number[] = [];
  for (let index = 0; index < 48; index += 4) {
    const { frame, toWorld } = await frameAt(index);
    session.add(frame, said(toWorld));
    made.push(keep(session, kept).size);
    expect(session.waiting).toBe(0);
  }
  const volume = session.volume;
  if (!volume) throw new Error("no frame was added");
  expect(made[0]).toBeGreaterThan(10);
  const whole = meshOf(volume, volume.known);
  expect(whole.indices.length).toBeGreaterThan(3000);
  expect(trianglesOf(kept)).toBe(whole.indices.length / 3);
  const best = Math.max(
    ...[...kept.values()].map(({ colours }) =>
      colours.filter((_, i) => i % 4 === 3).reduce((a, b) => Math.max(a, b), 0),
    ),
  );
  expect(best).toBeGreaterThan(10);
});

test("undo gives the model of three seconds ago", async () => {
  const session = newSession();
  const hold = () =>
    Buffer.from(session.volume?.bricks.memory.buffer.slice(session.volume.bricks.start) ?? new ArrayBuffer(0));
  for (const index of [0, 6]) {
    const { frame, toWorld } = await frameAt(index);
    session.add(frame, said(toWorld));
  }
  const before = hold();
  for (const index of [120, 130]) {
    const { frame, toWorld } = await frameAt(index);
    session.add(frame, said(toWorld));
  }
  expect(session.undoable).toBe(2);
  keep(session);
  expect(hold().subarray(0, before.length).equals(before)).toBe(false);
  session.undo();
  const after = hold();
  expect(after.subarray(0, before.length).equals(before)).toBe(true);
  expect(after.subarray(before.length).every((byte) => byte === 0)).toBe(true);
  expect(session.waiting).toBeGreaterThan(0);
  session.undo();
  expect(meshOf(session.volume as NonNullable<Session["volume"]>, 1).indices).toHaveLength(0);
  expect(session.undoable).toBe(0);
});

test("a lost camera adds nothing until it sees again what it saw before, and is right from there on", async () => {
  const session = newSession();
  for (let index = 0; index < 60; index += 4) {
    const { frame, toWorld } = await frameAt(index);
    expect(session.add(frame, said(toWorld))).toBeDefined();
  }
  const frames = session.volume?.frames;
  // From here on the tracker's world lies elsewhere.
  const elsewhere = turned(rigid(), 0.1, -0.2, 0.05, 0.3, 0.1, -0.4);
  const off = (found: Rigid | undefined, toWorld: Rigid, first: Rigid) => {
    const away = compose(rigid(), invert(rigid(), found ?? rigid()), compose(rigid(), invert(rigid(), first), toWorld));
    return Math.hypot(away[3], away[7], away[11]);
  };
  const first = (await frameAt(0)).toWorld;
  const strange = await frameAt(450);
  expect(
    session.add(strange.frame, said(compose(rigid(), elsewhere, strange.toWorld), POSE_STATE.lost)),
  ).toBeUndefined();
  expect(session.placer.isLost).toBe(true);
  expect(session.volume?.frames).toBe(frames);
  for (const index of [22, 26]) {
    const { frame, toWorld } = await frameAt(index);
    const found = session.add(frame, said(compose(rigid(), elsewhere, toWorld)));
    expect(session.placer.isLost).toBe(false);
    expect(off(found, toWorld, first)).toBeLessThan(0.01);
  }
});
