import { element } from "../dom/element.ts";

/** Hands the user a file. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  element("a", "", { href: url, download: name }).click();
  // The click has only begun the download; the address must outlive its start.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Hands the user a JSON file. */
export function downloadJson(name: string, content: unknown): void {
  download(name, new Blob([JSON.stringify(content, null, 1)], { type: "application/json" }));
}
