import { z } from 'zod';
import { referredServices } from '../../db/references/referred.ts';
import { liveFiles } from '../../db/releases/releases.ts';
import { servicesBySlug } from '../../db/services/dependencies.ts';
import { deleteService as remove } from '../../db/services/removal/delete-service.ts';
import { type DeletionImpact, deletionImpact as impactOf } from '../../db/services/removal/impact.ts';
import { changeService as change, lockService, type ServiceView, writtenService } from '../../db/services/services.ts';
import { defined } from '../../domain/defined.ts';
import { deploymentStates } from '../../domain/deployments/states.ts';
import { Problem } from '../../domain/problems.ts';
import { mayActAs, type Role, roles } from '../../domain/roles.ts';
import type { ServiceDefinition } from '../../domain/services/settings.ts';
import { changedFields } from '../engine/input/changed-fields.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { namedAtHome } from '../registry/names-at-home.ts';
import { refuseUnfitSources } from '../source-credentials/named.ts';
import { clearCanvas, setCanvas } from './canvas.ts';
import { createService, refuseDependencies } from './create-service.ts';
import { listServices, serviceDrift } from './list-services.ts';
import { serviceAnswer, serviceFields, serviceName, serviceSchema, sourceOf, theService } from './service.ts';
import { inEnvironment, placeOf, placesOf, stagedInEnvironment, stageIn } from './service-place.ts';
import { resumeService, suspendService } from './suspension.ts';

const changeService = operation({
  method: 'PATCH',
  url: '/api/v1/services/{id}',
  summary: 'Update a service',
  description:
    '`name` and `skipProductionApproval` (by an admin) change at once, the slug never. The other fields are settings: they are staged, and take effect when the environment applies its staged changes.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict', 'changed-meanwhile', 'role-too-low'],
  of: theService,
  query: stagedInEnvironment,
  body: withWas(
    z
      .strictObject({ name: serviceName, skipProductionApproval: z.boolean(), ...serviceFields })
      .partial()
      .strict(),
  ),
  result: serviceSchema,
  async handle({ found: service, caller, path, query, body, effect, server }) {
    const before = await lockService(effect, service);
    if (before === undefined) return serviceOf(await caller.see(theService, path.id, effect.kysely));
    const { was, name, skipProductionApproval: skip, source, ...rest } = body;
    if (skip !== undefined && !mayActAs(caller.role, 'admin')) {
      throw new Problem('role-too-low', 'Only admins decide whether a service skips the approval of production.');
    }
    const places = await placesOf(effect, caller, service, query.environmentId);
    const [only] = query.environmentId === undefined ? [] : places;
    const is: ServiceDefinition = only?.settings ?? before.definition;
    const wanted: Partial<ServiceDefinition> = defined({ ...rest, ...(source && { source: sourceOf(source) }) });
    await refuseChangedMeanwhile<Record<string, unknown>>(
      effect.kysely,
      { organizationId: service.organizationId, kind: 'service', id: service.id },
      {
        is: { ...is, name: before.name, skipProductionApproval: before.skipProductionApproval },
        was: was && { ...was, ...(was.source && { source: sourceOf(was.source) }) },
        wanted: { ...wanted, name, skipProductionApproval: skip },
      },
    );
    await refuseDependencies(effect, service, service.slug, wanted.dependsOn);
    if (wanted.source !== undefined) {
      const { organizationId, projectId } = service;
      const home = { organizationId, projectId, serviceId: service.id };
      wanted.source = await namedAtHome(effect, caller, server.settings, home, wanted.source, 'body.source');
      const named = [{ source: wanted.source, location: 'body.source' }];
      await refuseUnfitSources(effect, caller, service.projectId, named);
    }
    const item = { kind: 'service.set' as const, serviceId: service.id };
    const items = Object.entries(wanted).map(([key, to]) => ({ ...item, key, to }));
    await stageIn(effect, server.keyring, places, items, caller);
    const definition = only === undefined ? { ...before.definition, ...wanted } : before.definition;
    const now = { ...definition, name: name ?? before.name, skip: skip ?? before.skipProductionApproval };
    const details = changedFields(
      { ...before.definition, name: before.name, skip: before.skipProductionApproval },
      now,
    );
    if (Object.keys(details).length > 0) {
      const skipProductionApproval = details.skip === undefined ? undefined : { to: now.skip, by: caller.name };
      const changes = defined({ name, definition, skipProductionApproval });
      await change(effect, { ...service, name: before.name }, changes, details);
    }
    return await serviceOf(await writtenService(effect, service), only && { ...only.settings, ...wanted });

    async function serviceOf(view: ServiceView, settings?: ServiceDefinition) {
      return serviceAnswer(view, await servicesBySlug(effect.kysely, view), settings);
    }
  },
});

/** Deployers create and delete services; one that production has is for admins. */
function roleToDelete({ environments }: Pick<DeletionImpact, 'environments'>): Role {
  return environments.some(({ production }) => production) ? 'admin' : 'deployer';
}

const deleteService = operation({
  method: 'DELETE',
  url: '/api/v1/services/{id}',
  summary: 'Delete a service in all environments at once',
  description:
    'It is not found any more, and its slug is free. Staged changes of it are dropped, approvals of it alone are closed, deployments are cancelled, and its instances end. Refused while other services depend on it or values refer to it, naming both ends, or while it waits for an approval together with others. A service that production has is deleted by an admin.',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['conflict', 'role-too-low'],
  of: theService,
  query: z.strictObject({
    wait: z
      .boolean()
      .optional()
      .describe(
        'Rollouts that have begun may end by themselves before the instances end. By default they are asked to cancel. Those that have not begun are cancelled either way.',
      ),
  }),
  async handle({ found: service, caller, path, query, effect }) {
    const deleted = await remove(effect, service, {
      wait: query.wait ?? false,
      check: (impact) => {
        if (mayActAs(caller.role, roleToDelete(impact))) return;
        throw new Problem('role-too-low', `"${service.name}" runs in production: only admins delete it.`);
      },
    });
    // Deleted by somebody else while this waited: then it is not found.
    if (!deleted) await caller.see(theService, path.id, effect.kysely);
  },
});

const held = z.object({ id: z.guid(), environmentId: z.guid(), environmentName: z.string() });

export const deletionImpactSchema = z
  .object({
    role: z.enum(roles).describe('Who may delete it: an admin if it runs in production.'),
    environments: z.array(z.object({ id: z.guid(), name: z.string(), production: z.boolean(), live: z.boolean() })),
    deployments: z
      .array(
        z.object({
          id: z.guid(),
          environmentId: z.guid(),
          environmentName: z.string(),
          state: z.enum(deploymentStates),
        }),
      )
      .describe('Those that are not over: they are cancelled, or with `wait` end by themselves if they have begun.'),
    approvals: z.array(held).describe('Closed with it.'),
    stagedChanges: z.int().describe('How many are dropped.'),
    dependents: z
      .array(z.object({ id: z.guid(), name: z.string(), slug: z.string(), environments: z.array(z.string()) }))
      .describe('Services that depend on it: it cannot be deleted as long as there are any.'),
    references: z
      .array(
        z.object({ environmentId: z.guid(), environmentName: z.string(), variable: z.string(), refersTo: z.string() }),
      )
      .describe(
        'Values of other services and shared variables that refer to it, applied or staged: `shared.URL` refers to `db.HOST`. It cannot be deleted as long as there are any.',
      ),
    heldWith: z.array(held).describe('Approvals about it and others: they are decided before it can be deleted.'),
  })
  .meta({ id: 'ServiceDeletionImpact' });

const deletionImpact = operation({
  method: 'GET',
  url: '/api/v1/services/{id}/deletion-impact',
  summary: 'Tell what the deletion of a service would end',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theService,
  result: deletionImpactSchema,
  async handle({ found: service, database: { kysely } }) {
    const impact = await impactOf(kysely, service);
    return { role: roleToDelete(impact), ...impact };
  },
});

const getService = operation({
  method: 'GET',
  url: '/api/v1/services/{id}',
  summary: 'Get a service',
  role: 'viewer',
  projectTokens: 'allowed',
  of: theService,
  query: inEnvironment,
  result: serviceSchema,
  async handle({ found: service, caller, query, database: { kysely } }) {
    const { environmentId } = query;
    const place = environmentId === undefined ? undefined : await placeOf(kysely, caller, service, environmentId);
    const referred = place && (await referredServices(kysely, place, [service.id])).get(service.id);
    const file = place && (await liveFiles(kysely, place, [service.id])).get(service.id);
    return serviceAnswer(service, await servicesBySlug(kysely, service), place?.settings, referred, file);
  },
});

export const services = {
  list: listServices,
  create: createService,
  get: getService,
  change: changeService,
  delete: deleteService,
  deletionImpact,
  setCanvas,
  clearCanvas,
  drift: serviceDrift,
  suspend: suspendService,
  resume: resumeService,
};
