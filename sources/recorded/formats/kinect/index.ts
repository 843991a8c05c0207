import { type Files, folderOf, markedFolder } from "../../../files/files.ts";
import type { Format } from "../../../format/format.ts";
import { openKinect } from "./frames.ts";

/** Names of depth images from libfreenect's recorder: the time in seconds, then the device's own counter. */
const DEPTH = /(^|\/)d-\d+\.\d+-\d+\.pgm$/;
/** Names of NYU v2's scenes, each followed by a number. */
const SCENE =
  /(^|\/)(basement|bathroom|bedroom|bookstore|cafe|classroom|computer_lab|conference_room|dentist_office|dinette|dining_room|excercise_room|foyer|furniture_store|home_office|home_storage|indoor_balcony|kitchen|laundry_room|library|living_room|nyu_office|office|office_kitchen|patio|playroom|printer_room|reception_room|student_lounge|studio|study|study_room)s?_\d{1,4}[a-z]?(\/|\.|$)/;

/**
 * A raw scene of NYU Depth v2 (Silberman et al., ECCV 2012): a dump of libfreenect, read with the data set's own formula and intrinsics.
 */
export const nyu: Format = {
  name: "nyu",
  sign: "d-….pgm in a folder named as a scene of NYU v2",
  mark: DEPTH,
  async open(input, options) {
    const files = await markedFolder(input, DEPTH);
    if (!files || !(options.format === "nyu" || SCENE.test(files.name))) return undefined;
    return openKinect(files, await depthNames(files), options, "NYU");
  },
};

/** A dump of libfreenect's `fakenect`: Kinect v1 as PGM and PPM, depth as the sensor's 11-bit disparity or in millimetres. */
export const fakenect: Format = {
  name: "fakenect",
  sign: "d-….pgm",
  mark: DEPTH,
  async open(input, options) {
    const files = await markedFolder(input, DEPTH);
    return files && openKinect(files, await depthNames(files), options, "libfreenect");
  },
};

const depthNames = async (files: Files) =>
  (await files.list()).filter((name) => DEPTH.test(name) && folderOf(name) === "");
