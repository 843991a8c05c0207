import { baseOf, folderOf } from "../files/files.ts";

/** What images are, by their names: "side" is one of two cameras side by side, and "unnamed" means that the names do not say. */
export type Role =
  | "aligned"
  | "depth"
  | "ray"
  | "truth"
  | "unnamed"
  | "filled"
  | "infrared"
  | "side"
  | "confidence"
  | "labels"
  | "other"
  | "color";

/** The roles that depth has, the one to open first: what is aligned to colour, depth, lengths of rays, and copies that a program filled. */
export const DEPTH_ROLES: readonly Role[] = ["aligned", "depth", "ray", "truth", "unnamed", "filled"];

const DEPTH = /depth|^(tiefe|prof[ou]nd|глубин|深度)/;
/** Words that say that an image is no depth, whatever else its name says. */
const NEVER: readonly (readonly [Role, RegExp])[] = [
  ["confidence", /^(conf(idence)?\w*|certainty|valid(ity)?)$/],
  ["labels", /^(labels?|seg\w*|semantic\w*|instances?|masks?|panoptic|class(es)?|alpha|matte|ids)$/],
  [
    "other",
    /^(variances?|uncert\w*|residuals?|vis(u\w*|ibility)?|viz|normals?|preview\w*|thumb\w*|sparse|velodyne|lidar|inv(erse)?|disp(arity)?|flow|colou?r(map|i[sz]ed)|jet|heatmap)$/,
  ],
];
/** Those of them that no robot is called. */
const PICTURED = /^(disp(arity)?|normals?|inv(erse)?)$/;
/** What the words of any part of a topic's name say where the last parts say nothing: no robot is called so. */
const ANYWHERE: readonly (readonly [Role, RegExp])[] = [
  ["infrared", /^(ir|infra(red)?|amplitude|intensity|gr[ae]y)$/],
  ["confidence", /^confidence$/],
  ["other", /^disparity$/],
  ["side", /^(left|right)$/],
];
/** The most parts of a topic's name that are looked at. */
const MAX_PARTS = 64;
/** Words of arrays beside images: places, lenses, times. */
const NUMBERS = /^(poses?|intrin\w*|extrin\w*|traj\w*|c2w|timestamps?|times?|points?|xyz|k|calib\w*|matrix|bbox\w*)$/;
export const SCALE = /depth_?(scale|units?|factor)\.npy$/i;
const INFRARED =
  /^(n?ir|infra\w*|nearir|signal|reflec\w*|amplitude|intensity|gr[ae]y\w*|ab|thermal|lwir|flir|boson|lepton|optris)$/;
const FILLED = /^(fill(ed)?|complet(ed|ion)|inpaint(ed)?|dense|smooth(ed)?|filtered|refined|denoised|processed)$/;
/** Words beside depth's own that say that a program guessed it from colour. */
const GUESSED = /^(pred(icted|ictions?)?|estimated?|mono(cular)?)$/;
/** Words beside depth's own that say how far off it is. */
const SPREAD = /^(errors?|err|std(dev)?|var|sigma)$/;
const RAY = /^(distances?|ranges?|rays?|radial|euclid\w*|perspective|throw|ahat)$/;
/** A folder with only such a name may tell how far away a scene was, not what is measured. */
const FAR = /^(distances?|ranges?)$/;
const ALIGNED = /^(align(ed)?|registered)$/;
const COLOR = /^(bgr|photos?)$|^(rgb|colou?r|farb|couleur|цвет|彩色)|(rgb|colou?r)$/;
const TRUTH = /^(gt|groundtruth|ground|true)$/;
/** Words that add nothing to a role: a folder whose name has only such words beside that of its role is named after the role. */
const PLAIN =
  /^(to|raw|maps?|images?|imgs?|data|frames?|cam(era)?|left|right|truth|plane|long|short|scale|z|lowres|highres)$/;

/** The words of a name: "lowresDepth_0001" has "lowres" and "depth". */
export const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/\p{L}+/gu) ?? [];

/** The role that the words of one name say; the last word is what the thing is ("depth_ir" is infrared, "ir_depth" is depth). */
function roleOfWords(words: readonly string[]): Role | undefined {
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  const never = NEVER.find(([, pattern]) => has(pattern));
  if (never) return never[0];
  // What is registered "to" something is what it was: "rgb_to_depth" is colour.
  const to = words.indexOf("to");
  const one = to > 0 ? roleOfWords(words.slice(0, to)) : undefined;
  if (one === "color" || one === "infrared") return one;
  const isDepth = has(DEPTH);
  if (has(INFRARED) && one !== "depth" && one !== "aligned") {
    const last = words.findLast((word) => DEPTH.test(word) || INFRARED.test(word)) ?? "";
    if (!isDepth || INFRARED.test(last)) return "infrared";
  }
  const isColor = has(COLOR) && !isDepth;
  if ((has(FILLED) && !isColor) || (isDepth && has(GUESSED))) return "filled";
  // Isaac's "distance_to_image_plane" is depth along the axis, "distance_to_camera" along the ray.
  if (has(RAY) && !isColor) return has(/^plan(e|ar|ner)$/) ? "depth" : "ray";
  if (isDepth && has(SPREAD)) return "other";
  if (isDepth && has(TRUTH)) return "truth";
  if (isDepth) return has(ALIGNED) || (has(/^to$/) && has(COLOR)) ? "aligned" : "depth";
  if (has(COLOR)) return "color";
  return has(TRUTH) ? "truth" : undefined;
}

/** Whether words, of a folder's name for example, say nothing but a role. */
export const isNamedAfter = (words: readonly string[]): boolean =>
  words.every((word) => PLAIN.test(word) || roleOfWords([word]) !== undefined || ALIGNED.test(word));

/** The role of an image by its own name, else by the folders around it, the nearest first. */
export function roleOf(name: string): Role {
  const words = wordsOf(baseOf(name).replace(/\.\w+$/, ""));
  if (/\.npy$/i.test(name) && (words.some((word) => NUMBERS.test(word)) || SCALE.test(name))) return "other";
  const own = roleOfWords(words);
  let [folder, said] = [folderOf(name), undefined as Role | undefined];
  for (let level = 0; level < 3 && folder !== "" && said === undefined; level++, folder = folderOf(folder)) {
    const around = wordsOf(baseOf(folder));
    const role = own === "depth" && around.every((word) => FAR.test(word)) ? undefined : roleOfWords(around);
    // A recording may be called anything; only what is named after a role has that role. Depth may also be a part of a folder's name.
    if (role !== undefined && (isNamedAfter(around) || role === "depth" || role === "aligned")) said = role;
  }
  // A folder of copies or masks holds copies or masks, even if its images have depth's names.
  const isOfKind =
    own === undefined || ((own === "depth" || own === "aligned") && said !== undefined && said !== "color");
  return (isOfKind ? said : own) ?? own ?? "unnamed";
}

/** A topic without what ROS' image_transport appends for an image's compressed forms: "/depth/image_raw/compressedDepth". */
export const baseOfTopic = (topic: string): string => topic.replace(/\/compressed(Depth)?$/, "");
/** The namespace of a topic's image, which is the same for all its forms and for its CameraInfo. */
export const folderOfTopic = (topic: string): string => folderOf(baseOfTopic(topic));

/**
 * The role of a topic's images, recorded or live: the last part of its name that says something decides. Unlike a folder, a namespace may
 * be called anything ("/vision/depth" is depth), so only depth, colour and the words of `ANYWHERE` are known by any part. Other roles are
 * known by the last part, or by the one before if the last one says only that these are images: "/range/image_raw" has lengths of rays.
 */
export function roleOfTopic(name: string): Role {
  const parts = baseOfTopic(name).split("/", MAX_PARTS).map(wordsOf).reverse();
  const isPlain = parts[0].every((word) => PLAIN.test(word) || word === "rect");
  for (const [at, words] of parts.entries()) {
    const role = roleOfWords(words);
    const isDepth = words.some((word) => DEPTH.test(word));
    // "/color/filtered" is filtered colour.
    if (role === undefined || ((role === "truth" || role === "filled") && !isDepth)) continue;
    if (at === 0 || role === "color" || (isDepth && DEPTH_ROLES.includes(role))) return role;
    if (at === 1 && isPlain && (role !== "other" || isDepth || words.some((word) => PICTURED.test(word)))) return role;
  }
  const all = parts.flat();
  return ANYWHERE.find(([, pattern]) => all.some((word) => pattern.test(word)))?.[0] ?? "unnamed";
}

/** Whether a topic's name says that its images are what a depth camera's infrared sensor saw; grey and thermal images are others'. */
export const isInfrared = (name: string): boolean =>
  roleOfTopic(name) === "infrared" && wordsOf(name).some((word) => /^(n?ir|infra\w*|amplitude)$/.test(word));

/** Whether any word of a topic's name says depth, whatever the others say. */
export const mayBeDepth = (name: string): boolean =>
  wordsOf(baseOfTopic(name)).some((word) => DEPTH.test(word)) && roleOfTopic(name) !== "color" && !isInfrared(name);

/** Whether images of a role are depth by their name. */
export const isDepthByName = (role: Role): boolean => role !== "unnamed" && DEPTH_ROLES.includes(role);

/** The number of folders, counted from an image's own, that belong to its series: those up to the one that is named after the role. */
export function levelOfRole(name: string): number {
  let folder = folderOf(name);
  for (let level = 1; level <= 3 && folder !== ""; level++, folder = folderOf(folder)) {
    const words = wordsOf(baseOf(folder));
    const role = roleOfWords(words);
    if (role !== undefined && role !== "color" && (isNamedAfter(words) || role === "depth" || role === "aligned"))
      return level;
  }
  return 0;
}
