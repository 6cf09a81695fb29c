import { changeService } from './change-service.ts';
import { clearCanvas } from './clear-canvas.ts';
import { createService } from './create-service.ts';
import { deleteService } from './delete-service.ts';
import { deletionImpact } from './deletion-impact.ts';
import { getService } from './get-service.ts';
import { listServices } from './list-services.ts';
import { serviceDrift } from './service-drift.ts';
import { setCanvas } from './set-canvas.ts';
import { resumeService } from './suspension/resume-service.ts';
import { suspendService } from './suspension/suspend-service.ts';

export const services = {
  list: listServices,
  create: createService,
  get: getService,
  change: changeService,
  delete: deleteService,
  deletionImpact,
  setCanvas,
  clearCanvas,
  drift: serviceDrift,
  suspend: suspendService,
  resume: resumeService,
};
