import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import { allowedText } from '../place/allowed-projects.ts';
import type { Project } from '../place/chosen.ts';
import { type Connection, listConnections, stateOf, troubleOf } from './connection.ts';

export const gitConnectionList = command({
  summary: 'Lists the Git connections, with the projects that may use each and what is wrong with it',
  usage: '[--json]',
  options: restOptions,
  run: async (given) => {
    const rest = new Rest(given);
    const connections = await listConnections(rest);
    if (given.json) return void process.stdout.write(`${JSON.stringify({ connections }, undefined, 2)}\n`);
    if (connections.length === 0) {
      return void process.stdout.write('There is no Git connection yet; see `./ballast git-connection add --help`.\n');
    }
    const titles = ['label', 'host', 'kind', 'account', 'projects', 'state', 'last delivery', ''];
    const projects = await rest.all<Project>('/projects');
    process.stdout.write(
      asTable(
        titles,
        connections.map((connection) => row(connection, projects)),
      ),
    );
  },
});

function row(connection: Connection, projects: readonly Project[]): string[] {
  const { label, host, provider, accountLogin, lastDeliveryAt } = connection;
  return [
    ...[printable(label), printable(host), provider, printable(accountLogin) || '-'],
    ...[printable(allowedText(connection, projects)), stateOf(connection)],
    ...[lastDeliveryAt ?? 'never', printable(troubleOf(connection))],
  ];
}
