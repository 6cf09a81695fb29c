import { writeFile } from 'node:fs/promises';
import { command, UsageError } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { workflowPath } from './show.ts';

const { json: _, ...options } = restOptions;

export const workflowExport = command({
  summary: 'Exports the history of a workflow as a file that replays',
  usage: 'ID --output FILE [--run N]',
  options: {
    output: { type: 'string', value: 'FILE', what: 'The file to write; only you can read it.' },
    run: { type: 'string', value: 'N', what: 'The number of the run; the last one by default.' },
    ...options,
  },
  words: { least: 1, most: 1 },
  run: async ({ output, run, ...given }, [id = '']) => {
    if (output === undefined) throw new UsageError('Give --output with the file to write.');
    const number = wholeNumberOf('--run', run, 1, 1_000_000);
    const query = number === undefined ? '' : `?run=${number}`;
    const history = await new Rest(given).call('POST', `${workflowPath(id)}/export${query}`);
    await writeFile(output, `${JSON.stringify(history, undefined, 2)}\n`, { mode: 0o600 });
    process.stdout.write(`${output}\n`);
  },
});
