import { from, lastValueFrom, Subject, tap } from "rxjs";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { DepthFrame } from "../core/frame.ts";
import { createPipeline } from "../pipeline/index.ts";
import { StreamServer } from "../run/serve/server.ts";
import { defineStage } from "../stages/core/define.ts";
import { flatFrame } from "./pipeline/fakes.ts";

// A frame that jumps tells stages with memory to forget what came before. Where that frame is left out, the next one jumps.

const jumping = (index: number): DepthFrame => ({ ...flatFrame(index), jump: true });

/** Which frames ran, and whether each followed the one before. */
async function ran(policy: "latest" | "lossless", frames: readonly DepthFrame[]) {
  const seen: (readonly [index: number, follows: boolean])[] = [];
  const spy = defineStage({
    ...{ name: "spy", summary: "notes which frames follow", schema: {} },
    build: async () => Promise.reject(new Error("it runs on the CPU")),
    twin: () => ({ run: (_, { index, follows }) => void seen.push([index, follows]) }),
  });
  const pipeline = await createPipeline({ stages: [spy()], backend: "cpu" });
  await lastValueFrom(from(frames).pipe(pipeline.process(policy)));
  await pipeline.destroy();
  return seen;
}

test("a frame that replaces one that jumped, or follows one that jumped and cannot be read, jumps", async () => {
  const frames = [flatFrame(0), jumping(1), flatFrame(2), flatFrame(3)];
  expect(await ran("latest", frames)).toEqual([
    [0, false],
    [3, false],
  ]);
  const unread = { ...jumping(1), fault: new Error("damaged") };
  expect(await ran("lossless", [flatFrame(0), unread, flatFrame(2), flatFrame(3)])).toEqual([
    [0, false],
    [2, false],
    [3, true],
  ]);
  expect(await ran("lossless", [flatFrame(0), flatFrame(1)])).toEqual([
    [0, false],
    [1, true],
  ]);
});

/** A server of what `frames$` hands on, and a client that watches; `heads` says which frames the client has got, and which jumped. */
async function watched(first: DepthFrame) {
  const frames$ = new Subject<DepthFrame>();
  const source = { ...{ name: "pretended", format: "pretended", fps: 30 }, frames$, close: async () => {} };
  const how = { ...{ host: "127.0.0.1", port: 0, rate: 1, loop: true }, origins: [], maxClients: 4, warn() {} };
  const server = new StreamServer(source, how);
  onTestFinished(() => server.close());
  const [address] = await server.open(first);
  const client = new WebSocket(address, ["depthloom.depth.v1"]);
  onTestFinished(() => client.terminate());
  const heads: { index: number; jump: boolean | undefined }[] = [];
  client.on("message", (data: Buffer, isBinary: boolean) => {
    const [head] = /\{.*?\}(?=[^,}]|$)/s.exec(data.subarray(0, 400).toString("latin1")) ?? [];
    if (isBinary)
      heads.push({ index: Number(/"index":(\d+)/.exec(head ?? "")?.[1]), jump: head?.includes('"jump":true') });
  });
  await new Promise((resolve) => client.once("open", resolve));
  client.send(JSON.stringify({ watch: true }));
  await expect.poll(() => frames$.observed).toBe(true);
  return { frames$, server, client, heads };
}

test("a server tells of a jump whose frame it leaves out", async () => {
  const { frames$, heads } = await watched(flatFrame(0));
  for (const frame of [flatFrame(0), jumping(1), flatFrame(2)]) frames$.next(frame);
  await expect.poll(() => heads.length).toBe(2);
  frames$.next({ ...jumping(3), fault: new Error("damaged") });
  frames$.next(flatFrame(4));
  await expect.poll(() => heads.length).toBe(3);
  expect(heads).toEqual([
    { index: 0, jump: false },
    { index: 2, jump: true },
    { index: 4, jump: true },
  ]);
});

test("a client that is too slow for a frame that jumps is told of the jump by the next frame that it gets", async () => {
  const large = (index: number) => flatFrame(index, 1000, 1024, 1024);
  const { frames$, server, client, heads } = await watched(large(0));
  client.pause();
  let index = 0;
  const send = async (more = {}) => {
    const { sent } = server;
    frames$.next({ ...large(index++), ...more });
    await expect.poll(() => server.sent).toBe(sent + 1);
  };
  // Once a frame is left out for this client, each further one takes the place of the one before.
  while (server.dropped === 0) await send();
  const { dropped } = server;
  await send({ jump: true });
  for (let more = 0; more < 2; more++) await send();
  expect(server.dropped).toBe(dropped + 3);
  expect(heads).toEqual([]);
  client.resume();
  await expect.poll(() => heads.at(-1)).toEqual({ index: index - 1, jump: true });
  expect(heads.slice(0, -1).some(({ jump }) => jump)).toBe(false);
});

test("the pipeline hands on the very frame that came, by which others know it", async () => {
  const frames = [flatFrame(0), jumping(1), flatFrame(2)];
  const pipeline = await createPipeline({ stages: [], backend: "cpu" });
  onTestFinished(() => pipeline.destroy());
  const sources: DepthFrame[] = [];
  await lastValueFrom(
    from(frames).pipe(
      pipeline.process("latest"),
      tap(({ source }) => sources.push(source)),
    ),
  );
  expect(sources.map((source) => frames.indexOf(source))).toEqual([0, 2]);
});
