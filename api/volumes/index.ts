import { changeVolume } from './change-volume.ts';
import { createVolume } from './create-volume.ts';
import { deleteVolume } from './delete-volume.ts';
import { getVolume } from './get-volume.ts';
import { listVolumes } from './list-volumes.ts';

export const volumes = {
  list: listVolumes,
  create: createVolume,
  get: getVolume,
  change: changeVolume,
  delete: deleteVolume,
};
