import type { z } from 'zod';
import type { deletionImpactSchema } from '../../api/services/deletion-impact.ts';
import { command, UsageError } from '../engine/command.ts';
import { agreed, canAsk } from '../engine/question.ts';
import { restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { chosenProject, chosenService, type Service } from '../place/chosen.ts';
import { here, projectOption } from '../place/here.ts';

type Impact = z.output<typeof deletionImpactSchema>;

export const serviceDelete = command({
  summary: 'Deletes a service in all environments at once',
  usage: 'NAME [--wait] [--yes] [--project PROJECT] [--json]',
  details: `Tells what ends with it, and asks; elsewhere than at a terminal \`--yes\` is the answer. A service that production has takes an
admin's token. To take it out of one environment alone, remove it there in the console.`,
  words: { least: 1, most: 1 },
  options: {
    wait: { type: 'boolean', what: 'Let rollouts that have begun end by themselves; else they are asked to cancel.' },
    yes: { type: 'boolean', short: 'y', what: 'Delete it without a question.' },
    ...projectOption,
    ...restOptions,
  },
  run: async ({ wait, yes, ...given }, [named = '']) => {
    const place = await here(given);
    const project = await chosenProject(place);
    // The loss is great: the service is never guessed.
    const service = await chosenService({ ...place, wanted: { ...place.wanted, service: named } }, project);
    if (yes !== true && !(await agrees(service, await place.rest.call('GET', pathOf(service, '/deletion-impact'))))) {
      process.stderr.write('Nothing was deleted.\n');
      process.exitCode = 4;
      return;
    }
    await place.rest.call('DELETE', pathOf(service, wait === true ? '?wait=true' : ''));
    const { id, slug } = service;
    if (given.json) process.stdout.write(`${JSON.stringify({ deleted: { id, slug } })}\n`);
    else process.stdout.write(`The service ${slug} is deleted.\n`);
  },
});

function pathOf({ id }: Service, rest: string): string {
  return `/services/${id}${rest}`;
}

async function agrees({ slug }: Service, impact: Impact): Promise<boolean> {
  const lines = linesOf(impact);
  const told = lines.length === 0 ? '' : `\n${lines.map((line) => `  ${line}`).join('\n')}`;
  if (!canAsk()) throw new UsageError(`This deletes the service ${slug}; give --yes to do that.${told}`);
  if (told !== '') process.stderr.write(`With the service ${slug}:${told}\n`);
  return await agreed(`Delete ${slug}?`);
}

function linesOf({
  environments,
  deployments,
  approvals,
  stagedChanges,
  dependents,
  references,
  heldWith,
}: Impact): string[] {
  const names = (list: readonly string[]) => printable([...new Set(list)].join(', '));
  const running = environments.filter(({ live }) => live).map(({ name }) => name);
  const told: [number, string][] = [
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
  return told.filter(([count]) => count > 0).map(([, line]) => line);
}
