import type { Plugin } from "vite";
import wabt from "wabt";

/** Assembles `.wat` files (WebAssembly as text) when they are imported: the module's default export is the binary in base64. */
export function wat(): Plugin {
  return {
    name: "depthloom-wat",
    transform: {
      filter: { id: /\.wat$/ },
      async handler(code, id) {
        const { parseWat } = await wabt();
        const assembled = parseWat(id, code, { simd: true, multi_value: true, threads: true });
        const { buffer } = assembled.toBinary({});
        assembled.destroy();
        return { code: `export default "${Buffer.from(buffer).toString("base64")}";`, map: null };
      },
    },
  };
}
