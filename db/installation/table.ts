import { defineEntity, p } from '@mikro-orm/core';

/** This installation: exactly one row. */
const InstallationSchema = defineEntity({
  name: 'installation',
  properties: {
    id: p.uuid().primary(),
    /** Always true, and unique: that is why there is one row. */
    single: p.boolean().default(true).unique('installation_single_unique'),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  checks: [{ name: 'installation_single_check', expression: 'single' }],
});

export const installation = [InstallationSchema] as const;
