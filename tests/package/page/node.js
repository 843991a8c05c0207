// node node.js RECORDING OPTIONS: the same in Node.
import { hashesOf } from "./hashes.js";

const [recording, options] = process.argv.slice(2);
console.log(JSON.stringify(await hashesOf(recording, JSON.parse(options))));
