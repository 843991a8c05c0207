import type uPlot from "uplot";

let loading: Promise<typeof uPlot> | undefined;

/** The plotting library; fetched when the first plot is opened. */
export function loadPlotter(): Promise<typeof uPlot> {
  loading ??= load();
  return loading;
}

/**
 * As it loads it asks for the way that numbers are written in the browser's language, and throws where that is none: a Chromium
 * that was started with LANG=C says "en-US@posix". It is told another one then.
 */
async function load(): Promise<typeof uPlot> {
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
