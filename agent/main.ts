import { programVersion } from '../domain/version.ts';
import { agentCommands } from './program/commands.ts';
import { reason } from './program/log.ts';
import { describe, readValues } from './program/options.ts';
import { Refusal } from './program/refusal.ts';

/** The installed agent's `ballast`: `ballast agent run|join|status|leave`. Answers the exit code. */
export async function main(args: string[]): Promise<number> {
  const [first, ...others] = args;
  if (first === '--version') {
    process.stdout.write(`${programVersion}\n`);
    return 0;
  }
  const [name = '', ...rest] = first === 'agent' ? others : [];
  const load = Object.hasOwn(agentCommands, name) ? agentCommands[name] : undefined;
  if (load === undefined) {
    const names = Object.keys(agentCommands).join('|');
    const asked = args.length === 0 || args.includes('--help') || args.includes('-h');
    const usage = `ballast agent ${names} [--help]\n`;
    (asked ? process.stdout : process.stderr).write(asked ? usage : `ballast: This is not understood; use ${usage}`);
    return asked ? 0 : 2;
  }
  const command = await load();
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(describe(command));
    return 0;
  }
  return command.run(readValues(command, rest, process.env));
}

// A reader may close the pipe; that is not a failure of the agent.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

if (import.meta.main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`ballast: ${error instanceof Refusal ? error.message : reason(error)}\n`);
    process.exitCode = 1;
  }
  // Connections that are kept open are no reason to stay.
  process.exit();
}
