import { operation } from '../engine/operation.ts';
import { changeProjects, projectsBody } from '../source-credentials/projects-field.ts';
import {
  registryCredentialAnswer,
  registryCredentialPath,
  registryCredentialSchema,
  theRegistryCredential,
} from './registry-credential.ts';

export const updateRegistryCredential = operation({
  method: 'PATCH',
  url: '/api/v1/registry-credentials/{id}',
  summary: 'Change which projects may use a credential of an outside registry',
  description:
    'Omitted fields keep their values. `projectIds` limits it to these, `allProjects` opens it to all. Refused while a service of a project that would lose it is deployed with it, as applied or staged, and while the builds of the organization are kept with it.',
  scope: 'organization',
  role: 'admin',
  projectTokens: 'refused',
  problems: ['not-found', 'conflict', 'changed-meanwhile'],
  path: registryCredentialPath,
  body: projectsBody,
  result: registryCredentialSchema,
  async handle({ caller, path, body, effect }) {
    const { id } = await caller.see(theRegistryCredential, path.id, effect.kysely);
    const organizationId = caller.organization.id;
    await changeProjects(effect, caller, { kind: 'registry_credential', organizationId, id }, body);
    return registryCredentialAnswer(caller, await caller.see(theRegistryCredential, id, effect.kysely));
  },
});
