import { element } from "../dom/element.ts";

/** Hands the user a JSON file. */
export function downloadJson(name: string, content: unknown): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(content, null, 1)], { type: "application/json" }));
  element("a", "", { href: url, download: name }).click();
  // The click has only begun the download; the address must outlive its start.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
