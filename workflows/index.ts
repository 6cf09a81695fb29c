/** Every actor, under the name by which it is started (see domain/actors/actors.ts). */
export { agentUpdate } from './agent-update/workflow.ts';
export { cluster } from './cluster/workflow.ts';
export { deletion } from './deletion/workflow.ts';
