import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ndarray from "ndarray";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { orbitPose, quantileM } from "../../core/view.ts";
import { StreamServer } from "../../run/serve/server.ts";
import { ViewServer } from "../../run/serve/view.ts";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { useFolder } from "../sources/fixtures.ts";
import { depthloom } from "./command.ts";

const disk = useFolder();
const depthOf = (...values: number[]) => ndarray(new Uint16Array(values), [1, values.length]);

test.each([
  [[0, 0, 7], 0.5, 7],
  [[0, 1, 2, 3, 0, 0], 0.5, 2],
  [[4, 1, 3, 2], 0.5, 2],
  [[65535, 65535, 1], 0.5, 65535],
  [[4, 1, 3, 2], 0, 1],
  [[4, 1, 3, 2], 1, 4],
])("quantileM of the depths %j at %d is %i units", (values, share, units) => {
  expect(quantileM(depthOf(...values), 0.5, share)).toBe(units * 0.5);
});

describe("orbitPose's camera", () => {
  const seen = (pose: readonly number[], point: readonly number[]) =>
    [0, 1, 2].map((row) => [0, 1, 2, 3].reduce((sum, i) => sum + pose[i * 4 + row] * [...point, 1][i], 0));
  const close = (actual: readonly number[], expected: readonly number[]) =>
    expected.forEach((value, i) => {
      expect(actual[i]).toBeCloseTo(value, 9);
    });

  test("at yaw 0, pitch 0 and the middle's distance is the sensor", () => {
    close(seen(orbitPose({ yawDeg: 0, pitchDeg: 0, distanceM: 2 }, 2), [0.3, -0.4, 1.5]), [0.3, -0.4, 1.5]);
  });

  test.each([
    [30, -15, 2.5],
    [-170, 60, 0.4],
    [90, 0, 1],
  ])("%i° to the right and %i° up, %d m away, looks at the middle", (yawDeg, pitchDeg, distanceM) => {
    const pose = orbitPose({ yawDeg, pitchDeg, distanceM }, 2);
    close(seen(pose, [0, 0, 2]), [0, 0, distanceM]);
    const length = Math.hypot(...seen(pose, [1, 2, 4]).map((value, i) => value - seen(pose, [0, 0, 2])[i]));
    expect(length).toBeCloseTo(3, 9);
  });
});

describe("the server of `view`", () => {
  const page = new Map([["/", Buffer.from("the page")]]);
  /** The sources of the two halves of the page at an address. */
  const halvesOf = (address: string) => {
    const { hash, searchParams } = new URL(address);
    expect([...searchParams.keys()]).toEqual(["pair"]);
    const halves = new URLSearchParams(hash.slice(1));
    return ["left", "right"].map((side) => new URL(halves.get(side) ?? "", address).searchParams.get("source") ?? "");
  };
  const serve = async (...shown: ConstructorParameters<typeof ViewServer>[1]) => {
    const server = new ViewServer(page, shown, () => {});
    onTestFinished(() => server.close());
    return await server.open(0);
  };
  /** The length of what is served there, bytes. */
  const lengthOf = async (address: string, path: string) =>
    Number((await fetch(new URL(path, address), { method: "HEAD" })).headers.get("content-length"));

  test("serves two recordings of one name as two, side by side", async () => {
    const paths = ["a", "b"].map((folder) => join(disk.root, folder, "take.mcap"));
    for (const [index, path] of paths.entries()) {
      mkdirSync(dirname(path));
      writeFileSync(path, Buffer.alloc(10 + index));
    }
    const address = await serve(...paths);
    const [left = "", right = ""] = halvesOf(address);
    expect([await lengthOf(address, left), await lengthOf(address, right)]).toEqual([10, 11]);
  });

  test("of two streams goes on until both have ended, whichever ends first", async () => {
    const opened: StreamServer[] = [];
    const open = StreamServer.prototype.open;
    const spied = vi.spyOn(StreamServer.prototype, "open").mockImplementation(function (this: StreamServer) {
      opened.push(this);
      return open.call(this);
    });
    onTestFinished(() => spied.mockRestore());
    const room = syntheticRoom({ width: 8, height: 6, frames: 2 });
    const server = new ViewServer(page, [room, room], () => {});
    onTestFinished(() => server.close());
    await server.open(0);
    let hasEnded = false;
    void server.ended.then(() => {
      hasEnded = true;
    });
    const ended: boolean[] = [];
    for (const stream of opened) {
      await stream.close();
      await new Promise(setImmediate);
      ended.push(hasEnded);
    }
    expect(ended).toEqual([false, true]);
  });

  test("serves a recording beside a stream, both from the page's own server", async () => {
    const path = join(disk.root, "alone.mcap");
    writeFileSync(path, Buffer.alloc(10));
    const address = await serve(path, syntheticRoom({ width: 8, height: 6, frames: 2 }));
    const [left = "", right = ""] = halvesOf(address);
    expect([await lengthOf(address, left), new URL(right).host]).toEqual([10, new URL(address).host]);
    expect(await lengthOf(address, "/")).toBe(8);
  });
});

test("view --align refuses the places of cameras that are named in another order", async () => {
  const places = join(disk.root, "places.json");
  const toFirst = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
  const cameras = ["left.mcap", "right.mcap"].map((recording) => ({ recording, toFirst }));
  writeFileSync(places, JSON.stringify({ cameras }));
  const { status, stderr } = await depthloom("view", "x/right.mcap", "x/left.mcap", "--align", places, "--no-open");
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining(
      "tells the places of left.mcap, right.mcap: name these in this order, not right.mcap, left",
    ),
  ]);
});
