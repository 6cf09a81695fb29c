import type { AgentCommand } from '../program/options.ts';
import { homeOption } from './home-option.ts';
import { readIdentity } from './identity.ts';
import { readStatus } from './status.ts';

export const tellStatus: AgentCommand = {
  name: 'status',
  summary: 'Shows whether the agent of this machine runs, for which cluster, and whether it is in contact.',
  details: 'Exits with 0 if it is in contact, else with 1.',
  options: { home: homeOption, json: { what: 'As JSON.' } },
  async run(values) {
    const home = values.needed('home');
    const status = readStatus(home);
    const cluster = status?.cluster ?? readIdentity(home)?.cluster;
    if (values.has('json')) {
      const told = status ?? { connected: false, ...(cluster === undefined ? {} : { cluster }) };
      process.stdout.write(`${JSON.stringify({ running: status !== undefined, ...told })}\n`);
    } else if (status === undefined) {
      const where = cluster === undefined ? 'and is not enrolled' : `and is enrolled for the cluster ${cluster.name}`;
      process.stdout.write(`The agent of ${home} is not running ${where}.\n`);
    } else {
      const contact = status.connected ? 'in contact with' : 'out of contact with';
      process.stdout.write(
        `The agent ${status.image} (pid ${status.pid}) of the cluster ${cluster?.name ?? '?'} is ${contact} ${status.url}.\n` +
          `It runs ${status.instances} instances of ${status.slices} workloads with the ${status.driver} driver.\n` +
          (status.error === undefined ? '' : `${status.error}\n`),
      );
    }
    return status?.connected ? 0 : 1;
  },
};
