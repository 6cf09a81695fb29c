import { itemLabel } from '../change-sets/items.ts';
import { withFile } from '../repository-config/overlay.ts';
import { defaultProcess, type ReleaseContent } from '../services/settings.ts';
import { type DriftItem, driftItems } from './drift.ts';

/** A change as approvals show it: values are JSON text, empty where there is none. */
export interface ShownChange {
  kind: string;
  key: string;
  label: string;
  from: string;
  to: string;
  secret: boolean;
  toEmpty: boolean;
}

type Running = Pick<ReleaseContent, 'settings' | 'file' | 'variables'>;

/**
 * The changes that a release brings to what is live: settings that were applied since, and what the configuration file of its
 * source says. Whoever pushes changes the file, so who approves sees it. Replicas are those of today with every release, and the
 * variables of the service are not compared: of the file's those count that the service does not have.
 */
export function goingLive(service: string, live: Running, next: Running): ShownChange[] {
  const [from, to] = [side(live), side(next)];
  const items = changesOf(service, from, to).filter(({ key }) => key !== 'replicas');
  const keys = [...new Set([...Object.keys(from.env), ...Object.keys(to.env)])].filter(
    (key) => from.env[key] !== to.env[key] && !(key in next.variables),
  );
  return [
    ...items.map(({ kind, key, label, from: before, to: after }) => ({
      ...{ kind, key, label, from: textOf(before), to: textOf(after), secret: false, toEmpty: after === '' },
    })),
    ...keys.toSorted().map((key) => {
      const kind = to.env[key] === undefined ? ('variable.unset' as const) : ('variable.set' as const);
      const label = itemLabel({ kind, key, service, process: '' });
      const values = { from: textOf(from.env[key]), to: textOf(to.env[key]) };
      return { kind, key, label, ...values, secret: false, toEmpty: to.env[key] === '' };
    }),
  ];
}

type Side = ReturnType<typeof side>;

/** A process that is added is told with all that it runs, as settings that differ from those of a process without any. */
function changesOf(service: string, live: Side, applied: Side): DriftItem[] {
  const before = live.settings.processes;
  const added = Object.entries(applied.settings.processes).filter(([id]) => before[id] === undefined);
  const { port: _, ...nothing } = defaultProcess;
  const bare = Object.fromEntries(added.map(([id, { name }]) => [id, { ...nothing, name }]));
  const settings = { ...live.settings, processes: { ...before, ...bare } };
  return [
    ...added.map(([, { name }]): DriftItem => {
      const named = { kind: 'process.create' as const, key: '' };
      return { ...named, label: itemLabel({ ...named, service, process: name }), secret: false };
    }),
    ...driftItems({ service, live: { ...live, settings }, applied, variables: [] }),
  ];
}

function side({ settings, file }: Running) {
  return { settings: withFile(settings, file), image: '', env: file?.effective.env ?? {} };
}

function textOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}
