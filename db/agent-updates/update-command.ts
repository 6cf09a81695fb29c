import { v5 as uuidOf } from 'uuid';

const namespace = '9a1c5b9e-6a5f-5d0c-8f6f-0c2f1b7d2f11';

/** The id of the command that carries an update out: the same each time it is asked for. */
export function updateCommandId(updateId: string): string {
  return uuidOf(`agent-update ${updateId}`, namespace);
}
