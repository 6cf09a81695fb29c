import { spawn } from 'node:child_process';
import { command, UsageError } from '../engine/command.ts';
import { printable } from '../engine/table.ts';
import { chosenEnvironment, chosenProject, chosenService } from '../place/chosen.ts';
import { here, serviceOptions } from '../place/here.ts';
import { addressesOf, overviewOf } from './overview.ts';

export const open = command({
  summary: 'Prints the address of a service, and opens it in a browser',
  usage: '[SERVICE] [--print] [--project PROJECT] [--environment ENVIRONMENT] [--service SERVICE] [--json]',
  details: 'The browser is opened where there is a terminal.',
  words: { least: 0, most: 1 },
  options: { print: { type: 'boolean', what: 'Only print the address.' }, ...serviceOptions },
  run: async ({ print = false, ...given }, [word]) => {
    const place = await here({ ...given, service: word ?? given.service });
    const project = await chosenProject(place);
    const environment = await chosenEnvironment(place, project, { change: false });
    const service = await chosenService(place, project);
    const found = (await overviewOf(place.rest, environment)).find(({ serviceId }) => serviceId === service.id);
    const addresses = found === undefined ? [] : addressesOf(found);
    const [first] = addresses;
    if (first === undefined) {
      throw new UsageError(`${service.slug} has no address in ${environment.slug}; \`./ballast status\` says why.`);
    }
    if (given.json) return void process.stdout.write(`${JSON.stringify({ addresses }, undefined, 2)}\n`);
    for (const address of addresses) process.stdout.write(`${printable(address)}\n`);
    if (process.stdout.isTTY && !print && /^https?:/.test(first)) openBrowser(first);
  },
});

/** Where there is none, the printed address is enough. */
function openBrowser(address: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [address], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}
