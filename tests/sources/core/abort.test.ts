import { describe, expect, test } from "vitest";
import { untilAborted } from "../../../core/abort.ts";

describe("untilAborted", () => {
  test("frees what is made after the signal was aborted", async () => {
    const ending = new AbortController();
    const freed: string[] = [];
    let finish = (_: string) => {};
    const made = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const call = untilAborted(
      ending.signal,
      () => made,
      (late) => freed.push(late),
    );
    ending.abort("enough");
    await expect(call).rejects.toBe("enough");
    finish("a device");
    await made;
    expect(freed).toEqual(["a device"]);
  });

  test("ignores a signal that is aborted later", async () => {
    const ending = new AbortController();
    const freed: string[] = [];
    expect(
      await untilAborted(
        ending.signal,
        async () => "made",
        (late) => freed.push(late),
      ),
    ).toBe("made");
    ending.abort();
    await Promise.resolve();
    expect(freed).toEqual([]);
  });
});
