import { caught } from "../../core/caught.ts";
import { shown } from "../../core/check.ts";
import { SourceError } from "../../core/source.ts";
import { type Decoder, directDecoder } from "../decode/index.ts";
import { pngSize } from "../decode/pngSize.ts";
import { type ByteFile, folderOf, onlyFolder } from "../files/files.ts";
import { archives as archiveExtensions, named, recordingExtensions } from "../format/extensions.ts";
import type { Format, Found, Input, ReadOptions } from "../format/format.ts";
import { fileFormats } from "./formats/files.ts";
import { formats as folderFormats } from "./formats/folders.ts";
import { firstOf } from "./held.ts";
import { registeredFormats } from "./registered.ts";
import { CHOOSE, heldIn, unreadFrames, unreadKind } from "./unread.ts";

export const formatNames: readonly string[] = [...new Set([...folderFormats, ...fileFormats].map(({ name }) => name))];

/** Finds the format whose reader accepts the contents. Throws a `SourceError` where none does. */
export async function findFormat(
  input: Input,
  options: ReadOptions,
  formats: readonly Format[],
  decoder: Decoder,
): Promise<Found> {
  const wanted = formats.filter(({ name }) => options.format === undefined || name === options.format);
  if (wanted.length === 0) throw new SourceError(noSuchFormat(input, options));
  await refuseSeveral(input, formats);
  const found = await firstOf(wanted, input, options, decoder);
  if (!found) throw await unknown(input, wanted, options.format !== undefined);
  return found;
}

/** Names of recordings in one file, of archives and of zips of arrays: worth opening even if the first bytes are unknown. */
const NAMED = [named(recordingExtensions, { packed: true }), named([...archiveExtensions, "npz"])];

/**
 * Whether a file in a folder of recordings is worth opening: by its name, or because a format recognises its first bytes, `head`. Single
 * images and arrays are not worth opening: beside other files they are frames of a recording, or pictures of something.
 */
export async function isRecordingFile(name: string, size: number, head: Uint8Array): Promise<boolean> {
  if (NAMED.some((one) => one.test(name))) return true;
  // A format that goes on to read has recognised what it saw.
  let asked = false;
  const ask = async (): Promise<never> => {
    asked = true;
    throw new Error("only the first bytes are looked at");
  };
  const file: ByteFile = { name, size, read: ask, close: async () => {} };
  for (const format of [...registeredFormats, ...fileFormats]) {
    if (["image", "npy"].includes(format.name)) continue;
    const opened = await format.open({ kind: "file", file, head }, {}, directDecoder()).catch(() => undefined);
    await opened?.close?.();
    if (opened || asked) return true;
  }
  return false;
}

/** Whether the names in a folder, with "/" between folders and two levels deep, are those of one recording that begins in this folder. */
export const isRecordingFolder = (names: readonly string[]): boolean =>
  [...registeredFormats, ...folderFormats].some(
    ({ mark, begins }) => begins?.(names) ?? names.some((name) => !name.includes("/") && mark?.test(name)),
  );

function noSuchFormat(input: Input, { format: wanted = "", own = [] }: ReadOptions): string {
  const { name } = input.kind === "files" ? input.files : input.file;
  if (own.includes(wanted)) return `${name}: the format ${wanted}, one of the option formats, does not recognise it`;
  if (input.kind === "files" && formatNames.includes(wanted))
    return `${name}: the format ${wanted} is that of one file, and this is a folder or an archive: name the file in it, or leave the format out`;
  return `there is no format ${shown(wanted)}; there are ${[...own, ...formatNames].join(", ")}`;
}

/** Throws a `SourceError` for a folder that contains several recordings, of whatever formats. */
async function refuseSeveral(input: Input, formats: readonly Format[]): Promise<void> {
  if (input.kind !== "files" || !input.files.indexed) return;
  const names = await input.files.list();
  const marked = names.filter((name) => formats.some(({ mark }) => mark?.test(name)));
  onlyFolder(input.files, marked.map(folderOf));
}

/** The error for an input that no format accepts, by what it contains. */
async function unknown(input: Input, wanted: readonly Format[], isAsked: boolean): Promise<SourceError> {
  if (input.kind === "file") {
    const known = unreadKind(input.head, input.file.name);
    if (known) return new SourceError(`${input.file.name}: ${known}`);
    const signs = wanted.filter((format) => !folderFormats.includes(format)).map(({ sign }) => sign);
    const supported = [...signs, "a folder, .zip, .tar or .tgz of images"].join(", ");
    return new SourceError(
      `${input.file.name}: it is no recording, by its first bytes; choose one of these: ${supported}`,
    );
  }
  const { files } = input;
  const names = await files.list();
  if (names.length === 0)
    return new SourceError(`${files.name}: it is empty; choose the folder or archive of a recording`);
  if (names.some((name) => /(^|\/)rgbd\/\d+\.depth$/.test(name)))
    return new SourceError(
      `${files.name}: it is a scan of Record3D, whose depth is compressed by LZFSE, which is not supported; export it from the app with its depth as OpenEXR, and save that as .npy or 16-bit PNGs`,
    );
  const unread = unreadFrames(names);
  if (unread !== undefined) return new SourceError(`${files.name}: ${unread}`);
  const some = (list: readonly string[]) => list.slice(0, 4).join(", ") + (list.length > 4 ? " …" : "");
  const archives = names.filter((name) => named(archiveExtensions).test(name));
  if (archives.length > 0)
    return new SourceError(
      `${files.name}: it holds archives, each a recording (${some(archives)}); unpack it and open one of those`,
    );
  const single = names.filter((name) => named([...recordingExtensions, "npz"], { packed: true }).test(name));
  if (single.length > 1)
    return new SourceError(`${files.name}: there are several recordings in it (${some(single)}); open one of them`);
  if (single.length > 0)
    return new SourceError(`${files.name}: open the file in it that is the recording (${some(single)})`);
  const held = await heldIn(names, async (name) => {
    const head = /\.png$/i.test(name) ? await files.read(name).catch(caught(SourceError, () => undefined)) : undefined;
    return head && pngSize(head) ? `, ${head[24]} bits` : "";
  });
  if (isAsked) {
    const looked = `looked for ${wanted.map(({ sign }) => sign).join(", ")}`;
    return new SourceError(`${files.name}: no recording is in it (${looked}); it holds ${held}`);
  }
  return new SourceError(`${files.name}: it holds ${held} and no depth; ${CHOOSE}`);
}
