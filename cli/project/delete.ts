import type { z } from 'zod';
import type { projectDeletionImpactSchema } from '../../api/projects/operations.ts';
import { confirmLoss, restorable, yesOption } from '../deleted/confirm-loss.ts';
import { command } from '../engine/command.ts';
import { restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { chosenProject } from '../place/chosen.ts';
import { here } from '../place/here.ts';

type Impact = z.output<typeof projectDeletionImpactSchema>;

export const projectDelete = command({
  summary: 'Deletes a project with its environments and services',
  usage: 'NAME [--wait] [--yes] [--json]',
  details: `Tells what ends with it, and asks for its name; elsewhere than at a terminal \`--yes\` is the answer. It takes an admin's token.
Everything of it is kept for the retention: see \`./ballast deleted --help\`.`,
  words: { least: 1, most: 1 },
  options: {
    wait: { type: 'boolean', what: 'Let rollouts that have begun end by themselves; else they are asked to cancel.' },
    ...yesOption(),
    ...restOptions,
  },
  run: async ({ wait, yes, ...given }, [named = '']) => {
    // The loss is great: the project is never guessed.
    const place = await here({ ...given, project: named });
    const project = await chosenProject(place);
    const { id, slug, name } = project;
    if (yes !== true) {
      const impact = await place.rest.call<Impact>('GET', `/projects/${id}/deletion-impact`);
      if (!(await confirmLoss({ noun: 'project', called: slug, name }, lostWith(impact)))) return;
    }
    await place.rest.call('DELETE', `/projects/${id}${wait === true ? '?wait=true' : ''}`);
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, slug } })}\n`);
    else process.stdout.write(restorable('project', slug));
  },
});

function lostWith({ environments, services, databases, volumes, ...impact }: Impact): [number, string][] {
  const { inFlightDeployments, pendingApprovals, stagedChanges } = impact;
  return [
    [environments.length, `environments: ${printable(environments.map(({ name }) => name).join(', '))}`],
    [services + databases, `services: ${services + databases}`],
    [volumes.count, `volumes kept until it is purged: ${volumes.count}`],
    [inFlightDeployments, `deployments under way: ${inFlightDeployments}`],
    [pendingApprovals, `approvals closed: ${pendingApprovals}`],
    [stagedChanges, `staged changes discarded: ${stagedChanges}`],
  ];
}
