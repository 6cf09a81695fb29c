import { rename, writeFile } from 'node:fs/promises';
import { command, UsageError } from '../engine/command.ts';
import { Rest, RestRefusal, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { exportOf, exportText } from './exported.ts';

const { json: _, ...options } = restOptions;

export const workflowExport = command({
  summary: 'Exports the history of a workflow as a file that replays elsewhere',
  usage: 'ID [--output FILE] [--force] [--run N]',
  details: `\`./ballast replay FILE\` runs it against the code of any checkout, without keys and without an installation. One run is a history
as Temporal's tools read it; several are a list beneath "runs". Takes an administrator's token; the audit log says so.`,
  options: {
    output: {
      type: 'string',
      value: 'FILE',
      what: 'The file to write, which only you can read; else the standard output.',
    },
    force: { type: 'boolean', what: 'Replace the file if there is one.' },
    run: { type: 'string', value: 'N', what: 'The number of the run; all of them by default.' },
    ...options,
  },
  words: { least: 1, most: 1 },
  run: async ({ output, force = false, run, ...given }, [id = '']) => {
    const number = wholeNumberOf('--run', run, 1, 1_000_000);
    if (force && output === undefined) throw new UsageError('--force goes with --output.');
    const text = exportText(await exportOf(new Rest(given), id, number));
    if (output === undefined) return void process.stdout.write(text);
    await written(output, text, force);
    process.stdout.write(`${output}\n`);
  },
});

/** Readable by us alone, also in the place of a file that others could read. */
async function written(output: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(output, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code !== 'EEXIST') {
      throw new RestRefusal(`${printable(output)} cannot be written (${error.code}); give --output another file.`);
    }
    if (!force) throw new RestRefusal(`${printable(output)} exists; give --force to replace it.`);
    const aside = `${output}.${process.pid}`;
    await writeFile(aside, text, { mode: 0o600, flag: 'wx' });
    await rename(aside, output);
  }
}
