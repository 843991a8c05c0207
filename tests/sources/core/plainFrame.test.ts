import { firstValueFrom } from "rxjs";
import { expect, test } from "vitest";
import { frameOf, plainOf } from "../../../core/plainFrame.ts";
import { playOf } from "../../../core/play.ts";
import { framesOf } from "../../../core/streams.ts";
import { syntheticRoom } from "../../../sources/synthetic/index.ts";

// Frames that play or are walked through have functions of their own; the plain frame can be sent to a thread all the same.

test.each([playOf, framesOf])("a frame of %o can be sent to a thread, and is the same frame there", async (stream) => {
  const frame = await firstValueFrom(stream(syntheticRoom({ width: 8, height: 6, frames: 2 })));
  const sent = frameOf(structuredClone(plainOf(frame)));
  expect(sent.depth.data).toEqual(frame.depth.data);
  expect([sent.index, sent.intrinsics]).toEqual([frame.index, frame.intrinsics]);
});
