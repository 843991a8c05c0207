import { expect, onTestFinished, test, vi } from "vitest";
import { syntheticRoom } from "../../sources/synthetic/index.ts";
import { Show } from "../../viewer/element/show.ts";

test("after a frame that nothing can be made of the element reads no further frame, and says so until it plays again", async () => {
  const room = syntheticRoom({ width: 16, height: 12, fps: 100, frames: 1000 });
  const read = vi.fn(async (index: number) => {
    const frame = await room.read(index);
    return index < 3 ? frame : { ...frame, intrinsics: { ...frame.intrinsics, fx: 0 } };
  });
  const errors: unknown[] = [];
  const show = new Show({ ...room, read } as never, { onFrame() {}, onEnd: (error) => errors.push(error) });
  onTestFinished(() => show.close());
  await show.open({ backend: "cpu" });
  show.resize(32, 24);
  show.play();
  await vi.waitFor(() => expect(errors).toHaveLength(1), 20_000);
  const until = read.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([show.isPlaying, show.hasFailed, read.mock.calls.length - until]).toEqual([false, true, 0]);
});
