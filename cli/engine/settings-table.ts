import type { Setting } from '../../domain/settings/setting.ts';
import { settingsTable } from '../../domain/settings/settings.ts';

const all: [string, Setting<unknown>][] = Object.entries(settingsTable);

/** The table in docs/operating.md. */
export function settingsAsMarkdown(): string {
  const rows = all.map(([name, { what, shown, form, secret }]) => [
    `\`${name}\``,
    `${what}${secret ? ' A secret.' : ''}`,
    form.replaceAll('|', '\\|'),
    shown === '' ? '' : `\`${shown}\``,
  ]);
  const header = ['Setting', 'What it does', 'Value', 'Default'];
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

export function settingsAsText(): string {
  const width = Math.max(...all.map(([name]) => name.length));
  return all
    .map(([name, { what, shown, example }]) => {
      const fallback = shown === '' ? `for example ${example}` : `default: ${shown}`;
      return `  ${name.padEnd(width)}  ${what}\n  ${''.padEnd(width)}  (${fallback})\n`;
    })
    .join('');
}

export interface SettingView {
  name: string;
  what: string;
  value: string;
  default: string | null;
  secret: boolean;
}

export function settingsAsJson(): SettingView[] {
  return all.map(([name, { what, form, shown, secret }]) => ({
    name,
    what,
    value: form,
    default: shown === '' ? null : shown,
    secret,
  }));
}
