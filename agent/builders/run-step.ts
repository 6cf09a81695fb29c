import type { BuildPlan, BuildStep } from '../../domain/detection/build-plan.ts';
import { cacheVariables, linkedFolders, linkingLines, quoted } from './caches/cache-places.ts';

/** Tools that heed these write the same whenever they run. Bytecode of Python stays valid whatever becomes of its files' times. */
const unchanging = { SOURCE_DATE_EPOCH: '315532800', PYTHONDONTWRITEBYTECODE: '1' };

/**
 * Runs a step of the plan, with its caches where its tools look for them. Variables of the service count before what the plan sets, and never
 * before what leads to a cache.
 */
export async function runStep(
  step: BuildStep,
  plan: BuildPlan,
  variables: Readonly<Record<string, string>>,
  run: (command: string, environment: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const folders = linkedFolders(step, plan);
  const environment = { ...unchanging, ...plan.environment, ...variables, ...cacheVariables(step.caches) };
  if (folders.size === 0) return await run(step.command, environment);
  // Afterwards nothing of the result leads into a cache.
  const unlink = [...folders.keys()].map((path) => `rm -f -- ${quoted(path)}`);
  const whole = ['(', ...linkingLines(folders), ')', '(', step.command, ')', ...unlink];
  await run(whole.join('\n'), environment);
}
