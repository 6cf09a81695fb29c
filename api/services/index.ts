import { changeService } from './change-service.ts';
import { clearCanvas } from './clear-canvas.ts';
import { createService } from './create-service.ts';
import { deleteService } from './delete-service.ts';
import { deletionImpact } from './deletion-impact.ts';
import { getService } from './get-service.ts';
import { listServices } from './list-services.ts';
import { setCanvas } from './set-canvas.ts';

export const services = {
  list: listServices,
  create: createService,
  get: getService,
  change: changeService,
  delete: deleteService,
  deletionImpact,
  setCanvas,
  clearCanvas,
};
