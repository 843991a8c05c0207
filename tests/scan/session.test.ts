import { expect, test } from "vitest";
import { plainOf } from "../../core/plainFrame.ts";
import { compose, invert, type Rigid, rigid, turned } from "../../core/pose.ts";
import { POSE_STATE } from "../../pipeline/index.ts";
import { Album } from "../../scan/album.ts";
import type { Chunk } from "../../scan/mesh/chunks.ts";
import { meshOf } from "../../scan/mesh/mesh.ts";
import { ModelDesk } from "../../scan/modelDesk.ts";
import { shiftM } from "../../scan/place/way.ts";
import { type ModelOrder, RemoteModel, type SeenFrame } from "../../scan/remoteModel.ts";
import { Session } from "../../scan/session.ts";
import { Bricks } from "../../scan/volume/bricks.ts";
import { Journal } from "../../scan/volume/journal.ts";
import { type Fusable, KNOWN, type Volume, type VolumeOptions } from "../../scan/volume/volume.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { useGpu } from "../gpu.ts";
import { sampled, slowTest } from "../mode.ts";

const gpu = useGpu();

// A scan that people look at while it goes on: its mesh comes in parts, seconds can be taken back, and a lost camera is found again.

const SIZE = { width: 160, height: 120, noise: false };
const room = syntheticRoom({ ...SIZE, frames: 600, cameraMotion: "handheld" });
const FINENESS = { voxelM: 0.03, farM: 4, mostMegabytes: 64 };
const newSession = () => new Session(FINENESS, undefined);

async function frameAt(index: number) {
  const frame = await room.read(index);
  return { frame, toWorld: Float64Array.from((await room.pose(index)).slice(0, 12)) };
}
const said = (toWorld: Rigid, state: number = POSE_STATE.moved) =>
  ({ toWorld, state, recorded: false }) as Parameters<Session["add"]>[1];

/** Hands over all parts of the mesh that have changed, as a page keeps them. */
async function keep(session: Session, kept = new Map<number, Chunk>()): Promise<Map<number, Chunk>> {
  for (const chunk of await session.mesh(Number.POSITIVE_INFINITY)) kept.set(chunk.key, chunk);
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
    await session.add(frame, said(toWorld));
    made.push((await keep(session, kept)).size);
    expect(session.waiting).toBe(0);
  }
  const volume = await session.read();
  if (!volume) throw new Error("no frame was added");
  expect(made[0]).toBeGreaterThan(10);
  const whole = meshOf(volume, KNOWN);
  expect(whole.indices.length).toBeGreaterThan(3000);
  expect(trianglesOf(kept)).toBe(whole.indices.length / 3);
  const best = Math.max(
    ...[...kept.values()].map(({ colours }) =>
      colours.filter((_, i) => i % 4 === 3).reduce((a, b) => Math.max(a, b), 0),
    ),
  );
  expect(best).toBeGreaterThan(10);
});

test("a part that few more frames changed is made when nothing else is to do", async () => {
  const session = newSession();
  const { frame, toWorld } = await frameAt(0);
  const made: number[] = [];
  for (let i = 0; i < 22; i++) {
    await session.add(frame, said(toWorld));
    made.push((await session.mesh(Number.POSITIVE_INFINITY, true)).length);
  }
  expect(made[0]).toBeGreaterThan(10);
  // Frames 1, 5, 9 and 14 alone change much; other parts come when later frames make more bricks.
  expect(made.reduce((a, b) => a + b, 0)).toBeLessThan(0.4 * 22 * made[0]);
  expect(session.waiting).toBeGreaterThan(10);
  expect((await keep(session)).size).toBeGreaterThan(10);
  expect(session.waiting).toBe(0);
});

test("undo gives the model of three seconds ago, and redo what undo took", async () => {
  const session = newSession();
  const hold = async () => {
    const { bricks } = (await session.read()) as Volume;
    return Buffer.from(bricks.memory.buffer.slice(bricks.start));
  };
  const add = async (...indices: number[]) => {
    for (const index of indices) {
      const { frame, toWorld } = await frameAt(index);
      await session.add(frame, said(toWorld));
    }
  };
  await add(0, 6);
  const before = await hold();
  await add(120, 130);
  await keep(session);
  const whole = await hold();
  expect(whole.subarray(0, before.length).equals(before)).toBe(false);
  await session.undo();
  expect([session.frames, session.redoable]).toEqual([2, 1]);
  await session.redo();
  expect((await hold()).equals(whole)).toBe(true);
  expect([session.frames, session.undoable, session.redoable]).toEqual([4, 2, 0]);
  await session.undo();
  const after = await hold();
  expect(after.subarray(0, before.length).equals(before)).toBe(true);
  expect(after.subarray(before.length).every((byte) => byte === 0)).toBe(true);
  // The page shows the old model at once, also between two frames.
  expect((await session.mesh(Number.POSITIVE_INFINITY, true)).length).toBeGreaterThan(10);
  await session.undo();
  expect(meshOf((await session.read()) as Volume, 1).indices).toHaveLength(0);
  for (let i = 0; i < 2; i++) await session.redo();
  expect((await hold()).equals(whole)).toBe(true);
  await session.undo();
  await add(6);
  expect([session.frames, session.redoable]).toEqual([3, 0]);
});

test("on a GPU that another thread has the mesh is the whole one's, too, and the last seconds are taken back until nothing is left", async () => {
  const desk = new ModelDesk(gpu.device, FINENESS.mostMegabytes, () => {});
  const known = new WeakMap<object, SeenFrame>();
  const numbers: (SeenFrame | undefined)[] = [];
  const order = (order: ModelOrder) =>
    desk.carryOut(
      structuredClone(order),
      order.does === "add" && typeof order.frame === "number" ? numbers[order.frame] : undefined,
    );
  const numberOf = ({ depth }: Fusable) => {
    const frame = known.get(depth);
    return frame && numbers.push(frame) - 1;
  };
  const open = (options: VolumeOptions) => RemoteModel.open(options, order, numberOf);
  const session = new Session({ ...FINENESS, voxelM: 0.06 }, undefined, open);
  const add = async (indices: readonly number[]) => {
    for (const index of indices) {
      const { frame, toWorld } = await frameAt(index);
      // The second of two frames is only the worker's, as kept frames are.
      if (index === 0) known.set(frame.depth, plainOf(frame));
      await session.add(frame, said(toWorld));
    }
    expect(await session.mesh(0)).toEqual([]);
    const triangles = (await desk.mesh?.counted())?.triangles ?? 0;
    expect(triangles).toBe(meshOf((await session.read()) as Volume, KNOWN).indices.length / 3);
    return triangles;
  };
  const before = await add([0]);
  expect(before).toBeGreaterThan(300);
  const whole = await add([120]);
  expect(whole).toBeGreaterThan(before);
  await session.undo();
  expect((await desk.mesh?.counted())?.triangles).toBe(before);
  await session.redo();
  expect([session.frames, session.undoable]).toEqual([2, 2]);
  expect((await desk.mesh?.counted())?.triangles).toBe(whole);
  for (let i = 0; i < 2; i++) await session.undo();
  expect((await desk.mesh?.counted())?.triangles).toBe(0);
  expect(session.undoable).toBe(0);
  session.destroy();
  await desk.destroy();
  expect(desk.mesh).toBeUndefined();
});

test("what can be undone takes bounded memory", () => {
  const bricks = new Bricks(0, 4096, 2000, false);
  for (let i = 0; i < 1024; i++) bricks.make(i, 0, 0);
  bricks.reserve();
  const journal = new Journal(bricks, 4, 2 ** 21);
  const lengths = [256, 256, 256, 1024].map((count) => {
    journal.begin();
    for (let brick = 0; brick < count; brick++) journal.keep(brick, false);
    return journal.length;
  });
  // 2 MiB are two stretches of 256 bricks, and the last stretch is kept whatever its size.
  expect(lengths).toEqual([1, 2, 2, 1]);
  expect(journal.undo()).toHaveLength(1024);
  for (let i = 0; i < 2; i++) journal.begin();
  journal.clear();
  expect(journal.length).toBe(0);
});

// A lost camera is recognised by depth alone, so a camera with colours is found again after the light has changed.
test.each(sampled(["alike", "negative", "dark"], 2))(
  "a lost camera adds nothing until it sees again what it saw before, in colours that are %s, and is right from there on",
  async (light) => {
    const session = newSession();
    for (let index = 0; index < 60; index += 4) {
      const { frame, toWorld } = await frameAt(index);
      expect(await session.add(frame, said(toWorld))).toBeDefined();
    }
    const frames = (await session.read())?.frames;
    // From here on the tracker's world lies elsewhere.
    const elsewhere = turned([0.1, -0.2, 0.05], [0.3, 0.1, -0.4]);
    const off = (found: Rigid | undefined, toWorld: Rigid, first: Rigid) => {
      const away = compose(
        rigid(),
        invert(rigid(), found ?? rigid()),
        compose(rigid(), invert(rigid(), first), toWorld),
      );
      return Math.hypot(away[3], away[7], away[11]);
    };
    const first = (await frameAt(0)).toWorld;
    const strange = { frame: await syntheticRoom({ ...SIZE, scene: "desk" }).read(0), toWorld: first };
    expect(
      await session.add(strange.frame, said(compose(rigid(), elsewhere, strange.toWorld), POSE_STATE.lost)),
    ).toBeUndefined();
    expect(session.placer.isLost).toBe(true);
    expect((await session.read())?.frames).toBe(frames);
    for (const index of [22, 26]) {
      const { frame, toWorld } = await frameAt(index);
      const lit = (value: number) => (light === "alike" ? value : light === "dark" ? value / 10 : 255 - value);
      frame.color?.data.set(frame.color.data.map(lit));
      const found = await session.add(frame, said(compose(rigid(), elsewhere, toWorld)));
      expect(session.placer.isLost).toBe(false);
      expect(off(found, toWorld, first)).toBeLessThan(0.01);
    }
  },
);

/** A tracker that drifts: it takes the camera to go 2 % too far, and to turn by .4 mrad too much in each frame. */
const drifting = (toWorld: Rigid, index: number): Rigid => {
  const wrong = compose(rigid(), turned([0, 0.0004 * index, 0.0002 * index]), toWorld);
  return wrong.map((value, i) => (i % 4 === 3 ? 1.02 * value : value));
};

/** A scan by that tracker to where it began, and back; returns the parts of the model that a page has. */
async function scannedBack() {
  const off = { before: 0, after: 0 };
  const session = newSession();
  const kept = new Map<number, Chunk>();
  const first = invert(rigid(), (await frameAt(0)).toWorld);
  for (let index = 0; index <= 340; index += 20) {
    const { frame, toWorld } = await frameAt(index);
    const truth = compose(rigid(), first, toWorld);
    off.before = shiftM(drifting(truth, index), truth);
    off.after = shiftM((await session.add(frame, said(drifting(truth, index)))) ?? rigid(), truth);
    // A page shows parts of the old model before the new one is whole.
    if (index === 200) await keep(session, kept);
  }
  await keep(session, kept);
  expect(session.waiting).toBe(0);
  const volume = await session.read();
  if (!volume) throw new Error("no frame was added");
  expect(session.placer.keyframes.loops).toBeGreaterThan(3);
  expect(off.before).toBeGreaterThan(0.25);
  expect(off.after).toBeLessThan(0.25 * off.before);
  // The page has the parts of the new model, and none of the old one.
  expect(trianglesOf(kept)).toBe(meshOf(volume, KNOWN).indices.length / 3);
  expect(session.undoable).toBe(4);
  return [...kept].toSorted();
}

test("where the camera comes back, the drift goes, and the model is made anew", scannedBack);

slowTest("the same frames of a camera that comes back give the same model", async () => {
  expect(await scannedBack()).toEqual(await scannedBack());
});

test("without colours a camera that does not come back keeps the tracker's poses to the last bit, and so does a recording's own", async () => {
  for (const recorded of [false, true]) {
    const session = newSession();
    for (let index = 0; index <= (recorded ? 300 : 60); index += recorded ? 30 : 4) {
      const { frame, toWorld } = await frameAt(index);
      const { color: _, ...plain } = frame;
      const place = await session.add(recorded ? frame : plain, { ...said(toWorld), recorded });
      expect(
        shiftM(place ?? rigid(), compose(rigid(), invert(rigid(), (await frameAt(0)).toWorld), toWorld)),
      ).toBeLessThan(1e-9);
    }
    expect(session.placer.keyframes.loops).toBe(0);
  }
});

test("frames that are kept for a new model take bounded memory, and show every place from which the camera looked", async () => {
  const { frame } = await frameAt(0);
  const album = new Album(5 * (frame.depth.data.byteLength + (frame.color?.data.byteLength ?? 0)));
  // The camera stays where it is, goes a step, stays there, and so on.
  const placeOf = (at: number) => turned([0, 0, 0], [Math.floor(at / 5) + at / 1000, 0, 0]);
  for (let at = 0; at < 20; at++) {
    const depth = { ...frame.depth, data: frame.depth.data.map(() => at + 1) } as typeof frame.depth;
    album.add({ ...frame, depth }, { place: placeOf(at), used: placeOf(at), stretch: at < 10 ? 1 : 2 });
  }
  const all = () => {
    const list: number[][] = [];
    for (let kept = album.after(-1); kept; kept = album.after(kept.at))
      list.push([kept.at, kept.times, kept.frame.depth.data[7] - 1]);
    return list;
  };
  // A new frame takes the place of the kept frame whose next frame is nearest: that next frame stands for both.
  expect(all()).toEqual([
    [4, 5, 4],
    [9, 5, 9],
    [14, 5, 14],
    [18, 4, 18],
    [19, 1, 19],
  ]);
  album.drop(2);
  expect(all().map(([at]) => at)).toEqual([4, 9]);
});
