import type { z } from 'zod';
import type { environmentDeletionImpactSchema } from '../../api/environments/operations.ts';
import { confirmLoss, restorable, yesOption } from '../deleted/confirm-loss.ts';
import { command } from '../engine/command.ts';
import { restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject } from '../place/chosen.ts';
import { here, projectOption } from '../place/here.ts';

type Impact = z.output<typeof environmentDeletionImpactSchema>;

export const envDelete = command({
  summary: 'Deletes an environment, with what runs there',
  usage: 'NAME [--wait] [--yes] [--project PROJECT] [--json]',
  details: `Tells what ends with it, and asks for its name; elsewhere than at a terminal \`--yes\` is the answer. It takes an admin's token. Its
settings, variables, releases and volumes are kept for the retention: see \`./ballast deleted --help\`.`,
  words: { least: 1, most: 1 },
  options: {
    wait: { type: 'boolean', what: 'Let rollouts that have begun end by themselves; else they are asked to cancel.' },
    ...yesOption(),
    ...projectOption,
    ...restOptions,
  },
  run: async ({ wait, yes, ...given }, [named = '']) => {
    // The loss is great: the environment is never guessed.
    const place = await here({ ...given, environment: named });
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: true });
    const { id, slug, name } = environment;
    if (yes !== true) {
      const impact = await place.rest.call<Impact>('GET', `/environments/${id}/deletion-impact`);
      if (!(await confirmLoss({ noun: 'environment', called: slug, name }, lostWith(impact)))) return;
    }
    await place.rest.call('DELETE', `/environments/${id}${wait === true ? '?wait=true' : ''}`);
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, slug } })}\n`);
    else process.stdout.write(restorable('environment', slug));
  },
});

function lostWith({ services, databases, stagedServices, ...impact }: Impact): [number, string][] {
  const { volumes, inFlightDeployments, pendingApprovals, stagedChanges } = impact;
  const names = (list: readonly { name: string }[]) => printable(list.map(({ name }) => name).join(', '));
  return [
    [services.length + databases.length, `stopped: ${names([...services, ...databases])}`],
    [volumes.count, `volumes kept until it is purged: ${volumes.count}`],
    [inFlightDeployments, `deployments under way: ${inFlightDeployments}`],
    [pendingApprovals, `approvals closed: ${pendingApprovals}`],
    [stagedChanges, `staged changes discarded: ${stagedChanges}`],
    [stagedServices.length, `discarded for good, since they were never applied: ${names(stagedServices)}`],
    [impact.lastEnvironment ? 1 : 0, 'it is the last environment of its project'],
  ];
}
