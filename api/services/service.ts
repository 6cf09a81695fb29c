import { findService } from '../../db/services/services.ts';
import { resource } from '../engine/resource.ts';

export const theService = resource('service', findService, ({ projectId }) => projectId);
