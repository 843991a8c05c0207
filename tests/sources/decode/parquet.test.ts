import { describe, expect, test } from "vitest";
import { randomBy } from "../../../measure/propose.ts";
import { ParquetTable } from "../../../sources/decode/parquet/table.ts";
import { parquetOf } from "../makers/parquet.ts";
import { snappy, zstd } from "./pyarrow.ts";

// Parquet tables of pyarrow and of our own maker: values, nothing, lists; damaged ones are refused in bounded time and memory.

const fileOf = (bytes: Uint8Array) => ({
  name: "a.parquet",
  size: bytes.length,
  read: async (offset: number, length: number) => new Uint8Array(bytes.slice(offset, offset + length)),
});
const open = (bytes: Uint8Array) => ParquetTable.open(fileOf(bytes));
const rows = Array.from({ length: 8 }, (_, i) => i);
const own = () => {
  const part = (some: readonly number[]) => ({
    index: some,
    time: some.map((i) => (i % 3 === 1 ? undefined : i / 4 + 0.001)),
    image: {
      bytes: some.map((i) => (i === 2 ? undefined : new Uint8Array(40 + i).fill(i))),
      path: some.map((i) => (i === 2 ? undefined : `frame-00${i}.tiff`)),
    },
    lens: some.map((i) => [i, 2, 3, 4]),
  });
  return parquetOf(part(rows.slice(0, 5)), part(rows.slice(5)));
};
const files = { snappy: Buffer.from(snappy, "base64"), zstd: Buffer.from(zstd, "base64"), own: own() };

describe.each(Object.entries(files))("a table (%s)", (_, bytes) => {
  test("gives its columns, single cells in any order, and the first list of a row's group", async () => {
    const table = await open(bytes);
    expect(table.rows).toBe(8);
    expect(await table.column("index")).toEqual(rows);
    const times = (await table.column("time")).map((value) => value && Math.round(Number(value) * 4));
    expect(times).toEqual(rows.map((i) => (i % 3 === 1 ? undefined : i)));
    const [image, path] = [table.leaf("image", "bytes"), table.leaf("image", "path")];
    if (!image || !path) throw new Error("the columns are missing");
    for (const i of [7, 0, 2, 6, 1]) {
      expect(await table.cell(image, i)).toEqual(i === 2 ? undefined : new Uint8Array(40 + i).fill(i));
      const name = await table.cell(path, i);
      expect(name && new TextDecoder().decode(name as Uint8Array)).toBe(i === 2 ? undefined : `frame-00${i}.tiff`);
    }
    expect(await table.cell(image, 8)).toBeUndefined();
    const lens = table.leaf("lens");
    expect(lens && (await table.firstList(lens, 7))).toEqual([5, 2, 3, 4]);
    expect(lens && (await table.firstList(lens, 1))).toEqual([0, 2, 3, 4]);
    expect(await table.column("none")).toEqual([]);
  });

  test("that is cut off or damaged is refused by a SourceError, or read", async () => {
    const random = randomBy(7);
    for (let run = 0; run < 300; run++) {
      const bad = Uint8Array.from(bytes);
      for (let i = 0; i < 3; i++) bad[Math.floor(random() * bad.length)] = Math.floor(random() * 256);
      const cut = run % 4 === 0 ? bad.subarray(0, Math.floor(random() * bad.length)) : bad;
      try {
        const table = await open(cut);
        for (const name of ["index", "time"]) await table.column(name);
        for (const leaf of table.footer.leaves) {
          await table.cell(leaf, 6);
          await table.firstList(leaf, 0);
        }
      } catch (error) {
        expect((error as Error).name, (error as Error).stack).toBe("SourceError");
      }
    }
  });
});
