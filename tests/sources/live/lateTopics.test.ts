import { setTimeout as pause } from "node:timers/promises";
import { encode } from "jpeg-js";
import { firstValueFrom } from "rxjs";
import { expect, onTestFinished, test, vi } from "vitest";
import type { DepthFrame } from "../../../sources/index.ts";
import { openHere } from "../../../sources/live/openLiveHere.ts";
import { Bridge } from "../../publish/bridge.ts";
import { imageOf, infoOf, PIXELS, TOPIC } from "../../publish/camera.ts";

// A bridge reports topics as they appear in its graph: depth's lens may come after depth, and depth may go and come again.

const INFO = "/camera/depth/camera_info";
const COLOR = "/camera/color/image_raw/compressed";
const depthAlone = { [TOPIC]: "sensor_msgs/msg/Image" } as const;
const lens = { [INFO]: "sensor_msgs/msg/CameraInfo" } as const;

/** A stream of a bridge with these topics; `next` publishes an image and returns the newest frame. */
async function streamOf(topics: Parameters<typeof Bridge.open>[0]) {
  const bridge = await Bridge.open(topics, { latched: [INFO] });
  const source = await openHere(bridge.address, {});
  onTestFinished(async () => {
    await source.close();
    await bridge.kill();
  });
  let newest: DepthFrame | undefined;
  const watch = () => {
    const watching = source.frames$.subscribe((frame) => {
      newest = frame;
    });
    onTestFinished(() => watching.unsubscribe());
  };
  let index = 0;
  const next = (topic = TOPIC) =>
    vi.waitFor(
      () => {
        newest = undefined;
        bridge.publish(topic, imageOf(index++));
        return vi.waitFor(() => newest ?? Promise.reject(new Error("no frame")), { timeout: 300, interval: 10 });
      },
      { timeout: 8000, interval: 10 },
    );
  const lensFact = () => source.facts.filter(({ what }) => what === "intrinsics");
  return { bridge, source, watch, next, lensFact, newestIndex: () => index };
}

test("a lens that is offered after depth is used from then on, and no longer said to be assumed", async () => {
  const { bridge, watch, next, lensFact } = await streamOf(depthAlone);
  watch();
  expect((await next()).intrinsics.fx).not.toBe(20);
  expect(lensFact()).toMatchObject([{ from: "assumed" }]);
  bridge.offer(lens);
  bridge.publish(INFO, infoOf(0));
  await vi.waitFor(async () => expect((await next()).intrinsics).toMatchObject({ fx: 20, fy: 21 }), { timeout: 8000 });
  expect(lensFact()).toMatchObject([{ from: "files" }]);
});

test("depth waits for its lens from when somebody watches, however long the stream was open before", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { bridge, source, watch, next } = await streamOf({ ...lens, ...depthAlone });
  vi.setSystemTime(Date.now() + 60_000);
  const first = firstValueFrom(source.frames$);
  watch();
  await vi.waitFor(() => expect(bridge.isHeard(TOPIC)).toBe(true), { timeout: 8000 });
  bridge.publish(TOPIC, imageOf(0));
  await pause(200);
  bridge.publish(INFO, infoOf(0));
  await next();
  expect((await first).intrinsics.fx).toBe(20);
});

test("depth that goes and comes again is taken again, also where another depth topic has come meanwhile", async () => {
  const { bridge, source, watch, next } = await streamOf(depthAlone);
  watch();
  await next();
  bridge.offer({ "/camera/depth/filtered": "sensor_msgs/msg/Image" });
  bridge.withdraw(TOPIC);
  bridge.offer({ "/usb_cam/image_raw": "sensor_msgs/msg/Image" });
  await pause(600);
  bridge.offer(depthAlone);
  expect((await next()).origin?.topic).toBe(TOPIC);
  expect(source.topic).toBe(TOPIC);
});

test("depth that is offered anew before the old offer is taken back is taken again", async () => {
  const { bridge, watch, next } = await streamOf(depthAlone);
  watch();
  await next();
  bridge.offer(depthAlone);
  await pause(600);
  bridge.withdraw(TOPIC);
  expect((await next()).origin?.topic).toBe(TOPIC);
});

const RAW = { "/front/color/image_raw": "sensor_msgs/msg/Image", "/color/image_raw": "sensor_msgs/msg/Image" } as const;

test("colour and a lens that go and come again are listened to again", async () => {
  const { bridge, watch, next } = await streamOf({
    ...lens,
    ...depthAlone,
    "/color/image_raw": RAW["/color/image_raw"],
  });
  watch();
  for (const [topic, type] of Object.entries({ ...lens, "/color/image_raw": RAW["/color/image_raw"] })) {
    const isHeard = () => vi.waitFor(() => expect(bridge.isHeard(topic)).toBe(true), { timeout: 8000 });
    await isHeard();
    bridge.withdraw(topic);
    bridge.offer({ [topic]: type });
    await isHeard();
    // A bridge may take the old offer back only after the new one.
    bridge.offer({ [topic]: type });
    await pause(600);
    bridge.withdraw(topic);
    await isHeard();
  }
  bridge.publish(INFO, infoOf(0, PIXELS, { fx: 40, fy: 41, cx: 7, cy: 5 }));
  expect((await next()).intrinsics.fx).toBe(40);
});

test("where the topic of colour that is listened to goes, another one is listened to", async () => {
  const { bridge, watch, next } = await streamOf({ ...depthAlone, ...RAW });
  watch();
  await next();
  const heard = (topic: string) => vi.waitFor(() => expect(bridge.isHeard(topic)).toBe(true), { timeout: 8000 });
  const first = Object.keys(RAW).find((topic) => bridge.isHeard(topic)) ?? "";
  const [other] = Object.keys(RAW).filter((topic) => topic !== first);
  expect(bridge.isHeard(other)).toBe(false);
  bridge.withdraw(first);
  await heard(other);
});

test("where one topic of colour is another camera's, the next one is listened to", async () => {
  const { bridge, source, watch, next, newestIndex } = await streamOf({ ...depthAlone, ...RAW });
  watch();
  const colorOf = (frame?: string) => {
    const image = imageOf(newestIndex());
    const data = new Uint8Array(3 * PIXELS.width * PIXELS.height).fill(frame ? 9 : 200);
    const header = { ...image.header, frame_id: frame ?? image.header.frame_id };
    return { ...image, header, encoding: "rgb8", step: 3 * PIXELS.width, data };
  };
  const frame = await vi.waitFor(
    async () => {
      bridge.publish("/front/color/image_raw", colorOf("front_optical_frame"));
      bridge.publish("/color/image_raw", colorOf());
      const one = await next();
      return one.color ? one : Promise.reject(new Error(`no colour: ${source.facts.map(({ value }) => value)}`));
    },
    { timeout: 8000, interval: 10 },
  );
  expect(frame.color?.data[0]).toBe(200);
  expect(source.facts.filter(({ what }) => what === "colour")).toEqual([]);
  expect(bridge.isHeard("/front/color/image_raw")).toBe(false);
});

test("colour that comes as JPEG alone is read, and colour of another kind is said not to be", async () => {
  const { bridge, source, watch, next, newestIndex } = await streamOf({
    [COLOR]: "sensor_msgs/msg/CompressedImage",
    ...depthAlone,
  });
  watch();
  const publish = async (format: string) => {
    await next();
    const data = new Uint8Array(encode({ data: new Uint8Array(4 * 16 * 12).fill(200), ...PIXELS }, 95).data);
    bridge.publish(COLOR, { header: imageOf(newestIndex()).header, format, data });
    return next();
  };
  await vi.waitFor(
    async () => expect((await publish("rgb8; jpeg compressed bgr8")).color?.shape).toEqual([12, 16, 4]),
    8000,
  );
  await publish("webp");
  await vi.waitFor(() =>
    expect(source.facts.find(({ what }) => what === "colour")?.value).toBe('none: images of "webp" are not read'),
  );
});

test("the lens of images of twice the size is halved, and that of another camera is not used, which is said", async () => {
  const { bridge, watch, next, lensFact } = await streamOf({ ...lens, ...depthAlone });
  bridge.publish(INFO, infoOf(0, { width: 2 * PIXELS.width, height: 2 * PIXELS.height }));
  watch();
  expect((await next()).intrinsics).toMatchObject({ fx: 10, fy: 10.5, cx: 3.5, cy: 2.5, ...PIXELS });
  bridge.publish(INFO, infoOf(0, { width: 2 * PIXELS.width, height: PIXELS.height }));
  await vi.waitFor(async () => expect((await next()).intrinsics.fx).not.toBe(10), { timeout: 8000 });
  expect(lensFact().map(({ from, value }) => [from, value])).toEqual([
    [`topic ${INFO}`, expect.stringContaining("not used: it is for 32×12")],
    ["assumed", expect.any(String)],
  ]);
});
