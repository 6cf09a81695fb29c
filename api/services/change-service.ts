import { z } from 'zod';
import { servicesBySlug } from '../../db/services/dependencies.ts';
import { changeService as change, lockService, type ServiceView, writtenService } from '../../db/services/services.ts';
import { Problem } from '../../domain/problems.ts';
import { mayActAs } from '../../domain/roles.ts';
import type { ServiceDefinition } from '../../domain/services/settings.ts';
import { changedFields } from '../engine/input/changed-fields.ts';
import { refuseChangedMeanwhile, withWas } from '../engine/input/meanwhile.ts';
import { operation } from '../engine/operation.ts';
import { namedAtHome } from '../registry/names-at-home.ts';
import { refuseUnfitSources } from '../source-credentials/named.ts';
import { refuseDependencies } from './depends-on.ts';
import { serviceAnswer, servicePath, serviceSchema, theService } from './service.ts';
import { serviceFields, serviceName, sourceOf } from './service-fields.ts';
import { placesOf, stagedInEnvironment, stageIn } from './service-place.ts';

export const changeService = operation({
  method: 'PATCH',
  url: '/api/v1/services/{id}',
  summary: 'Update a service',
  description:
    '`name` and `skipProductionApproval` (by an admin) change at once, the slug never. The other fields are settings: they are staged, and take effect when the environment applies its staged changes.',
  scope: 'organization',
  role: 'deployer',
  projectTokens: 'allowed',
  problems: ['not-found', 'conflict', 'changed-meanwhile', 'role-too-low'],
  path: servicePath,
  query: stagedInEnvironment,
  body: withWas(
    z
      .strictObject({ name: serviceName, skipProductionApproval: z.boolean(), ...serviceFields })
      .partial()
      .strict(),
  ),
  result: serviceSchema,
  async handle({ caller, path, query, body, effect, server }) {
    const service = await caller.see(theService, path.id, effect.kysely);
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
    const items = Object.entries(wanted).map(([key, to]) => ({
      kind: 'service.set' as const,
      serviceId: service.id,
      key,
      to,
    }));
    await stageIn(effect, server.keyring, places, items, caller);
    const definition = only === undefined ? { ...before.definition, ...wanted } : before.definition;
    const now = { ...definition, name: name ?? before.name, skip: skip ?? before.skipProductionApproval };
    const details = changedFields(
      { ...before.definition, name: before.name, skip: before.skipProductionApproval },
      now,
    );
    if (Object.keys(details).length > 0) {
      await change(
        effect,
        { ...service, name: before.name },
        {
          ...(name === undefined ? {} : { name }),
          definition,
          ...(details.skip === undefined ? {} : { skipProductionApproval: { to: now.skip, by: caller.name } }),
        },
        details,
      );
    }
    return await serviceOf(await writtenService(effect, service), only && { ...only.settings, ...wanted });

    async function serviceOf(view: ServiceView, settings?: ServiceDefinition) {
      return serviceAnswer(view, await servicesBySlug(effect.kysely, view), settings);
    }
  },
});

function defined(fields: { [Field in keyof ServiceDefinition]?: ServiceDefinition[Field] | undefined }) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<ServiceDefinition>;
}
