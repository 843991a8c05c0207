import type { RecordingInput } from "../../../sources/index.ts";

/** Lets users drop files, folders and a settings.json anywhere on the page. `over` learns whether something hangs over the page. */
export function dropzone(
  page: HTMLElement,
  over: (is: boolean) => void,
  onDrop: (input: RecordingInput) => void,
  onSettings: (file: File) => void,
): void {
  const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  for (const type of ["dragenter", "dragover"] as const)
    page.addEventListener(type, (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      over(true);
    });
  // An element that is removed during a drag sends no dragleave, so enters and leaves are not counted. A drag that leaves the page has no
  // related target.
  page.addEventListener("dragleave", ({ relatedTarget }) => !relatedTarget && over(false));
  page.addEventListener("drop", (event) => {
    if (!event.dataTransfer || !carriesFiles(event)) return;
    event.preventDefault();
    over(false);
    const [file, another] = event.dataTransfer.files;
    if (file && !another && /\.json$/i.test(file.name)) onSettings(file);
    else void inputOf(event.dataTransfer).then((input) => input && onDrop(input));
  });
}

/** A dropped item, with a method that TypeScript's types of the page leave out. */
type Handed = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> };

/**
 * A single file or folder comes as a handle, if the browser has handles: the viewer can open it again after a reload. Without handles a
 * folder comes as an entry that can be walked, and files as themselves. Everything is read from `transfer` before the first `await`, since
 * the browser empties it afterwards.
 */
async function inputOf(transfer: DataTransfer): Promise<RecordingInput | undefined> {
  const files = [...transfer.files];
  const items: Handed[] = [...transfer.items].filter(({ kind }) => kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry());
  const [only] = items;
  const handle = items.length === 1 ? await only?.getAsFileSystemHandle?.().catch(() => null) : null;
  if (handle) return handle;
  const folder = entries.find((entry) => entry?.isDirectory);
  return folder ?? (files.length > 0 ? files : undefined);
}
