import { command } from '../engine/command.ts';
import { Rest, restOptions } from '../engine/rest.ts';
import { asTable, printable } from '../engine/table.ts';
import { type Connection, listConnections, stateOf, troubleOf } from './connection.ts';

export const gitConnectionList = command({
  summary: 'Lists the Git connections, with what is wrong with each',
  usage: '[--json]',
  options: restOptions,
  run: async (given) => {
    const connections = await listConnections(new Rest(given));
    if (given.json) return void process.stdout.write(`${JSON.stringify({ connections }, undefined, 2)}\n`);
    if (connections.length === 0) {
      return void process.stdout.write('There is no Git connection yet; see `./ballast git-connection add --help`.\n');
    }
    const titles = ['label', 'host', 'kind', 'account', 'state', 'last delivery', ''];
    process.stdout.write(asTable(titles, connections.map(row)));
  },
});

function row(connection: Connection): string[] {
  const { label, host, provider, accountLogin, lastDeliveryAt } = connection;
  return [
    ...[printable(label), printable(host), provider, printable(accountLogin) || '-', stateOf(connection)],
    ...[lastDeliveryAt ?? 'never', printable(troubleOf(connection))],
  ];
}
