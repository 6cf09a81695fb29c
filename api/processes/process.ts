import { findProcess } from '../../db/services/processes.ts';
import { resource } from '../engine/resource.ts';

export const theProcess = resource('process', findProcess, ({ projectId }) => projectId);
