import type { z } from 'zod';
import type { processSchema } from '../../api/processes/process.ts';
import type { driftItemSchema } from '../../api/services/list-services.ts';
import { command } from '../engine/command.ts';
import { asLines, asTable, printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService, type Service } from '../place/chosen.ts';
import { here, serviceOptions } from '../place/here.ts';

export type Process = z.output<typeof processSchema>;
type DriftItem = z.output<typeof driftItemSchema>;

export const serviceShow = command({
  summary: 'Shows a service with its processes, as its environment wants them',
  usage: '[--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details:
    'Staged changes are in it, and beneath it what is applied and not deployed. What runs is shown by `./ballast status`, its variables by `./ballast var list`.',
  options: serviceOptions,
  run: async (given) => {
    const place = await here(given);
    const project = await chosenProject(place);
    const { id } = await chosenService(place, project);
    const environment = await chosenEnvironment(place, project, { change: false });
    const there = `?environmentId=${environment.id}`;
    const [service, { items: processes }, { items: drift }] = await Promise.all([
      place.rest.call<Service>('GET', `/services/${id}${there}`),
      place.rest.call<{ items: Process[] }>('GET', `/services/${id}/processes${there}`),
      place.rest.call<{ items: DriftItem[] }>('GET', `/services/${id}/drift${there}`),
    ]);
    if (given.json)
      return void process.stdout.write(`${JSON.stringify({ service, processes, drift }, undefined, 2)}\n`);
    const { slug, name, source, releaseCommand, dependsOn, createdAt } = service;
    const { skipProductionApproval, skipProductionApprovalBy: by = '', skipProductionApprovalAt: at = '' } = service;
    process.stdout.write(
      asLines([
        ['service', `${slug} "${name}" ${id}`],
        ['project', project.slug],
        ['environment', environment.slug],
        ['image', source.imageRepository],
        ['source', source.gitUrl || source.repository],
        ['build limits', limitsOf(source.buildLimits)],
        ['release command', releaseCommand.join(' ')],
        ['depends on', dependsOn.join(', ')],
        ['approval', skipProductionApproval ? `not needed in production, set by ${printable(by)} ${at}` : ''],
        ['created', createdAt],
      ]),
    );
    const rows = processes.map(({ name, kind, port, replicas, schedule, command: words, args }) => [
      name,
      kind,
      schedule || String(port ?? ''),
      String(replicas),
      [...words, ...args].join(' ') || "the image's",
    ]);
    if (rows.length > 0) process.stdout.write(`\n${asTable(['process', 'kind', 'at', 'replicas', 'command'], rows)}`);
    if (drift.length === 0) return;
    const differing = drift.map(({ label, from, to, secret }) => [
      printable(label),
      ...(secret ? ['(secret)', '(secret)'] : [printable(from), printable(to)]),
    ]);
    process.stdout.write(`\n${asTable(['not deployed', 'runs', 'applied'], differing)}`);
  },
});

/** "memoryBytes=8589934592"; empty where the cluster's hold. */
function limitsOf(limits: Service['source']['buildLimits'] = {}): string {
  return Object.entries(limits)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
