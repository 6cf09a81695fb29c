import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

/** The bundle of the bare worker, made beforehand as ours is kept: bundling takes a second and much memory. */
export async function writeBareBundle(path: string): Promise<void> {
  const nothing = (): void => undefined;
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('workflow.ts', import.meta.url)),
    logger: { log: nothing, trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing },
  });
  await writeFile(path, code);
}
