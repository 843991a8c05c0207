import { retold } from "../../../../core/caught.ts";
import { SourceError } from "../../../../core/source.ts";
import { type Bytes, InflateError } from "../../../decode/codec.ts";
import { loadCodec } from "../../../decode/platform.ts";
import { MAX_NAMES } from "../../../files/files.ts";

/** The numbers behind a packed matrix: its rows, its columns and OpenCV's type. */
const TAIL = 12;
const WHOLE = 4;
const FLOAT = 5;
/** The bytes of a pose: 3×4 floats, row by row. */
const POSE = 48;

/**
 * The robot's poses as RTAB-Map optimised them by its loops, by the nodes' ids. `ids` and `poses` are the columns opt_ids and opt_poses of
 * its table Admin: a row of N whole numbers and one of 12 N floats (DBDriverSqlite3::saveOptimizedPosesQuery), each packed by zlib with the
 * matrix' rows, columns and type behind it (compressData). Throws a `SourceError` for damaged ones.
 */
export async function optimisedOf(ids: Uint8Array, poses: Uint8Array, where: string): Promise<Map<number, Uint8Array>> {
  const [numbers, places] = [await unpacked(ids, WHOLE, where), await unpacked(poses, FLOAT, where)];
  if (places.length !== (numbers.length / 4) * POSE) throw damaged(where);
  const view = new DataView(numbers.buffer, numbers.byteOffset);
  const idAt = (i: number) => view.getInt32(4 * i, true);
  return new Map(
    Array.from({ length: numbers.length / 4 }, (_, i) => [idAt(i), places.subarray(POSE * i, POSE * (i + 1))]),
  );
}

async function unpacked(packed: Uint8Array, wanted: number, where: string): Promise<Bytes> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  if (packed.length < TAIL) throw damaged(where);
  const [rows, columns, type] = [12, 8, 4].map((back) => view.getInt32(packed.length - back, true));
  if (rows !== 1 || !(columns > 0 && columns <= 12 * MAX_NAMES) || type !== wanted) throw damaged(where);
  const codec = await loadCodec();
  const unpacking = codec.inflate("zlib", packed.slice(0, -TAIL), 4 * columns);
  return unpacking.catch(retold(InflateError, () => damaged(where)));
}

const damaged = (where: string) =>
  new SourceError(`${where}: the map's optimised poses are damaged; copy the file again`);
