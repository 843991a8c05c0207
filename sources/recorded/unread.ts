import { archives, imageExtensions, named, recordingExtensions } from "../format/extensions.ts";
import { isPickle, PICKLE_ADVICE } from "./formats/npy/pickle.ts";

/** A kind of file that people have and that this library does not read, known by its first bytes or its name. */
type Unread = readonly [is: (head: Uint8Array, name: string) => boolean, kind: string, advice: string];

/** Returns a test of a file's first bytes: whether these characters (Latin-1) stand at a place among them. */
export const begins =
  (text: string, at = 0) =>
  (head: Uint8Array): boolean =>
    [...text].every((char, i) => head[at + i] === char.charCodeAt(0));
const latin = (head: Uint8Array) => String.fromCharCode(...head);
const called = (ending: RegExp) => (_: Uint8Array, name: string) => ending.test(name);

const COPY_ADVICE = "copy or download it again";
/** What to do with a file or folder without depth. */
export const CHOOSE = "choose the folder, archive or file that a depth camera recorded";
const PHOTO_ADVICE = "its 8 bits hold no depth: choose the depth image or the recording's folder";
const CLOUD_ADVICE = "choose the depth frames that it was made of";
const RAW_ADVICE =
  "name their size and send them to standard input (docs/cameras.md), or read them with numpy.fromfile";
const UNREAD: readonly Unread[] = [
  [isPickle, "a Python pickle, whatever its name says", PICKLE_ADVICE],
  [begins("version https://git-lfs"), "a pointer of Git LFS, not the file", 'fetch the file ("git lfs pull")'],
  [(head) => /^\s*<(!doctype html|html)/i.test(latin(head)), "a web page", "download the recording"],
  [called(/\.zdf$/i), "a capture of a Zivid camera", "export its depth as .npy with the Zivid SDK"],
  [begins("\x89HDF"), "an HDF5 file, or MATLAB's .mat", "save its depth with numpy.save as .npy"],
  [begins("MATLAB "), "MATLAB's .mat", "save its depth with scipy.io.loadmat and numpy.save as .npy"],
  [begins("\xff\xd8\xff"), "a JPEG", PHOTO_ADVICE],
  [begins("ftyp", 4), "a film", "choose the recording's folder (Stray Scanner's has depth/ in it)"],
  [begins("WEBP", 8), "a photograph (WebP)", PHOTO_ADVICE],
  [begins("WAVE", 8), "a sound", CHOOSE],
  [begins("RIFF"), "a film", "choose the recording that depth is in"],
  [begins("\x04\x22\x4d\x18"), "packed by lz4 as a whole", "unpack it (lz4 -d)"],
  [begins("BZh"), "packed by bzip2 as a whole", "unpack it (bunzip2)"],
  [begins("\xfd7zXZ"), "packed by xz", "unpack it (unxz)"],
  [begins("7z\xbc\xaf"), "a 7z archive", "unpack it and open the recording in it"],
  [begins("Rar!"), "a RAR archive", "unpack it and open the recording in it"],
  [called(/\.bin$/i), "perhaps raw frames, which name no size", RAW_ADVICE],
  [
    called(/\.raw$/i),
    "numbers without a header, such as a RealSense viewer's snapshot",
    'make an array of it with the size that its _metadata.csv says: numpy.save("depth.npy", numpy.fromfile(file, "<u2").reshape(height, width))',
  ],
  [called(/\.(dpt|flo)$/i), "an image of floats (Sintel)", "save its depth in metres as .npy, TIFF or OpenEXR"],
  [called(/\.(obj|stl|gl[bt]f?|gltf|e57|la[sz]|off)$/i), "a mesh or a point cloud", CLOUD_ADVICE],
  [called(/\.hei[cf]$/i), "a photo of a phone", "export its depth as a 16-bit PNG, TIFF or OpenEXR"],
  [begins("ply"), "a point cloud", CLOUD_ADVICE],
  [begins("# .PCD"), "a point cloud", CLOUD_ADVICE],
  [called(/\.xef$/i), "a recording of Kinect Studio", "export its depth as 16-bit PNGs (Kinect for Windows SDK)"],
  [called(/\.svo2?$/i), "a recording of a ZED", "it holds no depth: export that as 16-bit PNGs with the ZED SDK"],
  [called(/\.klg$/i), "a log of Kintinuous or ElasticFusion", "convert it to 16-bit PNGs or a TUM folder"],
  [called(/\.rrd$/i), "a recording of Rerun", "export its depth images to MCAP or 16-bit PNGs"],
  [(head) => /^(GIF8|BM)/.test(latin(head)), "a picture of 8 bits", PHOTO_ADVICE],
  [begins("%PDF"), "a document (PDF)", CHOOSE],
  [(head) => /^(ID3|fLaC|OggS)/.test(latin(head)), "a sound", CHOOSE],
  [(head) => /^(MZ|\x7fELF)/.test(latin(head)), "a program", CHOOSE],
];

/** Kinds of frames that people have in folders, by their files' names. */
const FRAMES: readonly (readonly [ending: RegExp, kind: string, advice: string])[] = [
  [/\.pclzf$/i, "frames that PCL packed (PCLZF)", "read them with PCL's ImageGrabber, and save depth as 16-bit PNGs"],
  [/\.h(df)?5$/i, "HDF5 files", "save their depth with numpy.save as .npy"],
  [/\.(webp|jxl|jp2|avif|hei[cf])$/i, "images of a kind of photographs", "save depth as 16-bit PNGs or .npy"],
  [/depth[^/]*(\/[^/]*)?\.(avi|mp4|mkv|mov|webm)$/i, "films", "make 16-bit PNGs: ffmpeg -i FILM depth/%06d.png"],
  [/depth[^/]*(\/[^/]*)?\.jpe?g$/i, "depth as JPEGs, whose 8 bits hold none", "export it as 16-bit PNGs or .npy"],
  [/\.dpt$/i, "frames of numbers (.dpt)", "save their depth as 16-bit PNGs, .npy, TIFF or OpenEXR"],
  [/depth[^/]*(\/[^/]*)?\.mat$/i, "depth in MATLAB's files", "save it with scipy.io.loadmat and numpy.save as .npy"],
  [
    /depth[^/]*\.zlib$/i,
    "streams that are packed by zlib (MultiScan)",
    "make 16-bit PNGs with MultiScan's own programs",
  ],
  [
    /depth[^/]{0,40}(\d|\/)[^/]{0,40}\.(csv|txt)$/i,
    "frames as numbers in text",
    'make arrays of them: numpy.save("0001.npy", numpy.loadtxt("0001.csv", delimiter=","))',
  ],
  [/\.(raw|bin)$/i, "raw frames, which name no size", RAW_ADVICE],
  [/\.(pcd|ply|xyz|pts|la[sz]|e57)$/i, "point clouds", CLOUD_ADVICE],
  [/(^|\/)\.z(array|group|attrs)$|\.zarr\//i, "arrays of Zarr", "save their depth with numpy.save as .npy"],
  [/\.(pkl|pickle)$/i, "Python's pickles", PICKLE_ADVICE],
];

/** Names the kind of a folder's frames that are not read, and gives advice; `undefined` where it holds none. */
export function unreadFrames(names: readonly string[]): string | undefined {
  const found = FRAMES.find(([ending]) => names.some((name) => ending.test(name)));
  if (names.includes("[Content_Types].xml"))
    return `it is a document of an office program, which is not read; ${CHOOSE}`;
  return found && `it holds ${found[1]}, which are not read; ${found[2]}`;
}

/** Names the kind of an unsupported file and gives advice: "it is a film; choose …". */
export function unreadKind(head: Uint8Array, name: string): string | undefined {
  const found = UNREAD.find(([is]) => is(head, name));
  if (found) return `it is ${found[1]}, which is not read; ${found[2]}`;
  if (ARCHIVE.test(name)) return `it is no archive, whatever its name says; ${COPY_ADVICE}`;
  const ending = RECORDED.exec(name)?.[1].toLowerCase();
  if (ending !== undefined)
    return `it is no ${KINDS[ending] ?? `${ending.toUpperCase()} image`}, whatever its name says, or a damaged one; ${COPY_ADVICE}`;
  return isText(head) ? `it is a text, which is not read; ${CHOOSE}` : undefined;
}

const ARCHIVE = named([...archives, "gz"]);
const RECORDED = named([...recordingExtensions, ...imageExtensions]);
/** What files are whose names end so. */
const KINDS: Readonly<Record<string, string>> = {
  bag: "ROS bag",
  db3: "ROS 2 database",
  mcap: "MCAP file",
  mkv: "Matroska film",
  oni: "OpenNI recording",
  sens: "ScanNet recording",
  npy: "NumPy array",
  npz: "zip of NumPy arrays",
};
/** Whether bytes are those of a text: none is a control character but tabs and ends of lines. */
const isText = (head: Uint8Array) => head.every((byte) => byte > 31 || (byte > 8 && byte < 14));

/** Kinds of files without depth, by their names. */
const HELD: readonly (readonly [kind: string, many: string, names: RegExp])[] = [
  ["photograph", "photographs", /\.(png|jpe?g|bmp|gif|webp|hei[cf]|tiff?)$/i],
  ["film", "films", /\.(mp4|mov|avi|webm|mkv)$/i],
  ["text", "texts", /\.(txt|csv|json|ya?ml|md|xml|log|html?)$/i],
  ["other file", "other files", /./],
];

/** Says what a folder without depth holds: "one photograph (photo.png, 8 bits) and 2 texts (a.txt …)". `aboutOf` adds to a lone name. */
export async function heldIn(names: readonly string[], aboutOf: (name: string) => Promise<string>): Promise<string> {
  let left = names.filter((name) => !/(^|\/)\.[^/]*$/.test(name));
  const parts: string[] = [];
  for (const [kind, many, ending] of HELD) {
    const own = left.filter((name) => ending.test(name));
    left = left.filter((name) => !ending.test(name));
    if (own.length === 1) parts.push(`one ${kind} (${own[0]}${await aboutOf(own[0])})`);
    else if (own.length > 1) parts.push(`${own.length} ${many} (${own[0]} …)`);
  }
  return parts.length > 0 ? parts.join(" and ") : "hidden files alone";
}
