import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import type { objectStoreSchema } from '../api/object-stores/operations.ts';
import type { volumeBackupSchema } from '../api/volume-backups/operations.ts';
import { isId } from '../domain/ids.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { deletion, yesOption } from './deleted.ts';
import { command, UsageError } from './engine/command.ts';
import { listed, type Outcome } from './engine/outcome.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { asFacts, said } from './engine/table.ts';
import { environmentHere, serviceHere } from './place/chosen.ts';
import { environmentOptions, serviceOptions } from './place/here.ts';
import { namedStore } from './store.ts';
import { sizeText, volumeNamed } from './volume.ts';

type Backup = z.output<typeof volumeBackupSchema>;

const backups = '/volume-backups';
const lookedAtEachMillis = 1_000;
export const isOver = ({ status }: { status: string }) => ['succeeded', 'failed', 'cancelled'].includes(status);

export const waitOption = { wait: { type: 'boolean', what: 'Wait for its end, with its progress.' } } as const;

export const backupCreate = command({
  summary: 'Backs up a volume into an object store',
  usage:
    'VOLUME [--store STORE] [--quiesce] [--wait] [--project PROJECT] [--service SERVICE] [--environment ENVIRONMENT] [--json]',
  details: `Packs the files of the volume as they are, while its process goes on; files that change meanwhile are named. With --quiesce it
stands still for the time, and no file changes. STORE is the name or id of
an object store; it can be left out where there is one. With --wait the exit code is 1 when the backup does not succeed.`,
  options: {
    store: { type: 'string', value: 'STORE', what: 'Where it is kept.' },
    quiesce: { type: 'boolean', what: 'Its process ends before it is packed and starts after it.' },
    ...waitOption,
    ...serviceOptions,
  },
  run: async ({ store, quiesce, wait, ...given }, [word = '']) => {
    const place = await serviceHere(given, { change: true });
    const { rest, environment } = place;
    const volume = await volumeNamed(place, word);
    const { id: objectStoreId } = await chosenStore(rest, store);
    const body = { environmentId: environment.id, objectStoreId, ...(quiesce === true && { quiesce }) };
    const backup = await rest.call<Backup>('POST', `/volumes/${volume.id}/backups`, body);
    if (wait) return ended(await finished(rest, backup));
    return {
      json: { backup },
      text: [
        said`The backup ${backup.id} of ${volume.name} is requested.`,
        said`Follow it with \`./ballast backup show ${backup.id} --wait\`.`,
      ],
    };
  },
});

export const backupList = command({
  summary: 'Lists the backups of the volumes of an environment',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: 'Newest first; also those of volumes and services that were deleted.',
  options: environmentOptions,
  run: async (given) => {
    const { rest, environment } = await environmentHere(given, { change: false });
    const all = await rest.all<Backup>(backups, undefined, { environmentId: environment.id });
    return listed({ backups: all }, 'There is no backup yet; see `./ballast backup create --help`.', {
      volume: 'volumeName',
      service: 'serviceName',
      status: 'status',
      size: ({ sizeBytes, status }) => (status === 'succeeded' ? sizeText(sizeBytes) : '-'),
      created: 'createdAt',
      by: 'requestedBy',
      id: 'id',
    });
  },
});

export const backupShow = command({
  summary: 'Shows a backup of a volume',
  usage: 'ID [--wait] [--json]',
  options: { ...waitOption, ...restOptions },
  run: async ({ wait, ...given }, [id = '']) => {
    const rest = new Rest(given);
    const backup = await backupOf(rest, id);
    if (wait) return ended(await finished(rest, backup));
    const { volumeName, serviceName, environmentName, status, message, sizeBytes, sha256, warnings, stoppedSeconds } =
      backup;
    const facts = {
      volume: `${volumeName} (${serviceName}, ${environmentName})`,
      status: isOver(backup) ? status : `${status}, ${progressText(backup)}`,
      message,
      size: status === 'succeeded' ? sizeText(sizeBytes) : '',
      sha256,
      stopped: stoppedSeconds === undefined ? '' : `${stoppedSeconds.toFixed(1)} s`,
      object: backup.objectKey,
      warnings,
      requested: `${backup.createdAt} by ${backup.requestedBy}`,
      finished: backup.finishedAt ?? '',
    };
    return { json: { backup }, text: asFacts(facts) };
  },
});

export const backupDownload = command({
  summary: 'Prints an address at which a backup of a volume can be downloaded',
  usage: 'ID [--json]',
  details:
    'For 15 minutes, without a credential: whoever has the address has the data. It is a tar, compressed by zstd. It takes an administrator.',
  options: restOptions,
  run: async (given, [id = '']) => {
    const rest = new Rest(given);
    const { url, expiresAt } = await rest.call<{ url: string; expiresAt: string }>(
      'POST',
      `${backups}/${idOf(id)}/download`,
    );
    return { json: { url, expiresAt }, text: url, below: said`The address expires at ${expiresAt}.` };
  },
});

export const backupCancel = command({
  summary: 'Cancels a backup of a volume',
  usage: 'ID [--json]',
  details: 'Nothing of it stays in the store.',
  options: restOptions,
  run: async (given, [id = '']) => {
    const backup = await new Rest(given).call<Backup>('POST', `${backups}/${idOf(id)}/cancel`);
    const text = isOver(backup) ? said`The backup ${backup.id} is cancelled.` : said`The backup ${backup.id} stops.`;
    return { json: { backup }, text };
  },
});

export const backupDelete = command({
  summary: 'Deletes a backup of a volume',
  usage: 'ID [--yes] [--json]',
  details: 'Its object is deleted from the store, for good. It takes an administrator.',
  options: { ...yesOption(), ...restOptions },
  run: async ({ yes, ...given }, [word = '']) => {
    const rest = new Rest(given);
    const { id, volumeName, serviceName, environmentName } = await backupOf(rest, word);
    const called = `${id} of ${volumeName} (${serviceName}, ${environmentName})`;
    return await deletion(rest, { noun: 'backup', called, name: id, path: `${backups}/${id}`, yes, deleted: { id } });
  },
});

async function chosenStore(rest: Rest, name: string | undefined): Promise<z.output<typeof objectStoreSchema>> {
  if (name !== undefined) return await namedStore(rest, name);
  const [store, ...more] = await rest.all<z.output<typeof objectStoreSchema>>('/object-stores');
  if (store === undefined) throw new UsageError('There is no object store yet: add one with `./ballast store add`.');
  if (more.length === 0) return store;
  const names = [store, ...more].map((one) => one.name).join(', ');
  throw new UsageError(said`Say by --store where it is kept; there are: ${names}.`);
}

async function backupOf(rest: Rest, id: string): Promise<Backup> {
  return await rest.call<Backup>('GET', `${backups}/${idOf(id)}`);
}

export function idOf(word: string): string {
  if (!isId(word)) throw new UsageError(said`"${word}" is no id of a backup; \`./ballast backup list\` lists them.`);
  return word;
}

/** Until it is over; each step of it is a line for people. */
export async function followed<Transfer extends { status: string; message: string }>(
  first: Transfer,
  again: () => Promise<Transfer>,
  progress: (now: Transfer) => string,
): Promise<Transfer> {
  let [now, line] = [first, ''];
  while (!isOver(now)) {
    const done = progress(now);
    const begun = `${done.charAt(0).toUpperCase()}${done.slice(1)}.`;
    const next = now.status === 'queued' ? now.message || 'Waits for its turn.' : begun;
    if (next !== line) process.stderr.write(`${said`${next}`}\n`);
    line = next;
    await pause(lookedAtEachMillis);
    now = await again();
  }
  return now;
}

const finished = (rest: Rest, backup: Backup) => followed(backup, () => backupOf(rest, backup.id), progressText);

function progressText({ progress: { archiveBytes, storedBytes, volumeBytes } }: Backup): string {
  return `${sizeText(archiveBytes)}B of about ${sizeText(volumeBytes)}B read, ${sizeText(storedBytes)}B stored`;
}

function ended(backup: Backup): Outcome {
  const { id, volumeName, status, message, sizeBytes, warnings } = backup;
  const json = { backup };
  if (status !== 'succeeded')
    return { json, text: '', failure: new Refusal(said`The backup ${id} ${status}: ${message}`) };
  const below = warnings.map((warning) => said`Warning: ${warning}`);
  return { json, text: said`The backup ${id} of ${volumeName} has succeeded: ${sizeText(sizeBytes)}B.`, below };
}
