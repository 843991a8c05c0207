import type { DepthFrame } from "../../core/frame.ts";
import { meaning } from "../frames.ts";
import { filmInfo } from "./film.ts";
import type { Columns } from "./table.ts";

export const DEPTH = "observation.images.camera_depth";
export const COLOR = "observation.images.camera";
/** The camera's pose, which LeRobot has no other place for. */
export const STATE = "observation.state";
const POSE = ["x", "y", "z", "qx", "qy", "qz", "qw"];
export const MILLIMETRES = 0.001;

/** LeRobot's sizes (datasets/utils.py): files of a folder, MB of a table, MB of a film. */
const CHUNK = 1000;
const FILM_MB = 200;
export const TABLE_MB = 100;

/** The features that LeRobot adds to each data set (utils/constants.py, DEFAULT_FEATURES). */
export const NUMBERS = {
  timestamp: "float",
  frame_index: "int64",
  episode_index: "int64",
  index: "int64",
  task_index: "int64",
} as const satisfies Columns;

export const placeOf = (index: number) => ({ chunk_index: Math.floor(index / CHUNK), file_index: index % CHUNK });

const FILE = "chunk-{chunk_index:03d}/file-{file_index:03d}";

export function pathOf(folder: string, index: number, extension: string): string {
  const { chunk_index, file_index } = placeOf(index);
  const digits = (n: number) => String(n).padStart(3, "0");
  return `${folder}/chunk-${digits(chunk_index)}/file-${digits(file_index)}.${extension}`;
}

/**
 * `meta/info.json` (datasets/utils.py, DatasetInfo). Lens, unit and what the state is are additions, which LeRobot keeps with the feature.
 */
export function infoOf(
  first: DepthFrame,
  film: boolean,
  hasState: boolean,
  told: { readonly frames: number; readonly episodes: number; readonly fps: number; readonly unit: number },
): object {
  const { frames, episodes, fps, unit } = told;
  const [height, width] = first.depth.shape;
  const names = ["height", "width", "channels"];
  const { intrinsics } = meaning(fps, first.intrinsics, unit);
  const depth = {
    is_depth_map: true,
    depth_unit: unit === MILLIMETRES ? "mm" : "m",
    intrinsics,
    ...(unit !== MILLIMETRES && { metresPerUnit: unit }),
    ...(film && filmInfo(first, fps)),
  };
  const numbers = Object.entries(NUMBERS).map(([name, type]) => {
    return [name, { dtype: dtypeOf(type), shape: [1], names: null }];
  });
  return {
    codebase_version: "v3.0",
    fps,
    features: {
      [DEPTH]: { dtype: film ? "video" : "image", shape: [height, width, 1], names, info: depth },
      ...(first.color && { [COLOR]: { dtype: "image", shape: [height, width, 3], names, info: { registered: true } } }),
      ...(hasState && {
        [STATE]: { dtype: "float32", shape: [POSE.length], names: POSE, info: { is_camera_pose: true } },
      }),
      ...Object.fromEntries(numbers),
    },
    total_episodes: episodes,
    total_frames: frames,
    total_tasks: 1,
    chunks_size: CHUNK,
    data_files_size_in_mb: TABLE_MB,
    video_files_size_in_mb: FILM_MB,
    data_path: `data/${FILE}.parquet`,
    video_path: film ? `videos/{video_key}/${FILE}.mp4` : null,
    robot_type: null,
    splits: { train: `0:${episodes}` },
  };
}

const dtypeOf = (type: unknown) => (type === "float" ? "float32" : type);

/** The columns of the frames' table as the library `datasets` names their types. */
export const hubFeatures = (columns: Columns): object =>
  Object.fromEntries(
    Object.entries(columns).map(([name, type]) => [
      name,
      type === "image"
        ? { _type: "Image" }
        : typeof type === "object"
          ? { feature: { dtype: dtypeOf(type.list), _type: "Value" }, length: POSE.length, _type: "Sequence" }
          : { dtype: dtypeOf(type), _type: "Value" },
    ]),
  );

/** The table of tasks has the tasks as pandas' index, by which LeRobot finds them. */
export const TASKS: Columns = { task_index: "int64", task: "string" };
const text = { pandas_type: "unicode", numpy_type: "object" };
export const PANDAS = {
  index_columns: ["task"],
  column_indexes: [{ name: null, field_name: null, ...text, metadata: { encoding: "UTF-8" } }],
  columns: [
    { name: "task_index", field_name: "task_index", pandas_type: "int64", numpy_type: "int64", metadata: null },
    { name: "task", field_name: "task", ...text, metadata: null },
  ],
  creator: { library: "depthloom", version: "1" },
  pandas_version: "2.2.3",
};
