import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { openLive, syntheticRoom } from "../../sources/index.ts";
import { writePngFolder } from "../../write/index.ts";
import { startForTest } from "../cli/command.ts";
import { LONG } from "../mode.ts";
import { useFolder } from "../sources/fixtures.ts";
import { Bridge } from "./bridge.ts";
import { imageOf, infoOf, TOPIC, TOPICS } from "./camera.ts";

// The installed command beside a bridge at a camera's pace, for minutes: `npx vitest run --mode long tests/publish/long.test.ts`.
// FRAMES and MINUTES shorten it.

const FRAMES = Number(process.env.FRAMES ?? 3000);
const MINUTES = Number(process.env.MINUTES ?? 30);
const PERIOD_MS = 1000 / 30;

const disk = useFolder();

/** Publishes what a Kinect sees of a room, 640×480 at 30 Hz, until `until` says so; returns when each was sent, by its stamp. */
async function camera(bridge: Bridge, until: (sent: number) => boolean): Promise<Map<string, number>> {
  const room = syntheticRoom({ color: false });
  const frames = await Promise.all(Array.from({ length: 30 }, (_, i) => room.read(i)));
  const sentAt = new Map<string, number>();
  while (!bridge.isHeard(TOPIC)) await pause(20);
  await pause(1000);
  const begin = performance.now();
  for (let index = 0; !until(index); index++) {
    await pause(Math.max(0, begin + index * PERIOD_MS - performance.now()));
    const { depth, intrinsics } = frames[index % frames.length];
    const message = imageOf(index, { depth });
    bridge.publish("/camera/depth/camera_info", infoOf(index, intrinsics, intrinsics));
    sentAt.set(JSON.stringify(message.header.stamp), Date.now());
    if (sentAt.size > 10_000) sentAt.delete([...sentAt.keys()][0] ?? "");
    bridge.publish(TOPIC, message);
  }
  return sentAt;
}

const residentMiB = (pid: number | undefined) => {
  const [, kib] = readFileSync(`/proc/${pid}/status`, "utf8").match(/VmRSS:\s+(\d+)/) ?? [];
  return Number(kib) / 1024;
};

test.skipIf(!LONG)(
  "filter ends by SIGTERM, with its file whole, where the reader of standard output has stopped reading",
  async () => {
    const room = join(disk.root, "room");
    await writePngFolder(syntheticRoom({ width: 640, height: 480, frames: 8 }), room, { truth: false });
    const file = join(disk.root, "beside.mcap");
    const places = ["--to", "-", "--to", file, "--to", "serve", "--port", "0"];
    const { child } = startForTest(["filter", room, "--loop", "--stages", "median", ...places]);
    child.stdout?.pause();
    let said = "";
    child.stderr?.on("data", (text: string) => {
      said += text;
    });
    await expect.poll(() => said, { timeout: 60_000 }).toContain("filtered on ws:");
    await pause(2000);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([143, null]);
    child.stdout?.resume();
    expect(said).toMatch(/standard output: 1 frame written, [1-9]\d* left out/);
    const recording = await disk.open(file);
    // The first round, of which a busy machine leaves out some.
    expect([recording.length > 0, recording.length <= 8]).toEqual([true, true]);
  },
);

describe.skipIf(!LONG)("filter, beside a bridge at 30 Hz,", () => {
  test.each(["CDR", "JSON"])(
    `loses none of ${FRAMES} frames in %s but those of its first two seconds`,
    async (form) => {
      const came = new Map<string, number>();
      const bridge = await Bridge.open(TOPICS, {
        json: form === "JSON",
        onHeard: ({ topic, message: { header }, atMs }) => {
          if (topic.endsWith("/image_raw")) came.set(JSON.stringify(header.stamp), atMs);
        },
      });
      const { child, ended } = startForTest(["filter", bridge.address, "--topic", TOPIC, "--json"]);
      const sentAt = await camera(bridge, (sent) => sent === FRAMES);
      await pause(1000);
      child.kill("SIGTERM");
      const { status, stdout, stderr } = await ended;
      const late = [...came].map(([stamp, atMs]) => atMs - (sentAt.get(stamp) ?? 0)).sort((a, b) => a - b);
      const at = (share: number) => late[Math.ceil(share * late.length) - 1];
      console.log(
        `${form}: ${came.size} of ${FRAMES}; added latency p50 ${at(0.5)} ms, p95 ${at(0.95)}, max ${at(1)}\n${stderr}`,
      );
      expect([status, JSON.parse(stdout)[0].error]).toEqual([143, null]);
      expect([...sentAt.keys()].slice(60).filter((stamp) => !came.has(stamp))).toEqual([]);
      await bridge.kill();
    },
  );

  test(`serves two clients, a file and the bridge for ${MINUTES} minutes in the same memory`, async () => {
    const bridge = await Bridge.open(TOPICS, { onHeard: () => {} });
    const file = join(disk.root, "long.mcap");
    const places = ["--to", bridge.address, "--to", "serve", "--port", "0", "--to", file];
    const { child, ended } = startForTest(["filter", bridge.address, "--topic", TOPIC, ...places, "--json"]);
    let text = "";
    child.stderr?.on("data", (more: string) => {
      text += more;
    });
    const memory: number[] = [];
    let over = false;
    const playing = camera(bridge, () => over);
    await expect.poll(() => /ws:\S+(?= \(Ctrl)/.exec(text)?.[0], { timeout: 60_000 }).toBeDefined();
    const address = /ws:\S+(?= \(Ctrl)/.exec(text)?.[0] ?? "";
    const clients = await Promise.all([openLive(address), openLive(address)]);
    const seen = [0, 0];
    for (const [i, client] of clients.entries()) client.frames$.subscribe(() => void seen[i]++);
    for (let second = 0; second < MINUTES * 60; second += 5) {
      await pause(5000);
      memory.push(residentMiB(child.pid));
    }
    over = true;
    await playing;
    child.kill("SIGTERM");
    const { status, stdout } = await ended;
    await Promise.all(clients.map((client) => client.close()));
    await bridge.kill();
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const third = Math.floor(memory.length / 3);
    const [middle, last] = [mean(memory.slice(third, 2 * third)), mean(memory.slice(2 * third))];
    console.log(`MiB: ${memory.map(Math.round).join(" ")}; frames of the clients: ${seen.join(", ")}\n${stdout}`);
    expect(status).toBe(143);
    expect(Math.min(...seen)).toBeGreaterThan(MINUTES * 60);
    expect(last).toBeLessThan(middle * 1.1 + 16);
  });
});
