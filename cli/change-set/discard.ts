import { command, UsageError } from '../engine/command.ts';
import { agreed, canAsk } from '../engine/question.ts';
import { asTable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject } from '../place/chosen.ts';
import { environmentOptions, type Here, here } from '../place/here.ts';
import { othersItems } from './others.ts';
import { type ChangeSetView, rowOf } from './stage-changes.ts';

export const discard = command({
  summary: 'Discards your staged changes in an environment',
  usage: '[--all] [--yes] [--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: `At a terminal they are listed, and discarded after one question. A service that was staged to be added, and that no environment ever had, is deleted.`,
  options: {
    all: { type: 'boolean', what: 'Discard those of others, too.' },
    yes: { type: 'boolean', short: 'y', what: 'Ask nothing at a terminal; elsewhere nothing is asked.' },
    ...environmentOptions,
  },
  run: async ({ all = false, yes = false, ...given }) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const path = `/environments/${environment.id}/change-set`;
    const view = await place.rest.call<ChangeSetView>('GET', path);
    const others = othersItems(view, place);
    if (!all && others.length > 0 && others.length === view.items.length) {
      throw new UsageError(
        `All changes that are staged in ${environment.slug} are of others; give --all to discard them.`,
      );
    }
    const leaving = all ? view.items : view.items.filter((item) => !others.includes(item));
    if (leaving.length > 0 && !yes && canAsk()) {
      process.stderr.write(asTable(['service', 'staged', 'from', 'to', 'by'], leaving.map(rowOf)));
      if (!(await agreed(`Discard ${leaving.length === 1 ? 'it' : `these ${leaving.length}`}?`))) {
        process.stderr.write('Nothing was discarded.\n');
        process.exitCode = 4;
        return;
      }
    }
    if (all || others.length === 0) await place.rest.call('DELETE', `/change-sets/${view.changeSet.id}`);
    else await own(place, path);
    const left = await place.rest.call<ChangeSetView>('GET', path);
    if (given.json) return void process.stdout.write(`${JSON.stringify(left, undefined, 2)}\n`);
    const count = view.items.length - left.items.length;
    process.stdout.write(
      `${count} staged ${count === 1 ? 'change is' : 'changes are'} discarded in ${environment.slug}; ${left.items.length} left.\n`,
    );
  },
});

/**
 * One after the other: with a service that would have been added goes all that was staged of it. Looked at each time, since others may
 * stage something meanwhile.
 */
async function own(place: Here, path: string): Promise<void> {
  for (;;) {
    const view = await place.rest.call<ChangeSetView>('GET', path);
    const others = othersItems(view, place);
    const next = view.items.find((item) => !others.includes(item));
    if (next === undefined) return;
    await place.rest.call('DELETE', `/change-set-items/${next.id}`);
  }
}
