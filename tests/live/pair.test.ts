import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Recording } from "../../sources/index.ts";
import { SharedClock } from "../../viewer/live/pair/clock.ts";
import { Link, other } from "../../viewer/live/pair/link.ts";
import type { FromHalf, Side, ToHalf } from "../../viewer/live/pair/messages.ts";
import { Player } from "../../viewer/live/source/player.ts";
import { recordingOf } from "./recording.ts";

// Two halves of a page, each with its own recording, at the time of one clock. `recordingOf` has ten frames a second.

/** A recording of `length` frames, `stepMs` apart, that begins at `startMs`. */
const timed = (name: string, length: number, stepMs = 100, startMs = 0): Recording => ({
  ...recordingOf(length).recording,
  ...{ name, fps: 1000 / stepMs, timestampOf: (index: number) => startMs + index * stepMs },
});
const DATE = Date.UTC(2026, 10, 27, 12);

describe("two halves", () => {
  const sent: { to: Side; message: ToHalf }[] = [];
  let players: readonly [Player, Player];
  let clocks: readonly [SharedClock, SharedClock];
  let link: Link;
  beforeEach(() => {
    vi.useFakeTimers();
    sent.length = 0;
    link = new Link(
      (to, message) => {
        sent.push({ to, message });
        // A window's messages arrive later, too.
        queueMicrotask(() => {
          if (message.kind === "time") clocks[to].follow(message);
          else if (message.kind === "clock") players[to].waitsAtEnd = message.shared;
        });
      },
      () => {},
    );
    const half = (side: Side) => {
      const player = new Player();
      const clock = new SharedClock(player, (message: FromHalf) => queueMicrotask(() => link.take(side, message)));
      player.frames$.subscribe((frame) => {
        player.shows(frame);
        clock.shown();
      });
      return [player, clock] as const;
    };
    const [a, b] = [half(0), half(1)];
    players = [a[0], b[0]];
    clocks = [a[1], b[1]];
  });
  afterEach(() => {
    for (const player of players) player.pause();
    vi.useRealTimers();
  });
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const open = async (side: Side, recording: Recording) => {
    clocks[side].closed();
    players[side].open(recording);
    await pass(1);
    clocks[side].opened();
    await pass(1);
  };
  const both = async (left: Recording, right: Recording) => {
    await open(0, left);
    await open(1, right);
  };
  const frames = () => players.map(({ index }) => index);
  const playing = () => players.map((player) => player.playing);

  test("show the same time after each seek, pause and change of speed, at other frame rates, whichever half is used", async () => {
    await both(timed("a", 40), timed("b", 80, 50));
    for (const [side, index, frame] of [
      [0, 10, 20],
      [1, 31, 16],
      [0, 39, 78],
    ] as const) {
      players[side].seek(index);
      await pass(20);
      expect(frames()[other(side)]).toBe(frame);
      // Where two frames of one half belong to one of the other, the answer does not move the half that was used.
      expect(frames()[side]).toBe(index);
    }
    players[0].seek(0);
    await pass(20);
    players[1].set({ rate: 2 });
    players[1].play();
    await pass(501);
    for (const { playback, playing } of players) expect([playback.rate, playing]).toEqual([2, true]);
    players[0].pause();
    await pass(20);
    expect(players[1].playing).toBe(false);
    expect(frames()[1]).toBe(2 * frames()[0]);
    expect(frames()[0]).toBeGreaterThan(8);
  });

  test("follow what the user did last, also where a message of the time before is on its way", async () => {
    await both(timed("a", 40), timed("b", 40));
    // The left half tells its time while the right one is asked for a frame.
    link.take(0, { kind: "time", ms: 300, playing: true, rate: 1, acts: 0 });
    players[1].seek(7);
    link.take(0, { kind: "time", ms: 400, playing: true, rate: 1, acts: 0 });
    await pass(500);
    expect(frames()).toEqual([7, 7]);
    expect(playing()).toEqual([false, false]);
  });

  test("end up silent: no message answers another one for ever", async () => {
    await both(timed("a", 40), timed("b", 27, 150));
    players[0].seek(7);
    await pass(100);
    sent.length = 0;
    await pass(5000);
    expect(sent).toEqual([]);
  });

  test("wait for each other at the end, and begin again together", async () => {
    await both(timed("a", 10), timed("b", 30));
    await pass(1500);
    expect([frames()[0], players[0].playing, players[1].playing]).toEqual([9, false, true]);
    expect(frames()[1]).toBeGreaterThan(12);
    await pass(2000);
    expect(playing()).toEqual([true, true]);
    expect(Math.abs(frames()[0] - frames()[1])).toBeLessThan(2);
    // Without the loop both stay at their ends.
    players[1].set({ loop: false });
    await pass(6000);
    expect(frames()).toEqual([9, 29]);
    expect(playing()).toEqual([false, false]);
  });

  test("by the date where both tell it: the one that began later waits for its time", async () => {
    await both(timed("a", 40, 100, DATE), timed("b", 20, 100, DATE + 1000));
    players[0].seek(3);
    await pass(20);
    expect(frames()).toEqual([3, 0]);
    players[0].play();
    await pass(500);
    expect([players[1].playing, frames()[1]]).toEqual([false, 0]);
    await pass(700);
    expect(players[1].playing).toBe(true);
    players[1].seek(15);
    await pass(20);
    expect(frames()).toEqual([25, 15]);
    expect(link.says).toMatch(/by the date/);
    // A clock that is known to be late: the right times are 200 ms more.
    link.offsetMs = 200;
    await pass(20);
    expect(frames()).toEqual([27, 15]);
  });

  test("by the time since the first frame where their dates have nothing in common, or a clock tells none", async () => {
    await both(timed("a", 40, 100, DATE), timed("b", 20, 100, DATE + 3_600_000));
    players[0].seek(8);
    await pass(20);
    expect([frames(), link.says]).toEqual([[8, 8], expect.stringMatching(/since the first frame/)]);
  });

  test("are told apart when the link is off, and follow each other again when it is on", async () => {
    await both(timed("a", 40), timed("b", 40));
    players[0].seek(5);
    await pass(20);
    link.on = false;
    players[1].seek(20);
    await pass(20);
    expect([frames(), link.says]).toEqual([[5, 20], expect.stringMatching(/^Not linked/)]);
    link.on = true;
    await pass(20);
    expect(frames()).toEqual([20, 20]);
  });

  test("keep their own time beside a live source, and say why", async () => {
    const { read: _, length: __, ...live } = timed("camera", 5);
    await both(timed("a", 40), live as unknown as Recording);
    players[0].seek(5);
    await pass(50);
    const times = sent.filter(({ message }) => message.kind === "time");
    expect([times, link.says]).toEqual([[], "View and cursor are linked. Time is not: camera is live."]);
  });

  test("send view and cursor to the other half alone, and a new half the view that is there", () => {
    link.take(0, { kind: "view", place: [1, 2, 3, 0, 0, 2] });
    link.take(1, { kind: "cursor", ray: [0.1, 0.2] });
    const plain = sent.filter(({ message }) => message.kind !== "clock");
    expect(plain).toEqual([
      { to: 1, message: { kind: "view", place: [1, 2, 3, 0, 0, 2] } },
      { to: 0, message: { kind: "cursor", ray: [0.1, 0.2] } },
    ]);
    sent.length = 0;
    link.take(1, { kind: "opened", name: "b", span: null });
    expect(sent).toContainEqual({ to: 1, message: { kind: "view", place: [1, 2, 3, 0, 0, 2] } });
  });
});
