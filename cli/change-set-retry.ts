import type { ChangeSetView } from './change-set.ts';
import type { Applied } from './deploy/apply-draft.ts';
import { acceptingDowntime, downtimeOption, tellDeclined } from './deployment/downtime.ts';
import { exitCodesText, follow, ofChangeSet, untilStale } from './deployment/follow.ts';
import { placeWords } from './deployment/place-words.ts';
import { readWaiting, waitOptions } from './deployment/waiting.ts';
import { command } from './engine/command.ts';
import { eventsOption } from './engine/progress.ts';
import { restOptions } from './engine/rest.ts';
import { here } from './place/here.ts';
import { placeOfEnvironment } from './place/place-of-environment.ts';

export const changeSetRetry = command({
  summary: 'Deploys again what of a change set did not go live',
  usage: `CHANGE-SET [--message TEXT] [--accept-downtime] [--wait | --no-wait] [--timeout 10m] [--json]`,
  details: `What failed or was cancelled is deployed with its settings as they are, as a change set of its own; what is staged stays staged.
${exitCodesText}`,
  words: { least: 1, most: 1 },
  options: {
    message: {
      type: 'string',
      short: 'm',
      value: 'TEXT',
      what: 'What it is for; the person who approves it reads this.',
    },
    ...downtimeOption,
    ...waitOptions,
    ...restOptions,
    ...eventsOption,
  },
  run: async (given, [id = '']) => {
    const waiting = readWaiting(given);
    const { message } = given;
    const { rest } = await here(given);
    const path = `/change-sets/${encodeURIComponent(id)}`;
    const { environmentId } = await rest.call<ChangeSetView>('GET', path);
    const { project, environment } = await placeOfEnvironment({ rest }, environmentId);
    const retried = await acceptingDowntime(given['accept-downtime'] ?? false, (downtime) =>
      rest.call<Applied>('POST', `${path}/retry`, {
        source: 'cli',
        ...(message === undefined ? {} : { message, reason: message }),
        ...downtime,
      }),
    );
    if (retried === undefined) return void tellDeclined();
    const look = untilStale(rest, ofChangeSet(rest, retried.changeSet.id));
    const { deployments, exitCode } = await follow(look, waiting, placeWords(project, environment));
    process.exitCode = exitCode;
    const result = { changeSetId: retried.changeSet.id, deployments };
    if (given.json) return void process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
    process.stdout.write(`The change set ${retried.changeSet.id} retries it in ${environment.slug}.\n`);
  },
});
