import { setTimeout as pause } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { VideoReader } from "../../../sources/decode/video.ts";

// Pictures of a video in a log, by a stand-in for WebCodecs, which Node lacks: it "decodes" a packet to a pixel of its last byte.

class Decoder {
  state = "unconfigured";
  static isConfigSupported = async () => ({ supported: true });
  constructor(readonly init: { output(picture: object): void }) {}
  configure() {
    this.state = "configured";
  }
  decode({ timestamp, data }: { timestamp: number; data: Uint8Array }) {
    const picture = { timestamp, value: data.at(-1), displayWidth: 1, displayHeight: 1, close() {} };
    setTimeout(() => this.state === "configured" && this.init.output(picture), 5);
  }
  flush = () => pause(10);
  close() {
    this.state = "closed";
  }
}

class Canvas {
  getContext() {
    let value = 0;
    return {
      drawImage: (picture: { value: number }) => {
        value = picture.value;
      },
      getImageData: () => ({ data: new Uint8ClampedArray([value, value, value, 255]) }),
    };
  }
}

test("reads at the same time give each its own picture", async () => {
  vi.stubGlobal("VideoDecoder", Decoder);
  vi.stubGlobal("OffscreenCanvas", Canvas);
  vi.stubGlobal(
    "EncodedVideoChunk",
    class {
      constructor(init: object) {
        Object.assign(this, init);
      }
    },
  );
  const packet = (i: number) =>
    i % 10 === 0 ? [0, 0, 1, 7, 0x42, 0, 30, 0, 0, 1, 5, 9, 9, 9, 9, i] : [0, 0, 1, 1, 9, 9, 9, 9, i];
  const reader = new VideoReader("h264", async (i) => {
    await pause(1);
    return Uint8Array.from(packet(i));
  });
  const found = await Promise.all([5, 7, 3, 14].map((i) => reader.read(i, `picture ${i}`)));
  expect(found.map((one) => (typeof one === "string" ? one : one.data[0]))).toEqual([5, 7, 3, 14]);
  vi.unstubAllGlobals();
});
