import { z } from 'zod';
import {
  findRegistryCredential,
  type RegistryCredentialView,
} from '../../db/registry-credentials/registry-credentials.ts';
import type { OrganizationCaller } from '../engine/caller.ts';
import { sharedResource } from '../engine/resource.ts';
import { projectsOf, projectsShownTo, shownProjects } from '../source-credentials/projects-field.ts';

export const theRegistryCredential = sharedResource('registry credential', findRegistryCredential, projectsOf);

export const registryCredentialPath = z.strictObject({ id: z.guid().toLowerCase() });

export const registryCredentialSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    host: z.string().describe('`registry.example.com`, with its port if it is not the usual one.'),
    username: z.string(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    ...shownProjects,
  })
  .meta({ id: 'RegistryCredential' });

export function registryCredentialAnswer(
  caller: OrganizationCaller,
  credential: RegistryCredentialView,
): z.output<typeof registryCredentialSchema> {
  return { ...projectsShownTo(caller, credential), createdAt: credential.createdAt.toISOString() };
}
