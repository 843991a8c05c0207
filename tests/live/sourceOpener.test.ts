import { encode } from "fast-png";
import { zipSync } from "fflate";
import { firstValueFrom } from "rxjs";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { LiveSource, RecordedSource } from "../../sources/index.ts";
import { Player } from "../../viewer/live/source/player.ts";
import { SourceOpener } from "../../viewer/live/source/sourceOpener.ts";
import type { Messages } from "../../viewer/live/state/messages.ts";
import { depthMessage, plainServer, topicServer } from "../sources/live/liveServer.ts";
import { entry, mcapOf } from "../sources/logs/files.ts";
import { LENS } from "../sources/logs/frames.ts";
import * as write from "../sources/logs/messages.ts";
import { recordingOf } from "./recording.ts";

// What the page does where it opens a live stream.

const NAMES = ["/camera/depth/image_rect_raw", "/camera/aligned_depth_to_color/image_raw"];
const held = new Map<string, string>();

beforeEach(() => {
  held.clear();
  const setItem = (key: string, value: string) => held.set(key, value);
  const storage = {
    getItem: (key: string) => held.get(key) ?? null,
    setItem,
    removeItem: (key: string) => held.delete(key),
  };
  vi.stubGlobal("localStorage", { ...storage, key: () => null, length: 0 });
  onTestFinished(() => void vi.unstubAllGlobals());
});

/** An opener of streams; `opened` are the sources that were opened, `said` the errors. */
function opening(more: Partial<Pick<Messages, "show">> = {}) {
  const opened: LiveSource[] = [];
  const said: string[] = [];
  const player = new Player();
  const show: Messages["show"] = (kind, topic, text, ...rest) => {
    if (kind === "error") said.push(text);
    more.show?.(kind, topic, text, ...rest);
  };
  const messages = { show, clear() {} };
  const settling = { during: <T>(work: Promise<T>) => work };
  const take = (source: unknown) => void opened.push(source as LiveSource);
  const opener = new SourceOpener(player, messages as never, settling, take);
  onTestFinished(async () => {
    player.pause();
    await player.source?.close();
  });
  return { opener, opened, said };
}

test("of a stream with several depth topics the first plays, and any other one on demand", async () => {
  const { opener, opened, said } = opening();
  await opener.live((await topicServer(NAMES)).address);
  expect([opened[0]?.topic, opened[0]?.topics?.map(({ name }) => name), said]).toEqual([NAMES[0], NAMES, []]);
  expect(await opener.topic(NAMES[1] ?? "")).toBe(true);
  expect([opened[1]?.topic, opened[1]?.name, said]).toEqual([NAMES[1], opened[0]?.name, []]);
  expect([await opener.topic("/none"), opened.length, said.length]).toEqual([false, 2, 1]);
});

test("facts that are corrected leave In and Out of what plays as they are", async () => {
  const { opener, opened, said } = opening();
  const png = encode({ width: 4, height: 3, depth: 16, channels: 1, data: new Uint16Array(12).fill(1000) });
  const images = Array.from({ length: 20 }, (_, k) => [`depth/${100 + k}.png`, png] as const);
  await opener.recording(new File([zipSync(Object.fromEntries(images)) as Uint8Array<ArrayBuffer>], "a.zip"));
  opener.player.set({ inPoint: 5, outPoint: 9 });
  await opener.correct({ fps: 10 });
  const { inPoint, outPoint } = opener.player.playback;
  expect([opened[1]?.fps, inPoint, outPoint, said]).toEqual([10, 5, 9, []]);
});

test("the source that the page's address names is known as such, and stays so with another topic, until another one is opened", async () => {
  vi.stubGlobal("location", new URL("http://127.0.0.1:1/"));
  vi.stubGlobal("document", { getElementById: () => ({ hidden: false }) });
  const { opener, opened, said } = opening({ show: (_kind, _topic, _text, _forMs, action) => action?.run() });
  const address = (await topicServer(NAMES)).address;
  await opener.first(address);
  await vi.waitUntil(() => opened.length === 1, 20_000);
  expect([opener.asked === opened[0], said]).toEqual([true, []]);
  await opener.topic(NAMES[1] ?? "");
  expect(opener.asked).toBe(opened[1]);
  await opener.address(address);
  expect([opened.length, opener.asked]).toEqual([3, undefined]);
  for (const [typed, why] of [
    ["ftp://127.0.0.1/a.bag", /begins with ws:.*https:/],
    ["localhost:8765", /begins with ws:.*https:/],
    ["", /begins with ws:.*https:/],
    ["http://example.com/a.bag", /http:.* on this computer .*another one needs https:/],
  ] as const)
    expect(opener.address(typed)).toMatch(why);
  expect(said).toEqual([]);
  // A server on this computer is asked.
  await opener.address("http://localhost:1/a.bag");
  expect(said).toEqual([expect.stringMatching(/^http:\/\/localhost:1\/a.bag: it cannot be fetched/)]);
});

test("where the source that the address names cannot be opened, the page says again what can be dropped on it", async () => {
  vi.stubGlobal("location", new URL("http://127.0.0.1:1/"));
  const empty = { hidden: false };
  vi.stubGlobal("document", { getElementById: () => empty });
  const { opener, said } = opening();
  await opener.first("/none.mcap");
  expect([said.length, empty.hidden]).toEqual([1, false]);
});

test("corrections and topics are for the source that plays, not for one that was overtaken while it opened or has failed", async () => {
  const { opener, opened, said } = opening();
  const [played, overtaken] = [await topicServer(NAMES), await topicServer(NAMES)];
  const late = opener.live(overtaken.address);
  await opener.live(played.address);
  await late;
  const { name } = opened[0] ?? {};
  await opener.correct({ fps: 5 });
  expect([opened.map((source) => source.name), [...held.keys()].some((key) => key.includes(`${name}`))]).toEqual([
    [name, name],
    true,
  ]);
  await opener.recording(new File(["no recording"], "damaged.mcap"));
  expect(said).toHaveLength(1);
  await opener.topic(NAMES[1] ?? "");
  expect([opened[2]?.name, opened[2]?.topic]).toEqual([name, NAMES[1]]);
  // A source that is open already has nothing to correct.
  await opener.source(recordingOf(3).recording);
  await opener.correct({ fps: 7 });
  expect(opened.map((source) => source.name)).toEqual([name, name, name, "fake"]);
});

const ENTERED = { fx: 1234, fy: 1234, cx: 5, cy: 4 };

test("a lens that was entered for one depth topic of a file counts for it alone, also once it is opened again", async () => {
  const entries = [0, 100, 200].flatMap((ms, i) => [
    entry("/bare/depth", ms, write.ros2Depth(i, "bare")),
    entry("/right/depth/camera_info", ms, write.ros2Lens({ frameId: "right" })),
    entry("/right/depth", ms, write.ros2Depth(i, "right")),
  ]);
  const file = new File([await mcapOf(entries)], "two.mcap");
  const { opener, opened, said } = opening();
  const lens = async () => (await (opened.at(-1) as never as RecordedSource).read(0)).intrinsics.fx;
  await opener.recording(file, "/bare/depth");
  await opener.correct({ intrinsics: ENTERED });
  expect(await lens()).toBe(1234);
  await opener.topic("/right/depth");
  expect(await lens()).toBe(LENS.fx);
  // What the recording tells itself overrules what was entered.
  await opener.correct({ intrinsics: ENTERED, fps: 5 });
  expect(await lens()).toBe(LENS.fx);
  await opener.recording(file, "/bare/depth");
  expect([await lens(), said]).toEqual([1234, []]);
});

test("a lens that was entered for a stream counts for its sender alone, and only while that one tells none", async () => {
  const greeting = { name: "bare", assumed: ["intrinsics"] };
  const header = { width: 2, height: 1, fx: 7, fy: 7, cx: 1, cy: 0 };
  const { address } = await plainServer("depthloom.depth.v1", (send) => {
    send(JSON.stringify(greeting));
    send(depthMessage(header, new Uint8Array(4)));
    const timer = setInterval(() => send(depthMessage(header, new Uint8Array(4))), 20);
    onTestFinished(() => clearInterval(timer));
  });
  const { opener, opened, said } = opening();
  const lens = async () => (await firstValueFrom(opened.at(-1)?.frames$ as LiveSource["frames$"])).intrinsics.fx;
  await opener.live(address);
  expect(await lens()).toBe(7);
  await opener.correct({ intrinsics: ENTERED });
  expect(await lens()).toBe(1234);
  for (const [change, fx] of [
    [{ name: "another" }, 7],
    [{ name: "bare" }, 1234],
    [{ assumed: [] }, 7],
  ] as const) {
    Object.assign(greeting, change);
    await opener.live(address);
    expect(await lens()).toBe(fx);
  }
  expect(said).toEqual([]);
});
