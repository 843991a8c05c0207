import { spawn } from "node:child_process";

/** The programs that open an address in the user's browser, by platform. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  // The empty argument is the window's title.
  win32: ["cmd", "/c", "start", ""],
};

/** Opens an address in the user's browser. Resolves to whether a program for that could be started. */
export function openBrowser(address: string, platform: string = process.platform): Promise<boolean> {
  const [program = "xdg-open", ...args] = OPENERS[platform] ?? ["xdg-open"];
  // In cmd's lines & separates commands.
  const shown = platform === "win32" ? address.replaceAll("&", "^&") : address;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, shown], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => resolve(true));
    child.unref();
  });
}
