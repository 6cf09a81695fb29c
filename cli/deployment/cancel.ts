import { command, UsageError } from '../engine/command.ts';
import { eventsOption } from '../engine/progress.ts';
import { printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { type Given, type Here, here, serviceOptions } from '../place/here.ts';
import type { Deployment } from './deployment.ts';
import { follow, theseDeployments } from './follow.ts';
import { placeWords } from './place-words.ts';
import { readWaiting, waitOptions } from './waiting.ts';

export const cancel = command({
  summary: 'Cancels a deployment that is under way',
  usage: `[DEPLOYMENT] [--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--wait | --no-wait]
  [--timeout 10m] [--json]`,
  details: `Without an id it is the one that is under way in the environment. One that waits ends at once. One that rolls returns to
the release that is live. Once the new release serves, only \`./ballast rollback\` returns to the one before: exit code 1.
Exit code 5: still under way when the time was up.`,
  words: { least: 0, most: 1 },
  options: { ...waitOptions, ...serviceOptions, ...eventsOption },
  run: async (given, [word]) => {
    const waiting = readWaiting(given);
    const place = await here(given);
    const { id, words } = word === undefined ? await onlyOne(place, given) : { id: word, words: '' };
    const cancelled = await place.rest.call<Deployment>('POST', `/deployments/${encodeURIComponent(id)}/cancel`);
    const { deployments, exitCode } = await follow(theseDeployments(place.rest, [id]), waiting, words);
    const [ended = cancelled] = deployments;
    if (waiting.json) process.stdout.write(`${JSON.stringify(ended, undefined, 2)}\n`);
    else if (waiting.until === 'started') {
      process.stdout.write(`The deployment of ${printable(ended.serviceName)} is asked to end.\n`);
    }
    const done = { cancelled: 0, live: 1 }[ended.state as string];
    if (waiting.until !== 'started') process.exitCode = done ?? exitCode;
  },
});

/** Its id, and the options that name its place. */
async function onlyOne(place: Here, given: Given): Promise<{ id: string; words: string }> {
  const project = await chosenProject(place);
  const environment = await chosenEnvironment(place, project, { change: true });
  const service = given.service === undefined ? undefined : await chosenService(place, project);
  const open = await place.rest.all<Deployment>(`/environments/${environment.id}/deployments`, undefined, {
    open: 'true',
    ...(service === undefined ? {} : { serviceId: service.id }),
  });
  const [only, ...others] = open;
  if (only === undefined) throw new UsageError(`No deployment is under way in ${environment.slug}.`);
  if (others.length === 0) return { id: only.id, words: placeWords(project, environment) };
  const lines = open.map(({ id, serviceName, state, kind }) => `  ${id}  ${printable(serviceName)}, ${kind}, ${state}`);
  throw new UsageError(
    `Several deployments are under way in ${environment.slug}; name one of them:\n${lines.join('\n')}`,
  );
}
