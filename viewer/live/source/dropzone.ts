import type { RecordingInput } from "../../../sources/index.ts";

/** Lets files and folders be dropped anywhere on the page, a settings.json too; `over` tells whether something hangs over it. */
export function dropzone(
  page: HTMLElement,
  over: (is: boolean) => void,
  onDrop: (input: RecordingInput) => void,
  onSettings: (file: File) => void,
): void {
  // Entering a child comes before leaving its parent, so leaving is counted.
  let depth = 0;
  const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  page.addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    if (depth++ === 0) over(true);
  });
  page.addEventListener("dragover", (event) => {
    if (carriesFiles(event)) event.preventDefault();
  });
  page.addEventListener("dragleave", (event) => {
    if (carriesFiles(event) && --depth === 0) over(false);
  });
  page.addEventListener("drop", (event) => {
    if (!event.dataTransfer || !carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    over(false);
    const [file, another] = event.dataTransfer.files;
    if (file && !another && /\.json$/i.test(file.name)) onSettings(file);
    else void inputOf(event.dataTransfer).then((input) => input && onDrop(input));
  });
}

/** What a browser gives of what is dropped that keeps: TypeScript's types of the page leave it out. */
type Handed = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> };

/**
 * One file or folder comes as a handle where the browser has those, which can be opened again after a reload; else a folder as an
 * entry that can be walked, and files as themselves. What is dropped can be asked for only at once.
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
