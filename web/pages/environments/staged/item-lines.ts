import type { ServiceSettings } from '../../../../domain/services/settings.ts';
import { seenChange } from '../../../../domain/variables/build-time.ts';
import type { DiffLine } from '../../../components/diff/diff.tsx';
import { asSentence } from '../../../components/forms/operation/values.ts';
import type { Answers } from '../../../control-plane/session.ts';
import { sizeText } from '../../services/processes/volume-size.ts';

export type StagedView = Answers['changeSets']['draft'];
export type StagedItem = StagedView['items'][number];
type ItemOfDiff = Pick<StagedItem, 'id' | 'label' | 'from' | 'to' | 'secret' | 'toEmpty'> &
  Partial<Pick<StagedItem, 'buildTime' | 'fromBuildTime'>> & { kind: string };

/** Above the changes that belong to no service. */
export const sharedTitle = 'Shared variables';

/** Items below the slug of their service, in the order in which services came. */
export function byService<Item extends Pick<StagedItem, 'serviceSlug'>>(items: readonly Item[]): [string, Item[]][] {
  const services = new Map<string, Item[]>();
  for (const item of items) {
    const title = item.serviceSlug || sharedTitle;
    services.set(title, [...(services.get(title) ?? []), item]);
  }
  return [...services];
}

/** A change as a line of a diff, by the words that the control plane has for it. */
export function lineOf({ id, kind, label: title, from, to, secret, toEmpty, ...item }: ItemOfDiff): DiffLine {
  const before = valueText(from);
  const verb = kind.split('.')[1];
  if (kind === 'volume.create') return { id, title, note: volumeNote(to) };
  if (kind === 'service.create') return { id, title, note: additionNote(to) };
  if (verb === 'create') return { id, title, note: 'Added' };
  if (verb === 'remove') return { id, title, note: 'Removed from this environment' };
  if (verb === 'delete') return { id, title, note: 'Deleted' };
  if (verb === 'unset') return { id, title, from: before ?? '', secret };
  if (kind === 'file.set' && before === undefined) return { id, title, note: `Made of ${valueText(to)}` };
  if (kind === 'volume.grow') return { id, title, from: sizeText(Number(from)), to: sizeText(Number(to)), secret };
  const after = toEmpty ? '' : (valueText(to) ?? 'none');
  const seen = seenChange(item);
  return { id, title, from: before, to: after, secret, about: seen && `${asSentence(seen)}.` };
}

/** What is added: with its processes, since nothing else of the change names them. */
function additionNote(to: string): string {
  const { processes = {}, releaseCommand = [] } = to === '' ? {} : (JSON.parse(to) as Partial<ServiceSettings>);
  const parts = Object.values(processes).map(({ name, kind, port, replicas, volumes = {} }) => {
    const mounts = Object.values(volumes).map(
      (one) => `volume ${one.name} at ${one.mountPath}, ${sizeText(one.sizeBytes)}`,
    );
    const instances = `${replicas} ${replicas === 1 ? 'instance' : 'instances'}`;
    return `${name}: ${[kind, ...(port === undefined ? [] : [`port ${port}`]), instances, ...mounts].join(', ')}`;
  });
  const command = releaseCommand.length === 0 ? [] : [`release command ${releaseCommand.join(' ')}`];
  return ['Added to this environment', ...parts, ...command].join('; ');
}

function volumeNote(to: string): string {
  const { mountPath, sizeBytes } = JSON.parse(to) as { mountPath: string; sizeBytes: number };
  return `Added at ${mountPath}, ${sizeText(sizeBytes)}`;
}

/** A value of JSON text as people read it; undefined: nothing is there. */
export function valueText(json: string): string | undefined {
  if (json === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return json;
  }
  if (value === null) return undefined;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(' ');
  if (typeof value === 'object') {
    const { imageRepository, repository, gitUrl } = value as Record<string, unknown>;
    const source = [imageRepository, repository, gitUrl].find((one) => typeof one === 'string' && one !== '');
    return typeof source === 'string' ? source : 'imageRepository' in value ? 'none' : JSON.stringify(value);
  }
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}
