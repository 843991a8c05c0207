import { archives, named } from "../files/extensions.ts";
import { imageExtensions, recordingExtensions } from "../format/extensions.ts";
import { isPickle, PICKLE_ADVICE } from "./formats/npy/pickle.ts";

/** A kind of file that people have and that this library does not read, known by its first bytes or its name. */
interface Unread {
  readonly is: (head: Uint8Array, name: string) => boolean;
  readonly kind: string;
  readonly advice: string;
}

/** Makes the test whether a file has these characters, Latin-1, at a place among its first bytes. */
export const begins =
  (text: string, at = 0) =>
  (head: Uint8Array): boolean =>
    [...text].every((char, i) => head[at + i] === char.charCodeAt(0));
const called = (ending: RegExp) => (_: Uint8Array, name: string) => ending.test(name);

const UNREAD: readonly Unread[] = [
  { is: isPickle, kind: "a Python pickle, whatever its name says", advice: PICKLE_ADVICE },
  {
    is: begins("version https://git-lfs"),
    kind: "a pointer of Git LFS in place of the file",
    advice: 'fetch the file itself ("git lfs pull")',
  },
  {
    is: called(named([...archives, "gz"])),
    kind: "no archive, whatever its name says",
    advice: "copy or download it again",
  },
  {
    is: (head) => /^\s*<(!doctype html|html)/i.test(new TextDecoder("latin1").decode(head)),
    kind: "a web page",
    advice: "download the recording itself",
  },
  { is: called(/\.zdf$/i), kind: "a capture of a Zivid camera", advice: "export its depth as .npy with the Zivid SDK" },
  { is: begins("\x89HDF"), kind: "an HDF5 file, or MATLAB's .mat", advice: "save its depth with numpy.save as .npy" },
  {
    is: begins("MATLAB "),
    kind: "MATLAB's .mat",
    advice: "save its depth with scipy.io.loadmat and numpy.save as .npy",
  },
  {
    is: begins("\xff\xd8\xff"),
    kind: "a JPEG, whose 8 bits hold no depth",
    advice: "choose the depth image or the recording's folder",
  },
  { is: begins("ftyp", 4), kind: "a film", advice: "choose the recording's folder (Stray Scanner's has depth/ in it)" },
  { is: begins("RIFF"), kind: "a film", advice: "choose the recording that depth is in" },
  { is: begins("\x04\x22\x4d\x18"), kind: "packed by lz4 as a whole", advice: "unpack it (lz4 -d)" },
  { is: begins("BZh"), kind: "packed by bzip2 as a whole", advice: "unpack it (bunzip2)" },
  { is: begins("\xfd7zXZ"), kind: "packed by xz", advice: "unpack it (unxz)" },
  { is: begins("7z\xbc\xaf"), kind: "a 7z archive", advice: "unpack it and open the recording in it" },
  { is: begins("Rar!"), kind: "a RAR archive", advice: "unpack it and open the recording in it" },
  {
    is: called(/\.bin$/i),
    kind: "perhaps raw frames, which name no size",
    advice: "name their size and send them to standard input (docs/cameras.md), or make an array with numpy.fromfile",
  },
  {
    is: called(/\.raw$/i),
    kind: "numbers without a header, such as a RealSense viewer's snapshot",
    advice:
      'make an array of it with the size that its _metadata.csv says: numpy.save("depth.npy", numpy.fromfile(file, "<u2").reshape(height, width))',
  },
  {
    is: called(/\.(pfm|dpt|flo)$/i),
    kind: "an image of floats without a unit (PFM, Sintel)",
    advice: "save its depth in metres as .npy, TIFF or OpenEXR",
  },
  {
    is: called(/\.(obj|stl|gl[bt]f?|gltf|e57|la[sz]|off)$/i),
    kind: "a mesh or a point cloud",
    advice: "choose the depth frames that it was made of",
  },
  {
    is: called(/\.hei[cf]$/i),
    kind: "a photo of a phone",
    advice: "export its depth as a 16-bit PNG, TIFF or OpenEXR",
  },
  { is: begins("ply"), kind: "a point cloud", advice: "choose the depth frames that it was made of" },
  { is: begins("# .PCD"), kind: "a point cloud", advice: "choose the depth frames that it was made of" },
  {
    is: called(/\.xef$/i),
    kind: "a recording of Kinect Studio",
    advice: "export its depth as 16-bit PNGs (Kinect for Windows SDK)",
  },
  {
    is: called(/\.svo2?$/i),
    kind: "a recording of a ZED, which holds no depth",
    advice: "export depth as 16-bit PNGs with the ZED SDK",
  },
  {
    is: called(/\.klg$/i),
    kind: "a log of Kintinuous or ElasticFusion",
    advice: "convert it to 16-bit PNGs or a TUM folder",
  },
  { is: called(/\.rrd$/i), kind: "a recording of Rerun", advice: "export its depth images to MCAP or 16-bit PNGs" },
  {
    is: called(named([...recordingExtensions, ...imageExtensions])),
    kind: "damaged, or something else than its name says",
    advice: "copy or download it again",
  },
];

/** Kinds of frames that people have in folders, by their files' names. */
const FRAMES: readonly (readonly [ending: RegExp, kind: string, advice: string])[] = [
  [
    /\.pclzf$/i,
    "frames that PCL packed (PCLZF)",
    "read them with PCL's ImageGrabber, and save depth as 16-bit PNGs or .npy",
  ],
  [/\.dpt$/i, "frames of floats (Sintel's .dpt)", "save them in metres as .npy, TIFF or OpenEXR"],
  [
    /depth[^/]{0,40}\d[^/]{0,40}\.(csv|txt)$/i,
    "frames as numbers in text",
    'make arrays of them: numpy.save("0001.npy", numpy.loadtxt("0001.csv", delimiter=","))',
  ],
  [
    /\.(raw|bin)$/i,
    "raw frames, which name no size",
    "name their size and send them to standard input (docs/cameras.md), or make arrays of them with numpy.fromfile",
  ],
];

/** Names the kind of a folder's frames that are not read, and gives advice; `undefined` where it holds none. */
export function unreadFrames(names: readonly string[]): string | undefined {
  const found = FRAMES.find(([ending]) => names.some((name) => ending.test(name)));
  return found && `it holds ${found[1]}, which are not read; ${found[2]}`;
}

/** Names the kind of an unsupported file and gives advice: "it is a film; choose …". */
export function unreadKind(head: Uint8Array, name: string): string | undefined {
  const found = UNREAD.find(({ is }) => is(head, name));
  return found && `it is ${found.kind}, which is not read; ${found.advice}`;
}
