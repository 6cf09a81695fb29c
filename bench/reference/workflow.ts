import { proxyActivities } from '@temporalio/workflow';

const { statement } = proxyActivities<{ statement(): Promise<void> }>({ startToCloseTimeout: '30s' });

/** The least of a workflow. */
export async function nothing(): Promise<void> {}

/** So many activities one after the other. */
export async function activities(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) await statement();
}
