import { defineEntity, p } from '@mikro-orm/core';
import { type ForeignKey, partOf, toOrganization } from '../postgres/foreign-key.ts';

/** A sign-in at an outside registry, with which images are resolved and pulled. */
const RegistryCredentialSchema = defineEntity({
  name: 'registry_credential',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.text(),
    /** `registry.example.com`, with the port if it is not the usual one. */
    host: p.text(),
    username: p.text(),
    /** The password, encrypted with the organization's key. */
    sealed: p.blob().$type<Buffer>(),
    /** Else those of registry_allowed_project alone: a list that becomes empty allows none. */
    allProjects: p.boolean().default(true),
    /** By the last check; empty where the registry accepted the sign-in, or was never asked. */
    lastError: p.text().default(''),
    verifiedAt: p.datetime(3).nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { properties: ['organizationId', 'id'] },
    {
      name: 'registry_credential_organization_id_name_unique',
      expression:
        'create unique index "registry_credential_organization_id_name_unique" on "registry_credential" ("organization_id", lower("name"))',
    },
  ],
  indexes: [{ name: 'registry_credential_page_index', properties: ['organizationId', 'createdAt', 'id'] }],
});

/** A project whose services may be deployed with a credential that is not for all of them. */
const RegistryAllowedProjectSchema = defineEntity({
  name: 'registry_allowed_project',
  properties: {
    credentialId: p.uuid().primary(),
    projectId: p.uuid().primary(),
    organizationId: p.uuid(),
  },
  indexes: [{ properties: ['organizationId', 'projectId'] }],
});

export const registryCredentials = [RegistryCredentialSchema, RegistryAllowedProjectSchema] as const;

export const foreignKeys: readonly ForeignKey[] = [
  toOrganization('registry_credential'),
  partOf('registry_allowed_project', 'credential_id', 'registry_credential'),
  partOf('registry_allowed_project', 'project_id', 'project'),
];
