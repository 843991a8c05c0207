import { caught } from "../../../core/caught.ts";
import { SourceError } from "../../../core/source.ts";
import { type Files, folderOf, readText } from "../../files/files.ts";
import { OTHER } from "./notes.ts";
import { entriesOf, parseText } from "./parse.ts";

const TEXT = /\.(json|txt|ya?ml|ini|cfg|csv)$/i;
const PICKLE = /(^|\/)meta\/[^/]+\.(pkl|pickle)$/i;
/** The most texts that are looked into, and the most bytes of one. */
const [MOST, LONGEST] = [16, 2 ** 18];

/** A program that packed depth into the bytes of colours, and the file that tells it. */
export interface Maker {
  readonly name: string;
  readonly from: string;
}

/**
 * The program that packed depth into the bytes of colours, where a file beside the image `first` tells it: a text one of whose fields is
 * CARLA's depth camera (`sensor.camera.depth`, as its recorders write a sensor's type), or one of HO-3D's `meta/*.pkl`, whose bytes have
 * the names of its fields. A pickle is searched for these, and never unpickled.
 */
export async function makerBeside(files: Files, first: string): Promise<Maker | undefined> {
  const names = await files.list();
  const own = folderOf(first);
  const isNear = (name: string) => [own, folderOf(own), ""].includes(folderOf(name));
  for (const name of names.filter((one) => TEXT.test(one) && !OTHER.test(one) && isNear(one)).slice(0, MOST))
    if (hasCarla(parseText(await textOf(files, name)).value)) return { name: "carla", from: name };
  const meta = names.find((name) => PICKLE.test(name) && folderOf(folderOf(name)) === folderOf(own));
  if (meta === undefined) return undefined;
  const text = new TextDecoder("latin1").decode((await files.read(meta)).subarray(0, LONGEST));
  const isHands = ["camMat", "objTrans", "handJoints3D"].every((field) => text.includes(field));
  return isHands ? { name: "HO-3D", from: meta } : undefined;
}

/** Whether a field is CARLA's depth camera: a sentence that mentions the camera tells nothing of these images. */
const hasCarla = (value: unknown, level = 0): boolean =>
  value === "sensor.camera.depth" ||
  (level < 8 &&
    (Array.isArray(value) ? value : entriesOf(value).map(([, one]) => one)).some((one) => hasCarla(one, level + 1)));

const textOf = (files: Files, name: string): Promise<string> =>
  readText(files, name, LONGEST).catch(caught(SourceError, () => ""));
