import { z } from 'zod';
import {
  createRegistryCredential as create,
  findRegistryCredential,
  listRegistryCredentials as list,
  noteCheck,
  registrySignIn,
  deleteRegistryCredential as remove,
} from '../../db/registry-credentials/registry-credentials.ts';
import { isRegistryHost } from '../../domain/services/image-reference.ts';
import { outboundFault } from '../../outbound/failures.ts';
import { checkSignIn } from '../../outbound/registry.ts';
import { line, nameText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { createdPosition, oneMore, pageOf } from '../engine/positions.ts';
import { sharedResource } from '../engine/resource.ts';
import {
  changeProjects,
  newProjects,
  projectsBody,
  projectsOf,
  projectsShownTo,
  shownProjects,
  usedForOf,
  wantedProjects,
} from '../source-credentials/projects-field.ts';

const theRegistryCredential = sharedResource('registry credential', findRegistryCredential, projectsOf);

export const registryCredentialSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    host: z.string().describe('`registry.example.com`, with its port if it is not the usual one.'),
    username: z.string(),
    lastError: z
      .string()
      .describe('Why the registry did not accept the sign-in at the last check; empty: it did, or was not asked.'),
    verifiedAt: z.iso.datetime().optional().describe('The last check at which it did.'),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    ...shownProjects,
  })
  .meta({ id: 'RegistryCredential' });

const checkRegistryCredential = operation({
  method: 'POST',
  url: '/api/v1/registry-credentials/{id}/check',
  summary: 'Check a credential of an outside registry',
  description: 'Asks the registry whether it accepts the sign-in. `lastError` says why not.',
  role: 'admin',
  projectTokens: 'refused',
  of: theRegistryCredential,
  ownEffect: true,
  result: registryCredentialSchema,
  async handle({ found: { id, host }, caller, database, server, once }) {
    const organizationId = caller.organization.id;
    const whole = { id, host, usedFor: 'organization' } as const;
    const signIn = await registrySignIn(database.kysely, server.keyring, organizationId, whole);
    const limits = { ...server.outbound, timeoutMillis: 10_000 };
    const lastError = signIn === undefined ? '' : await checkSignIn(host, signIn, limits).then(() => '', outboundFault);
    return await once(async (effect) => {
      const checked = await caller.see(theRegistryCredential, id, effect.kysely);
      await noteCheck(effect, organizationId, checked, lastError);
      return projectsShownTo(caller, await caller.see(theRegistryCredential, id, effect.kysely));
    });
  },
});

const createRegistryCredential = operation({
  method: 'POST',
  url: '/api/v1/registry-credentials',
  summary: 'Create a credential of an outside registry',
  description: 'Image sources name it. The password is stored encrypted, sent to this host alone and never answered.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict'],
  body: z.strictObject({
    name: nameText(),
    host: z.string().toLowerCase().max(255).refine(isRegistryHost, { error: 'must be a host, such as ghcr.io' }),
    username: line(200),
    password: z.string().min(1).max(10_000).meta({ writeOnly: true }),
    ...newProjects,
  }),
  status: 201,
  result: registryCredentialSchema,
  async handle({ caller, body, effect, server }) {
    const { allProjects, projectIds, ...credential } = body;
    const allowed = await wantedProjects(effect, caller, { allProjects, projectIds });
    const created = await create(effect, server.keyring, caller.organization.id, { ...credential, allowed });
    return projectsShownTo(caller, created);
  },
});

const deleteRegistryCredential = operation({
  method: 'DELETE',
  url: '/api/v1/registry-credentials/{id}',
  summary: 'Delete a credential of an outside registry',
  description: 'Sources that name it no longer resolve, and machines that lack an image of them cannot fetch it.',
  role: 'admin',
  projectTokens: 'refused',
  of: theRegistryCredential,
  async handle({ found: credential, caller, effect }) {
    await remove(effect, caller.organization.id, credential);
  },
});

const getRegistryCredential = operation({
  method: 'GET',
  url: '/api/v1/registry-credentials/{id}',
  summary: 'Get a credential of an outside registry',
  role: 'admin',
  projectTokens: 'allowed',
  of: theRegistryCredential,
  result: registryCredentialSchema,
  async handle({ found, caller }) {
    return projectsShownTo(caller, found);
  },
});

const listRegistryCredentials = operation({
  method: 'GET',
  url: '/api/v1/registry-credentials',
  summary: 'List the credentials of outside registries, oldest first',
  description: 'A token that is limited to projects sees those that one of these may use.',
  role: 'admin',
  projectTokens: 'allowed',
  paged: { after: createdPosition },
  result: registryCredentialSchema,
  async handle({ caller, page, database }) {
    const found = await list(database.kysely, caller.organization.id, usedForOf(caller), oneMore(page));
    return pageOf(found, page, (credential) => projectsShownTo(caller, credential));
  },
});

const updateRegistryCredential = operation({
  method: 'PATCH',
  url: '/api/v1/registry-credentials/{id}',
  summary: 'Change which projects may use a credential of an outside registry',
  description:
    'Omitted fields keep their values. `projectIds` limits it to these, `allProjects` opens it to all. Refused while a service of a project that would lose it is deployed with it, as applied or staged, and while the builds of the organization are kept with it.',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['conflict', 'changed-meanwhile'],
  of: theRegistryCredential,
  body: projectsBody,
  result: registryCredentialSchema,
  async handle({ found: { id }, caller, body, effect }) {
    const organizationId = caller.organization.id;
    await changeProjects(effect, caller, { kind: 'registry_credential', organizationId, id }, body);
    return projectsShownTo(caller, await caller.see(theRegistryCredential, id, effect.kysely));
  },
});

export const registryCredentials = {
  list: listRegistryCredentials,
  get: getRegistryCredential,
  create: createRegistryCredential,
  update: updateRegistryCredential,
  delete: deleteRegistryCredential,
  check: checkRegistryCredential,
};
