import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { loadUnpacker } from "../../sources/decode/unpack.ts";
import zstd from "@foxglove/wasm-zstd";
test("bz2", async () => {
  const un = (await loadUnpacker("bz2"))!;
  for (const data of [Buffer.from("hello"), Buffer.alloc(0), Buffer.alloc(300000, 7), Buffer.from(Array.from({length: 2500000},(_, i)=> (i*7919%251) ^ (i>>12))), require("node:fs").readFileSync("package-lock.json")]) {
    const packed = execFileSync("/usr/bin/python3", ["-c", "import sys,bz2;sys.stdout.buffer.write(bz2.compress(sys.stdin.buffer.read()))"], { input: data, maxBuffer: 1e9 });
    const t = performance.now();
    const back = un(packed, data.length);
    console.log(data.length, packed.length, performance.now() - t);
    expect(Buffer.compare(back, data)).toBe(0);
  }
  const un2 = (await loadUnpacker("zstd"))!;
  await zstd.isLoaded;
  const d = require("node:fs").readFileSync("package-lock.json");
  const p = zstd.compress(d);
  expect(Buffer.compare(un2(p, d.length), d)).toBe(0);
  expect(() => un2(p.subarray(0, 1000), d.length)).toThrow();
  expect(() => un2(p, d.length - 1)).toThrow();
  expect(() => un2(p, d.length + 1)).toThrow();
});
