import { defined } from '../domain/defined.ts';
import type { ChangeSetView } from './change-set.ts';
import type { Applied } from './deploy/apply-draft.ts';
import { accepting, declined, downtimeOption } from './deployment/downtime.ts';
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
    const there = await placeOfEnvironment(rest, environmentId);
    const retried = await accepting('downtime', given['accept-downtime'], (downtime) =>
      rest.call<Applied>('POST', `${path}/retry`, defined({ source: 'cli', message, reason: message, ...downtime })),
    );
    if (retried === undefined) return declined();
    const { id: changeSetId } = retried.changeSet;
    const look = untilStale(rest, ofChangeSet(rest, changeSetId));
    const { deployments, exitCode } = await follow(look, waiting, placeWords(there));
    process.exitCode = exitCode;
    const text = `The change set ${changeSetId} retries it in ${there.environment.slug}.`;
    return { json: { changeSetId, deployments }, text };
  },
});
