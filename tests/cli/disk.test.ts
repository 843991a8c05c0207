import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chooseStages } from "../../run/replay/settings.ts";
import { describe as told } from "../../run/report/failure.ts";
import { OwnFolder } from "../../run/report/ownFolder.ts";
import { openRecording } from "../../sources/index.ts";
import { Folder } from "../../write/folder.ts";
import { recordMcap } from "../../write/mcap.ts";
import { McapRecorder } from "../../write/recorder.ts";
import { flatFrame } from "../pipeline/fakes.ts";
import { useFolder } from "../sources/fixtures.ts";

// On full and read-only disks the command names the place in one line, and reports no file or frame that is not there.

const disk = useFolder();

/** A folder in which nothing can be made. Root may write everywhere, so root gets a folder of the kernel's. */
function closed(): string {
  if (process.getuid?.() === 0) return "/sys";
  const folder = join(disk.root, "closed");
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o555);
  return folder;
}

describe.skipIf(process.platform !== "linux")("a read-only folder is named in one line as the place", () => {
  const place = () => join(closed(), "depthloom");
  test.each<[string, (path: string) => Promise<unknown>, RegExp]>([
    [
      "of a run",
      async (path) => (await OwnFolder.check({ path, names: [], inputs: [], force: false })).begin(),
      /depthloom: /,
    ],
    ["of a folder some levels down", (path) => Folder.create(join(path, "a/b")), /depthloom(\/a\/b)?: /],
    ["of a file", (path) => recordMcap(`${path}.mcap`), /depthloom\.mcap: /],
  ])("%s", async (_, make, where) => {
    const error: unknown = await make(place()).catch((reason: unknown) => reason);
    expect(told(error)).toMatch(
      new RegExp(`${where.source}(permission denied|the disk is read-only): choose another place[^\n]*$`),
    );
    expect(existsSync(place())).toBe(false);
  });
});

test.skipIf(!existsSync("/dev/full"))("recordMcap on a full disk names the file", async () => {
  const { recorder, close } = await recordMcap("/dev/full", { replace: true });
  await recorder.frame(flatFrame(0, 1000, 640, 480)).catch(() => {});
  expect(told(await close().catch((reason) => reason))).toBe("/dev/full: the disk is full");
});

/** A disk with room for this many bytes, which takes only a part of the last write. */
class Small {
  readonly #pieces: Buffer[] = [];
  #length = 0;
  constructor(readonly room: number) {}
  async write(piece: Uint8Array): Promise<void> {
    const taken = Buffer.from(piece.subarray(0, this.room - this.#length));
    this.#pieces.push(taken);
    this.#length += taken.length;
    if (taken.length < piece.length) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  }
  position = () => BigInt(this.#length);
  get bytes(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(Buffer.concat(this.#pieces));
  }
}

test("McapRecorder on a full disk has every frame in the file that it counts as kept", async () => {
  const seen = new Set<number>();
  for (let room = 4000; room < 40_000; room += 3500) {
    const sink = new Small(room);
    const recorder = new McapRecorder(sink, { chunkSize: 4000 });
    // Frames are recorded one by one, up to the first error.
    let error: unknown;
    for (let i = 0; i < 40 && error === undefined; i++) {
      await recorder.frame(flatFrame(i, 1000 + i, 32, 24)).catch((reason) => {
        error = reason;
      });
    }
    await recorder.end().catch(() => {});
    expect(told(error)).toBe("the disk is full");
    const { kept } = recorder;
    seen.add(kept);
    const file = new File([sink.bytes], "small.mcap");
    const recording = await openRecording(file).catch(() => undefined);
    expect(recording?.length ?? 0, `room for ${room}`).toBeGreaterThanOrEqual(kept);
    for (let i = 0; i < kept; i++) expect((await recording?.read(i))?.depth.data[5]).toBe(1000 + i);
    await recording?.close();
  }
  expect(seen.size).toBeGreaterThan(3);
});

test.skipIf(!existsSync("/dev/zero"))("--settings refuses a device that never ends", () => {
  expect(() => chooseStages(["median"], "/dev/zero")).toThrow(
    "settings /dev/zero: this is a device or a pipe, not a settings file",
  );
});
