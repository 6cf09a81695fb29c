import { readFile } from 'node:fs/promises';
import { text as allOf } from 'node:stream/consumers';
import { exportedRuns } from '../../worker/replay/exported-runs.ts';
import { actorKinds } from '../../workflows/descriptors.ts';
import { command, UsageError } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { wholeNumberOf } from '../engine/whole-number-of.ts';
import { exportOf, exportText } from './exported.ts';
import { replayFailed } from './replay-failed.ts';
import { replayCode, replayCodesText, stepLines, verdictLines } from './replay-words.ts';
import { type Replayed, replayed, replayerOfCheckout } from './replayed.ts';

const isId = /^(?:[a-z-]+\/)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const replay = command({
  summary: 'Runs the history of a workflow against the workflow code of this checkout',
  usage: `WORKFLOW | FILE | - [--run N] [--events] [--json]
  --failed [--since 7d] [--kind KIND] [--json]`,
  details: `WORKFLOW is an id, whose history is exported from the control plane (with an administrator's token); FILE is what
\`./ballast workflow export\` wrote, and needs neither a control plane nor a key; - is the standard input. It says the first
event at which the code of this checkout does something else than the history has. Nothing is carried out.
${replayCodesText}`,
  options: {
    run: { type: 'string', value: 'N', what: 'Only the run of this number; all of them by default.' },
    events: { type: 'boolean', what: 'Print what happened, step by step, up to the divergence.' },
    failed: { type: 'boolean', what: 'Replay all workflows that failed.' },
    since: { type: 'string', value: '7d', what: 'With --failed: those that ended since then; 7d by default.' },
    kind: { type: 'string', value: 'KIND', what: 'With --failed: only of this kind.' },
    ...restOptions,
  },
  words: { least: 0, most: 1 },
  run: async ({ run, events = false, failed = false, since, kind, ...given }, [which]) => {
    if (failed !== (which === undefined)) {
      throw new UsageError('Give the id of a workflow, a file or -, or --failed for those that failed; see --help.');
    }
    if (!failed && (since !== undefined || kind !== undefined)) {
      throw new UsageError('--since and --kind go with --failed.');
    }
    if (failed && (run !== undefined || events)) throw new UsageError('--run and --events go with one workflow.');
    if (kind !== undefined && !actorKinds.some((one) => one === kind)) {
      throw new UsageError(`There is no kind "${printable(kind)}"; there is: ${actorKinds.join(', ')}.`);
    }
    if (which === undefined) return await replayFailed(new Rest(given), { since, kind, json: given.json ?? false });
    const number = wholeNumberOf('--run', run, 1, 1_000_000);
    const text = isId.test(which) ? exportText(await exportOf(new Rest(given), which, number)) : await fileText(which);
    if (!isId.test(which) && number !== undefined) throw new UsageError('--run goes with the id of a workflow.');
    const runs = await exportedRuns(text, number).catch((error: unknown) => {
      throw new UsageError(`${printable(which)} is no exported history: ${printable(reasonOf(error))}.`);
    });
    const replayer = await replayerOfCheckout();
    const result = await replayed(replayer, runs);
    await replayer.close();
    process.exitCode = replayCode([result.verdict]);
    process.stdout.write(
      given.json ? `${JSON.stringify(asJson(result, events), undefined, 2)}\n` : asText(result, events),
    );
  },
});

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}

async function fileText(file: string): Promise<string> {
  if (file === '-') return await allOf(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new UsageError(
      `There is no file "${printable(file)}" that can be read, and it is no id of a workflow; see \`./ballast workflow list\`.`,
    );
  }
}

function asText(result: Replayed, events: boolean): string {
  return [...(events ? stepLines(result.runs) : []), ...verdictLines(result)].map((line) => `${line}\n`).join('');
}

function asJson({ runs, ...rest }: Replayed, events: boolean): object {
  return { ...rest, runs: runs.map(({ run, result, steps }) => ({ run, ...result, ...(events ? { steps } : {}) })) };
}
