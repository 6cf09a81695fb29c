/** Every actor, under the name by which it is started (see domain/actors.ts). */
export { deletion } from './deletion/workflow.ts';
