/** WebAssembly, assembled by vite.wat.ts: the binary in base64. */
declare module "*.wat" {
  const binary: string;
  export default binary;
}
