import { SourceError } from "../../../core/source.ts";
import { type Files, folderOf, readText } from "../../files/files.ts";

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
 * The program that packed depth into the bytes of colours, where a file beside the image `first` tells it: a text with the name of CARLA's
 * depth camera (`sensor.camera.depth`, as its recorders write a sensor's type), or one of HO-3D's `meta/*.pkl`, whose bytes have the names
 * of its fields. A pickle is searched for these, and never unpickled.
 */
export async function makerBeside(files: Files, first: string): Promise<Maker | undefined> {
  const names = await files.list();
  const own = folderOf(first);
  const isNear = (name: string) => [own, folderOf(own), ""].includes(folderOf(name));
  for (const name of names.filter((one) => TEXT.test(one) && isNear(one)).slice(0, MOST))
    if (/\bsensor\.camera\.depth\b/.test(await textOf(files, name))) return { name: "carla", from: name };
  const meta = names.find((name) => PICKLE.test(name) && folderOf(folderOf(name)) === folderOf(own));
  if (meta === undefined) return undefined;
  const text = new TextDecoder("latin1").decode((await files.read(meta)).subarray(0, LONGEST));
  const isHands = ["camMat", "objTrans", "handJoints3D"].every((field) => text.includes(field));
  return isHands ? { name: "HO-3D", from: meta } : undefined;
}

async function textOf(files: Files, name: string): Promise<string> {
  try {
    return await readText(files, name, LONGEST);
  } catch (error) {
    if (error instanceof SourceError) return "";
    throw error;
  }
}
