// The command line that is installed alone (docs/cli.md): one file, for which an address and a token are enough.
import { programVersion } from '../../domain/version.ts';
import { type Command, UsageError } from '../engine/command.ts';
import { tellFailure } from '../engine/failure.ts';
import { runWords } from '../engine/run-words.ts';
import { helpTexts, type KnownHelp } from '../help/help-texts.mjs';
import { asTyped, clientCommands } from './commands.ts';

/** Put in by cli/client/make-client.ts: the help of these commands as JSON, and the names of those that an installation has besides. */
declare const clientHelp: string;
declare const installationCommands: readonly string[];

/** Known, and refused with what to do: somebody who reads docs/operating.md has only this at hand. */
function notHere(name: string): Command {
  return {
    summary: '',
    usage: '',
    details: '',
    options: {},
    run: async () => {
      // In pieces, so that it stays as it is typed there.
      const there = ['./ballast', name].join(' ');
      throw new UsageError(
        `${name} is not part of the command line that is installed alone: run \`${there}\` in the checkout of the installation, on its machine.`,
      );
    },
  };
}

async function main(words: readonly string[]): Promise<void> {
  // PUBLIC_URL may be anybody's, and a token is sent there.
  process.env.BALLAST_URL ||= 'http://localhost:8088';
  const { helpFor } = helpTexts(
    () => JSON.parse(clientHelp) as KnownHelp,
    () => `ballast ${programVersion}\n`,
  );
  const help = helpFor(words);
  if (help !== undefined) return void process.stdout.write(help);
  const others = installationCommands.map((name) => [name, async () => notHere(name)] as const);
  await runWords(words, { ...clientCommands, ...Object.fromEntries(others) }, asTyped);
}

process.stdout.on('error', () => {});
await main(process.argv.slice(2)).catch((error: unknown) => {
  const code = tellFailure(error, asTyped);
  process.exitCode = error instanceof Error && 'exitCode' in error ? Number(error.exitCode) : code;
});
