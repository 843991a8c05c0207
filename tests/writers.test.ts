import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { syntheticRoom } from "../sources/index.ts";
import { recordMcap, writeTum } from "../write/index.ts";
import { useFolder } from "./sources/fixtures.ts";

const disk = useFolder();

test("a writer that is aborted before makes no folder; a recording's file is closed once, and takes no frame afterwards", async () => {
  const room = syntheticRoom({ width: 32, height: 24, frames: 3 });
  const folder = join(disk.root, "new");
  await expect(writeTum(room, folder, { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
  expect(existsSync(folder)).toBe(false);
  const { recorder, close } = await recordMcap(`${folder}.mcap`);
  await recorder.frame(await room.read(0));
  // To end what has ended already is no error.
  await recorder.end();
  await Promise.all([close(), close(), recorder.end()]);
  await expect(recorder.frame(await room.read(0))).rejects.toMatchObject({ code: "DEPTHLOOM_SOURCE" });
});
