import { element } from "../dom/controls.ts";

/** Offers the user a file for download. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  element("a", "", { href: url, download: name }).click();
  // The click has only begun the download; the URL must outlive its start.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Offers the user a CSV file for download. */
export const downloadCsv = (name: string, text: string): void => download(name, new Blob([text], { type: "text/csv" }));

/** Offers the user a JSON file for download. */
export function downloadJson(name: string, content: unknown): void {
  download(name, new Blob([JSON.stringify(content, null, 1)], { type: "application/json" }));
}
