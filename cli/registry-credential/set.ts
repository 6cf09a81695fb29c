import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { printable } from '../engine/table.ts';
import { allowedText, changeAllowedOptions, changeOfAllowed } from '../place/allowed-projects.ts';
import type { Project } from '../place/chosen.ts';
import { type Credential, credentials, namedCredential } from './credential.ts';

export const registryCredentialSet = command({
  summary: 'Changes which projects may use a credential of an outside registry',
  usage: 'CREDENTIAL --project SLUG… | --all-projects | --no-project [--json]',
  details: `CREDENTIAL is its name or its id. Refused while a service of a project that would lose it is deployed with it. It takes an admin's token.`,
  words: { least: 1, most: 1 },
  options: { ...changeAllowedOptions, ...restOptions },
  run: async (given, [name = '']) => {
    const rest = new Rest(given);
    const change = await changeOfAllowed(rest, given);
    const { id, allProjects, projectIds } = await namedCredential(rest, name);
    const was = { allProjects, projectIds };
    const credential = await rest.call<Credential>('PATCH', `${credentials}/${id}`, { ...change, was });
    if (given.json) return void process.stdout.write(`${JSON.stringify({ credential }, undefined, 2)}\n`);
    const projects = printable(allowedText(credential, await rest.all<Project>('/projects')));
    process.stdout.write(`Projects that may use the registry credential ${printable(credential.name)}: ${projects}.\n`);
  },
});
