import { sql } from 'kysely';
import { z } from 'zod';
import { stage } from '../../db/change-sets/stage.ts';
import { changeSetView } from '../../db/change-sets/view.ts';
import type { Effect } from '../../db/engine/effect.ts';
import { refuseBeyond } from '../../db/engine/limits/quota.ts';
import { listEnvironments } from '../../db/environments/environments.ts';
import { servicesBySlug } from '../../db/services/dependencies.ts';
import { createProcess } from '../../db/services/processes.ts';
import { createService as newService, writtenService } from '../../db/services/services.ts';
import { defined } from '../../domain/defined.ts';
import { Problem } from '../../domain/problems.ts';
import { dependencyFaults } from '../../domain/services/dependency-faults.ts';
import { newProcess } from '../../domain/services/process-faults.ts';
import { emptyDefinition, noSource } from '../../domain/services/settings.ts';
import { changeSetViewAnswer, changeSetViewSchema } from '../change-sets/change-set.ts';
import { invalidFields } from '../engine/input/input.ts';
import { operation } from '../engine/operation.ts';
import { processAnswer, processName, processSchema, processSettings, settingsFaults } from '../processes/process.ts';
import { theProject } from '../projects/project.ts';
import { namedAtHome } from '../registry/names-at-home.ts';
import { refuseUnfitSources } from '../source-credentials/named.ts';
import { serviceAnswer, serviceFields, serviceName, serviceSchema, sourceOf } from './service.ts';
import { environmentOf } from './service-place.ts';

/** Refuses dependencies on services that are not there, or that wait for this one. */
export async function refuseDependencies(
  effect: Effect,
  project: { organizationId: string; projectId: string },
  slug: string,
  dependsOn: readonly string[] | undefined,
): Promise<void> {
  if (dependsOn === undefined || dependsOn.length === 0) return;
  const faults = dependencyFaults(slug, dependsOn, await servicesBySlug(effect.kysely, project));
  if (faults.length === 0) return;
  throw invalidFields(
    faults.map(({ index, message }) => ({ location: `body.dependsOn[${index}]`, message, value: dependsOn[index] })),
  );
}

export const createService = operation({
  method: 'POST',
  url: '/api/v1/projects/{id}/services',
  summary: 'Create a service with its default process, and stage it in an environment',
  description:
    'The slug is derived from the name and never changes. The name of another service of the project is 409 with `existing`: stage that one. Nothing runs until the environment applies its staged changes; discarding them deletes the service again.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict', 'service-exists'],
  of: theProject,
  body: z.strictObject({
    name: serviceName,
    ...z.strictObject(serviceFields).partial().shape,
    environmentId: z
      .guid()
      .toLowerCase()
      .optional()
      .describe('Where it is staged; by default in the oldest environment that is not production.'),
    process: processSettings
      .extend({ name: processName.optional().describe('`web` by default.') })
      .optional()
      .describe('Settings of its default process.'),
  }),
  status: 201,
  result: z
    .object({
      service: serviceSchema,
      processes: z.array(processSchema),
      defaultProcessCreated: z.boolean(),
      environmentId: z.guid(),
      changeSet: changeSetViewSchema,
    })
    .meta({ id: 'ServiceCreated' }),
  async handle({ found: project, caller, body, effect, server }) {
    const { organizationId, id: projectId } = project;
    await refuseBeyond(effect, {
      setting: 'SERVICES_PER_PROJECT',
      most: server.settings.SERVICES_PER_PROJECT,
      owner: projectId,
      things: 'services in this project',
      rows: sql`service where organization_id = ${organizationId} and project_id = ${projectId} and deletion_id is null`,
    });
    const { name, source: from, environmentId: asked, process: first = {}, ...given } = body;
    const { name: processNamed = 'web', ...settings } = first;
    const process = newProcess(settings);
    const faults = settingsFaults(process, 'body.process');
    if (faults.length > 0) throw invalidFields(faults);
    const home = { organizationId, projectId };
    // A new service depends on others before anything can depend on it: its slug is nobody's yet.
    await refuseDependencies(effect, home, '', given.dependsOn);
    const environmentId = await environmentFor();
    const source = from && (await namedAtHome(effect, caller, server.settings, home, sourceOf(from), 'body.source'));
    await refuseUnfitSources(effect, caller, projectId, [{ source: source ?? noSource, location: 'body.source' }]);
    const created = await newService(effect, project, {
      name,
      definition: { ...emptyDefinition, ...defined({ ...given, source }) },
    });
    const web = await createProcess(effect, created, { name: processNamed, definition: process });
    const place = { organizationId, environmentId };
    const item = { kind: 'service.create' as const, serviceId: created.id, key: '' };
    await stage(effect, server.keyring, place, [item], caller.countsAs);
    const changeSet = await changeSetView(effect.kysely, place);
    if (changeSet === undefined) throw new Error(`The environment ${environmentId} has no draft.`);
    const service = await writtenService(effect, created);
    return {
      service: serviceAnswer(service, await servicesBySlug(effect.kysely, service)),
      processes: [processAnswer(web)],
      defaultProcessCreated: true,
      environmentId,
      changeSet: changeSetViewAnswer(changeSet),
    };

    async function environmentFor(): Promise<string> {
      if (asked !== undefined) return (await environmentOf(caller, home, asked, effect.kysely)).id;
      const environments = await listEnvironments(effect.kysely, project, { limit: 1_000 });
      const persistent = environments.filter(({ kind }) => kind === 'persistent');
      const environment = persistent.find(({ production }) => !production) ?? persistent[0];
      if (environment !== undefined) return environment.id;
      throw new Problem('conflict', `The project "${project.name}" has no environment: create one first.`);
    }
  },
});
