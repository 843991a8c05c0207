import { shownAddress } from "../../core/address.ts";
import { plain } from "../../core/check.ts";
import { type OpenOptions, openRecording, type RecordedSource, SeveralTopicsError } from "../../sources/index.ts";

/** Opens a recording; of a file with several depth topics the first, with a warning that counts them. */
export async function openFirst(
  path: string,
  options: OpenOptions,
  warn: (line: string) => void,
): Promise<RecordedSource> {
  try {
    return await openRecording(path, options);
  } catch (error) {
    if (!(error instanceof SeveralTopicsError)) throw error;
    const [{ name }] = error.topics;
    warn(
      `${shownAddress(path)}: it has ${error.topics.length} depth topics; this describes ${plain(name)} (the option topic chooses another one)`,
    );
    return openRecording(path, { ...options, topic: name });
  }
}
