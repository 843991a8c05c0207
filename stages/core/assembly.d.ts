/** An AssemblyScript kernel, compiled by config/assembly.ts. The default export is the binary in base64. */
declare module "*.ts?wasm" {
  const binary: string;
  export default binary;
}
