import type { z } from 'zod';
import type { volumeBackupSchema } from '../api/volume-backups/operations.ts';
import type { volumeRestoreSchema } from '../api/volume-restores/operations.ts';
import { isId } from '../domain/ids.ts';
import { Refusal } from '../runtime/supervisor/refusal.ts';
import { followed, idOf as idOfBackup, isOver, waitOption } from './backup.ts';
import { command, UsageError } from './engine/command.ts';
import { listed, type Outcome } from './engine/outcome.ts';
import { agreed, canAsk } from './engine/question.ts';
import { Rest, restOptions } from './engine/rest.ts';
import { asFacts, said } from './engine/table.ts';
import { environmentHere } from './place/chosen.ts';
import { environmentOptions } from './place/here.ts';
import { sizeText } from './volume.ts';

type Restore = z.output<typeof volumeRestoreSchema>;

export const backupRestore = command({
  summary: 'Restores a volume from one of its backups',
  usage: 'BACKUP [--yes] [--wait] [--json]',
  details: `The files are fetched and checked beside the volume, while its processes go on. Then these end, the data are replaced, and they start again: a
matter of seconds. The data before are kept in Deleted: \`./ballast deleted restore\` puts them back. It takes an administrator. With --wait the
exit code is 1 when the restore does not succeed.`,
  options: {
    yes: { type: 'boolean', short: 'y', what: 'Replace the data without a question.' },
    ...waitOption,
    ...restOptions,
  },
  run: async ({ yes, wait, ...given }, [word = '']) => {
    const rest = new Rest(given);
    const path = `/volume-backups/${idOfBackup(word)}`;
    const backup = await rest.call<z.output<typeof volumeBackupSchema>>('GET', path);
    const { id: backupId, volumeId, volumeName, serviceName, environmentName, environmentId, createdAt } = backup;
    const what = said`the data of ${volumeName} (${serviceName}, ${environmentName}) by those of ${createdAt}`;
    if (yes !== true) {
      const stops = 'Its processes stand still for some seconds; the data that it has are kept in Deleted.';
      if (!canAsk()) throw new UsageError(`This replaces ${what}; give --yes to do that. ${stops}`);
      process.stderr.write(`${stops}\n`);
      if (!(await agreed(`Replace ${what}?`))) {
        process.stderr.write('Nothing was replaced.\n');
        process.exitCode = 4;
        return undefined;
      }
    }
    const restore = await rest.call<Restore>('POST', `/volumes/${volumeId}/restore`, { environmentId, backupId });
    if (wait) return ended(await finished(rest, restore));
    return {
      json: { restore },
      text: [
        said`The restore ${restore.id} of ${volumeName} is requested.`,
        said`Follow it with \`./ballast backup restore-show ${restore.id} --wait\`.`,
      ],
    };
  },
});

export const backupRestores = command({
  summary: 'Lists the restores of the volumes of an environment',
  usage: '[--project PROJECT] [--environment ENVIRONMENT] [--json]',
  details: 'Newest first.',
  options: environmentOptions,
  run: async (given) => {
    const { rest, environment } = await environmentHere(given, { change: false });
    const restores = await rest.all<Restore>('/volume-restores', undefined, { environmentId: environment.id });
    return listed({ restores }, 'No volume was restored yet; see `./ballast backup restore --help`.', {
      volume: 'volumeName',
      service: 'targetServiceName',
      status: 'status',
      from: ({ sourceBackupId = 'Deleted' }) => sourceBackupId,
      stopped: stoppedText,
      created: 'createdAt',
      by: 'requestedBy',
      id: 'id',
    });
  },
});

export const backupRestoreShow = command({
  summary: 'Shows a restore of a volume',
  usage: 'ID [--wait] [--json]',
  options: { ...waitOption, ...restOptions },
  run: async ({ wait, ...given }, [id = '']) => {
    const rest = new Rest(given);
    const restore = await restoreOf(rest, id);
    if (wait) return ended(await finished(rest, restore));
    const { volumeName, targetServiceName, environmentName, status, message, sourceBackupId } = restore;
    const facts = {
      volume: `${volumeName} (${targetServiceName}, ${environmentName})`,
      status: isOver(restore) ? status : `${status}, ${progressText(restore)}`,
      message,
      from: sourceBackupId ?? 'Deleted',
      stopped: stoppedText(restore),
      requested: `${restore.createdAt} by ${restore.requestedBy}`,
      finished: restore.finishedAt ?? '',
    };
    return { json: { restore }, text: asFacts(facts) };
  },
});

export const backupRestoreCancel = command({
  summary: 'Cancels a restore of a volume',
  usage: 'ID [--json]',
  details: 'The volume has the data that it had. Once they are replaced it is too late: restore them from Deleted.',
  options: restOptions,
  run: async (given, [id = '']) => {
    const restore = await new Rest(given).call<Restore>('POST', `/volume-restores/${idOf(id)}/cancel`);
    const text = isOver(restore)
      ? said`The restore ${restore.id} is cancelled.`
      : said`The restore ${restore.id} stops.`;
    return { json: { restore }, text };
  },
});

async function restoreOf(rest: Rest, id: string): Promise<Restore> {
  return await rest.call<Restore>('GET', `/volume-restores/${idOf(id)}`);
}

function idOf(word: string): string {
  if (!isId(word))
    throw new UsageError(said`"${word}" is no id of a restore; \`./ballast backup restores\` lists them.`);
  return word;
}

const finished = (rest: Rest, restore: Restore) => followed(restore, () => restoreOf(rest, restore.id), progressText);

function progressText({ status, sizeBytes, progress: { fetchedBytes } }: Restore): string {
  if (status === 'replacing') return 'the data are replaced while the processes stand still';
  return `${sizeText(fetchedBytes)}B of ${sizeText(sizeBytes)}B fetched`;
}

function stoppedText({ stoppedSeconds }: Restore): string {
  return stoppedSeconds === undefined ? '' : `${stoppedSeconds.toFixed(1)} s`;
}

function ended(restore: Restore): Outcome {
  const { id, volumeName, status, message } = restore;
  const json = { restore };
  if (status !== 'succeeded')
    return { json, text: '', failure: new Refusal(said`The restore ${id} ${status}: ${message}`) };
  const stopped = stoppedText(restore);
  const stood = stopped === '' ? '' : said` Its processes stood still for ${stopped}.`;
  const below = 'The data before are kept: `./ballast deleted list` says until when.';
  return { json, text: `${said`The volume ${volumeName} is restored.`}${stood}`, below };
}
