import { factsOf, textOf } from '../../domain/history-steps/step.ts';
import type { ActorWords } from '../../domain/history-steps/words.ts';
import { transferActivities, transferWords } from '../../domain/volume-backups/words.ts';

const said = { noun: 'backup', done: 'the volume is in the store' } as const;
const { claim, stop, finish } = transferActivities(said);

/** The backup of a volume. */
export const volumeBackupWords: ActorWords = {
  ...transferWords(said),
  many: 'Volume backups',
  title: (name) => `Volume backup: ${name}`,
  about: () => 'Packs the files of a volume into an object store.',

  activities: {
    claimVolumeBackup: claim,
    stopVolumeBackup: stop,
    confirmVolumeBackup: {
      kind: 'asked',
      todo: () => 'look for the object in the store',
      done(_, result) {
        const fault = textOf(factsOf(result).fault);
        if (fault === '') return { title: 'Found the object in the store' };
        return { title: 'Did not find the object in the store', detail: fault, outcome: 'failed' };
      },
    },
    clearVolumeBackup: {
      kind: 'asked',
      todo: () => 'delete what is left in the store',
      done: () => ({ title: 'Deleted what was left in the store' }),
    },
    finishVolumeBackup: finish,
  },
};
