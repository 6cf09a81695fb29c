import { z } from 'zod';
import { createRegistryCredential as create } from '../../db/registry-credentials/registry-credentials.ts';
import { isRegistryHost } from '../../domain/services/image-reference.ts';
import { line, nameText } from '../engine/input/line.ts';
import { operation } from '../engine/operation.ts';
import { newProjects, wantedProjects } from '../source-credentials/projects-field.ts';
import { registryCredentialAnswer, registryCredentialSchema } from './registry-credential.ts';

export const createRegistryCredential = operation({
  method: 'POST',
  url: '/api/v1/registry-credentials',
  summary: 'Create a credential of an outside registry',
  description: 'Image sources name it. The password is stored encrypted, sent to this host alone and never answered.',
  scope: 'organization',
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
    return registryCredentialAnswer(caller, created);
  },
});
