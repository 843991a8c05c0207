/**
 * Whether a page may listen. A browser names the page in `Origin`, and lets any page of the web connect to this machine, so pages
 * of this machine alone may, and those that the user names. Programs have no origin.
 */
export function mayListen(origin: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes("*") || allowed.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  return hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
}
