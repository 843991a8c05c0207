import { SourceError } from "../../../core/source.ts";
import type { Decoder } from "../../decode/index.ts";
import type { ByteFile } from "../../files/files.ts";
import { named, sensExtensions } from "../../format/extensions.ts";
import type { Format, Frames, OpenOptions } from "../../format/format.ts";
import type { MessageLog } from "../../messages/log.ts";
import { depthKind } from "../depthFile.ts";
import { begins } from "../unread.ts";

type Knows = (head: Uint8Array, name: string) => boolean;
type Opens = (file: ByteFile, options: OpenOptions, decoder: Decoder) => Promise<Frames | undefined>;

const format = (name: string, sign: string, knows: Knows, opens: Opens): Format => ({
  name,
  sign,
  async open(input, options, decoder) {
    const isOurs = input.kind === "file" && knows(input.head, input.file.name);
    return isOurs ? opens(input.file, options, decoder) : undefined;
  },
});

/** A format whose file is a log of messages, which `load` imports the reader of. */
const ofMessages =
  (load: () => Promise<(file: ByteFile) => Promise<MessageLog>>): Opens =>
  async (file, options, decoder) => {
    const [openLog, { framesOfLog }, { openPart }] = await Promise.all([
      load(),
      import("../../messages/frames.ts"),
      import("../../messages/joined.ts"),
    ]);
    const log = await openPart(file, openLog);
    try {
      return await framesOfLog(log, options, decoder);
    } catch (error) {
      await log.close();
      throw error;
    }
  };

const SQLITE = begins("SQLite format 3\0");
const BAG = "#ROSBAG V";

const openBag = ofMessages(async () => (await import("./bag/log.ts")).openBagLog);

/** Refuses bags of other versions. */
async function openBag2(...[file, options, decoder]: Parameters<Opens>): Promise<Frames | undefined> {
  const text = new TextDecoder("latin1").decode(await file.read(0, BAG.length + 4));
  if (text === `${BAG}2.0\n`) return openBag(file, options, decoder);
  throw new SourceError(
    `${file.name}: this is a bag of version ${text.slice(BAG.length).trim()}, and only 2.0 is supported; convert it with "rosbag fix"`,
  );
}

/** A version and the length of the sensor's name begin the file. That alone proves little, so the file's name has to agree. */
function isSens(head: Uint8Array, name: string): boolean {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const isLikely = head.length >= 12 && view.getUint32(4, true) < 256 && view.getUint32(8, true) === 0;
  return isLikely && named(sensExtensions).test(name);
}

/** Whether a file is one depth image. NumPy arrays are not: the format npy reads them. */
const isImage: Knows = (head) => ![undefined, "NumPy"].includes(depthKind(head));

/**
 * All formats that are one file with many frames in it. Their readers are large, so each format looks at the file's first bytes and imports
 * its reader only then. In a page only the reading worker loads this list.
 */
export const fileFormats: readonly Format[] = [
  // Recordings of ROS 2, ROS 1 or Foxglove. Depth is 16UC1 (mm), 32FC1 (m), or compressed by ROS' image transport.
  format(
    "mcap",
    "MCAP",
    begins("\x89MCAP0\r\n"),
    ofMessages(async () => (await import("./mcap/log.ts")).openMcapLog),
  ),
  // Recordings of a robot or of a RealSense camera (librealsense's own recordings are ROS 1 bags).
  format("bag", "ROS bag", begins(BAG), openBag2),
  // SQLite with the tables Node and Data.
  format("rtabmap", "RTAB-Map's .db", SQLITE, async (...given) =>
    (await import("./rtabmap/frames.ts")).openRtabmap(...given),
  ),
  // A ROS 2 bag stored as an SQLite database, of a robot or of a RealSense camera.
  format(
    "db3",
    "ROS 2 database",
    SQLITE,
    ofMessages(async () => (await import("./db3/log.ts")).openDb3Log),
  ),
  // Recordings of Azure Kinect, or of a camera that records as it does (Orbbec): Matroska with an uncompressed track called DEPTH, in
  // millimetres, and the device's calibration attached.
  format("mkv", "an Azure Kinect .mkv", begins("\x1a\x45\xdf\xa3"), async (...given) =>
    (await import("./mkv/frames.ts")).openMkv(...given),
  ),
  // OpenNI 1 or 2 (Kinect v1, ASUS Xtion, PrimeSense, Orbbec Astra): records of nodes, their properties and frames.
  format("oni", "an OpenNI .oni", begins("NI10"), async (...given) =>
    (await import("./oni/frames.ts")).openOni(...given),
  ),
  // A scan of ScanNet (Dai et al., CVPR 2017): one file of compressed colour and depth, with poses and the intrinsics of both cameras.
  format("sens", "a ScanNet .sens", isSens, async (...given) => (await import("./sens/frames.ts")).openSens(...given)),
  // H×W, or N×H×W for N frames; 16-bit whole numbers, or floats in metres.
  format("npy", "a NumPy .npy", begins("\x93NUMPY"), async (file, options) =>
    (await import("./npy/frames.ts")).openNpy(file, options),
  ),
  // A recording of one frame: PNG or PGM of 16 bits; TIFF of 16 bits or floats, each of its images a frame; OpenEXR. Floats are metres.
  format("image", "a depth image (PNG, TIFF, EXR, PGM)", isImage, async (...given) =>
    (await import("./image/frames.ts")).openImage(...given),
  ),
];
