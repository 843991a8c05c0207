import { interval, map, startWith } from "rxjs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { DepthFrame, Source } from "../../sources/index.ts";
import { Player } from "../../viewer/live/source/player.ts";
import { recordingOf } from "./recording.ts";

describe("the player", () => {
  let player: Player;
  let seen: number[];
  beforeEach(() => {
    vi.useFakeTimers();
    player = new Player();
    seen = [];
    player.frames$.subscribe((frame) => {
      seen.push(frame.index);
      player.shows(frame);
    });
  });
  afterEach(() => {
    player.pause();
    vi.useRealTimers();
  });

  test("plays a recording at its frame rate, in a loop", async () => {
    player.open(recordingOf(3).recording);
    await vi.advanceTimersByTimeAsync(650);
    expect(seen).toEqual([0, 1, 2, 0, 1, 2, 0]);
  });

  test("shows a single frame once, also as a loop whose ends are the same frame", async () => {
    player.open(recordingOf(1).recording);
    await vi.advanceTimersByTimeAsync(1000);
    expect([player.playing, seen]).toEqual([false, [0]]);
    seen.length = 0;
    player.open(recordingOf(3).recording);
    player.set({ inPoint: 1, outPoint: 1 });
    await vi.advanceTimersByTimeAsync(1000);
    expect([player.playing, seen.at(-1)]).toEqual([false, 1]);
  });

  test("reads a frame that cannot be read once more when it is paused before its first frame, and not again and again", async () => {
    const { recording, log } = recordingOf(1, 10, 0);
    const failed: unknown[] = [];
    player.failed$.subscribe((error) => failed.push(error));
    player.open(recording);
    await vi.advanceTimersByTimeAsync(500);
    log.length = failed.length = 0;
    player.pause();
    await vi.advanceTimersByTimeAsync(1000);
    expect([log.length, failed.length, player.playing]).toEqual([1, 1, false]);
  });

  test("shows the frame that was asked for last, also where one that was asked for before cannot be read", async () => {
    const { recording } = recordingOf(30, 10, 12);
    const failed: unknown[] = [];
    player.failed$.subscribe((error) => failed.push(error));
    player.open(recording);
    player.seek(12);
    player.seek(20);
    await vi.advanceTimersByTimeAsync(500);
    expect([seen.at(-1), player.index, failed]).toEqual([20, 20, []]);
    player.seek(12);
    await vi.advanceTimersByTimeAsync(500);
    expect(failed).toEqual([new Error("frame 12 is broken")]);
  });

  test("without loop stops at the last frame, and plays from the first frame on play", async () => {
    player.open(recordingOf(3).recording);
    player.set({ loop: false });
    await vi.advanceTimersByTimeAsync(1000);
    expect(player.playing).toBe(false);
    expect(seen.slice(-3)).toEqual([0, 1, 2]);
    seen.length = 0;
    player.play();
    await vi.advanceTimersByTimeAsync(150);
    expect(seen).toEqual([0, 1]);
  });

  test("shows the first frame where it is paused before that came", async () => {
    player.open(recordingOf(3, 50).recording);
    player.pause();
    await vi.advanceTimersByTimeAsync(200);
    expect([player.playing, seen]).toEqual([false, [0]]);
  });

  test("a pause by whoever sees the first frame holds, also where the source gives that frame at once", async () => {
    const { blank } = recordingOf(1);
    const at = (index: number): DepthFrame => ({ ...blank, index });
    const frames$ = interval(100).pipe(map(at), startWith(at(7)));
    const pausing = player.frames$.subscribe(() => player.pause());
    player.open({ name: "camera", format: "fake", fps: 10, frames$, close: async () => {} });
    await vi.advanceTimersByTimeAsync(500);
    pausing.unsubscribe();
    expect([player.playing, seen]).toEqual([false, [7]]);
  });

  test("seeks to a frame and pauses there; of many seeks in a row it reads only the first and the last", async () => {
    const { recording, log } = recordingOf(100, 50);
    player.open(recording);
    await vi.advanceTimersByTimeAsync(60);
    log.length = 0;
    seen.length = 0;
    for (const index of [10, 20, 30, 40]) player.seek(index);
    expect(player.index).toBe(40);
    await vi.advanceTimersByTimeAsync(1000);
    expect(log).toEqual([10, 40]);
    expect(seen.at(-1)).toBe(40);
    expect([player.playing, player.index]).toEqual([false, 40]);
    player.seek(1e9);
    expect(player.index).toBe(99);
  });

  test.each([0.1, 0.5, 2])("plays at a rate of %s, and takes another rate while it plays", async (rate) => {
    player.set({ rate });
    player.open(recordingOf(40).recording);
    await vi.advanceTimersByTimeAsync(1050 / rate);
    expect(player.index).toBe(10);
    player.set({ rate: 1 });
    expect(player.playing).toBe(true);
    await vi.advanceTimersByTimeAsync(1050);
    expect(player.index).toBe(20);
  });

  test("tells the number of the frame on the screen while it plays, and of the newest frame after a stop", async () => {
    const slow = new Player();
    let given: DepthFrame | undefined;
    slow.frames$.subscribe((frame) => {
      given = frame;
    });
    slow.open(recordingOf(40).recording);
    await vi.advanceTimersByTimeAsync(250);
    expect([given?.index, slow.index]).toEqual([2, 0]);
    if (given) slow.shows(given);
    await vi.advanceTimersByTimeAsync(800);
    expect([given?.index, slow.index]).toEqual([10, 2]);
    // A frame of the source before that comes late is not this source's.
    const late = given;
    slow.open(recordingOf(40).recording);
    if (late) slow.shows(late);
    expect(slow.index).toBe(0);
    await vi.advanceTimersByTimeAsync(350);
    slow.pause();
    expect(slow.index).toBe(3);
  });

  test("plays from the in point to the out point, also when it stood on a frame outside them", async () => {
    player.open(recordingOf(40).recording);
    player.seek(12);
    await vi.advanceTimersByTimeAsync(10);
    player.markIn();
    player.seek(14);
    await vi.advanceTimersByTimeAsync(10);
    player.markOut();
    expect([player.part, player.playing]).toEqual([[12, 14], false]);
    player.seek(30);
    await vi.advanceTimersByTimeAsync(10);
    seen.length = 0;
    player.play();
    await vi.advanceTimersByTimeAsync(450);
    expect(seen).toEqual([12, 13, 14, 12, 13]);
    // A point set again at the same frame is taken away; so is a point that lies on the wrong side of the new one.
    player.seek(12);
    player.markIn();
    expect(player.part).toEqual([0, 14]);
    player.seek(20);
    player.markIn();
    expect(player.part).toEqual([20, 39]);
    player.seek(5);
    player.markOut();
    expect(player.part).toEqual([0, 5]);
  });

  test("closes a recording when another is opened, and gives no further frame of the first one", async () => {
    const first = recordingOf(5, 30);
    player.open(first.recording);
    await vi.advanceTimersByTimeAsync(200);
    player.seek(4);
    const { recording } = recordingOf(2);
    player.open(recording);
    seen.length = 0;
    await vi.advanceTimersByTimeAsync(150);
    expect(seen).toEqual([0, 1]);
    expect(first.log.at(-1)).toBe("closed");
  });

  test("plays on past a frame that cannot be read, and gives that frame's error with it", async () => {
    const faults: (string | undefined)[] = [];
    player.frames$.subscribe(({ fault }) => faults.push(fault?.message));
    player.open(recordingOf(4, 0, 2).recording);
    await vi.advanceTimersByTimeAsync(350);
    expect([player.playing, seen]).toEqual([true, [0, 1, 2, 3]]);
    expect(faults).toEqual([undefined, undefined, "frame 2 is broken", undefined]);
  });

  test("plays a live source, which can be paused and resumed; a seek in it does nothing", async () => {
    const camera$ = interval(100).pipe(map((index) => ({ ...recordingOf(0).blank, index })));
    let closed = false;
    const close = async () => {
      closed = true;
    };
    const live: Source = { name: "camera", format: "live", fps: 10, frames$: camera$, close };
    player.open(live);
    await vi.advanceTimersByTimeAsync(350);
    expect([seen, player.playing, player.recording]).toEqual([[0, 1, 2], true, null]);
    player.seek(1);
    expect([player.playing, seen.length]).toEqual([true, 3]);
    player.pause();
    await vi.advanceTimersByTimeAsync(500);
    player.play();
    await vi.advanceTimersByTimeAsync(150);
    expect(seen).toEqual([0, 1, 2, 0]);
    player.open(recordingOf(2).recording);
    expect(closed).toBe(true);
  });

  test("marks a frame as a jump at the start, after a stop, after a seek, and from another source", async () => {
    const jumps: string[] = [];
    player.frames$.subscribe(({ index, jump }) => jumps.push(`${index}${jump ? " jump" : ""}`));
    player.open(recordingOf(100).recording);
    await vi.advanceTimersByTimeAsync(150);
    player.seek(40);
    await vi.advanceTimersByTimeAsync(10);
    player.play();
    await vi.advanceTimersByTimeAsync(150);
    player.open(recordingOf(5).recording);
    await vi.advanceTimersByTimeAsync(150);
    expect(jumps).toEqual(["0 jump", "1", "40 jump", "40 jump", "41", "0 jump", "1"]);
  });
});
