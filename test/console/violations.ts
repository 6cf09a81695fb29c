import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { settle } from './pages/console-page.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every rule there is, best practices included, whatever the impact. */
export async function violations(page: Page, part?: string): Promise<string[]> {
  await settle(page);
  await page.evaluate(`typeof axe === 'undefined' && (() => { ${axe} })()`);
  const context = part === undefined ? 'document' : JSON.stringify(part);
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${context}, { resultTypes: ['violations'] })`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}
