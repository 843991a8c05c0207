import { baseOf, folderOf } from "../../files/files.ts";
import type { Pose } from "../../format/format.ts";
import { wordsOf } from "../../format/roles.ts";
import { readPose } from "../formats/tum/lists.ts";
import { entriesOf, fieldsIn, numberOf, numbersOf, partsOf } from "./parse.ts";
import { inverseOf, lookingAlongZ, matrix, TO_CAMERA, turnedBack } from "./transforms.ts";

/** Patterns of the columns' names in TUM's lists from the place on, in their order. */
export const COLUMNS = ["x", "y", "z", "qx", "qy", "qz", "qw"].map((column) => {
  const axis = column.slice(-1);
  const own =
    column.length > 1
      ? "(q|quat(ernion)?|rot|orientation)[_.]?|q_[A-Z]{1,4}_"
      : "(t|p|pos(ition)?)?[_.]?|p_[A-Z]{1,4}_[A-Z]{1,4}_";
  return new RegExp(`^((odom(etry)?|pose|cam(era)?)_)?(${own})${axis}$`, "i");
});

/** Names of matrices from the camera to the world. */
const TO_WORLD = /^(pose|camera_?pose|(cam|camera|c)_?(2|to)_?(world|w)|T_?wc)$/i;

/** The motion of a 3×3 turn and a place, as OpenCV's programs write them. */
function partsIn(fields: Readonly<Record<string, unknown>>): Pose | undefined {
  const turn = numbersOf(fields.R ?? fields.rotation ?? fields.rotation_matrix);
  const place = numbersOf(fields.t ?? fields.T ?? fields.translation ?? fields.tvec);
  return turn?.length === 9 && place?.length === 3
    ? matrix([0, 1, 2].flatMap((row) => [...turn.slice(3 * row, 3 * row + 3), place[row]]))
    : undefined;
}

/** Whether a JSON has turns and places in fields of their own, which do not say where they lead. */
export const isParted = (value: unknown, level = 0): boolean =>
  partsIn(fieldsIn(value)) !== undefined ||
  (level < 2 &&
    partsOf(value)
      .slice(0, 4)
      .some(([, one]) => isParted(one, level + 1)));

/** Words in the names of files and folders with poses of other things than a camera, unless a word for cameras stands there, too. */
const OTHERS =
  /^(ob(j(ects?)?)?|annotat\w*|hands?|mano|smpl\w*|body|human|ee|eef|eff?ector|tcp|gripper|robot|base|joints?|lidar|velodyne|markers?|tags?|gps|head|face|tools?|arm)$/;
const GENERAL = /^(poses?|traj\w*|tum|gt|groundtruth|matri(x|ces)|transforms?)$/;
const CAMERAS = /cam|view|^(c2w|w2c|rgb\w*|depth|kinect|sensor)$/;

/** Whether the poses in a file or folder are those of something else than a camera by its name: "tcp_poses.npy", "ob_in_cam/". */
export function areOthers(name: string): boolean {
  const own = wordsOf(baseOf(name).replace(/\.\w+$/, ""));
  // Of "gripper/poses" the folder around says whose poses they are.
  const words = own.every((word) => GENERAL.test(word)) ? wordsOf(baseOf(folderOf(name))) : own;
  const first = words.findIndex((word) => OTHERS.test(word));
  const isCamera = words.some((word) => CAMERAS.test(word)) && !/^(in|to|wrt)$/.test(words[first + 1] ?? "");
  return first >= 0 && !isCamera;
}

/** Names of tables whose poses are the camera's; in others they may be those of things in the images. */
export const TABLES = /pose|traj|frame|cam|odom|data|meta/i;

/** Names that say that a camera's poses are in a file: where they do not, a turn and a place may be anything's. */
export const POSES = /pose|traj|(cam(era)?|c)_?(2|to)_?w/i;

/** The pose in the fields of one frame, or in a matrix. */
export function poseIn(value: unknown, isOuter = true): Pose | undefined {
  const fields = Object.fromEntries(entriesOf(value, 64));
  const [rotation, translation] = [numbersOf(fields.cam_R_w2c), numbersOf(fields.cam_t_w2c)];
  // BOP: from the world to the camera, in mm.
  if (rotation?.length === 9 && translation?.length === 3)
    return inverseOf(
      Float64Array.from([0, 1, 2].flatMap((i) => [...rotation.slice(3 * i, 3 * i + 3), translation[i] / 1000])),
    );
  // Polycam names the parts of a 3×4 matrix. Its camera looks along -z with y up, as nerfstudio's and ARKit's do.
  const parts = [0, 1, 2].flatMap((row) => [0, 1, 2, 3].map((column) => numberOf(fields[`t_${row}${column}`])));
  const upright = matrix(parts) ?? matrix(numbersOf(fields.transform_matrix ?? fields.cameraPoseARFrame) ?? []);
  const view = numbersOf(fields.cameraViewTransform);
  // Isaac: from the world to the camera, column by column, in units of the scene.
  if (view?.length === 16) {
    const unit = numberOf(fields.metersPerSceneUnit ?? 1);
    const rows = [0, 1, 2].flatMap((row) => [view[row], view[row + 4], view[row + 8], view[row + 12] * unit]);
    return lookingAlongZ(inverseOf(Float64Array.from(rows)));
  }
  if (upright) return lookingAlongZ(upright);
  const [{ x, y, z }, turn] = [fieldsIn(fields.position), fieldsIn(fields.orientation ?? fields.rotation)];
  const parted = [x, y, z, turn.x, turn.y, turn.z, turn.w];
  const columns = COLUMNS.map((pattern) => Object.entries(fields).find(([key]) => pattern.test(key))?.[1]);
  const seven = [parted, columns].find((all) => all.every(Number.isFinite));
  if (seven) return readPose(seven.map(String), "a pose");
  const motion = partsIn(fields);
  if (motion) return motion;
  const name = Object.keys(fields).find((key) => TO_WORLD.test(key));
  const toCamera =
    name === undefined ? Object.keys(fields).find((key) => TO_CAMERA.test(key) && !/view/i.test(key)) : undefined;
  const field = name ?? toCamera;
  // NVIDIA's HOPE keeps a frame's pose and lens under "camera".
  if (field === undefined && isOuter && fields.camera !== undefined) return poseIn(fields.camera, false);
  return turnedBack(matrix(numbersOf(field === undefined ? value : fields[field]) ?? []), toCamera !== undefined);
}
