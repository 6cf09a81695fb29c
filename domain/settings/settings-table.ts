import type { Setting } from './setting.ts';
import { backupSettings } from './table/backups.ts';
import { commandLineSettings } from './table/command-line.ts';
import { databaseAndTemporalSettings } from './table/database-and-temporal.ts';
import { installationSettings } from './table/installation.ts';
import { localClusterSettings } from './table/local-cluster.ts';
import { quotaSettings } from './table/quotas.ts';
import { registrySettings } from './table/registry.ts';
import { requestSettings } from './table/requests.ts';
import { signInSettings } from './table/sign-in.ts';
import { workerSettings } from './table/worker.ts';

/** Every setting there is. `ballast help` and the table in docs/operating.md are made from this, in this order. */
export const settingsTable = {
  ...installationSettings,
  ...commandLineSettings,
  ...registrySettings,
  ...backupSettings,
  ...databaseAndTemporalSettings,
  ...signInSettings,
  ...workerSettings,
  ...localClusterSettings,
  ...requestSettings,
  ...quotaSettings,
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settingsTable;
export type Settings = {
  readonly [Name in SettingName]: (typeof settingsTable)[Name] extends Setting<infer T> ? T : never;
};
