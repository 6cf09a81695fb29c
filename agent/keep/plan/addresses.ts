import type { Process, Workload } from '../../../protocol/workload.ts';
import type { EnvironmentName } from '../../drivers/driver.ts';
import type { PortRoute, Route } from '../../ingress/route.ts';
import { type Faults, normalHost } from '../faults.ts';
import { isServing, isStable, type Seen } from '../observe/seen.ts';

/** All ways that lead to the instances of one slice. They change together. */
export interface Addresses {
  routes: Route[];
  ports: PortRoute[];
  names: EnvironmentName[];
}

export const noAddresses: Addresses = { routes: [], ports: [], names: [] };

/** `owners`: which slice has each host name. */
export function addressesOf(
  workload: Workload,
  key: string,
  owners: ReadonlyMap<string, string>,
  faults: Faults,
  instances: readonly Seen[],
  now: number,
): Addresses & { errors: string[] } {
  const serving = new Map(
    workload.processes.map((process) => {
      const mine = instances.filter((seen) => seen.process.name === process.name);
      return [process.name, servingOf(mine, now).filter(({ address }) => address !== undefined)];
    }),
  );
  const routes = new Map<string, Route>();
  const errors: string[] = [];
  for (const { host, process } of workload.routes) {
    const normal = normalHost(host);
    const fault =
      hostFault(host, key, owners, faults) ??
      (routes.has(normal) ? `The host ${host} is named twice: it leads to the first process only.` : undefined);
    if (fault !== undefined) {
      errors.push(fault);
      continue;
    }
    const protocol = workload.processes.find(({ name }) => name === process)?.upstream ?? 'http1';
    const upstreams = upstreamsOf(serving.get(process) ?? []).map((upstream) => ({ ...upstream, protocol }));
    routes.set(normal, { host: normal, upstreams });
  }
  const ports = workload.processes.flatMap(({ name, internalPort }) =>
    internalPort === undefined ? [] : [{ port: internalPort, upstreams: upstreamsOf(serving.get(name) ?? []) }],
  );
  return { routes: [...routes.values()], ports, names: namesOf(workload, serving), errors };
}

/** The reason why a host name does not lead to this slice. */
export function hostFault(
  host: string,
  key: string,
  owners: ReadonlyMap<string, string>,
  faults: Faults,
): string | undefined {
  const owner = owners.get(normalHost(host)) ?? key;
  if (faults.hosts.has(host)) return faults.hosts.get(host);
  return owner === key ? undefined : `The host ${host} already leads to ${owner}: use another one.`;
}

/** Those that are ready for long enough; if there is none, those that are ready: somebody has to serve. */
export function servingOf(instances: readonly Seen[], now: number): Seen[] {
  const serving = instances.filter(isServing).sort((one, other) => (one.id < other.id ? -1 : 1));
  const stable = serving.filter((seen) => isStable(seen, now));
  return stable.length > 0 ? stable : serving;
}

function upstreamsOf(serving: readonly Seen[]) {
  return serving.flatMap(({ id, address }) => (address === undefined ? [] : [{ instance: id, ...address }]));
}

/** The service's name leads to its first process that listens; each has a name of its own, too. */
function namesOf({ network, processes }: Workload, serving: ReadonlyMap<string, Seen[]>): EnvironmentName[] {
  if (network === undefined) return [];
  const listening = processes.filter(({ port, kind }) => port !== undefined && kind !== 'cron');
  const name = (process: Process, called: string): EnvironmentName => ({
    environment: network.environment,
    name: called,
    instances: (serving.get(process.name) ?? []).map(({ id }) => id),
  });
  return network.aliases.flatMap((alias) =>
    listening.flatMap((process, index) => [
      ...(index === 0 ? [name(process, alias)] : []),
      name(process, `${process.name}.${alias}`),
    ]),
  );
}
