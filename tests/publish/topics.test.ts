import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { depthloom, startForTest } from "../cli/command.ts";
import { useFolder } from "../sources/fixtures.ts";
import { Bridge } from "./bridge.ts";
import { PIXELS, play, TOPIC, TOPICS } from "./camera.ts";
import { of } from "./ends.ts";

// Several topics of a bridge at once.

const disk = useFolder();
const STAGES = ["--stages", "median", "--backend", "cpu", "--noise", "off", "--backlog", "100"];

test("several topics of a bridge are filtered at once, each beside its own, to its own file and marked on standard output", async () => {
  const other = "/left/depth/image_raw";
  const bridge = await Bridge.open({ ...TOPICS, [other]: "sensor_msgs/msg/Image" });
  onTestFinished(() => bridge.kill());
  const file = join(disk.root, "both.mcap");
  const places = ["--to", bridge.address, "--to", file, "--to", "-"];
  const args = ["--topic", `${TOPIC},${other}`, ...places, ...STAGES, "--frames", "4"];
  const both = depthloom("filter", bridge.address, ...args);
  const isReady = (name: string) => () => of(bridge.heard, `${name}_filtered/image_raw`).length > 0;
  const left = play(bridge, 4, { topic: other, isReady: isReady("/left/depth") });
  const [{ stdout }] = await Promise.all([both, left, play(bridge, 4, { isReady: isReady("/camera/depth") })]);
  const counts = ["/camera/depth_filtered/image_raw", "/left/depth_filtered/image_raw"].map(
    (name) => of(bridge.heard, name).length,
  );
  expect(counts).toEqual([4, 4]);
  for (const topic of [TOPIC, other]) {
    const head = { topic, ...PIXELS, metresPerUnit: expect.any(Number), timestamp: expect.any(Number) };
    const heads = stdout.split("\n").flatMap((line) => line.match(/\{"topic".*\}$/) ?? []);
    const own = heads.map((line) => JSON.parse(line)).filter((line) => line.topic === topic);
    expect(own).toEqual([head, head, head, head]);
    const recording = await disk.open(file.replace(".mcap", `.${topic.slice(1).replaceAll("/", "_")}.mcap`));
    expect(recording.length).toBe(4);
  }
});

test("where one of several topics cannot begin, filter ends the others, too", async () => {
  const other = "/left/depth/image_raw";
  const bridge = await Bridge.open({ ...TOPICS, [other]: "sensor_msgs/msg/Image" });
  onTestFinished(() => bridge.kill());
  const file = join(disk.root, "one.mcap");
  writeFileSync(join(disk.root, "one.left_depth_image_raw.mcap"), "somebody's own");
  const places = ["--topic", `${TOPIC},${other}`, "--to", file, ...STAGES];
  const { ended } = startForTest(["filter", bridge.address, ...places]);
  const { status, stderr } = await ended;
  expect([status, stderr]).toEqual([2, expect.stringContaining("one.left_depth_image_raw.mcap")]);
});
