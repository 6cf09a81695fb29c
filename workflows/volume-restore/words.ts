import type { ActorWords } from '../../domain/history-steps/words.ts';
import { transferActivities, transferWords } from '../../domain/volume-backups/words.ts';

const said = { noun: 'restore', done: 'the volume has the restored data' } as const;
const { claim, stop, finish } = transferActivities(said);

/** A backup, or data that were kept, in the place of a volume. */
export const volumeRestoreWords: ActorWords = {
  ...transferWords(said),
  many: 'Volume restores',
  title: (name) => `Volume restore: ${name}`,
  about: () => 'Puts the files of a backup in the place of a volume; its processes stand still for that moment.',

  activities: { claimVolumeRestore: claim, stopVolumeRestore: stop, finishVolumeRestore: finish },
};
