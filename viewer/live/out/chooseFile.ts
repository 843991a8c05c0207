import { picker } from "../source/fileHandles.ts";

/** Asks where to write; returns `undefined` if the browser lets pages write to no file. */
export async function chooseFile(suggestedName: string): Promise<FileSystemFileHandle | "nothing" | undefined> {
  const show = picker<FileSystemFileHandle>("showSaveFilePicker");
  if (!show) return undefined;
  try {
    return await show({ suggestedName });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return "nothing";
    throw error;
  }
}
