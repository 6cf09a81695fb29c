import { writeFileSync } from 'node:fs';
import { commands } from '../commands.ts';
import type { Option } from '../engine/command.ts';
import { settingsAsJson } from './settings-table.ts';

/** Commands that are not in the table because the entry script does them. */
const ofTheEntry = [
  {
    name: 'exec',
    summary: "Runs a package's program under the pinned Node: ./ballast exec vitest run",
    usage: 'PROGRAM [ARGUMENT …]',
  },
  {
    name: 'help',
    summary: 'Shows the commands and the settings, or what one command takes',
    usage: '[COMMAND | --json | --markdown]',
    options: {
      json: { type: 'boolean', what: 'Print JSON.' },
      markdown: { type: 'boolean', what: 'The table of settings as it stands in docs/operating.md.' },
    } satisfies Record<string, Option>,
  },
];

/** All that cli/help/help.mjs tells, as it stands in cli/help/help.json. */
export async function makeHelp(): Promise<string> {
  const own = Object.entries(commands).map(async ([name, load]) => {
    const { summary, usage, details, options } = await load();
    return { name, summary, usage, details, options: flags(options) };
  });
  const entry = ofTheEntry.map(({ name, summary, usage, options = {} }) => ({
    name,
    summary,
    usage,
    details: '',
    options: flags(options),
  }));
  const help = { commands: [...(await Promise.all(own)), ...entry], settings: settingsAsJson() };
  return `${JSON.stringify(help, undefined, 2)}\n`;
}

function flags(options: Readonly<Record<string, Option>>): { flag: string; what: string }[] {
  const all: [string, Option][] = [...Object.entries(options), ['help', { type: 'boolean', what: 'Show this.' }]];
  return all.map(([name, { type, short, value = 'VALUE', what }]) => ({
    flag: `${short === undefined ? '' : `-${short}, `}--${name}${type === 'string' ? ` ${value}` : ''}`,
    what,
  }));
}

if (import.meta.main) writeFileSync(new URL('./help.json', import.meta.url), await makeHelp());
