import type { Setting } from '../../domain/settings/setting.ts';
import { settingsTable } from '../../domain/settings/settings.ts';

const all: [string, Setting<unknown>][] = Object.entries(settingsTable);

export interface SettingView {
  name: string;
  what: string;
  value: string;
  default: string | null;
  example: string;
  secret: boolean;
}

export function settingsAsJson(): SettingView[] {
  return all.map(([name, { what, form, shown, example, secret }]) => ({
    name,
    what,
    value: form,
    default: shown === '' ? null : shown,
    example,
    secret,
  }));
}
