import { fileURLToPath } from 'node:url';
import { descriptors } from '../../workflows/descriptors.ts';

/** The folder that stands for all workflows: the bundler is given the text below for it. */
export const workflowsFolder = fileURLToPath(new URL('../../workflows', import.meta.url));

/** Every actor, under the name by which it is started: a module that exports the workflow of each descriptor. */
export function workflowEntry(): string {
  return Object.values(descriptors)
    .map(
      ({ kind, workflow }) =>
        `export { ${workflow} } from ${JSON.stringify(`${workflowsFolder}/${kind}/workflow.ts`)};\n`,
    )
    .join('');
}
