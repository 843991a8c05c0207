import type { RecordingInput } from "../../../sources/index.ts";

/** Lets files and folders be dropped anywhere on the page; `over` tells whether something hangs over it. */
export function dropzone(
  page: HTMLElement,
  over: (is: boolean) => void,
  onDrop: (input: RecordingInput) => void,
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
    const input = inputOf(event.dataTransfer);
    if (input) onDrop(input);
  });
}

/** A folder comes as an entry that can be walked, files as themselves. What is dropped can be asked for only at once. */
function inputOf(transfer: DataTransfer): RecordingInput | undefined {
  const files = [...transfer.files];
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const folder = entries.find((entry) => entry?.isDirectory);
  return folder ?? (files.length > 0 ? files : undefined);
}
