// What `./ballast help` knows in the checkout: cli/help/help.json, which cli/help/make-help.ts writes from the commands and the
// settings themselves (a test compares them), so that no package is needed to tell it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { helpTexts } from './help-texts.mjs';

const here = dirname(fileURLToPath(import.meta.url));

export const { helpFor, namesCommand } = helpTexts(known, version);

/** @returns {{ commands: any[], settings: any[] }} */
function known() {
  return JSON.parse(readFileSync(join(here, 'help.json'), 'utf8'));
}

/** With the commit, where this is a checkout that git can read. */
function version() {
  const { version: released } = JSON.parse(readFileSync(join(here, '..', '..', 'package.json'), 'utf8'));
  let commit = '';
  try {
    const options = { cwd: here, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 5_000 };
    commit = ` (${execFileSync('git', ['rev-parse', '--short', 'HEAD'], options).trim()})`;
  } catch {
    // No git, or no checkout of it: the number says enough.
  }
  return `ballast ${released}${commit}\n`;
}
