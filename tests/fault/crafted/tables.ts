import { zipOf } from "../../sources/fixtures.ts";
import { Bytes } from "../../sources/makers/bytes.ts";
import { lerobotContents } from "../../sources/makers/lerobot.ts";
import { struct, thriftOf } from "../../sources/makers/parquet.ts";
import { type Crafted, MiB, opened, refused } from "./crafted.ts";

// Data sets of LeRobot whose tables in Parquet, features and episodes are out of all proportion.

const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

/** A data set of LeRobot whose table of depth, or list of episodes, is `bytes`. */
const set = (file: "data" | "meta/episodes", bytes: Uint8Array) =>
  zipOf({ ...lerobotContents({ lengths: [2] }), [`${file}/chunk-000/file-000.parquet`]: bytes });
const footed = (body: Uint8Array, footer: Uint8Array) =>
  new Bytes().text("PAR1").bytes(body).bytes(footer).u32(footer.length).text("PAR1").done();

/** A table of one column of whole numbers, whose `groups` parts all name the same `rows` values in a page of few bytes. */
function alikeParts(groups: number, rows: number, name: string): Uint8Array {
  // Eight bytes for a dictionary of one value, and one run of its only place.
  const value = new Bytes().u64(1).done();
  const run = new Bytes()
    .u32(0)
    .varint(2 * rows)
    .u8(1)
    .done();
  run.set(new Bytes().u32(run.length - 4).done());
  const places = new Bytes()
    .varint(2 * rows)
    .u8(0)
    .done();
  const page = new Bytes().bytes(run).u8(1).bytes(places).done();
  const head = (type: number, size: number, field: 5 | 7, count: number) =>
    thriftOf(struct([1, type], [2, size], [3, size], [field, struct([1, count], [2, field === 5 ? 8 : 0])]));
  const body = new Bytes()
    .bytes(head(2, value.length, 7, 1))
    .bytes(value)
    .bytes(head(0, page.length, 5, rows))
    .bytes(page)
    .done();
  const chunk = struct([3, struct([1, 2], [4, 0], [7, body.length], [9, 4], [11, 4])]);
  const group = struct([1, [chunk]], [3, rows]);
  const schema = [struct([4, "s"], [5, 1]), struct([1, 2], [3, 1], [4, name])] as const;
  return footed(body, thriftOf(struct([1, 1], [2, schema], [3, rows], [4, times(groups, () => group)])));
}

/** A list of episodes with columns for as many films, which all name the same `rows` values. */
function alikeColumns(columns: number, rows: number): Uint8Array {
  const page = new Bytes().bytes(new Uint8Array(8 * rows)).done();
  const head = thriftOf(struct([1, 0], [2, page.length], [3, page.length], [5, struct([1, rows], [2, 0])]));
  const body = new Bytes().bytes(head).bytes(page).done();
  const chunk = struct([3, struct([1, 2], [4, 0], [7, body.length], [9, 4])]);
  const names = ["episode_index", "length", ...times(columns, (i) => `videos/depth${i}/chunk_index`)];
  const schema = [struct([4, "s"], [5, names.length]), ...names.map((name) => struct([1, 2], [3, 0], [4, name]))];
  const group = struct([1, names.map(() => chunk)], [3, rows]);
  return footed(body, thriftOf(struct([1, 1], [2, schema], [3, rows], [4, [group]])));
}

export const tables: readonly Crafted[] = [
  refused("emptyStructs.zip", { told: /far more than|cannot be read/, slow: true }, () =>
    set(
      "data",
      footed(
        new Uint8Array(4),
        new Bytes()
          .u8(0x49, 0xfc)
          .varint(16 * MiB)
          .bytes(new Uint8Array(16 * MiB + 1))
          .done(),
      ),
    ),
  ),
  refused("alikeParts.zip", { told: /far more than|cannot be read|2000000 at most/ }, () =>
    set("meta/episodes", alikeParts(20_000, 4_000_000, "episode_index")),
  ),
  refused("manyParts.zip", () => set("meta/episodes", alikeParts(20_000, 90, "length"))),
  refused("features.zip", () =>
    zipOf({
      "meta/info.json": JSON.stringify({
        codebase_version: "v2.1",
        features: Object.fromEntries(times(100_000, (i) => [`depth${i}`, { dtype: "image" }])),
      }),
      "meta/episodes.jsonl": '{"episode_index":0,"length":1}\n'.repeat(20_000),
    }),
  ),
  ...[1e15, 2e7].map((length) =>
    opened(`length${length}.zip`, () =>
      zipOf({
        ...lerobotContents({ lengths: [2], version: "v2.1" }),
        "meta/episodes.jsonl": JSON.stringify({ episode_index: 0, length }),
      }),
    ),
  ),
  refused("longPath.zip", { told: /700000 characters; 1000 at most/ }, () =>
    zipOf({
      ...lerobotContents({ lengths: [2], version: "v2.1", info: { data_path: "x".repeat(700_000) } }),
      "meta/episodes.jsonl": times(20_000, (i) => JSON.stringify({ episode_index: i, length: 2 })).join("\n"),
    }),
  ),
  refused("longFeature.zip", { told: /500000 characters; 1000 at most/ }, () =>
    zipOf(lerobotContents({ lengths: [2], features: { ["x".repeat(500_000)]: { dtype: "video", shape: [] } } })),
  ),
  // 900 columns that all name one page of many values.
  tooManyColumns("alikeColumns.zip"),
];

function tooManyColumns(file: string): Crafted {
  return refused(file, { told: /it is missing/ }, () => set("meta/episodes", alikeColumns(900, 90_000)));
}
