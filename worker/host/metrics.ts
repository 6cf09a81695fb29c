import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  serving: Gauge;
  alarms: Counter;
  restarted: Counter;
  ended: Counter;
  archived: Counter;
  runningAfterEnd: Gauge;
  /** All of it in Prometheus' text format, the SDK's own metrics included. */
  text(): Promise<string>;
}

/** Names carry the process, because the API adds them to its own. `sdkUrl` serves the metrics of the SDK's core. */
export function openMetrics(sdkUrl: string | undefined): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'ballast_worker_' });
  const counter = (name: string, help: string) =>
    new Counter({ name: `ballast_worker_${name}`, help, registers: [registry] });
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `ballast_worker_${name}`, help, registers: [registry] });
  return {
    registry,
    serving: gauge('serving', 'Whether this process serves actors (1) or not (0).'),
    alarms: counter('alarms_total', 'Contradictions between a row and its actor.'),
    restarted: counter('actors_restarted_total', 'Actors that were lost and started again.'),
    ended: counter('actors_ended_total', 'Rows ended because their actor had stopped without ending them.'),
    archived: counter('histories_archived_total', 'Histories of actors that were archived.'),
    runningAfterEnd: gauge('actors_running_after_end', 'Actors that still run although their row is final.'),
    text: async () => `${await registry.metrics()}${await sdkMetrics(sdkUrl)}`,
  };
}

async function sdkMetrics(url: string | undefined): Promise<string> {
  if (url === undefined) return '';
  return fetch(url, { signal: AbortSignal.timeout(2_000) })
    .then((answer) => (answer.ok ? answer.text() : ''))
    .catch(() => '');
}
