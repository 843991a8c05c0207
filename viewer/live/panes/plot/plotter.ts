import type uPlot from "uplot";

/**
 * Loads the plotting library, when the first plot is opened. While uPlot loads, it asks for the number format of the browser's language,
 * and throws if that is no language: a Chromium started with LANG=C says "en-US@posix". In that case the language is "en-US" meanwhile.
 */
export async function loadPlotter(): Promise<typeof uPlot> {
  const odd = !isLanguage(navigator.language);
  if (odd) Object.defineProperty(navigator, "language", { value: "en-US", configurable: true });
  try {
    return (await import("uplot")).default;
  } finally {
    if (odd) Reflect.deleteProperty(navigator, "language");
  }
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
