import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import { allowedText } from '../place/allowed-projects.ts';
import type { Project } from '../place/chosen.ts';
import { type Credential, credentials } from './credential.ts';

export const registryCredentialList = command({
  summary: 'Lists the credentials of outside registries, with the projects that may use each',
  usage: '[--json]',
  options: restOptions,
  run: async (given) => {
    const rest = new Rest(given);
    const all = await rest.all<Credential>(credentials);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ credentials: all }, undefined, 2)}\n`);
    if (all.length === 0) {
      const help = '`./ballast registry-credential add --help`';
      return void process.stdout.write(`There is no registry credential yet; see ${help}.\n`);
    }
    const projects = await rest.all<Project>('/projects');
    const rows = all.map((one) => [
      ...[printable(one.name), printable(one.host), printable(one.username)],
      ...[printable(allowedText(one, projects)), one.id],
    ]);
    process.stdout.write(asTable(['name', 'host', 'user', 'projects', 'id'], rows));
  },
});
