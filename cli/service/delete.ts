import type { z } from 'zod';
import type { deletionImpactSchema } from '../../api/services/operations.ts';
import { confirmLoss, restorable, yesOption } from '../deleted/confirm-loss.ts';
import { command } from '../engine/command.ts';
import { restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { chosenProject, chosenService } from '../place/chosen.ts';
import { here, projectOption } from '../place/here.ts';

type Impact = z.output<typeof deletionImpactSchema>;

export const serviceDelete = command({
  summary: 'Deletes a service in all environments at once',
  usage: 'NAME [--wait] [--yes] [--project PROJECT] [--json]',
  details: `Tells what ends with it, and asks for its name; elsewhere than at a terminal \`--yes\` is the answer. A service that production
has takes an admin's token. Its settings, variables, releases and volumes are kept for the retention: see \`./ballast deleted --help\`. To take
it out of one environment alone, remove it there in the console.`,
  words: { least: 1, most: 1 },
  options: {
    wait: { type: 'boolean', what: 'Let rollouts that have begun end by themselves; else they are asked to cancel.' },
    ...yesOption(),
    ...projectOption,
    ...restOptions,
  },
  run: async ({ wait, yes, ...given }, [named = '']) => {
    const place = await here(given);
    const project = await chosenProject(place);
    // The loss is great: the service is never guessed.
    const service = await chosenService({ ...place, wanted: { ...place.wanted, service: named } }, project);
    const { id, slug, name } = service;
    if (yes !== true) {
      const impact = await place.rest.call<Impact>('GET', `/services/${id}/deletion-impact`);
      if (!(await confirmLoss({ noun: 'service', called: slug, name }, lostWith(impact)))) return;
    }
    await place.rest.call('DELETE', `/services/${id}${wait === true ? '?wait=true' : ''}`);
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, slug } })}\n`);
    else process.stdout.write(restorable('service', slug));
  },
});

function lostWith({ environments, deployments, approvals, stagedChanges, ...impact }: Impact): [number, string][] {
  const { dependents, references, heldWith } = impact;
  const names = (list: readonly string[]) => printable([...new Set(list)].join(', '));
  const running = environments.filter(({ live }) => live).map(({ name }) => name);
  return [
    [running.length, `ends in ${names(running)}`],
    [
      deployments.length,
      `deployments under way: ${deployments.length}, in ${names(deployments.map((one) => one.environmentName))}`,
    ],
    [approvals.length, `approvals closed: ${approvals.length}`],
    [stagedChanges, `staged changes dropped: ${stagedChanges}`],
    [dependents.length, `refused while these depend on it: ${names(dependents.map(({ slug }) => slug))}`],
    [
      references.length,
      `refused while these values refer to it: ${names(references.map((one) => `${one.variable} to ${one.refersTo} (${one.environmentName})`))}`,
    ],
    [heldWith.length, `refused until these approvals are decided: ${names(heldWith.map(({ id }) => id))}`],
  ];
}
