import { setTimeout as pause } from 'node:timers/promises';
import { command } from '../engine/command.ts';
import { type Rest, RestRefusal } from '../engine/rest.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { chosenCluster, clusterOptions } from './chosen-cluster.ts';

interface Finished {
  state: string;
  exitCode?: number;
  message: string;
}

export const clusterExec = command({
  summary: 'Runs a program within an instance',
  usage: 'INSTANCE [--timeout SECONDS] [--cluster SLUG] -- PROGRAM [ARGUMENT]…',
  details: `No shell reads it, unless the program is one. Its exit code is passed on. It gets no input.`,
  words: { least: 2, most: 1001 },
  options: {
    timeout: { type: 'string', value: 'SECONDS', what: 'It is ended after so long; 60 if left out.' },
    ...clusterOptions,
  },
  run: async ({ timeout, ...given }, [instance = '', ...program]) => {
    const timeoutSeconds = wholeNumberOf('--timeout', timeout, 1, 3600) ?? 60;
    const { rest, path } = await chosenCluster(given);
    const body = { kind: 'exec', instance, command: program, timeoutSeconds };
    const { id } = await rest.call<{ id: string }>('POST', `${path}/commands`, body);
    const place = `${path}/commands/${id}`;
    const stop = new AbortController();
    process.once('SIGINT', () => stop.abort());
    const finished = await followed(rest, place, given.json ?? false, stop.signal);
    if (finished === undefined) {
      // Somebody pressed Ctrl-C: what nobody waits for shall not go on.
      await rest.call('DELETE', place).catch(() => undefined);
      process.exitCode = 130;
      return;
    }
    if (given.json) process.stdout.write(`${JSON.stringify({ id, ...finished })}\n`);
    if (finished.exitCode !== undefined) process.exitCode = finished.exitCode;
    if (finished.state !== 'done') throw new RestRefusal(finished.message || `The command is ${finished.state}.`);
  },
});

/** Passes on what it says until it ends; a stream that ends before is opened again where it ended. */
async function followed(rest: Rest, place: string, quiet: boolean, signal: AbortSignal): Promise<Finished | undefined> {
  let after = -1;
  while (!signal.aborted) {
    try {
      for await (const { event, data } of rest.events(`${place}/stream?after=${after}`, signal)) {
        if (event === 'finished') return data as unknown as Finished;
        if (event !== 'output') continue;
        after = Number(data.number);
        const bytes = Buffer.from(String(data.data), 'base64');
        if (!quiet) (data.stream === 'stderr' ? process.stderr : process.stdout).write(bytes);
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof RestRefusal && error.status > 0) throw error;
    }
    await pause(500, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
