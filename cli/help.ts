import { commands } from './commands.ts';
import { command, type Option } from './engine/command.ts';
import { settingsAsJson, settingsAsMarkdown, settingsAsText } from './engine/settings-table.ts';

/** The commands that are not in the table because the entry script does them. */
const ofTheEntry = [
  { name: 'exec', summary: "Runs a package's program under the pinned Node: ./ballast exec vitest run" },
];

export const help = command({
  summary: 'Shows the commands and the settings',
  usage: '[--json | --markdown]',
  options: {
    json: { type: 'boolean', what: 'Answer in JSON.' },
    markdown: { type: 'boolean', what: 'The table of settings as it stands in docs/operating.md.' },
  },
  run: async ({ json, markdown }) => {
    const listed = await listCommands();
    if (markdown) process.stdout.write(settingsAsMarkdown());
    else if (json)
      process.stdout.write(`${JSON.stringify({ commands: listed, settings: settingsAsJson() }, undefined, 2)}\n`);
    else process.stdout.write(overview(listed));
  },
});

async function listCommands(): Promise<{ name: string; summary: string }[]> {
  const own = Object.entries(commands).map(async ([name, load]) => ({ name, summary: (await load()).summary }));
  return [...(await Promise.all(own)), ...ofTheEntry];
}

function overview(listed: { name: string; summary: string }[]): string {
  const width = Math.max(...listed.map(({ name }) => name.length));
  const lines = listed.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`).join('');
  return `Usage: ./ballast <command>, and ./ballast <command> --help for more.\n\nCommands\n${lines}\nSettings (environment variables)\n${settingsAsText()}`;
}

export async function describeCommand(name: string): Promise<string> {
  const found = await commands[name]?.();
  if (found === undefined) return '';
  const all: [string, Option][] = [...Object.entries(found.options), ['help', { type: 'boolean', what: 'Show this.' }]];
  const flags = all.map(([flag, { type, short, value = 'VALUE', what }]) => ({
    flag: `${short === undefined ? '' : `-${short}, `}--${flag}${type === 'string' ? ` ${value}` : ''}`,
    what,
  }));
  const width = Math.max(...flags.map(({ flag }) => flag.length));
  const lines = flags.map(({ flag, what }) => `  ${flag.padEnd(width)}  ${what}\n`).join('');
  const usage = ['Usage: ./ballast', name, found.usage].filter((word) => word !== '').join(' ');
  const details = found.details === '' ? '' : `\n${found.details}\n`;
  return `${found.summary}.\n${details}\n${usage}\n\n${lines}`;
}
