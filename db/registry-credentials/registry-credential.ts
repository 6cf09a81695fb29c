import { defineEntity, p } from '@mikro-orm/core';

/** A sign-in at an outside registry, with which images are resolved and pulled. */
export const RegistryCredentialSchema = defineEntity({
  name: 'RegistryCredential',
  tableName: 'registry_credential',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.text(),
    /** `registry.example.com`, with the port if it is not the usual one. */
    host: p.text(),
    username: p.text(),
    /** The password, encrypted with the organization's key. */
    sealed: p.blob().$type<Buffer>(),
    createdBy: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [
    { name: 'registry_credential_organization_id_id_unique', properties: ['organizationId', 'id'] },
    {
      name: 'registry_credential_organization_id_name_unique',
      expression:
        'create unique index "registry_credential_organization_id_name_unique" on "registry_credential" ("organization_id", lower("name"))',
    },
  ],
  indexes: [{ name: 'registry_credential_page_index', properties: ['organizationId', 'createdAt', 'id'] }],
});

export class RegistryCredential extends RegistryCredentialSchema.class {}
RegistryCredentialSchema.setClass(RegistryCredential);
