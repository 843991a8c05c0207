import type { ParquetTable } from "../../../decode/parquet/table.ts";
import type { Pose } from "../../../format/format.ts";
import { readPose } from "../tum/lists.ts";
import { type DataSet, type Episode, saidOf } from "./dataSet.ts";

const STATE = "observation.state";
/** x, y, z, and the turn as a quaternion, its real part last. */
const NUMBERS = 7;

/**
 * The camera's poses in an episode's states, where `meta/info.json` says that the states are these, as `convert` writes it. LeRobot itself
 * keeps a robot's joints or its hand's pose there, which are not the camera's.
 */
export async function posesInStates(
  { files, features }: DataSet,
  table: ParquetTable | undefined,
  { row, length }: Episode,
  warnings: string[],
): Promise<((index: number) => Promise<Pose | undefined>) | undefined> {
  if (!table || saidOf(features.get(STATE) ?? {}).is_camera_pose !== true) return undefined;
  const all = await table.column(STATE);
  if (all.length !== NUMBERS * table.rows) {
    warnings.push(`${files.name}: ${STATE} has not ${NUMBERS} numbers in each row: frames go without a pose`);
    return undefined;
  }
  const states = Float64Array.from(all.slice(NUMBERS * row, NUMBERS * (row + length)), Number);
  return async (index) => {
    const state = [...states.subarray(NUMBERS * index, NUMBERS * (index + 1))];
    return state.some(Number.isNaN) ? undefined : readPose(state.map(String), `${files.name}, ${STATE}`);
  };
}
