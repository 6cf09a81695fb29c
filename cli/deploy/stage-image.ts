import type { ItemBody } from '../../api/change-sets/item-bodies.ts';
import { noSource } from '../../domain/services/settings.ts';
import { type ChangeSetView, stageChanges, variableOf } from '../change-set/stage-changes.ts';
import { UsageError } from '../engine/command.ts';
import type { Rest } from '../engine/rest.ts';
import type { Process } from '../service/show.ts';
import type { Complete } from './missing.ts';

interface Wanted {
  /** The source's image; absent where it stays. */
  image: string | undefined;
  port: number | undefined;
  /** `KEY=VALUE` each. */
  variables: readonly string[];
}

/** Stages image, port and variables, and the service where the environment does not have it yet. */
export async function stageImage(rest: Rest, to: Complete, wanted: Wanted): Promise<ChangeSetView> {
  const { environment, service } = to;
  const serviceId = service.id;
  const { image, port, variables } = wanted;
  const items: ItemBody[] = [{ kind: 'service.create', serviceId }];
  if (image !== undefined) {
    const source = { ...noSource, ...registryCredential(service), imageRepository: image };
    items.push({ kind: 'service.set', serviceId, key: 'source', value: source });
  }
  for (const pair of variables) items.push(variableOf(pair, serviceId));
  const view = await stageChanges(rest, environment, items);
  if (port === undefined) return view;
  const processId = await listening(rest, to);
  return await stageChanges(rest, environment, [{ kind: 'process.set', processId, key: 'port', value: port }]);
}

/** The credential of an outside registry stays with the service; the own registry needs none. */
function registryCredential({ source }: Complete['service']): { registryCredentialId?: string } {
  const { registryCredentialId: id } = source;
  return id === undefined ? {} : { registryCredentialId: id };
}

/** The process that `--port` is for. */
export async function listening(rest: Rest, { environment, service }: Complete): Promise<string> {
  const path = `/services/${service.id}/processes?environmentId=${environment.id}`;
  const { items } = await rest.call<{ items: Process[] }>('GET', path);
  const found = items.filter(({ kind }) => kind === 'http' || kind === 'tcp');
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.id;
  const help = `\`./ballast service set port=… --process NAME --service ${service.slug}\` sets that of one`;
  throw new UsageError(
    `--port does not say of which process: ${found.length === 0 ? 'none' : found.map(({ name }) => name).join(', ')} of ${service.slug} listens; ${help}.`,
  );
}
