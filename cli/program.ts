import { Command, CommanderError } from "commander";
import { version } from "../package.json";
import { describe, Interrupted, RequestError, statusOf, traceOf } from "../run/report/failure.ts";
import { interruptionWord, onInterrupt } from "../run/report/interrupt.ts";
import { addCommands } from "./commands.ts";

const DESCRIPTION =
  "A real-time pipeline for depth cameras: filter, compact and render recordings, on the GPU or without one.";

/**
 * Runs a command line, which `args` holds without the program's own name, and returns the exit status; `undefined` leaves it as the command
 * has set it. An error is written to standard error. Whatever a command was doing when Ctrl-C or SIGTERM came, its last line and its exit
 * status are made here.
 */
export async function run(args: readonly string[]): Promise<number | undefined> {
  const program = new Command("depthloom")
    .description(DESCRIPTION)
    .version(version)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(--help lists commands and options)");
  addCommands(program);
  program.commands.forEach(addVerbose);
  program.hook("preAction", async (_, command) => {
    refuseEmpty(command);
    const { use } = command.opts<{ readonly use?: readonly string[] }>();
    if (use) await (await import("../run/replay/usePackages.ts")).usePackages(use);
  });
  const interrupt = onInterrupt({ finishes: false });
  try {
    await program.parseAsync(args, { from: "user" });
    // A signal that came while the thread computed is heard in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    return interrupt.status > 0 ? interrupted(interrupt.status) : undefined;
  } catch (error) {
    if (interrupt.status > 0) {
      const isReason = error instanceof Interrupted || error === interrupt.signal.reason;
      if (!isReason) process.stderr.write(`depthloom: ${describe(error)}\n`);
      return interrupted(interrupt.status, error instanceof Interrupted ? error.message : undefined);
    }
    // Commander has already reported the error. Asking for help or the version also ends here, with status 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`depthloom: ${describe(error)}\n`);
    if (args.includes("--verbose") && error instanceof Error) process.stderr.write(`${traceOf(error)}\n`);
    return statusOf(error);
  } finally {
    await interrupt.release();
  }
}

/** The time in ms in which work that cannot be cancelled may end by itself, after an interruption. */
const ENDING_MS = 100;

/** Writes an interruption's last line, and returns the exit status. Work that cannot be cancelled does not keep the process alive. */
function interrupted(status: number, early?: string): number {
  process.stderr.write(`depthloom: ${interruptionWord(early)}\n`);
  setTimeout(() => process.exit(status), ENDING_MS).unref();
  return status;
}

/** Throws a `RequestError` for an empty argument or option value: no command takes one, and a shell's variable may be empty. */
function refuseEmpty(command: Command): void {
  const advice = "is empty; give one (a variable of the shell without a value becomes an empty text)";
  for (const [i, argument] of command.registeredArguments.entries()) {
    if ([command.processedArgs[i]].flat().includes("")) throw new RequestError(`<${argument.name()}> ${advice}`);
  }
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if ([value].flat().includes("")) throw new RequestError(`the value of ${option.long} ${advice}`);
  }
}

/** Adds the option that every command has, and every command of a command. */
function addVerbose(command: Command): void {
  command.option("--verbose", "show where an error came from");
  command.commands.forEach(addVerbose);
}
