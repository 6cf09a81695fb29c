import { command } from '../engine/command.ts';
import { restOptions } from '../engine/rest.ts';
import { here } from '../place/here.ts';

interface Cancelled {
  id: string;
  state: string;
}

export const changeSetCancel = command({
  summary: 'Cancels a change set that waits or is applied',
  usage: 'CHANGE-SET [--json]',
  details: `Of one that is held, the changes are staged again. Of one that is applied, deployments that wait end at once, and those that
roll return to the live release; what went live stays. Exit code 1: nothing of it can be cancelled any more.`,
  words: { least: 1, most: 1 },
  options: restOptions,
  run: async (given, [id = '']) => {
    const { rest } = await here(given);
    const cancelled = await rest.call<Cancelled>('POST', `/change-sets/${encodeURIComponent(id)}/cancel`);
    if (given.json) return void process.stdout.write(`${JSON.stringify(cancelled, undefined, 2)}\n`);
    const ended = cancelled.state === 'cancelled';
    process.stdout.write(
      ended
        ? `The change set ${cancelled.id} is cancelled: its changes are staged again.\n`
        : `The deployments of the change set ${cancelled.id} are asked to end.\n`,
    );
  },
});
