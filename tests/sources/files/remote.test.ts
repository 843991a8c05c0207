import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Address } from "../../../core/address.ts";
import { NoThread } from "../../../core/thread.ts";
import type { Given } from "../../../sources/files/dropped.ts";
import { noteRead } from "../../../sources/files/progress.ts";
import type { OpenOptions } from "../../../sources/index.ts";
import { SourceError } from "../../../sources/index.ts";
import { openRemote } from "../../../sources/recorded/remote/index.ts";
import type { Message, Request } from "../../../sources/recorded/remote/messages.ts";
import { ReaderServer } from "../../../sources/recorded/remote/server.ts";
import type { ReaderThread } from "../../../sources/recorded/remote/thread.ts";

// The time and memory budget of a reading thread, in virtual time, with a fake thread whose messages the tests send.

class FakeThread implements ReaderThread {
  readonly asked: Request[] = [];
  ended = 0;
  held = false;
  bytes = 0;
  heard: (message: Message) => void = () => {};
  died: (error: Error) => void = () => {};
  post(request: Request): void {
    this.asked.push(request);
  }
  listen(heard: (message: Message) => void, died: (error: Error) => void): void {
    this.heard = heard;
    this.died = died;
  }
  hold(waiting: boolean): void {
    this.held = waiting;
  }
  async end(): Promise<void> {
    this.ended++;
  }
  memory = () => this.bytes;

  /** Says that the recording is open. */
  opens(): void {
    const format = { what: "format", value: "bag", from: "files" } as const;
    const opened = { name: "a.bag", format, fps: 30, times: Float64Array.of(0, 33), facts: [] };
    this.heard({ kind: "answer", id: 0, opened, warnings: [] });
  }
}

const FILE: Given = { kind: "blob", name: "a.bag", blob: new Blob() };
const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Begins to open; `outcome` is the error's message, or "opened". */
function begin(options: OpenOptions = {}, given = FILE) {
  const thread = new FakeThread();
  const opening = openRemote(thread, given, options);
  const told: { outcome?: string; error?: unknown } = {};
  opening.then(
    () => Object.assign(told, { outcome: "opened" }),
    (error: Error) => Object.assign(told, { outcome: error.message, error }),
  );
  return { thread, opening, told };
}

/** Lets `ms` go by; if `alive`, the thread reports progress each second. */
async function pass(thread: FakeThread, ms: number, alive = false): Promise<void> {
  for (let at = 0; at < ms; at += 1000) {
    await vi.advanceTimersByTimeAsync(Math.min(1000, ms - at));
    if (alive) thread.heard({ kind: "progress" });
  }
}

describe("openRemote", () => {
  test("gives up after 20 s without progress, and the error names the option that allows more", async () => {
    const { thread, told } = begin();
    await pass(thread, 19_500);
    expect([told.outcome, thread.ended, thread.held]).toEqual([undefined, 0, true]);
    await pass(thread, 700);
    expect(told.error).toBeInstanceOf(SourceError);
    expect(told.outcome).toBe(
      "a.bag: opening it made no progress for 20 seconds and was given up: the file is damaged, or made to take for ever",
    );
    expect(told.error).toMatchObject({ option: "maxSeconds" });
    expect(thread.ended).toBe(1);
  });

  test("allows a small file at an address as long as a large one, and names it without its query", async () => {
    const address = new Address("https://x.org/a.bag?sig=secret");
    const { thread, told } = begin({}, { kind: "address", address });
    thread.heard({ kind: "progress", size: 1000 });
    await pass(thread, 19_500);
    expect(told.outcome).toBe(undefined);
    await pass(thread, 700);
    expect(told.outcome).toMatch(/^https:\/\/x\.org\/a\.bag: opening it made no progress for 20 seconds/);
    expect(thread.asked[0]).toMatchObject({ from: { kind: "address", whole: "https://x.org/a.bag?sig=secret" } });
  });

  test("gives up when the process grows beyond maxMegabytes", async () => {
    const { thread, told } = begin({ maxMegabytes: 100 });
    thread.bytes = 99 * 2 ** 20;
    await pass(thread, 3000, true);
    expect(told.outcome).toBe(undefined);
    thread.bytes = 101 * 2 ** 20;
    await pass(thread, 200);
    expect(told.outcome).toMatch(/^a\.bag: opening it took more than 100 MiB of memory/);
    expect(told.error).toMatchObject({ option: "maxMegabytes" });
    expect(thread.ended).toBe(1);
  });

  test("tells a thread that dies (an error) from a thread that never started (NoThread)", async () => {
    const [one, other] = [begin(), begin()];
    one.thread.heard({ kind: "progress" });
    one.thread.died(new Error("broken"));
    other.thread.died(new NoThread("missing"));
    await vi.advanceTimersByTimeAsync(1);
    expect(one.told.outcome).toBe("a.bag: its reading worker failed: broken");
    expect(other.told.error).toBeInstanceOf(NoThread);
  });
});

describe("a recording opened by openRemote", () => {
  async function open(options: OpenOptions = {}) {
    const { thread, opening } = begin(options);
    thread.heard({ kind: "progress", size: 1000 });
    thread.opens();
    return { thread, recording: await opening };
  }

  test("may stay unread for minutes, gives up a frame after 20 s, and then refuses every frame", async () => {
    const { thread, recording } = await open();
    await pass(thread, 10 * MINUTE);
    const outcome = Promise.allSettled([recording.frames.read(1)]);
    await pass(thread, 19_500);
    expect(thread.ended).toBe(0);
    await pass(thread, 700);
    const [{ status }] = await outcome;
    expect([status, thread.ended]).toEqual(["rejected", 1]);
    await expect(recording.frames.read(0)).rejects.toThrow("a.bag: reading frame 1 made no progress for 20 seconds");
  });

  test("is closed by an idle thread, and without the answer of a slow or hung thread", async () => {
    const [idle, slow, hung] = [await open(), await open(), await open()];
    const reading = Promise.allSettled([hung.recording.frames.read(0)]);
    const closing = [idle, slow, hung].map(({ recording }) => recording.close());
    expect(idle.thread.asked.at(-1)).toMatchObject({ kind: "close" });
    idle.thread.heard({ kind: "answer", id: 1, warnings: [] });
    await pass(idle.thread, 1);
    expect([idle, slow, hung].map(({ thread }) => thread.ended)).toEqual([1, 0, 1]);
    await pass(idle.thread, 600);
    expect(slow.thread.ended).toBe(1);
    await Promise.all(closing);
    expect(await reading).toMatchObject([{ reason: { message: "a.bag: it was closed" } }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("openRemote hands a folder's files to the thread one by one, when the thread requests a file", async () => {
  const read: string[] = [];
  const content = (text: string) => async () => {
    read.push(text);
    return new Blob([text]);
  };
  const contents = new Map(["a", "b"].map((name) => [`${name}.png`, content(name)] as const));
  const { thread } = begin({}, { kind: "folder", name: "two", contents });
  expect(thread.asked[0]).toMatchObject({ from: { kind: "folder", name: "two", names: ["a.png", "b.png"] } });
  expect(read).toEqual([]);
  thread.heard({ kind: "want", want: 7, file: "b.png" });
  await vi.advanceTimersByTimeAsync(1);
  expect([read, thread.asked[1]]).toEqual([["b"], { kind: "file", want: 7, blob: expect.any(Blob) }]);
});

describe("ReaderServer", () => {
  const options = { format: "npy" };

  test("reports progress at most ten times a second, and none once the file's bytes are read over and over", async () => {
    const said: Message[] = [];
    const server = new ReaderServer((message) => said.push(message));
    const blob = new Blob([new Uint8Array(1000)]);
    await server.receive({ kind: "open", id: 0, from: { kind: "blob", name: "a.npy", blob }, options });
    expect(said).toEqual([
      { kind: "progress" },
      { kind: "progress", size: 1000 },
      { kind: "progress" },
      expect.objectContaining({ kind: "answer", id: 0 }),
    ]);
    // 0.25 MiB each: the limit of eight times the 1,000 bytes plus 1 MiB is reached with the fourth.
    for (let i = 0; i < 100; i++) {
      await vi.advanceTimersByTimeAsync(50);
      noteRead(2 ** 18);
    }
    expect(said.slice(4)).toEqual([{ kind: "progress" }, { kind: "progress" }]);
  });
});
