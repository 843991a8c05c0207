import { product } from "../../../core/matrix.ts";
import { baseOf, folderOf } from "../../files/files.ts";
import type { Pose } from "../../format/format.ts";
import type { Note, Notes } from "./notes.ts";
import { fieldsIn, numbersOf } from "./parse.ts";
import { inverseOf, matrix } from "./transforms.ts";

/** What the poses of a list belong to: the camera, or a thing that carries the camera at a `place` on it. */
interface Carrier {
  readonly place?: Pose | undefined;
  /** The file that gives `place`, if it gives nothing else. */
  readonly from?: string;
  /** One line for the user, if the place is not known, or if the list can be read in two ways. */
  readonly warning?: string | undefined;
}

const unplaced = (name: string, of: string, by: string): Carrier => ({
  warning: `${name}: the poses are those of the ${of}; the camera's place on it (${by}) is not applied`,
});

/** Says what a list of poses belongs to; `undefined` for a list of something else than the camera of `depth`. */
export async function carrierOf(list: Note, notes: Notes, depth: readonly string[]): Promise<Carrier | undefined> {
  const { name, said } = list;
  if (said.names?.some((column) => /^[pq]_RS_/i.test(column))) {
    const place = placeOnBody(notes.singles, depth);
    return place ? { place } : unplaced(name, "body", "T_BS");
  }
  if (/_rig2world\.\w+$/i.test(name)) return rigOf(name, notes.singles, depth);
  if (/(^|\/)airsim_rec\.txt$/.test(name))
    return { place: NED, ...unplaced(name, "vehicle", "in the program's settings.json") };
  if (/(^|[/_])scan_poses\.\w+$/i.test(name)) return undefined;
  if (/(^|\/)pose_(left|right|[lr]cam_\w+)\.txt$/.test(name) && /_depth\.\w+$/.test(depth[0])) return { place: NED };
  const robot = await placeOnRobot(notes);
  return robot ? exportedBy(list, robot, depth) : {};
}

/** TartanAir's cameras, and AirSim's, look along x, with y to the right and z down. */
const NED: Pose = [0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1];

/** EuRoC: T_BS, the camera's place on the body, in the `sensor.yaml` of a folder around the images. */
function placeOnBody(singles: Notes["singles"], [first]: readonly string[]): Pose | undefined {
  const own = singles.find(
    ({ name, said }) =>
      folderOf(name) !== "" && first.startsWith(`${folderOf(name)}/`) && "T_BS" in fieldsIn(said.value),
  );
  return own && matrix(numbersOf(fieldsIn(own.said.value).T_BS) ?? []);
}

/**
 * HoloLens 2 (StreamRecorder of microsoft/HoloLens2ForCV): a list for each sensor, named after the folder of its images, leads from the rig
 * to the world, and `…_extrinsics.txt` from the rig to the camera.
 */
function rigOf(name: string, singles: Notes["singles"], [first]: readonly string[]): Carrier | undefined {
  const sensor = name.replace(/_rig2world\.\w+$/i, "");
  const rigs = singles.filter((one) => /_rig2world\.\w+$/i.test(one.name));
  if (baseOf(sensor) !== baseOf(folderOf(first)) && rigs.length > 1) return undefined;
  const extrinsics = singles.find((one) => one.name === `${sensor}_extrinsics.txt`);
  const fromRig = matrix(extrinsics?.said.rows?.flat() ?? []);
  const place = fromRig && inverseOf(Float64Array.from(fromRig));
  return extrinsics && place
    ? { place, from: extrinsics.name }
    : unplaced(name, "rig", `${baseOf(sensor)}_extrinsics.txt`);
}

/** RTAB-Map's exports: the camera's place on the robot, `local_transform` in the calibration of the images. */
async function placeOnRobot({ singles, firsts }: Notes): Promise<Pose | undefined> {
  const texts = [...singles, ...(await firsts()).filter(({ name }) => /calib$/.test(name))];
  const values = texts.map(({ said }) => fieldsIn(said.value).local_transform);
  return matrix(numbersOf(values.find((value) => value !== undefined)) ?? []);
}

/**
 * Rows of 12 numbers have no time, so there have to be as many rows as images. They do not tell the raw format from KITTI's, which turns
 * world and camera.
 */
function exportedBy({ name, said }: Note, robot: Pose, depth: readonly string[]): Carrier | undefined {
  const wide = said.rows?.[0]?.length;
  if (wide === 12 && said.rows?.length !== depth.length) return undefined;
  const isCamera = /camera/i.test(baseOf(name));
  const turned = {
    8: "ROS' frames (10), not in that of motion capture (1)",
    12: "the raw format (0), not KITTI's (2)",
  };
  const format =
    (wide === 8 && !said.names?.includes("id")) || wide === 12
      ? ` they are read in ${turned[wide as 8 | 12]}; export format 11, which is sure`
      : "";
  const of = isCamera
    ? ""
    : " they are taken for the robot's, and the camera's place on it (local_transform) is applied;";
  const warning = of || format ? `${name}: as RTAB-Map's poses${of}${format}`.replace(/;$/, "") : undefined;
  return { ...(!isCamera && { place: robot }), warning };
}

/** The pose of the camera, where `pose` is that of its carrier. */
export const placed = (pose: Pose | undefined, { place }: Carrier): Pose | undefined =>
  pose && place ? [...product(pose, place, 4)] : pose;
