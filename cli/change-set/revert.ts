import { command } from '../engine/command.ts';
import { restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { here } from '../place/here.ts';
import { placeOfEnvironment } from '../place/place-of-environment.ts';
import { type ChangeSetView, tellStaged } from './stage-changes.ts';

interface Reverted {
  draft: ChangeSetView;
  skipped: { label: string; reason: string }[];
}

export const changeSetRevert = command({
  summary: 'Stages the inverse of a change set, and deploys nothing',
  usage: 'CHANGE-SET [--json]',
  details: `What is still as the change set made it is staged to be as it was before, with secrets and images of the release of before. The
rest is named with its reason. \`./ballast deploy --staged\` applies it.`,
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [id = '']) => {
    const { rest } = await here(given);
    const reverted = await rest.call<Reverted>('POST', `/change-sets/${encodeURIComponent(id)}/revert`);
    if (given.json) return void process.stdout.write(`${JSON.stringify(reverted, undefined, 2)}\n`);
    const { environment } = await placeOfEnvironment({ rest }, reverted.draft.environmentId);
    for (const { label, reason } of reverted.skipped) {
      process.stderr.write(`Not reverted: ${printable(label)}, ${printable(reason)}.\n`);
    }
    tellStaged(reverted.draft, environment);
  },
});
