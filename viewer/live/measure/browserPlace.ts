import type { Environment } from "../../../bench/deviceReport/document.ts";

/** How browsers name themselves, the more special first: an Edge also says Chrome, and every one but Firefox says Safari. */
const BROWSERS = [/Firefox\/[\d.]+/, /Edg\/[\d.]+/, /(?:Headless)?Chrome\/[\d.]+/, /Version\/[\d.]+ .*Safari/];

/** Describes this browser and computer, as far as the browser tells. */
export function browserPlace({ userAgent, hardwareConcurrency }: Navigator): Environment {
  const found = BROWSERS.map((browser) => userAgent.match(browser)?.[0]).find((name) => name !== undefined);
  const [, system = "an unknown system"] = userAgent.match(/\(([^)]*)\)/) ?? [];
  const program = found?.replace(/^Version\/([\d.]+).*/, "Safari $1").replace("/", " ") ?? userAgent;
  return { program, system, cpu: null, cores: hardwareConcurrency, memoryGb: null };
}
