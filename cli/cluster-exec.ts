import { chosenCluster, clusterOptions } from './cluster.ts';
import { command } from './engine/command.ts';
import { failureOf, followedCommand } from './engine/command-end.ts';
import { wholeNumberOf } from './engine/given.ts';
import { untilInterrupted } from './engine/interrupted.ts';
import { refuseInput } from './engine/unread-input.ts';

export const clusterExec = command({
  summary: 'Runs a program within an instance',
  usage: 'INSTANCE [--timeout SECONDS] [--cluster SLUG] -- PROGRAM [ARGUMENT]…',
  details: `No shell reads it, unless the program is one. Its exit code is passed on. It gets no input, and refuses to drop what
is piped to it.`,
  words: { least: 2, most: 1001 },
  options: {
    timeout: { type: 'string', value: 'SECONDS', what: 'Stop the command after so many seconds; 60 by default.' },
    ...clusterOptions,
  },
  run: async ({ timeout, ...given }, [instance = '', ...program]) => {
    const timeoutSeconds = wholeNumberOf('--timeout', timeout, 1, 3600) ?? 60;
    await refuseInput();
    const { rest, path } = await chosenCluster(given);
    const body = { kind: 'exec', instance, command: program, timeoutSeconds };
    const { id } = await rest.call<{ id: string }>('POST', `${path}/commands`, body);
    const place = `${path}/commands/${id}`;
    const { stop, signal } = untilInterrupted();
    const quiet = given.json ?? false;
    const finished = await followedCommand(rest, place, signal, (stream, bytes) => {
      if (!quiet) process[stream].write(bytes);
    });
    if (finished === undefined) {
      // Ctrl-C, or a reader that has gone: a command that nobody waits for is cancelled.
      await rest.call('DELETE', place).catch(() => undefined);
      process.exitCode = stop.signal.aborted ? 130 : 141;
      return undefined;
    }
    if (finished.exitCode !== undefined) process.exitCode = finished.exitCode;
    return { jsonLine: { id, ...finished }, text: '', failure: failureOf(finished, 'The command') };
  },
});
